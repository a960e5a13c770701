/**
 * What the catalog shows: rows, search answers, listings, the overview, public items, comparisons. The names and units
 * are the contract's (prices here are US dollars, as it asks; inside, money stays micros). This module holds shapes
 * only; the layers fill them.
 */
import { Schema } from "effect"
import { Json, ParsedObject } from "./Json.js"
import { comparedMax, comparedMin } from "./Limits.js"
import { PriceBasis } from "./Manifest.js"
import { Prefer } from "./RoutePlan.js"

const Count = Schema.NonNegativeInt
const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })
/** US dollars, or null where nothing is known. */
const Usd = Schema.NullOr(Schema.Number)

export const Access = Schema.Literal("runs_now", "needs_your_account", "coming_soon").annotations({
  identifier: "Access"
})
export type Access = typeof Access.Type
export const CredentialNeed = Schema.Literal("none", "platform", "platform_own_key_optional", "own_key_required")
export type CredentialNeed = typeof CredentialNeed.Type
export const MatchedBy = Schema.Literal("text", "capability", "tokens")
export type MatchedBy = typeof MatchedBy.Type

/** How an endpoint did over the last 30 days. `thin` says that fewer than 5 runs stand behind it. */
export const WorksView = Schema.Struct({
  rate: Schema.NullOr(Schema.Number),
  runs: Count,
  p50Ms: Schema.NullOr(Schema.Number),
  thin: Schema.Boolean
}).annotations({ identifier: "Works" })
export type WorksView = typeof WorksView.Type

export const StatsView = Schema.Struct({
  calls: Count,
  successRate: Schema.Number,
  p50Ms: Schema.NullOr(Schema.Number),
  sampleSize: Count
}).annotations({ identifier: "Stats" })
export type StatsView = typeof StatsView.Type

const titleFields = {
  endpointId: Schema.String,
  provider: Schema.String,
  name: Schema.String,
  /** The job's id; absent when the operation belongs to no job. */
  capability: optional(Schema.String),
  category: Schema.String,
  estimatedPrice: Schema.Number,
  priceBasis: PriceBasis,
  access: Access,
  executionMode: Schema.Literal("sync", "async"),
  costPerSuccessUsd: Usd,
  async: Schema.Boolean,
  works: WorksView,
  sourceCapability: Schema.NullOr(Schema.String),
  credential: CredentialNeed
}

/** The short row, in the contract's order. */
export const TitleRow = Schema.Struct(titleFields).annotations({ identifier: "TitleRow" })
export type TitleRow = typeof TitleRow.Type

export const JobName = Schema.Struct({ id: Schema.String, title: Schema.String })
export type JobName = typeof JobName.Type

export const CatalogRow = Schema.Struct({
  ...titleFields,
  platform: Schema.String,
  job: optional(JobName),
  summary: Schema.String,
  mock: Schema.Boolean,
  verified: Schema.Boolean,
  keyless: Schema.Boolean,
  runnableNow: Schema.Boolean,
  stats: Schema.NullOr(StatsView),
  /** Null in a listing, because a listing has no search words. */
  matchedBy: Schema.NullOr(MatchedBy),
  facts: Schema.Record({ key: Schema.String, value: Schema.String })
}).annotations({ identifier: "CatalogRow" })
export type CatalogRow = typeof CatalogRow.Type

export const titleOf = (row: CatalogRow): TitleRow => ({
  endpointId: row.endpointId,
  provider: row.provider,
  name: row.name,
  ...(row.capability === undefined ? {} : { capability: row.capability }),
  category: row.category,
  estimatedPrice: row.estimatedPrice,
  priceBasis: row.priceBasis,
  access: row.access,
  executionMode: row.executionMode,
  costPerSuccessUsd: row.costPerSuccessUsd,
  async: row.async,
  works: row.works,
  sourceCapability: row.sourceCapability,
  credential: row.credential
})

/** The filters of a search or a listing. A filter that the client did not give is null. */
export interface CatalogFilter {
  readonly category: string | null
  readonly platform: string | null
  readonly provider: string | null
  /** A job's id, dotted. */
  readonly capability: string | null
  readonly keyless: boolean | null
  readonly verified: boolean | null
  readonly mock: boolean | null
  /** What is needed to run it, for the viewer. */
  readonly access: Access | null
  readonly maxPriceMicros: number | null
  /** Also rows of providers that the operator has switched off. */
  readonly hidden: boolean
}

export const noFilter: CatalogFilter = {
  category: null,
  platform: null,
  provider: null,
  capability: null,
  keyless: null,
  verified: null,
  mock: null,
  access: null,
  maxPriceMicros: null,
  hidden: false
}

export interface CatalogQuery extends CatalogFilter {
  readonly q: string
  readonly limit: number
  readonly offset: number
  readonly prefer: Prefer
}

export const NoSupplyWarning = Schema.Struct({
  code: Schema.Literal("no_supply_for_job"),
  job: Schema.String,
  message: Schema.String
})
/** Nothing matched the words: rows beside it are a look at the catalog and no results. */
export const NoMatchWarning = Schema.Struct({ code: Schema.Literal("no_match"), message: Schema.String })
export type NoMatchWarning = typeof NoMatchWarning.Type
export const PriceHint = Schema.Struct({
  code: Schema.Literal("price_above_max"),
  endpointId: Schema.String,
  provider: Schema.String,
  estimatedPrice: Schema.Number,
  priceBasis: PriceBasis
})
export type PriceHint = typeof PriceHint.Type

export const SearchAnswer = Schema.Struct({
  query: Schema.String,
  total: Count,
  endpoints: Schema.Array(CatalogRow),
  nextOffset: Schema.NullOr(Count),
  prefer: Prefer,
  expandedCapabilities: Schema.Array(Schema.String),
  revision: Schema.String,
  warnings: optional(Schema.Array(Schema.Union(NoSupplyWarning, NoMatchWarning))),
  priceHint: optional(PriceHint)
}).annotations({ identifier: "SearchAnswer" })
export type SearchAnswer = typeof SearchAnswer.Type

export interface ListingQuery extends CatalogFilter {
  readonly limit: number
  /** The last endpoint id of the page before. */
  readonly after: string | null
  readonly facets: boolean
}

const FacetCounts = Schema.Array(Schema.Struct({ value: Schema.String, count: Count }))
export const Facets = Schema.Struct({
  category: FacetCounts,
  platform: FacetCounts,
  provider: FacetCounts,
  capability: FacetCounts
})
export type Facets = typeof Facets.Type

/** A page of the listing; `next` is the endpoint id to go on after. */
export interface Listing {
  readonly endpoints: ReadonlyArray<CatalogRow>
  readonly next: string | null
  readonly total: number
  readonly revision: string
  readonly facets: Facets | null
}

export const ListingAnswer = Schema.Struct({
  endpoints: Schema.Array(CatalogRow),
  nextCursor: Schema.NullOr(Schema.String),
  total: Count,
  revision: Schema.String,
  facets: optional(Facets)
}).annotations({ identifier: "EndpointListing" })
export type ListingAnswer = typeof ListingAnswer.Type

export const Depth = Schema.Literal("summary", "platforms", "jobs", "full")
export type Depth = typeof Depth.Type

export interface OverviewQuery {
  readonly depth: Depth
  readonly category: string | null
  readonly platform: string | null
  readonly topic: string | null
}

const counts = {
  id: Schema.String,
  title: Schema.String,
  providerCount: Count,
  endpointCount: Count,
  runnableCount: Count,
  cheapestPerCall: Usd,
  cheapestPerResult: Usd
}
export const OverviewJob = Schema.Struct({ ...counts, endpoints: optional(Schema.Array(TitleRow)) }).annotations({
  identifier: "OverviewJob"
})
export type OverviewJob = typeof OverviewJob.Type
export const OverviewPlatform = Schema.Struct({
  ...counts,
  jobCount: Count,
  jobs: optional(Schema.Array(OverviewJob))
}).annotations({ identifier: "OverviewPlatform" })
export type OverviewPlatform = typeof OverviewPlatform.Type
export const OverviewCategory = Schema.Struct({
  ...counts,
  platformCount: Count,
  jobCount: Count,
  platforms: optional(Schema.Array(OverviewPlatform))
}).annotations({ identifier: "OverviewCategory" })
export type OverviewCategory = typeof OverviewCategory.Type

export const OverviewTotals = Schema.Struct({
  categories: Count,
  platforms: Count,
  jobs: Count,
  providers: Count,
  endpoints: Count,
  runnableEndpoints: Count
})
const OverviewFilter = Schema.Struct({ category: optional(Schema.String), platform: optional(Schema.String) })
const revised = { revision: Schema.String, builtAt: Schema.String }

export const OverviewTree = Schema.Struct({
  ...revised,
  depth: Depth,
  filter: optional(OverviewFilter),
  totals: optional(OverviewTotals),
  categories: Schema.Array(OverviewCategory)
}).annotations({ identifier: "OverviewTree" })
export type OverviewTree = typeof OverviewTree.Type

export const TopicJob = Schema.Struct({ ...counts, category: Schema.String, platform: Schema.String })
export const OverviewTopic = Schema.Struct({
  ...revised,
  topic: Schema.String,
  filter: optional(OverviewFilter),
  matchCount: Count,
  truncated: Schema.Boolean,
  jobs: Schema.Array(TopicJob)
}).annotations({ identifier: "OverviewTopic" })
export type OverviewTopic = typeof OverviewTopic.Type

export const Overview = Schema.Union(OverviewTree, OverviewTopic)
export type Overview = typeof Overview.Type

export interface DiscoverQuery {
  readonly q: string
  readonly limit: number
  readonly prefer: Prefer
  readonly maxPriceMicros: number | null
}

export const DiscoveredOperation = Schema.Struct({
  ...titleFields,
  /** 0 to 1, weighted from the four below. */
  score: Schema.Number,
  scores: Schema.Struct({
    relevance: Schema.Number,
    evidence: Schema.Number,
    availability: Schema.Number,
    price: Schema.Number
  }),
  reason: Schema.String,
  /** Input fields that must be given. */
  missingInput: Schema.Array(Schema.String)
}).annotations({ identifier: "DiscoveredOperation" })
export type DiscoveredOperation = typeof DiscoveredOperation.Type

export const Discovered = Schema.Struct({
  query: Schema.String,
  job: optional(JobName),
  operations: Schema.Array(DiscoveredOperation),
  warnings: optional(Schema.Array(NoMatchWarning))
}).annotations({ identifier: "Discovered" })
export type Discovered = typeof Discovered.Type

export interface PublicQuery {
  readonly q: string | null
  readonly capability: string | null
  readonly category: string | null
  readonly provider: string | null
  readonly limit: number
  /** Where this page begins: the `next` of the page before. */
  readonly after: string | null
}

export const PublicItem = Schema.Struct({
  catalogItemId: Schema.String,
  providerId: Schema.String,
  operationId: Schema.String,
  title: Schema.String,
  description: Schema.String,
  categories: Schema.Array(Schema.String),
  capabilities: Schema.Array(Schema.String),
  parameters: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      location: Schema.String,
      required: Schema.Boolean,
      type: Schema.String,
      description: Schema.String
    })
  ),
  price: Schema.NullOr(
    Schema.Struct({
      state: Schema.Literal("priced", "free", "unknown"),
      amountMicros: Schema.NullOr(Schema.Int),
      currency: Schema.Literal("USD"),
      unit: Schema.Literal("call", "result")
    })
  ),
  mock: Schema.Boolean,
  verified: Schema.Boolean,
  keyless: Schema.Boolean
}).annotations({ identifier: "PublicItem" })
export type PublicItem = typeof PublicItem.Type

export const PublicPage = Schema.Struct({
  items: Schema.Array(PublicItem),
  nextCursor: Schema.NullOr(Schema.String),
  warnings: optional(Schema.Array(NoMatchWarning))
}).annotations({ identifier: "PublicPage" })

export const ComparedItem = Schema.Struct({
  ...PublicItem.fields,
  works: WorksView,
  access: Access,
  /** The three below only when an input was given. */
  acceptsInput: optional(Schema.Boolean),
  inputProblems: optional(Schema.Array(Schema.Struct({ field: Schema.String, message: Schema.String }))),
  maxCostUsd: optional(Schema.NullOr(Schema.Number))
}).annotations({ identifier: "ComparedItem" })
export type ComparedItem = typeof ComparedItem.Type

export const Compared = Schema.Struct({
  items: Schema.Array(ComparedItem),
  differences: Schema.Array(
    Schema.Struct({ field: Schema.String, values: Schema.Record({ key: Schema.String, value: Json }) })
  ),
  cheapest: Schema.NullOr(Schema.String),
  fastest: Schema.NullOr(Schema.String),
  mostReliable: Schema.NullOr(Schema.String),
  /** Ids that the catalog does not have. */
  unknown: Schema.Array(Schema.String)
}).annotations({ identifier: "Compared" })
export type Compared = typeof Compared.Type

export const CompareRequest = Schema.Struct({
  catalogItemIds: Schema.Array(Schema.String).pipe(Schema.minItems(comparedMin), Schema.maxItems(comparedMax)),
  input: optional(ParsedObject)
}).annotations({ identifier: "CompareRequest" })

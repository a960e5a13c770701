/**
 * What the catalog shows: rows, search answers, listings, the overview, public items, comparisons. The names and units
 * are the contract's (prices here are US dollars, as it asks; inside, money stays micros). This module holds shapes
 * only; the layers fill them.
 */
import { Schema } from "effect"
import { between, exampleTime, field } from "./Described.js"
import { Json, JsonObject, ParsedObject } from "./Json.js"
import { comparedMax, comparedMin, searchUseShareMax } from "./Limits.js"
import { PriceBasis } from "./Manifest.js"
import { Prefer } from "./RoutePlan.js"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })
const text = (description: string, example: string) => field(Schema.String, description, example)
const texts = (description: string, example: ReadonlyArray<string>) =>
  field(Schema.Array(Schema.String), description, example)
const flag = (description: string, example: boolean) => field(Schema.Boolean, description, example)
const count = (description: string, example: number) => field(Schema.NonNegativeInt, description, example)
/** US dollars, or null where nothing is known. */
const usdOrNull = (description: string, example: number | null) =>
  field(Schema.NullOr(Schema.Number), description, example)

export const Access = Schema.Literal("runs_now", "needs_your_account", "coming_soon").annotations({
  identifier: "Access",
  description:
    "Whether you can run it: runs_now (no key is needed, or the gateway has one), needs_your_account (connect a key of your own first), coming_soon (nobody can run it yet)",
  examples: ["runs_now"]
})
export type Access = typeof Access.Type
export const CredentialNeed = Schema.Literal("none", "platform", "platform_own_key_optional", "own_key_required")
export type CredentialNeed = typeof CredentialNeed.Type
export const MatchedBy = Schema.Literal("text", "capability", "tokens")
export type MatchedBy = typeof MatchedBy.Type

/** How an endpoint did over the last 30 days. `thin` says that fewer than 5 runs stand behind it. */
export const WorksView = Schema.Struct({
  rate: field(
    Schema.NullOr(between(0, 1)),
    "The share of runs that found something, from 0 to 1; null without runs",
    0.93
  ),
  runs: count("How many runs that is", 214),
  p50Ms: field(Schema.NullOr(Schema.Number), "How long half of the runs took at most, in milliseconds", 840),
  thin: flag("Fewer than 5 runs: too few to rely on", false)
}).annotations({ identifier: "Works", description: "How it did in the last 30 days" })
export type WorksView = typeof WorksView.Type

export const StatsView = Schema.Struct({
  calls: count("Calls of the last 30 days", 214),
  successRate: field(
    between(0, 1),
    "The share of calls that the provider answered, from 0 to 1; an empty answer is an answer",
    0.98
  ),
  p50Ms: field(Schema.NullOr(Schema.Number), "How long half of the calls took at most, in milliseconds", 840),
  sampleSize: count("How many calls these figures are made of", 214)
}).annotations({ identifier: "Stats", description: "How its calls went in the last 30 days" })
export type StatsView = typeof StatsView.Type

const credential = field(
  CredentialNeed,
  "Whose key a run needs: none, the gateway's (platform), the gateway's or your own (platform_own_key_optional), your own (own_key_required)",
  "platform"
)
const executionMode = field(
  Schema.Literal("sync", "async"),
  "sync: the provider answers at once; async: it works for a while, and the gateway asks it until it is done",
  "sync"
)
const priceBasis = field(PriceBasis, "What the price is for: one call, one result, or nothing", "per_call")
const mock = flag("A fixture for tests: it answers made-up data and calls nobody", false)
const verified = flag("The gateway's tests have checked it against the provider's own documentation", true)
const keyless = flag("The provider needs no key", false)
const category = text("The category's id", "people")
const platform = text("The platform's id: the site or service that it is about, or general", "general")

const titleFields = {
  endpointId: text("The id to run it by", "mock-email-find"),
  provider: text("The provider's id", "mock"),
  name: text("What it is called", "Find an e-mail address"),
  capability: optional(text("The job that it does; absent when it belongs to no job", "people.email.find")),
  category,
  estimatedPrice: field(Schema.Number, "The price in US dollars, of one call or one result", 0.02),
  priceBasis,
  access: Access,
  executionMode,
  costPerSuccessUsd: usdOrNull("US dollars for one answer that found something; null when unknown", 0.0215),
  async: flag("The same as executionMode async", false),
  works: WorksView,
  sourceCapability: field(
    Schema.NullOr(Schema.String),
    "What the source of the manifest calls the task; null where it says nothing",
    null
  ),
  credential
}

/** The short row, in the contract's order. */
export const TitleRow = Schema.Struct(titleFields).annotations({
  identifier: "TitleRow",
  description: "An operation, in short"
})
export type TitleRow = typeof TitleRow.Type

export const JobName = Schema.Struct({
  id: text("The job's id; run it as job:<id>", "people.email.find"),
  title: text("What it is called", "Find a work e-mail address")
})
export type JobName = typeof JobName.Type

/** What the words of a question say about the input. Absent where they say nothing, and with `hints=off`. */
const usageHints = optional(
  Schema.Struct({
    exampleInput: field(
      JsonObject,
      "The example of the operation, with the values that the question gave in place of its own",
      { email: "bob@example.com" }
    ),
    givenInputFields: texts("The fields of it that the question gave; the others are examples", ["email"])
  }).annotations({
    identifier: "GivenInput",
    description: "Present when the words gave values that this operation takes, such as an address"
  })
)

const raisedByUse = optional(
  field(
    between(0, searchUseShareMax),
    "Present where this workspace learns from use and used it after a search: the share of the best score that was added for it",
    0.05
  )
)

export const CatalogRow = Schema.Struct({
  ...titleFields,
  platform,
  job: optional(JobName.annotations({ description: "The job that it does; absent when it belongs to no job" })),
  summary: text("What it does, in a sentence", "Finds the work e-mail address of a person."),
  mock,
  verified,
  keyless,
  runnableNow: flag("You can run it now", true),
  stats: Schema.NullOr(StatsView).annotations({ description: "How its calls went; null without calls" }),
  matchedBy: field(
    Schema.NullOr(MatchedBy),
    "Why it is here: its text holds the words, its job was meant, or it holds some of the words; null in a listing, which has no words",
    "text"
  ),
  facts: field(
    Schema.Record({ key: Schema.String, value: Schema.String }),
    "Short documented facts, such as rate limits and the address of the documentation",
    { docs: "https://provider.example/docs" }
  ),
  usageHints,
  raisedByUse
}).annotations({ identifier: "CatalogRow", description: "An operation of the catalog" })
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
  /** False: the words are only searched for, and nothing else is read from them. */
  readonly hints?: boolean
  /** True: the caller chose `prefer`, so the words do not. */
  readonly preferSaid?: boolean
}

export const NoSupplyWarning = Schema.Struct({
  code: field(Schema.Literal("no_supply_for_job"), "No provider does the job", "no_supply_for_job"),
  job: text("The job's id", "people.phone.find"),
  message: text("The same in a sentence", "No provider does people.phone.find yet")
}).annotations({ description: "The words mean a job that no provider does" })
/** Nothing matched the words: rows beside it are a look at the catalog and no results. */
export const NoMatchWarning = Schema.Struct({
  code: field(Schema.Literal("no_match"), "Nothing holds the words", "no_match"),
  message: text("The same in a sentence", "Nothing in the catalog matches these words")
}).annotations({
  description: "Nothing matched the words: what stands beside it is a look at the catalog and no result"
})
export type NoMatchWarning = typeof NoMatchWarning.Type

const HintParameter = Schema.Literal("prefer", "maxPriceMicros", "keyless", "provider")
const hintFields = {
  words: text("The words of the question", "cheapest"),
  parameter: field(HintParameter, "The parameter of the search that they equal", "prefer")
}
/** Something that the words ask for besides the subject, and that acted like a parameter. */
export const AppliedHint = Schema.Struct({
  ...hintFields,
  value: field(Schema.Union(Schema.String, Schema.Number, Schema.Boolean), "The value of that parameter", "cheapest"),
  message: text(
    "The same in a sentence, with how to undo it",
    'Read "cheapest" as prefer=cheapest. Put the words in quotation marks to search for them, or send hints=off'
  ),
  undoQuery: text("Asked so, this hint is not read; hints=off reads none", 'the "cheapest" email finder')
}).annotations({
  identifier: "AppliedHint",
  description: "Words of the question that acted like a parameter and were not searched for"
})
export type AppliedHint = typeof AppliedHint.Type
const appliedHints = optional(
  Schema.Array(AppliedHint).annotations({
    description: "What was read from the words besides their subject; absent when nothing was, and with hints=off"
  })
)
export const DroppedHint = Schema.Struct({
  code: field(Schema.Literal("hint_dropped"), "A hint of the words left nothing", "hint_dropped"),
  ...hintFields,
  message: text("The same in a sentence", 'Nothing is left with maxPriceMicros=0, so "free" was only searched for')
}).annotations({ description: "Words that would have acted like a parameter, had it left anything" })
export type DroppedHint = typeof DroppedHint.Type
export const PriceHint = Schema.Struct({
  code: field(Schema.Literal("price_above_max"), "maxPriceMicros left nothing of the job", "price_above_max"),
  endpointId: titleFields.endpointId,
  provider: titleFields.provider,
  estimatedPrice: titleFields.estimatedPrice,
  priceBasis
})
export type PriceHint = typeof PriceHint.Type

const revision = text("The revision of the catalog that answered", "7c1f0a2b9d3e4f56")
const warnings = optional(
  Schema.Array(Schema.Union(NoMatchWarning, DroppedHint)).annotations({
    description: "Present when nothing matched the words, or when a hint of them left nothing"
  })
)

export const SearchAnswer = Schema.Struct({
  query: text("The words that were searched for", "find a work email"),
  total: count("How many operations matched", 12),
  endpoints: Schema.Array(CatalogRow).annotations({ description: "Operations, best first" }),
  nextOffset: field(Schema.NullOr(Schema.NonNegativeInt), "The offset of the next page; null on the last page", 50),
  prefer: Prefer,
  expandedCapabilities: texts("Jobs that the words were taken to mean", ["people.email.find"]),
  revision,
  warnings: optional(
    Schema.Array(Schema.Union(NoSupplyWarning, NoMatchWarning, DroppedHint)).annotations({
      description: "Present when the answer is not what was asked for, with the reason"
    })
  ),
  priceHint: optional(
    PriceHint.annotations({ description: "The cheapest operation of the job, when maxPriceMicros left none" })
  ),
  appliedHints
}).annotations({ identifier: "SearchAnswer", description: "A page of the search" })
export type SearchAnswer = typeof SearchAnswer.Type

export interface ListingQuery extends CatalogFilter {
  readonly limit: number
  /** The last endpoint id of the page before. */
  readonly after: string | null
  readonly facets: boolean
}

const facet = (what: string, example: string) =>
  Schema.Array(
    Schema.Struct({ value: text(`The ${what}'s id`, example), count: count("How many operations it has", 12) })
  ).annotations({ description: `Operations by ${what}` })
export const Facets = Schema.Struct({
  category: facet("category", "people"),
  platform: facet("platform", "general"),
  provider: facet("provider", "mock"),
  capability: facet("job", "people.email.find")
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

const nextCursor = field(Schema.NullOr(Schema.String), "The cursor of the next page; null on the last page", null)

export const ListingAnswer = Schema.Struct({
  endpoints: Schema.Array(CatalogRow).annotations({ description: "Operations, by their id" }),
  nextCursor,
  total: count("How many operations the filters leave", 412),
  revision,
  facets: optional(Facets.annotations({ description: "Counts over the filtered operations; present with facets=true" }))
}).annotations({ identifier: "EndpointListing", description: "A page of the listing" })
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
  id: text("The id to filter by", "people"),
  title: text("What it is called", "People"),
  providerCount: count("Providers in it", 9),
  endpointCount: count("Operations in it", 31),
  runnableCount: count("Operations in it that can be run now", 12),
  cheapestPerCall: usdOrNull("The lowest price of a call in US dollars; null where nothing is sold by the call", 0.01),
  cheapestPerResult: usdOrNull(
    "The lowest price of a result in US dollars; null where nothing is sold by the result",
    null
  )
}
const jobCount = count("Jobs in it", 6)
export const OverviewJob = Schema.Struct({
  ...counts,
  endpoints: optional(Schema.Array(TitleRow).annotations({ description: "Its operations; present at depth full" }))
}).annotations({
  identifier: "OverviewJob",
  description: "A job, with counts"
})
export type OverviewJob = typeof OverviewJob.Type
export const OverviewPlatform = Schema.Struct({
  ...counts,
  jobCount,
  jobs: optional(Schema.Array(OverviewJob).annotations({ description: "Its jobs; present at depth jobs and full" }))
}).annotations({ identifier: "OverviewPlatform", description: "A platform, with counts" })
export type OverviewPlatform = typeof OverviewPlatform.Type
export const OverviewCategory = Schema.Struct({
  ...counts,
  platformCount: count("Platforms in it", 2),
  jobCount,
  platforms: optional(
    Schema.Array(OverviewPlatform).annotations({ description: "Its platforms; absent at depth summary" })
  )
}).annotations({ identifier: "OverviewCategory", description: "A category, with counts" })
export type OverviewCategory = typeof OverviewCategory.Type

export const OverviewTotals = Schema.Struct({
  categories: count("Categories", 14),
  platforms: count("Platforms", 30),
  jobs: count("Jobs of all platforms", 54),
  providers: count("Providers", 70),
  endpoints: count("Operations", 412),
  runnableEndpoints: count("Operations that can be run now", 120)
})
const filter = optional(
  Schema.Struct({
    category: optional(category),
    platform: optional(platform)
  }).annotations({ description: "What the overview was narrowed to; absent when it was not" })
)
const revised = { revision, builtAt: text("When that revision was made", exampleTime) }

export const OverviewTree = Schema.Struct({
  ...revised,
  depth: field(Depth, "How far down the overview goes", "summary"),
  filter,
  totals: optional(OverviewTotals.annotations({ description: "Counts of everything; absent when narrowed" })),
  categories: Schema.Array(OverviewCategory).annotations({ description: "Categories, by their id" })
}).annotations({ identifier: "OverviewTree", description: "The catalog as a tree of categories, platforms and jobs" })
export type OverviewTree = typeof OverviewTree.Type

export const TopicJob = Schema.Struct({ ...counts, category, platform })
export const OverviewTopic = Schema.Struct({
  ...revised,
  topic: text("The words that were asked for", "email"),
  filter,
  matchCount: count("How many jobs matched", 4),
  truncated: flag("More jobs matched than stand here", false),
  jobs: Schema.Array(TopicJob).annotations({ description: "Jobs that match, best first" })
}).annotations({ identifier: "OverviewTopic", description: "The jobs of a topic" })
export type OverviewTopic = typeof OverviewTopic.Type

export const Overview = Schema.Union(OverviewTree, OverviewTopic).annotations({
  description: "A tree; with topic, the jobs of the topic"
})
export type Overview = typeof Overview.Type

export interface DiscoverQuery {
  readonly q: string
  readonly limit: number
  readonly prefer: Prefer
  readonly maxPriceMicros: number | null
  /** False: the words are only searched for, and nothing else is read from them. */
  readonly hints?: boolean
  readonly preferSaid?: boolean
}

const share = (description: string, example: number) => field(between(0, 1), description, example)

export const DiscoveredOperation = Schema.Struct({
  ...titleFields,
  score: share("How well it fits, from 0 to 1: the four scores, weighted", 0.87),
  scores: Schema.Struct({
    relevance: share("How well it fits the words", 0.95),
    evidence: share("How well it did so far", 0.9),
    availability: share("How sure it is to answer", 1),
    price: share("How cheap it is beside the others", 0.6)
  }).annotations({ description: "What the score is made of, each from 0 to 1" }),
  reason: text("Why it was picked, in a sentence", "Best record of the last 30 days."),
  missingInput: texts("Input fields that must still be given: those that the words do not give", [
    "full_name",
    "domain"
  ]),
  usageHints,
  raisedByUse
}).annotations({ identifier: "DiscoveredOperation", description: "An operation that this workspace can run" })
export type DiscoveredOperation = typeof DiscoveredOperation.Type

export const Discovered = Schema.Struct({
  query: text("The words that were searched for", "find a work email"),
  job: optional(JobName.annotations({ description: "The job that the words mean; absent when they mean none" })),
  operations: Schema.Array(DiscoveredOperation).annotations({ description: "Operations, best first" }),
  warnings,
  appliedHints
}).annotations({ identifier: "Discovered", description: "Operations that this workspace can run" })
export type Discovered = typeof Discovered.Type

export interface PublicQuery {
  readonly q: string | null
  readonly capability: string | null
  readonly category: string | null
  readonly provider: string | null
  readonly limit: number
  /** Where this page begins: the `next` of the page before. */
  readonly after: string | null
  readonly hints?: boolean
}

export const PublicItem = Schema.Struct({
  catalogItemId: text("The item's id: the id to run it by", "mock-email-find"),
  providerId: text("The provider's id", "mock"),
  operationId: text("The operation's id at the provider", "mock-email-find"),
  title: text("What it is called", "Find an e-mail address"),
  description: text("What it does", "Finds the work e-mail address of a person."),
  categories: texts("Ids of its categories", ["people"]),
  capabilities: texts("Jobs that it does", ["people.email.find"]),
  parameters: Schema.Array(
    Schema.Struct({
      name: text("The field of the input", "full_name"),
      location: text("Where the gateway puts it in the provider's request", "json"),
      required: flag("It must be given", true),
      type: text("What it holds", "string"),
      description: text("What it means", "First and last name.")
    })
  ).annotations({ description: "What to send as input" }),
  price: Schema.NullOr(
    Schema.Struct({
      state: field(Schema.Literal("priced", "free", "unknown"), "Whether it has a price", "priced"),
      amountMicros: field(
        Schema.NullOr(Schema.Int),
        "The price of one unit in micros, millionths of a dollar; null when unknown",
        20_000
      ),
      currency: field(Schema.Literal("USD"), "The currency", "USD"),
      unit: field(Schema.Literal("call", "result"), "What the price is for", "call")
    })
  ).annotations({ description: "What it costs; null when nothing is known" }),
  mock,
  verified,
  keyless
}).annotations({ identifier: "PublicItem", description: "An operation of the public catalog" })
export type PublicItem = typeof PublicItem.Type

export const PublicPage = Schema.Struct({
  items: Schema.Array(PublicItem).annotations({ description: "Items, best first" }),
  nextCursor,
  warnings,
  appliedHints
}).annotations({ identifier: "PublicPage", description: "A page of the public catalog" })

export const ComparedItem = Schema.Struct({
  ...PublicItem.fields,
  works: WorksView,
  access: Access,
  acceptsInput: optional(flag("It takes the input; only with an input", true)),
  inputProblems: optional(
    Schema.Array(
      Schema.Struct({
        field: text("The field of the input", "domain"),
        message: text("What is wrong with it", "is required")
      })
    ).annotations({ description: "Why it does not take the input; only with an input" })
  ),
  maxCostUsd: optional(
    usdOrNull("The most that a run with the input can cost, in US dollars; only with an input", 0.02)
  )
}).annotations({ identifier: "ComparedItem", description: "An item beside others" })
export type ComparedItem = typeof ComparedItem.Type

const bestId = (description: string) => field(Schema.NullOr(Schema.String), description, "mock-email-find")

export const Compared = Schema.Struct({
  items: Schema.Array(ComparedItem).annotations({ description: "The items that were found, in the order asked" }),
  differences: Schema.Array(
    Schema.Struct({
      field: text("The field in which they differ", "price"),
      values: field(Schema.Record({ key: Schema.String, value: Json }), "What each item has there, by the item's id", {
        "mock-email-find": 0.02,
        "mock-email-find-2": 0.01
      })
    })
  ).annotations({ description: "Where the items differ" }),
  cheapest: bestId("The id of the cheapest item; null when no price is known"),
  fastest: bestId("The id of the fastest item; null when nothing is known"),
  mostReliable: bestId("The id of the item with the best record; null when nothing is known"),
  unknown: texts("Ids that the catalog does not have", [])
}).annotations({ identifier: "Compared", description: "Items side by side" })
export type Compared = typeof Compared.Type

export const CompareRequest = Schema.Struct({
  catalogItemIds: Schema.propertySignature(
    Schema.Array(Schema.String).pipe(Schema.minItems(comparedMin), Schema.maxItems(comparedMax))
  ).annotations({
    description: "Ids of the items to compare",
    examples: [["mock-email-find", "mock-email-find-2"]]
  }),
  input: optional(ParsedObject).annotations({
    description: "An input: each item then says whether it takes it, and what it would cost at most",
    examples: [{ full_name: "Ada Lovelace", domain: "example.com" }]
  })
}).annotations({ identifier: "CompareRequest", description: "Which items to compare" })

/** What a search and the listing ask and answer: filters, hints that the words gave, warnings, pages. Shapes only. */
import { Schema } from "effect"
import { type Access, CatalogRow, priceBasis, titleFields } from "./CatalogRow.js"
import { count, field, optional, text, texts } from "./Described.js"
import { Prefer } from "./RoutePlan.js"

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

const NoSupplyWarning = Schema.Struct({
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
export const appliedHints = optional(
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

export const revision = text("The revision of the catalog that answered", "7c1f0a2b9d3e4f56")
export const warnings = optional(
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

export const nextCursor = field(
  Schema.NullOr(Schema.String),
  "The cursor of the next page; null on the last page",
  null
)

export const ListingAnswer = Schema.Struct({
  endpoints: Schema.Array(CatalogRow).annotations({ description: "Operations, by their id" }),
  nextCursor,
  total: count("How many operations the filters leave", 412),
  revision,
  facets: optional(Facets.annotations({ description: "Counts over the filtered operations; present with facets=true" }))
}).annotations({ identifier: "EndpointListing", description: "A page of the listing" })
export type ListingAnswer = typeof ListingAnswer.Type

// The public catalog: items for people without an account. It shows nothing of any workspace.
import { type AppliedHint, type CatalogFilter, type DroppedHint, noFilter } from "../../domain/CatalogSearch.js"
import type { PublicItem, PublicQuery } from "../../domain/PublicCatalog.js"
import type { Json, JsonObject } from "../../domain/Json.js"
import { type Endpoint, isKeyless, type JobManifest } from "../../domain/Manifest.js"
import { listedMicros, placementOf } from "../../domain/ContractMaking.js"
import { bindingOf, inputFields, requiredFields } from "../../domain/OperationInput.js"
import { publicRowsMax } from "../../domain/limits/Lists.js"
import type { HintParameter } from "../../domain/QuestionHints.js"
import { compileFilter, filterKey, numbersOf, unknownValues } from "./Filtering.js"
import { findHinted } from "./HintedSearch.js"
import { jobNamed } from "./JobNames.js"
import { startAfter } from "./Listing.js"
import { jobOf } from "./Revision.js"
import type { Seen } from "./ServedRevision.js"

const typeOf = (schema: JsonObject): string => {
  const { type } = schema
  return typeof type === "string"
    ? type
    : Array.isArray(type)
      ? type.filter((each) => each !== "null").join(" or ")
      : "any"
}
const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "")

/**
 * Whether the price is not known here: the manifest says free without naming a source for it, and the provider wants a
 * key.
 */
export const isPriceUnknown = ({ operation, provider }: Endpoint): boolean =>
  operation.price.basis === "free" && operation.price.source === undefined && !provider.mock && !isKeyless(provider)

const priceOf = (endpoint: Endpoint): PublicItem["price"] => {
  const { price } = endpoint.operation
  const unit = price.basis === "per_result" ? "result" : "call"
  if (isPriceUnknown(endpoint)) return { state: "unknown", amountMicros: null, currency: "USD", unit }
  const amountMicros = listedMicros(price)
  return { state: amountMicros === 0 ? "free" : "priced", amountMicros, currency: "USD", unit }
}

export const publicItemOf = (endpoint: Endpoint, job: JobManifest | null): PublicItem => {
  const { operation, provider } = endpoint
  const required = new Set(requiredFields(operation))
  return {
    catalogItemId: operation.id,
    providerId: provider.id,
    operationId: operation.id,
    title: operation.name,
    description: operation.summary,
    categories: [placementOf(operation, job).category],
    capabilities: operation.job === undefined ? [] : [operation.job],
    parameters: inputFields(operation).map(([name, schema]) => ({
      name,
      location: bindingOf(operation, name).in,
      required: required.has(name),
      type: typeOf(schema),
      description: textOf(schema["description"])
    })),
    price: priceOf(endpoint),
    mock: provider.mock,
    verified: operation.provenance?.verified ?? false,
    keyless: isKeyless(provider)
  }
}

export interface PublicPage {
  readonly items: ReadonlyArray<PublicItem>
  readonly next: string | null
  /** Nothing matched the words that were searched for. */
  readonly unmatched: boolean
  /** The filters that ask for what the catalog does not have, in words; only where they left nothing. */
  readonly unknown: ReadonlyArray<string>
  readonly appliedHints: ReadonlyArray<AppliedHint>
  readonly dropped: ReadonlyArray<DroppedHint>
}

/** The hint that is also a parameter of the public catalog. */
const publicHints: ReadonlySet<HintParameter> = new Set(["provider"])

/** A place among the items that a search found: how many stand before it, and the last of these. */
interface FoundPlace {
  readonly revision: string
  readonly offset: number
  readonly last: string
}
const foundPlace = ({ last, offset, revision }: FoundPlace): string => `${revision} ${offset} ${last}`
const placeIn = (text: string): FoundPlace | null => {
  const [revision = "", given = "", last = ""] = text.split(" ")
  const place = { revision, offset: Number(given), last }
  return text === foundPlace(place) && Number.isSafeInteger(place.offset) && place.offset >= 0 ? place : null
}

/** A page of numbers, where the next one begins, and what is said of it. */
type Numbered = Omit<PublicPage, "items" | "unknown"> & {
  readonly page: ReadonlyArray<number>
  readonly total: number
}

const listed = (
  { served: { revision }, view: { table } }: Seen,
  query: PublicQuery,
  filter: CatalogFilter
): Numbered => {
  const all = numbersOf(revision, filter, table)
  const start = query.after === null ? 0 : startAfter(revision, all, query.after)
  const page = Array.from(all.subarray(start, start + query.limit))
  const last = page.at(-1)
  const goesOn = last !== undefined && start + page.length < all.length
  return {
    page,
    total: all.length,
    next: goesOn ? (revision.endpoints[last]?.operation.id ?? null) : null,
    unmatched: false,
    appliedHints: [],
    dropped: []
  }
}

const searched = (seen: Seen, query: PublicQuery, filter: CatalogFilter, q: string): Numbered | null => {
  const { revision } = seen.served
  const { table } = seen.view
  const idAt = (number: number | undefined) =>
    number === undefined ? undefined : revision.endpoints[number]?.operation.id
  const asked = { ...filter, q, prefer: "balanced" as const, hints: query.hints !== false }
  const findFrom = (offset: number, limit: number) =>
    findHinted(seen, { ...asked, offset, limit }, publicHints, (narrowed) => {
      const keeps = compileFilter(revision, narrowed, table)
      return keeps === null ? null : { key: filterKey(narrowed), keeps }
    })
  /** Another revision has them in another order: there, behind the same item, or, where that is gone, as many. */
  const offsetOf = ({ last, offset, revision: of }: FoundPlace): number => {
    if (of === revision.id) return offset
    const { hits } = findFrom(0, offset + publicRowsMax).found
    const at = hits.findIndex(({ doc }) => idAt(doc) === last)
    return at === -1 ? offset : at + 1
  }
  const place = query.after === null ? { revision: revision.id, offset: 0, last: "" } : placeIn(query.after)
  if (place === null) return null
  const offset = offsetOf(place)
  const { appliedHints, dropped, found } = findFrom(offset, query.limit)
  const page = found.hits.map(({ doc }) => doc)
  const end = offset + query.limit
  const last = idAt(page.at(-1))
  return {
    page,
    total: found.total,
    next: last !== undefined && end < found.total ? foundPlace({ revision: revision.id, offset: end, last }) : null,
    unmatched: found.unmatched,
    appliedHints,
    dropped
  }
}

/**
 * Items that are searched for come in the order of the search, all others in that of their ids. Null when `after` is
 * not a valid position in such a list.
 */
export const publicItems = (seen: Seen, query: PublicQuery): PublicPage | null => {
  const { revision } = seen.served
  const filter = {
    ...noFilter,
    category: query.category,
    provider: query.provider,
    capability: query.capability === null ? null : (jobNamed(revision, query.capability) ?? query.capability)
  }
  const numbered = query.q === null ? listed(seen, query, filter) : searched(seen, query, filter, query.q)
  if (numbered === null) return null
  const { page, total, ...rest } = numbered
  return {
    ...rest,
    items: page.flatMap((number) => {
      const endpoint = revision.endpoints[number]
      return endpoint === undefined ? [] : [publicItemOf(endpoint, jobOf(revision, endpoint))]
    }),
    unknown: total === 0 ? unknownValues(revision, filter) : []
  }
}

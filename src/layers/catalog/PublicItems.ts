// The public catalog: items for people without an account. It shows nothing of any workspace.
import { type AppliedHint, type DroppedHint, noFilter } from "../../domain/CatalogSearch.js"
import type { PublicItem, PublicQuery } from "../../domain/PublicCatalog.js"
import type { Json, JsonObject } from "../../domain/Json.js"
import { type Endpoint, isKeyless, type JobManifest } from "../../domain/Manifest.js"
import { listedMicros, placementOf } from "../../domain/ContractMaking.js"
import { bindingOf, inputFields, requiredFields } from "../../domain/OperationInput.js"
import type { HintParameter } from "../../domain/QuestionHints.js"
import { compileFilter, filterKey, numbersOf, unknownValues } from "./Filtering.js"
import { findHinted } from "./HintedSearch.js"
import { jobNamed } from "./JobNames.js"
import { startAfter } from "./Listing.js"
import { jobOf, type Revision } from "./Revision.js"
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

/**
 * A place among the items that a search found, in their order. Another revision finds others, or in another order, so a
 * place is one of its revision only.
 */
const foundPlace = (revision: Revision, offset: number): string => `${revision.id} ${offset}`
const foundOffset = (revision: Revision, place: string | null): number | null => {
  if (place === null) return 0
  const offset = Number(place.split(" ", 2)[1])
  return place === foundPlace(revision, offset) && Number.isSafeInteger(offset) && offset >= 0 ? offset : null
}

/**
 * Items that are searched for come in the order of the search, all others in that of their ids. Null when `after` is
 * not a valid position in such a list.
 */
export const publicItems = (seen: Seen, query: PublicQuery): PublicPage | null => {
  const { revision } = seen.served
  const { table } = seen.view
  const filter = {
    ...noFilter,
    category: query.category,
    provider: query.provider,
    capability: query.capability === null ? null : (jobNamed(revision, query.capability) ?? query.capability)
  }
  let page: ReadonlyArray<number> = []
  let next: string | null = null
  let total = 0
  let unmatched = false
  let appliedHints: PublicPage["appliedHints"] = []
  let dropped: PublicPage["dropped"] = []
  if (query.q === null) {
    const all = numbersOf(revision, filter, table)
    const start = query.after === null ? 0 : startAfter(revision, all, query.after)
    page = Array.from(all.subarray(start, start + query.limit))
    total = all.length
    const last = page.at(-1)
    if (last !== undefined && start + page.length < total) next = revision.endpoints[last]?.operation.id ?? null
  } else {
    const offset = foundOffset(revision, query.after)
    if (offset === null) return null
    const asked = { ...filter, q: query.q, offset, limit: query.limit, prefer: "balanced" as const }
    const hinted = findHinted(seen, { ...asked, hints: query.hints !== false }, publicHints, (narrowed) => {
      const keeps = compileFilter(revision, narrowed, table)
      return keeps === null ? null : { key: filterKey(narrowed), keeps }
    })
    const { found } = hinted
    appliedHints = hinted.appliedHints
    dropped = hinted.dropped
    page = found.hits.map(({ doc }) => doc)
    total = found.total
    unmatched = found.unmatched
    if (offset + query.limit < total) next = foundPlace(revision, offset + query.limit)
  }
  return {
    items: page.flatMap((number) => {
      const endpoint = revision.endpoints[number]
      return endpoint === undefined ? [] : [publicItemOf(endpoint, jobOf(revision, endpoint))]
    }),
    next,
    unmatched,
    unknown: total === 0 ? unknownValues(revision, filter) : [],
    appliedHints,
    dropped
  }
}

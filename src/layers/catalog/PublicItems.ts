// The public catalog: items for people without an account, and comparisons of a few of them. Shows nothing of any
// workspace.
import {
  type ComparedItem,
  type Compared,
  noFilter,
  type PublicItem,
  type PublicQuery
} from "../../domain/CatalogView.js"
import { canonical, type Json, type JsonObject } from "../../domain/Json.js"
import type { Endpoint, JobManifest } from "../../domain/Manifest.js"
import { isKeyless } from "../../domain/Manifest.js"
import { member } from "../../domain/Members.js"
import { toUsd } from "../../domain/Micros.js"
import { bindingOf, inputFields, listedMicros, placementOf, requiredFields } from "../../domain/OperationContract.js"
import { maxPrice } from "../../domain/Pricing.js"
import { expectedMicros, jobMean, trustedSuccess } from "../../domain/Routing.js"
import type { PreparedInput } from "../../services/Providers.js"
import { compileFilter, filterKey, numbersOf } from "./Filtering.js"
import { candidateOf } from "./Ranking.js"
import { jobOf } from "./Revision.js"
import { worksView } from "./CatalogRows.js"
import { find, type CallerView, nothing, type ServedRevision } from "./Searching.js"

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
 * Free, but nobody has written down that it is, at a provider that wants a key: what it costs there is not known here.
 */
const isPriceUnknown = ({ operation, provider }: Endpoint): boolean =>
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

const underscored = (id: string): string => id.replaceAll(".", "_")

/** The job whose id this is, with dots or underscores. */
export const jobNamed = ({ jobs }: Pick<ServedRevision["revision"], "jobs">, capability: string): string | null =>
  jobs.has(capability)
    ? capability
    : (Array.from(jobs.keys()).find((id) => underscored(id) === underscored(capability)) ?? null)

export interface PublicPage {
  readonly items: ReadonlyArray<PublicItem>
  readonly next: string | null
  /** Nothing matched the words that were searched for. */
  readonly unmatched: boolean
}

/** Null when `after` is no place of such a list. */
export const publicItems = (serving: ServedRevision, query: PublicQuery, view: CallerView): PublicPage | null => {
  const { revision } = serving
  const offset = query.after === null ? 0 : Number(query.after)
  if (!Number.isSafeInteger(offset) || offset < 0) return null
  const filter = {
    ...noFilter,
    category: query.category,
    provider: query.provider,
    capability: query.capability === null ? null : (jobNamed(serving.revision, query.capability) ?? query.capability)
  }
  const end = offset + query.limit
  let page: ReadonlyArray<number> = []
  let total = 0
  let unmatched = false
  if (query.q === null) {
    const all = numbersOf(revision, filter, view.table)
    page = Array.from(all.subarray(offset, end))
    total = all.length
  } else {
    const keeps = compileFilter(revision, filter, view.table)
    const asked = { q: query.q, offset, limit: query.limit, prefer: "balanced" } as const
    const found = keeps === null ? nothing : find(serving, asked, view, { key: filterKey(filter), keeps })
    page = found.hits.map(({ doc }) => doc)
    total = found.total
    unmatched = found.unmatched
  }
  return {
    items: page.flatMap((number) => {
      const endpoint = revision.endpoints[number]
      return endpoint === undefined ? [] : [publicItemOf(endpoint, jobOf(revision, endpoint))]
    }),
    next: end < total ? String(end) : null,
    unmatched
  }
}

/** The id with the least value, null where no item has one; equal ones go by their order in the request. */
const least = <A>(
  items: ReadonlyArray<A>,
  valueOf: (item: A) => number | null,
  idOf: (item: A) => string
): string | null => {
  let best: { readonly id: string; readonly value: number } | null = null
  for (const item of items) {
    const value = valueOf(item)
    if (value !== null && (best === null || value < best.value)) best = { id: idOf(item), value }
  }
  return best?.id ?? null
}

const comparedFields = (item: ComparedItem): { readonly [field: string]: Json } => ({
  providerId: item.providerId,
  categories: item.categories,
  capabilities: item.capabilities,
  requiredParameters: item.parameters
    .filter(({ required }) => required)
    .map(({ name }) => name)
    .sort(),
  parameters: item.parameters.map(({ name }) => name).sort(),
  price: item.price,
  mock: item.mock,
  verified: item.verified,
  keyless: item.keyless,
  access: item.access,
  successRate: item.works.rate,
  p50Ms: item.works.p50Ms,
  ...(item.acceptsInput === undefined ? {} : { acceptsInput: item.acceptsInput, maxCostUsd: item.maxCostUsd ?? null })
})

/** Of known ids in the order of the request; the ids that are not known are listed by the caller. */
export const compare = (
  serving: ServedRevision,
  numbers: ReadonlyArray<number>,
  input: JsonObject | null,
  prepare: (endpoint: Endpoint, input: JsonObject) => PreparedInput,
  { statistics, table }: CallerView
): Omit<Compared, "unknown"> => {
  const { revision } = serving
  const entries = numbers.flatMap((number) => {
    const endpoint = revision.endpoints[number]
    if (endpoint === undefined) return []
    const { operation } = endpoint
    const prepared = input === null ? null : prepare(endpoint, input)
    const accepted = prepared?._tag === "Accepted" ? prepared.input : null
    const maxMicros = accepted === null ? null : maxPrice(operation, accepted)
    const item: ComparedItem = {
      ...publicItemOf(endpoint, jobOf(revision, endpoint)),
      works: worksView(statistics.get(operation.id)),
      access: table.of(number).access,
      ...(prepared === null
        ? {}
        : {
            acceptsInput: accepted !== null,
            maxCostUsd: maxMicros === null ? null : toUsd(maxMicros),
            ...(prepared._tag === "Accepted"
              ? {}
              : {
                  inputProblems: prepared.problems.map((problem) => ({
                    field: problem.field,
                    message: problem._tag === "Missing" ? "is needed" : problem.message
                  }))
                })
          })
    }
    const evidence = candidateOf(revision, number, statistics)?.evidence ?? null
    return [
      {
        item,
        evidence,
        cost: prepared === null ? (isPriceUnknown(endpoint) ? null : expectedMicros(operation)) : maxMicros
      }
    ]
  })
  const items = entries.map(({ item }) => item)
  const fields = items.map((item) => [item.catalogItemId, comparedFields(item)] as const)
  const names = Object.keys(fields[0]?.[1] ?? {})
  const mean = jobMean(entries.map(({ evidence }) => evidence))
  const idOf = ({ item }: (typeof entries)[number]): string => item.catalogItemId
  return {
    items,
    differences: names.flatMap((field) => {
      const values = Object.fromEntries(fields.map(([id, all]) => [id, member(all, field) ?? null]))
      return new Set(Object.values(values).map(canonical)).size > 1 ? [{ field, values }] : []
    }),
    cheapest: least(entries, ({ cost }) => cost, idOf),
    fastest: least(entries, ({ evidence }) => evidence?.p50Ms ?? null, idOf),
    mostReliable: least(entries, ({ evidence }) => (evidence === null ? null : -trustedSuccess(evidence, mean)), idOf)
  }
}

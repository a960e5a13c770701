/** Compares a few public items: how they differ, and which one is the cheapest, the fastest and the most reliable. */
import { Either } from "effect"
import { NotFound, ValidationError } from "../../domain/ApiErrors.js"
import { type Compared, comparedExpected, type ComparedItem } from "../../domain/PublicCatalog.js"
import { canonical, type Json, type JsonObject } from "../../domain/Json.js"
import { comparedMin } from "../../domain/limits/Lists.js"
import type { Endpoint } from "../../domain/Manifest.js"
import { member } from "../../domain/Members.js"
import { type Micros, toUsd } from "../../domain/Micros.js"
import { expectedMicros, jobMean, trustedSuccess } from "../../domain/Routing.js"
import type { PreparedInput } from "../../services/Providers.js"
import { worksView } from "./CatalogRows.js"
import { isPriceUnknown, publicItemOf } from "./PublicItems.js"
import { candidateOf } from "./Ranking.js"
import { jobOf } from "./Revision.js"
import type { Seen } from "./ServedRevision.js"

/** The id with the least value; null when no item has a value. Among equal values, the first in the request wins. */
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

/** An input that an operation takes, with the most that a call with it costs; or what stands against it. */
export type PricedInput =
  { readonly _tag: "Accepted"; readonly maxMicros: Micros } | Extract<PreparedInput, { readonly _tag: "Rejected" }>

/** Prepares an input for an operation, and prices it. */
export type Prepare = (endpoint: Endpoint, input: JsonObject) => PricedInput

/** Compares the endpoints with these numbers, in the order of the request. */
const compareNumbers = (
  { served: { revision }, view: { statistics, table } }: Seen,
  numbers: ReadonlyArray<number>,
  input: JsonObject | null,
  prepare: Prepare
): Omit<Compared, "unknown"> => {
  const entries = numbers.flatMap((number) => {
    const endpoint = revision.endpoints[number]
    if (endpoint === undefined) return []
    const { operation } = endpoint
    const prepared = input === null ? null : prepare(endpoint, input)
    const maxMicros = prepared?._tag === "Accepted" ? prepared.maxMicros : null
    const item: ComparedItem = {
      ...publicItemOf(endpoint, jobOf(revision, endpoint)),
      works: worksView(statistics.get(operation.id)),
      access: table.of(number).access,
      ...(prepared === null
        ? {}
        : {
            acceptsInput: prepared._tag === "Accepted",
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

/** The answer lists the ids that the catalog does not have. It fails when the catalog has none of the ids. */
export const compare = (
  seen: Seen,
  catalogItemIds: ReadonlyArray<string>,
  input: JsonObject | null,
  prepare: Prepare
): Either.Either<Compared, NotFound | ValidationError> => {
  const { numberOf } = seen.served.revision
  /** What is hidden from this caller is unknown here, as in the list. */
  const shownNumber = (id: string): number | null => {
    const number = numberOf.get(id)
    return number === undefined || seen.view.table.isHidden(number) ? null : number
  }
  const ids = Array.from(new Set(catalogItemIds))
  if (ids.length < comparedMin) return Either.left(ValidationError.of("catalogItemIds", comparedExpected))
  const known = ids.flatMap((id) => shownNumber(id) ?? [])
  if (known.length === 0) return Either.left(new NotFound({ what: "catalog item", id: ids[0] ?? "" }))
  const unknown = ids.filter((id) => shownNumber(id) === null)
  return Either.right({ ...compareNumbers(seen, known, input, prepare), unknown })
}

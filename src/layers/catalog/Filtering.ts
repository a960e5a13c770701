// Filters of search and listing over the columns of a revision, and counts by value of the endpoints that pass them.
import type { CatalogFilter, Facets } from "../../domain/CatalogSearch.js"
import { cutText } from "../../domain/Characters.js"
import { unknownId } from "../../domain/KnownProviders.js"
import type { AccessTable } from "./AccessTable.js"
import { type Column, flags, type Revision } from "./Revision.js"

export type Keeps = (number: number) => boolean

/** The filter that keeps everything. It is compared by identity, so that an index need not call it for every row. */
export const keepsAll: Keeps = () => true

/** The columns that a filter names a value of, with what the value is. */
const named = (revision: Revision, filter: CatalogFilter) =>
  [
    ["category", revision.category, filter.category],
    ["platform", revision.platform, filter.platform],
    ["provider", revision.provider, filter.provider],
    ["capability", revision.capability, filter.capability]
  ] as const

/** The values that no operation of the catalog has, each with what was probably meant. */
export const unknownValues = (revision: Revision, filter: CatalogFilter): ReadonlyArray<string> =>
  named(revision, filter).flatMap(([parameter, { codeOf }, wanted]) =>
    wanted === null || (wanted !== "" && codeOf.has(wanted))
      ? []
      : [
          `${parameter}=${cutText(wanted, 100)} ${unknownId(parameter === "capability" ? "job" : parameter, wanted, codeOf.keys())}`
        ]
  )

/** Null when nothing can pass, because the filter asks for a value that no endpoint has. */
export const compileFilter = (revision: Revision, filter: CatalogFilter, table: AccessTable): Keeps | null => {
  const tests: Array<Keeps> = []
  for (const [, { codeOf, codes }, wanted] of named(revision, filter)) {
    if (wanted === null) continue
    const code = codeOf.get(wanted)
    if (code === undefined || wanted === "") return null
    tests.push((number) => codes[number] === code)
  }
  let mask = 0
  let bits = 0
  const marks: ReadonlyArray<readonly [number, boolean | null]> = [
    [flags.keyless, filter.keyless],
    [flags.verified, filter.verified],
    [flags.mock, filter.mock]
  ]
  for (const [flag, wanted] of marks) {
    if (wanted === null) continue
    mask |= flag
    if (wanted) bits |= flag
  }
  if (mask !== 0) tests.push((number) => ((revision.flags[number] ?? 0) & mask) === bits)
  const { access, maxPriceMicros } = filter
  if (access !== null) tests.push((number) => table.of(number).access === access)
  if (maxPriceMicros !== null) tests.push((number) => (revision.priceMicros[number] ?? 0) <= maxPriceMicros)
  if (!filter.hidden && table.hidesAny) tests.push((number) => !table.isHidden(number))
  const [only] = tests
  if (only === undefined) return keepsAll
  if (tests.length === 1) return only
  return (number) => {
    for (const test of tests) if (!test(number)) return false
    return true
  }
}

export const numbersOf = (revision: Revision, filter: CatalogFilter, table: AccessTable): Uint32Array => {
  const keeps = compileFilter(revision, filter, table)
  const found = new Uint32Array(keeps === null ? 0 : revision.endpoints.length)
  if (keeps === null) return found
  let count = 0
  for (let number = 0; number < revision.endpoints.length; number += 1) {
    if (keeps(number)) {
      found[count] = number
      count += 1
    }
  }
  return found.slice(0, count)
}

const countsOf = ({ codes, values }: Column, numbers: Uint32Array): Facets["category"] => {
  const counts = new Uint32Array(values.length)
  for (const number of numbers) {
    const code = codes[number] ?? 0
    counts[code] = (counts[code] ?? 0) + 1
  }
  return values
    .map((value, code) => ({ value, count: counts[code] ?? 0 }))
    .filter(({ count, value }) => count > 0 && value !== "")
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
}

export const filterKey = (filter: CatalogFilter): string =>
  JSON.stringify([
    filter.category,
    filter.platform,
    filter.provider,
    filter.capability,
    filter.keyless,
    filter.verified,
    filter.mock,
    filter.access,
    filter.maxPriceMicros,
    filter.hidden
  ])

/** How many of these endpoints each value has, the most frequent first. */
export const facetsOf = (revision: Revision, numbers: Uint32Array): Facets => ({
  category: countsOf(revision.category, numbers),
  platform: countsOf(revision.platform, numbers),
  provider: countsOf(revision.provider, numbers),
  capability: countsOf(revision.capability, numbers)
})

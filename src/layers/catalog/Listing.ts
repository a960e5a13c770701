/** The listing: every endpoint that passes the filters, in the order of their ids, page by page. */
import type { CatalogFilter, Listing, ListingQuery } from "../../domain/CatalogSearch.js"
import type { AccessTable } from "./AccessTable.js"
import { facetsOf, filterKey, numbersOf } from "./Filtering.js"
import { makeKeptByTable } from "./KeptByTable.js"
import type { Revision } from "./Revision.js"
import type { Seen } from "./ServedRevision.js"

/** `facets` are counted only when somebody asks for them. */
interface Filtered {
  readonly numbers: Uint32Array
  facets: ReturnType<typeof facetsOf> | null
}

const filteredMax = 50
/** Of four bytes each: about a hundred whole listings of a large catalog. */
const keptNumbersMax = 10_000_000
/** The results of filters, kept as long as the access table with which they were computed. */
const kept = makeKeptByTable(keptNumbersMax, () => new Map<string, Filtered>())

const filteredBy = (revision: Revision, filter: CatalogFilter, table: AccessTable): Filtered => {
  const known = kept.of(table)
  const key = filterKey(filter)
  const before = known.get(key)
  if (before !== undefined) return before
  const found: Filtered = { numbers: numbersOf(revision, filter, table), facets: null }
  if (known.size >= filteredMax) known.clear()
  known.set(key, found)
  kept.grew(found.numbers.length)
  return found
}

/** The position of the first endpoint after this id. The endpoint with this id need not exist any more. */
export const startAfter = (revision: Revision, numbers: Uint32Array, id: string): number => {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const endpoint = revision.endpoints[numbers[middle] ?? 0]
    if (endpoint !== undefined && endpoint.operation.id <= id) low = middle + 1
    else high = middle
  }
  return low
}

export const list = ({ served: { revision, rows }, view }: Seen, query: ListingQuery): Listing => {
  const found = filteredBy(revision, query, view.table)
  if (query.facets) found.facets ??= facetsOf(revision, found.numbers)
  const start = query.after === null ? 0 : startAfter(revision, found.numbers, query.after)
  const page = found.numbers.subarray(start, start + query.limit)
  const last = page[page.length - 1]
  return {
    endpoints: Array.from(page).flatMap((number) => rows.row(number, view.table, view.statistics, null) ?? []),
    next:
      last !== undefined && start + page.length < found.numbers.length
        ? (revision.endpoints[last]?.operation.id ?? null)
        : null,
    total: found.numbers.length,
    revision: revision.id,
    facets: query.facets ? found.facets : null
  }
}

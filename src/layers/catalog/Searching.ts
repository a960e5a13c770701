// Search over a revision. Relevance comes from the index; here comes the order of business: real before mock, hits of one job
// together where the first of them stands, and inside a job the preference. Only the first `window` hits are grouped, so that
// every page of a query sees one and the same order.
import type { CatalogQuery, MatchedBy, PriceHint, SearchAnswer } from "../../domain/CatalogView.js"
import { toUsd } from "../../domain/Micros.js"
import type { Prefer } from "../../domain/RoutePlan.js"
import type { SearchHit } from "../search/SearchIndex.js"
import type { AccessTable } from "./AccessTable.js"
import { compileFilter, type Keeps } from "./Filtering.js"
import type { JobOrders } from "./Ranking.js"
import { flags, isFlagged, type Revision } from "./Revision.js"
import type { RowBook, Statistics } from "./Rows.js"

const window = 200

/** A revision with what is kept beside it while it is served. */
export interface Serving {
  readonly revision: Revision
  readonly rows: RowBook
  readonly orders: JobOrders
}

export interface Moment {
  readonly table: AccessTable
  readonly statistics: Statistics
}

export interface Hit {
  readonly number: number
  readonly score: number
  readonly matchedBy: MatchedBy
}

export interface Found {
  readonly hits: ReadonlyArray<Hit>
  readonly total: number
  readonly expandedCapabilities: ReadonlyArray<string>
}

/** Brings the hits of one job together at the place of the best of them, ordered by the preference. */
const groupByJob = (serving: Serving, hits: ReadonlyArray<SearchHit>, prefer: Prefer, statistics: Statistics): ReadonlyArray<Hit> => {
  const { orders, revision } = serving
  const groups = new Map<string | number, Array<Hit>>()
  for (const { doc, matchedBy, score } of hits) {
    const job = revision.endpoints[doc]?.operation.job
    const key = job ?? doc
    const known = groups.get(key)
    if (known === undefined) groups.set(key, [{ number: doc, score, matchedBy }])
    else known.push({ number: doc, score, matchedBy })
  }
  return Array.from(groups).flatMap(([job, members]) => {
    if (typeof job === "number" || members.length === 1) return members
    const positions = orders.positions(job, prefer, statistics)
    return members.sort((a, b) => (positions.get(a.number) ?? 0) - (positions.get(b.number) ?? 0))
  })
}

/** Hits of one kind from the first on, at least `count` of them where there are so many. */
const ranked = (serving: Serving, query: string, count: number, prefer: Prefer, statistics: Statistics, keeps: Keeps): Found => {
  const { expandedCapabilities, hits, total } = serving.revision.index.search(query, { limit: Math.max(window, count), filter: keeps })
  const grouped = groupByJob(serving, hits.slice(0, window), prefer, statistics)
  return { hits: [...grouped, ...hits.slice(window).map(({ doc, matchedBy, score }) => ({ number: doc, score, matchedBy }))], total, expandedCapabilities }
}

export interface RankedQuery {
  readonly q: string
  readonly offset: number
  readonly limit: number
  readonly prefer: Prefer
}

/** One page: every real hit stands before every mock. */
export const find = (serving: Serving, query: RankedQuery, statistics: Statistics, keeps: Keeps): Found => {
  const { revision } = serving
  const end = query.offset + query.limit
  const mocks = new Set<number>()
  const real = ranked(serving, query.q, end, query.prefer, statistics, (number) => {
    if (!keeps(number)) return false
    if (!isFlagged(revision, number, flags.mock)) return true
    mocks.add(number)
    return false
  })
  // The last resort of the index has a score of 0: a fixture that does match is the better answer.
  const matched = real.hits[0] !== undefined && real.hits[0].score > 0
  if (matched && (mocks.size === 0 || end <= real.total)) {
    return { ...real, hits: real.hits.slice(query.offset, end), total: real.total + mocks.size }
  }
  const fixtures = ranked(serving, query.q, end, query.prefer, statistics, (number) => keeps(number) && isFlagged(revision, number, flags.mock))
  const fixturesMatched = fixtures.hits[0] !== undefined && fixtures.hits[0].score > 0
  const first = matched || !fixturesMatched ? real : { hits: [], total: 0 }
  const second = fixturesMatched || first.total === 0 ? fixtures : { hits: [], total: 0 }
  return {
    hits: [...first.hits.slice(0, first.total), ...second.hits].slice(query.offset, end),
    total: first.total + second.total,
    expandedCapabilities: real.expandedCapabilities
  }
}

/** The job that a query is about, and whether it says so itself. */
const namedJob = (revision: Revision, query: CatalogQuery, expanded: ReadonlyArray<string>): { readonly job: string; readonly said: boolean } | null => {
  if (query.capability !== null) return { job: query.capability, said: true }
  const word = query.q.trim().replace(/^job:/, "")
  if (revision.jobs.has(word)) return { job: word, said: true }
  const [guess] = expanded
  return guess === undefined ? null : { job: guess, said: false }
}

const hintOf = (revision: Revision, numbers: ReadonlyArray<number>): PriceHint | null => {
  const [cheapest] = numbers.toSorted((a, b) => (revision.priceMicros[a] ?? 0) - (revision.priceMicros[b] ?? 0) || a - b)
  const endpoint = cheapest === undefined ? undefined : revision.endpoints[cheapest]
  if (cheapest === undefined || endpoint === undefined) return null
  return {
    code: "price_above_max",
    endpointId: endpoint.operation.id,
    provider: endpoint.provider.id,
    estimatedPrice: toUsd(revision.priceMicros[cheapest] ?? 0),
    priceBasis: endpoint.operation.price.basis
  }
}

/** Why the job that was meant is not among the rows: nobody does it, or all who do it cost more. */
const advice = (revision: Revision, query: CatalogQuery, found: Found, { table }: Moment): Pick<SearchAnswer, "warnings" | "priceHint"> => {
  const named = namedJob(revision, query, found.expandedCapabilities)
  if (named === null) return {}
  const supply = (revision.numbersOfJob.get(named.job) ?? []).filter((number) => query.hidden || !table.isHidden(number))
  if (supply.length === 0) {
    if (found.total > 0 && !named.said) return {}
    return { warnings: [{ code: "no_supply_for_job", job: named.job, message: `No operation of this catalog does ${named.job}` }] }
  }
  const affordable = compileFilter(revision, { ...query, capability: null }, table)
  const fitting = compileFilter(revision, { ...query, capability: null, maxPriceMicros: null }, table)
  if (query.maxPriceMicros === null || fitting === null || (affordable !== null && supply.some(affordable))) return {}
  const priceHint = hintOf(revision, supply.filter(fitting))
  return priceHint === null ? {} : { priceHint }
}

export const search = (serving: Serving, query: CatalogQuery, moment: Moment): SearchAnswer => {
  const { revision, rows } = serving
  const keeps = compileFilter(revision, query, moment.table)
  const found = keeps === null ? { hits: [], total: 0, expandedCapabilities: [] } : find(serving, query, moment.statistics, keeps)
  const end = query.offset + query.limit
  return {
    query: query.q,
    total: found.total,
    endpoints: found.hits.flatMap(({ matchedBy, number }) => rows.row(number, moment.table, moment.statistics, matchedBy) ?? []),
    nextOffset: end < found.total ? end : null,
    prefer: query.prefer,
    expandedCapabilities: found.expandedCapabilities,
    revision: revision.id,
    ...advice(revision, query, found, moment)
  }
}

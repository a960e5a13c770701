/**
 * Search over a revision. The index finds the relevant operations, and this module orders them. Real operations come
 * before mocks. Hits of one job stand together, at the place of the best of them, ordered by the preference. Only the
 * first `window` hits are grouped, so that every page of a query sees the same order. When nothing matches a question
 * in whole words, the answer shows a few operations of the catalog instead (`NoMatchRows.ts`), and says so.
 */
import type { NoMatchWarning } from "../../domain/CatalogSearch.js"
import type { Prefer } from "../../domain/RoutePlan.js"
import { isNatural } from "./search/QueryText.js"
import { type SearchHit, SearchHits } from "./search/SearchHits.js"
import { type Keeps, keepsAll } from "./Filtering.js"
import { makeKeptByTable } from "./KeptByTable.js"
import { noMatchRows } from "./NoMatchRows.js"
import { raisedByUse } from "./learning/RaisedByUse.js"
import { flags, isFlagged, type Revision } from "./Revision.js"
import type { CallerView, Seen, ServedRevision } from "./ServedRevision.js"

const window = 200

/** Limits a search to some endpoints. With the same access table, equal keys mean equal answers. */
export interface Narrowing {
  readonly key: string
  readonly keeps: Keeps
}

export interface Found {
  readonly hits: ReadonlyArray<SearchHit>
  readonly total: number
  readonly expandedCapabilities: ReadonlyArray<string>
  /** True when nothing matched. The hits, if there are any, are then only examples from the catalog. */
  readonly unmatched: boolean
}

/** The hits of the index, not yet grouped by job. */
interface Relevant {
  readonly hits: SearchHits
  readonly total: number
  readonly expandedCapabilities: ReadonlyArray<string>
  /** The number of mocks that matched too and were left out. */
  readonly mocks: number
}

/**
 * The most recent questions and the hits of each are kept: people page through an answer, and agents ask the same
 * questions again.
 */
const answersMax = 256
/** Of all access tables together. */
const allAnswersMax = 8_192
class RelevantKept {
  private readonly kept = new Map<string, Relevant>()
  get(key: string, find: () => Relevant): Relevant {
    const known = this.kept.get(key)
    const answer = known ?? find()
    if (known === undefined) answers.grew(1)
    // The question that was used least recently stands first.
    const [oldest] = this.kept.keys()
    this.kept.delete(known !== undefined || this.kept.size < answersMax ? key : (oldest ?? key))
    this.kept.set(key, answer)
    return answer
  }
}
/**
 * Kept by access table. Each revision has its own tables, so a publication or a change of access starts with an empty
 * memory.
 */
const answers = makeKeptByTable(allAnswersMax, () => new RelevantKept())

/**
 * Moves those of the first hits that do the same job to the place of the best of them, ordered by the preference. Most
 * operations of a large catalog do no job.
 */
const groupByJob = (
  { orders, revision }: ServedRevision,
  hits: SearchHits,
  prefer: Prefer,
  { runnableFirst, statistics, table }: CallerView
): SearchHits => {
  const { codeOf, codes, values } = revision.capability
  const none = codeOf.get("")
  const jobAt = (place: number): number | undefined => {
    const job = place < window ? codes[hits.docs[place] ?? -1] : none
    return job === none ? undefined : job
  }
  const placesOf = new Map<number, Array<number>>()
  for (let place = 0; place < Math.min(window, hits.length); place += 1) {
    const job = jobAt(place)
    if (job === undefined) continue
    const known = placesOf.get(job)
    if (known === undefined) placesOf.set(job, [place])
    else known.push(place)
  }
  if (placesOf.size === 0) return hits
  for (const [job, places] of placesOf) {
    if (places.length === 1) continue
    const positions = orders.positions(values[job] ?? "", prefer, statistics)
    const positionOf = (place: number): number => positions.get(hits.docs[place] ?? -1) ?? 0
    const waits = (place: number): number => Number(runnableFirst && !table.of(hits.docs[place] ?? 0).runnableNow)
    places.sort((a, b) => waits(a) - waits(b) || positionOf(a) - positionOf(b))
  }
  const order: Array<number> = []
  for (let place = 0; place < hits.length; place += 1) {
    const job = jobAt(place)
    if (job === undefined) {
      order.push(place)
      continue
    }
    order.push(...(placesOf.get(job) ?? []))
    placesOf.delete(job)
  }
  return hits.inOrder(order)
}

/** The hits are of one kind or the other, never both. */
type Kind = "real" | "mock"

const relevant = (
  revision: Revision,
  query: RankedQuery,
  { keeps }: Narrowing,
  kind: Kind,
  count: number
): Relevant => {
  const mocks = new Set<number>()
  const ofKind = (number: number): boolean => {
    if (!keeps(number)) return false
    const isMock = isFlagged(revision, number, flags.mock)
    if (isMock) mocks.add(number)
    return isMock === (kind === "mock")
  }
  const filter = kind === "real" && !revision.hasMocks ? keeps : ofKind
  const found = revision.index.search(query.q, { limit: count, ...(filter === keepsAll ? {} : { filter }) })
  return { ...found, mocks: mocks.size }
}

/** The first hits of one kind: at least `count` of them when there are that many. */
const ranked = (
  { served, view }: Seen,
  query: RankedQuery,
  count: number,
  narrowing: Narrowing,
  kind: Kind
): Relevant => {
  const kept = answers.of(view.table)
  const found =
    count > window
      ? relevant(served.revision, query, narrowing, kind, count)
      : kept.get(`${kind} ${narrowing.key} ${query.q}`, () => relevant(served.revision, query, narrowing, kind, window))
  const raised = raisedByUse(served.revision, found.hits, view.uses, window)
  return { ...found, hits: groupByJob(served, raised, query.prefer, view) }
}

export interface RankedQuery {
  readonly q: string
  readonly offset: number
  readonly limit: number
  readonly prefer: Prefer
}

/** One page: every real hit stands before every mock. */
export const find = (seen: Seen, query: RankedQuery, narrowing: Narrowing): Found => {
  const end = query.offset + query.limit
  const real = ranked(seen, query, end, narrowing, "real")
  const { expandedCapabilities } = real
  if (real.total > 0 && (real.mocks === 0 || end <= real.total)) {
    return {
      hits: real.hits.slice(query.offset, end),
      total: real.total + real.mocks,
      expandedCapabilities,
      unmatched: false
    }
  }
  const mocks = seen.served.revision.hasMocks ? ranked(seen, query, end, narrowing, "mock") : noneRelevant
  const total = real.total + mocks.total
  if (total === 0) return { ...unrelated(seen, query, narrowing), expandedCapabilities, unmatched: true }
  const start = Math.max(0, query.offset - real.total)
  return {
    hits: [...real.hits.slice(query.offset, end), ...mocks.hits.slice(start, Math.max(0, end - real.total))],
    total,
    expandedCapabilities,
    unmatched: false
  }
}

/**
 * The rows for a query that nothing matches: some of the catalog for a question in whole words, none for a single
 * unknown word.
 */
const unrelated = (
  { served: { orders, revision }, view: { statistics } }: Seen,
  query: RankedQuery,
  { keeps }: Narrowing
): Pick<Found, "hits" | "total"> => {
  if (!isNatural(query.q)) return nothing
  const hits = noMatchRows(revision, { orders, keeps, prefer: query.prefer, statistics })
  return { hits: hits.slice(query.offset, query.offset + query.limit), total: hits.length }
}
const noneRelevant: Relevant = { hits: SearchHits.none, total: 0, expandedCapabilities: [], mocks: 0 }
export const nothing: Found = { hits: [], total: 0, expandedCapabilities: [], unmatched: true }

/** The warning that the rows, if there are any, are not results. `unknown` are filters for what the catalog lacks. */
export const noMatch = (rows: number, unknown: ReadonlyArray<string> = []): NoMatchWarning => ({
  code: "no_match",
  message:
    rows > 0
      ? "Nothing here matches these words; the rows are not results, they show what the catalog can do"
      : ["Nothing here matches these words and filters", ...unknown].join("; ")
})

/**
 * What a question wants, whether or not it can run: the job is read off the whole catalog, because what can run says
 * nothing about what was asked. Discovery then lists what does that job here, or says what fits best and is left out.
 */
import type { CatalogFilter } from "../../domain/CatalogSearch.js"
import type { OutOfReach } from "../../domain/Discovered.js"
import { dollars } from "../../domain/Micros.js"
import { compileFilter, filterKey } from "./Filtering.js"
import { find, type Narrowing, type RankedQuery } from "./Searching.js"
import type { SearchHit } from "./search/SearchHits.js"
import type { Seen } from "./ServedRevision.js"

/** Among so many of the best the wanted job is looked for. */
const lookedAt = 20

/**
 * Of several jobs that the words may mean, it is that of the operation that fits them best, if it comes so near to
 * the best of all.
 */
const nearness = 0.7

export interface Wanted {
  /** Undefined where what fits best does no job. */
  readonly job: string | undefined
  /** What fits best, of the job where there is one. */
  readonly best: SearchHit
  /** The highest score of the whole catalog, beside which the others are measured. */
  readonly highest: number
}

/** Null where nothing of the catalog matches. */
export const wantedBy = (seen: Seen, query: RankedQuery & CatalogFilter): Wanted | null => {
  const { revision } = seen.served
  const any = { ...query, maxPriceMicros: null, hidden: true }
  const keeps = compileFilter(revision, any, seen.view.table)
  if (keeps === null) return null
  const { expandedCapabilities, hits, unmatched } = find(
    seen,
    { ...query, offset: 0, limit: lookedAt },
    { key: filterKey(any), keeps }
  )
  const [first] = hits
  if (first === undefined || unmatched) return null
  const jobOf = ({ doc }: SearchHit): string | undefined => revision.endpoints[doc]?.operation.job
  const bestFirst = hits.toSorted((a, b) => b.score - a.score)
  const highest = bestFirst[0]?.score ?? 0
  const meant = new Set(expandedCapabilities)
  const isMeant = (each: string | undefined): boolean => each !== undefined && meant.has(each)
  const near = bestFirst.filter(({ score }) => score >= nearness * highest)
  const job = near.map(jobOf).find(isMeant) ?? jobOf(first)
  const best = job === undefined ? first : (hits.find((hit) => jobOf(hit) === job) ?? first)
  return { job, best, highest }
}

/** The operations of a job that were not found among the others, such as a fixture behind a hundred real ones. */
export const moreOf = (
  seen: Seen,
  query: RankedQuery,
  job: string,
  found: ReadonlyArray<SearchHit>,
  { keeps, key }: Narrowing
): ReadonlyArray<SearchHit> => {
  const known = new Set(found.map(({ doc }) => doc))
  const members = new Set((seen.served.revision.numbersOfJob.get(job) ?? []).filter(keeps))
  if ([...members].every((number) => known.has(number))) return []
  const ofJob = { key: `${key} of ${job}`, keeps: (number: number) => members.has(number) }
  const { hits, unmatched } = find(seen, { ...query, offset: 0, limit: lookedAt }, ofJob)
  return unmatched ? [] : hits.filter(({ doc }) => !known.has(doc))
}

/**
 * The warning that what is wanted is not listed, and why. Null where it can run, and costs no more than is allowed.
 */
export const outOfReach = (
  { served: { revision, rows }, view: { statistics, table } }: Seen,
  { maxPriceMicros }: CatalogFilter,
  { best }: Wanted
): OutOfReach | null => {
  const { runnableNow } = table.of(best.doc)
  const isDear = (revision.priceMicros[best.doc] ?? 0) > (maxPriceMicros ?? Infinity)
  const row = runnableNow && !isDear ? null : rows.row(best.doc, table, statistics, best.matchedBy)
  if (row === null) return null
  const { access, capability, endpointId, provider } = row
  const job = capability === undefined ? undefined : revision.jobs.get(capability)
  const needs = runnableNow
    ? `it costs more than ${dollars(maxPriceMicros ?? 0)}`
    : access === "needs_your_account"
      ? `it needs an account of your own at ${provider}, or a key that the operator sets`
      : "the operator does not offer it"
  return {
    code: "best_left_out",
    endpointId,
    provider,
    ...(job === undefined ? {} : { job: { id: job.id, title: job.title } }),
    access,
    message: `${endpointId}${job === undefined ? "" : ` (job:${job.id})`} fits best, and ${runnableNow ? "is left out" : "cannot run for this workspace now"}: ${needs}. What is listed does something else`
  }
}

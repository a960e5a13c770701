/**
 * Discovery: the few operations that this workspace can run now and that fit its question, each with its score. The
 * score is 0.5 · relevance + the parts of evidence, availability and price, whose weights depend on the preference and
 * add up to 0.5. Each part is between 0 and 1.
 */
import { titleOf } from "../../domain/CatalogRow.js"
import { type CatalogFilter, noFilter } from "../../domain/CatalogSearch.js"
import type { Discovered, DiscoveredOperation, DiscoverQuery, OutOfReach } from "../../domain/Discovered.js"
import { counted } from "../../domain/Counted.js"
import { dollars } from "../../domain/Micros.js"
import type { HintParameter } from "../../domain/QuestionHints.js"
import type { Prefer } from "../../domain/RoutePlan.js"
import { cheapness, expectedMicros, jobMean, trustedSuccess } from "../../domain/Routing.js"
import type { SearchHit } from "./search/SearchHits.js"
import { fieldsStillNeeded } from "../providers/InputSchema.js"
import { compileFilter, filterKey } from "./Filtering.js"
import { givenBy } from "./GivenInputs.js"
import { findHinted } from "./HintedSearch.js"
import { shownRaise } from "./learning/RaisedByUse.js"
import { candidateOf } from "./Ranking.js"
import { find, type Narrowing, noMatch, type RankedQuery } from "./Searching.js"
import type { Seen } from "./ServedRevision.js"

const candidatesMax = 100
/** The hints that are also parameters of discover. */
const discoverHints: ReadonlySet<HintParameter> = new Set(["prefer", "maxPriceMicros"])

interface Weights {
  readonly evidence: number
  readonly availability: number
  readonly price: number
}
const weights: { readonly [key in Prefer]: Weights } = {
  balanced: { evidence: 0.2, availability: 0.15, price: 0.15 },
  cheapest: { evidence: 0.05, availability: 0.1, price: 0.35 },
  reliable: { evidence: 0.35, availability: 0.1, price: 0.05 },
  fastest: { evidence: 0.2, availability: 0.2, price: 0.1 }
}
const relevanceWeight = 0.5

const round = (value: number): number => Math.round(value * 1000) / 1000

const reasonOf = (
  operation: Pick<DiscoveredOperation, "works" | "estimatedPrice" | "priceBasis">,
  job: string | null,
  unmatched: boolean
): string => {
  const does = unmatched
    ? "Matches nothing of the query"
    : job === null
      ? "Matches the words of the query"
      : `Does ${job}`
  const costs =
    operation.estimatedPrice === 0
      ? "free"
      : `$${operation.estimatedPrice} per ${operation.priceBasis === "per_result" ? "result" : "call"}`
  const { rate, runs, thin } = operation.works
  const proof =
    rate === null
      ? "not run here yet"
      : `${Math.round(rate * 100)} % of ${counted(runs, "run")} worked${thin ? " (few)" : ""}`
  return `${does}; ${costs}; ${proof}.`
}

/**
 * What fits best of the whole catalog, where it cannot run here or costs more than the question allows, and nothing
 * that was found does the same job.
 */
const outOfReach = (
  seen: Seen,
  query: RankedQuery & CatalogFilter,
  found: ReadonlyArray<DiscoveredOperation>
): OutOfReach | null => {
  const { revision, rows } = seen.served
  const { statistics, table } = seen.view
  const anyPrice = { ...query, maxPriceMicros: null, hidden: true }
  const keeps = compileFilter(revision, anyPrice, table)
  if (keeps === null) return null
  const { hits, unmatched } = find(seen, { ...query, offset: 0, limit: 1 }, { key: filterKey(anyPrice), keeps })
  const [best] = hits
  if (best === undefined || unmatched) return null
  const { runnableNow } = table.of(best.doc)
  const isDear = (revision.priceMicros[best.doc] ?? 0) > (query.maxPriceMicros ?? Infinity)
  if (runnableNow && !isDear) return null
  const row = rows.row(best.doc, table, statistics, best.matchedBy)
  if (row === null) return null
  const { access, capability, endpointId, provider } = row
  if (capability !== undefined && found.some((each) => each.capability === capability)) return null
  const job = capability === undefined ? undefined : revision.jobs.get(capability)
  const needs = runnableNow
    ? `it costs more than ${dollars(query.maxPriceMicros ?? 0)}`
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

export const discover = (seen: Seen, query: DiscoverQuery): Discovered => {
  const { revision, rows } = seen.served
  const { statistics, table, uses } = seen.view
  const runnable = (filter: CatalogFilter): Narrowing | null => {
    const keeps = compileFilter(revision, filter, table)
    return keeps === null
      ? null
      : {
          key: `runnable ${filterKey(filter)}`,
          keeps: (number: number) => keeps(number) && table.of(number).runnableNow
        }
  }
  const hinted = findHinted(seen, { ...noFilter, ...query, offset: 0, limit: candidatesMax }, discoverHints, runnable)
  const { appliedHints, dropped } = hinted
  const { prefer } = hinted.query
  const { expandedCapabilities, hits: found, unmatched } = hinted.found
  // Operations that do the job asked for come before operations that only share words with the question. This holds for
  // fixtures too. Of several jobs that the words may mean, it is the one of the operation that fits them best.
  const meant = new Set(expandedCapabilities)
  const bestFirst = found.toSorted((a, b) => b.score - a.score)
  const wanted = bestFirst.map(({ doc }) => revision.endpoints[doc]?.operation.job).find((job) => meant.has(job ?? ""))
  const best = found.reduce((most, { score }) => Math.max(most, score), 0)

  const givenInput = givenBy(query)
  const weigh = ({ doc: number, matchedBy, score }: SearchHit): DiscoveredOperation | null => {
    const endpoint = revision.endpoints[number]
    const row = rows.row(number, table, statistics, matchedBy)
    if (endpoint === undefined || row === null) return null
    const members = row.capability === undefined ? [number] : (revision.numbersOfJob.get(row.capability) ?? [number])
    const evidenceOf = (each: number) => candidateOf(revision, each, statistics)?.evidence ?? null
    const mean = jobMean(members.map(evidenceOf))
    const scores = {
      relevance: round(best === 0 ? 0 : score / best),
      evidence: round(trustedSuccess(evidenceOf(number), mean)),
      // An operation that answers at once is worth more than one that gives a ticket to ask again with.
      availability: row.async ? 0.7 : 1,
      price: round(cheapness(expectedMicros(endpoint.operation)))
    }
    const weight = weights[prefer]
    const given = givenInput(endpoint)
    return {
      ...titleOf(row),
      score: round(
        relevanceWeight * scores.relevance +
          weight.evidence * scores.evidence +
          weight.availability * scores.availability +
          weight.price * scores.price
      ),
      scores,
      reason: reasonOf(row, row.capability ?? null, unmatched),
      missingInput: fieldsStillNeeded(endpoint.operation.input, given?.givenInputFields ?? []),
      ...(given === null ? {} : { usageHints: given }),
      ...shownRaise(row, uses, unmatched)
    }
  }

  const isMock = (id: string): number =>
    Number(revision.endpoints[revision.numberOf.get(id) ?? -1]?.provider.mock === true)
  // Many operations do no job, and where no job is asked for, they are not what is wanted.
  const isWanted = ({ capability }: DiscoveredOperation): number =>
    Number(capability !== undefined && capability === wanted)
  const operations = found
    .flatMap((hit) => weigh(hit) ?? [])
    .sort(
      (a, b) =>
        isWanted(b) - isWanted(a) ||
        isMock(a.endpointId) - isMock(b.endpointId) ||
        b.score - a.score ||
        (a.endpointId < b.endpointId ? -1 : 1)
    )
    .slice(0, query.limit)
  const capability = unmatched ? null : (operations[0]?.capability ?? null)
  const better = outOfReach(seen, { ...noFilter, ...hinted.query }, operations)
  const job = capability === null || better !== null ? undefined : revision.jobs.get(capability)
  const warnings = [...(better === null ? [] : [better]), ...(unmatched ? [noMatch(operations.length)] : dropped)]
  return {
    query: query.q,
    ...(job === undefined ? {} : { job: { id: job.id, title: job.title } }),
    operations,
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(appliedHints.length === 0 ? {} : { appliedHints })
  }
}

/**
 * Discovery: the few operations that this workspace can run now and that fit its question, each with its score. The
 * score is 0.5 · relevance + the parts of evidence, availability and price, whose weights depend on the preference and
 * add up to 0.5. Each part is between 0 and 1.
 */
import { titleOf } from "../../domain/CatalogRow.js"
import { type CatalogFilter, noFilter } from "../../domain/CatalogSearch.js"
import type { Discovered, DiscoveredOperation, DiscoverQuery } from "../../domain/Discovered.js"
import { exampleInput, fieldsStillNeeded } from "../../domain/OperationInput.js"
import { counted } from "../../domain/Counted.js"
import type { HintParameter } from "../../domain/QuestionHints.js"
import type { Prefer } from "../../domain/RoutePlan.js"
import { cheapness, expectedMicros, jobMean, trustedSuccess } from "../../domain/Routing.js"
import type { SearchHit } from "./search/SearchHits.js"
import { compileFilter, filterKey } from "./Filtering.js"
import { givenBy } from "./GivenInputs.js"
import { findHinted } from "./HintedSearch.js"
import { shownRaise } from "./learning/RaisedByUse.js"
import { candidateOf } from "./Ranking.js"
import { type Narrowing, noMatch } from "./Searching.js"
import type { Seen } from "./ServedRevision.js"
import { moreOf, outOfReach, wantedBy } from "./WantedJob.js"

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
  const asked = { ...noFilter, ...hinted.query, offset: 0, limit: candidatesMax }
  const { hits } = hinted.found
  const wanted = wantedBy(seen, asked)
  const narrowing = wanted?.job === undefined ? null : runnable(asked)
  const more =
    wanted?.job === undefined || narrowing === null
      ? []
      : moreOf(seen, asked, wanted.job, hinted.found.unmatched ? [] : hits, narrowing)
  const isUnmatched = hinted.found.unmatched && more.length === 0
  const found = hinted.found.unmatched && more.length > 0 ? more : [...hits, ...more]
  // Measured beside what fits best of all: where that cannot run, what is listed instead fits less.
  const best = isUnmatched ? 0 : found.reduce((most, { score }) => Math.max(most, score), wanted?.highest ?? 0)

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
    const { operation } = endpoint
    const input = givenInput(endpoint) ?? { exampleInput: exampleInput(operation), givenInputFields: [] }
    return {
      ...titleOf(row),
      score: round(
        relevanceWeight * scores.relevance +
          weight.evidence * scores.evidence +
          weight.availability * scores.availability +
          weight.price * scores.price
      ),
      scores,
      reason: reasonOf(row, row.capability ?? null, isUnmatched),
      missingInput: fieldsStillNeeded(operation.input, input.givenInputFields, input.exampleInput),
      ...(query.hints === false ? {} : { usageHints: input }),
      ...shownRaise(row, uses, isUnmatched)
    }
  }

  const isMock = (id: string): number =>
    Number(revision.endpoints[revision.numberOf.get(id) ?? -1]?.provider.mock === true)
  // Operations that do the job asked for come before operations that only share words with the question. This holds for
  // fixtures too. Many operations do no job, and where no job is asked for, they are not what is wanted.
  const isWanted = ({ capability }: DiscoveredOperation): number =>
    Number(capability !== undefined && capability === wanted?.job)
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
  const [first] = operations
  const capability = isUnmatched ? undefined : first?.capability
  const isListed = wanted === null || (wanted.job !== undefined && wanted.job === capability)
  const better = isListed ? null : outOfReach(seen, asked, wanted)
  const job = capability === undefined || better !== null ? undefined : revision.jobs.get(capability)
  const warnings = [...(better === null ? [] : [better]), ...(isUnmatched ? [noMatch(operations.length)] : dropped)]
  return {
    query: query.q,
    ...(job === undefined ? {} : { job: { id: job.id, title: job.title } }),
    operations,
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(appliedHints.length === 0 ? {} : { appliedHints })
  }
}

/**
 * The answer of the search: the rows of a page, what was read from the words, and why the answer may not be what was
 * asked for. `Searching.ts` finds and orders the hits.
 */
import type { CatalogRow } from "../../domain/CatalogRow.js"
import type { CatalogQuery, PriceHint, SearchAnswer } from "../../domain/CatalogSearch.js"
import { jobNamedBy } from "../../domain/EndpointIds.js"
import { toUsd } from "../../domain/Micros.js"
import { didYouMean, similar } from "../../domain/Similar.js"
import { compileFilter, filterKey, unknownValues } from "./Filtering.js"
import { givenBy } from "./GivenInputs.js"
import { everyHint, findHinted } from "./HintedSearch.js"
import { shownRaise } from "./learning/RaisedByUse.js"
import type { Revision } from "./Revision.js"
import { type Found, noMatch } from "./Searching.js"
import type { CallerView, Seen } from "./ServedRevision.js"

/** The job that a query is about, and whether the query names it. */
const namedJob = (
  revision: Revision,
  query: CatalogQuery,
  expanded: ReadonlyArray<string>
): { readonly job: string; readonly said: boolean } | null => {
  if (query.capability !== null) return { job: query.capability, said: true }
  const asked = query.q.trim()
  const word = jobNamedBy(asked) ?? asked
  if (revision.jobs.has(word)) return { job: word, said: true }
  const [guess] = expanded
  return guess === undefined ? null : { job: guess, said: false }
}

const hintOf = (revision: Revision, numbers: ReadonlyArray<number>): PriceHint | null => {
  const [cheapest] = numbers.toSorted(
    (a, b) => (revision.priceMicros[a] ?? 0) - (revision.priceMicros[b] ?? 0) || a - b
  )
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

/**
 * Says why the job that the query is about is not among the rows: no operation does it, or all that do it cost more
 * than allowed.
 */
const supplyAdvice = (
  revision: Revision,
  query: CatalogQuery,
  found: Found,
  { table }: CallerView
): Pick<SearchAnswer, "warnings" | "priceHint"> => {
  const named = namedJob(revision, query, found.expandedCapabilities)
  if (named === null) return {}
  const supply = (revision.numbersOfJob.get(named.job) ?? []).filter(
    (number) => query.hidden || !table.isHidden(number)
  )
  if (supply.length === 0) {
    if (!found.unmatched && !named.said) return {}
    const meant = revision.jobs.has(named.job) ? [] : similar(named.job, revision.jobs.keys())
    return {
      warnings: [
        {
          code: "no_supply_for_job",
          job: named.job,
          message: `No operation of this catalog does ${named.job}${didYouMean(meant)}`
        }
      ]
    }
  }
  const affordable = compileFilter(revision, { ...query, capability: null }, table)
  const fitting = compileFilter(revision, { ...query, capability: null, maxPriceMicros: null }, table)
  if (query.maxPriceMicros === null || fitting === null || (affordable !== null && supply.some(affordable))) return {}
  const priceHint = hintOf(revision, supply.filter(fitting))
  return priceHint === null ? {} : { priceHint }
}

const advice = (
  revision: Revision,
  query: CatalogQuery,
  found: Found,
  view: CallerView
): Pick<SearchAnswer, "warnings" | "priceHint"> => {
  const said = supplyAdvice(revision, query, found, view)
  const explained = said.warnings !== undefined || said.priceHint !== undefined
  // An empty page that is explained already needs no second reason. Rows that are not results always carry the warning.
  if (!found.unmatched || (found.total === 0 && explained)) return said
  return { ...said, warnings: [...(said.warnings ?? []), noMatch(found.total, unknownValues(revision, query))] }
}

/**
 * The row with what belongs to this question alone. Most often that is nothing, and then it is the same object for
 * every question, so that its JSON text is written once.
 */
const rowWith = (row: CatalogRow, own: Pick<CatalogRow, "usageHints" | "raisedByUse">): CatalogRow =>
  Object.keys(own).length === 0 ? row : { ...row, ...own }

/** One page of the search. `query` is the question as it was asked; the rest is of what its hints made of it. */
export const search = (seen: Seen, asked: CatalogQuery): SearchAnswer => {
  const { served, view } = seen
  const { revision, rows } = served
  const { appliedHints, dropped, found, query } = findHinted(seen, asked, everyHint, (filter) => {
    const keeps = compileFilter(revision, filter, view.table)
    return keeps === null ? null : { key: filterKey(filter), keeps }
  })
  const end = query.offset + query.limit
  const givenInput = givenBy(asked)
  const { warnings = [], ...otherAdvice } = advice(revision, query, found, view)
  return {
    query: asked.q,
    total: found.total,
    endpoints: found.hits.flatMap(({ doc, matchedBy }) => {
      const row = rows.row(doc, view.table, view.statistics, matchedBy)
      const endpoint = revision.endpoints[doc]
      const usageHints = endpoint === undefined ? null : givenInput(endpoint)
      const given = usageHints === null ? {} : { usageHints }
      return row === null ? [] : rowWith(row, { ...given, ...shownRaise(row, view.uses, found.unmatched) })
    }),
    nextOffset: end < found.total ? end : null,
    prefer: query.prefer,
    expandedCapabilities: found.expandedCapabilities,
    revision: revision.id,
    ...(warnings.length + dropped.length === 0 ? {} : { warnings: [...dropped, ...warnings] }),
    ...otherAdvice,
    ...(appliedHints.length === 0 ? {} : { appliedHints })
  }
}

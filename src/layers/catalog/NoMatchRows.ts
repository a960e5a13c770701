/**
 * The rows that a search shows when nothing matches a question written in whole words. They are examples of what the
 * catalog can do: one operation for each job, and the jobs with the most providers first. They are not results: each
 * row is marked `tokens`, and the answer carries the warning `no_match`.
 */
import type { Prefer } from "../../domain/RoutePlan.js"
import { SearchHits } from "./search/SearchHits.js"
import type { Keeps } from "./Filtering.js"
import type { JobOrders } from "./Ranking.js"
import { flags, isFlagged, type Revision } from "./Revision.js"
import type { Statistics } from "./CatalogRows.js"

const rowsMax = 20

interface Asked {
  readonly orders: JobOrders
  readonly keeps: Keeps
  readonly prefer: Prefer
  readonly statistics: Statistics
}

/**
 * First the preferred operation of each job, then the first operation of each provider among those without a job. Real
 * operations come before mocks.
 */
export const noMatchRows = (revision: Revision, { keeps, orders, prefer, statistics }: Asked): SearchHits => {
  const ofJobs = Array.from(revision.numbersOfJob, ([job, members]) => ({ job, members: members.filter(keeps) }))
    .filter(({ members }) => members.length > 0)
    .sort((a, b) => b.members.length - a.members.length || (a.job < b.job ? -1 : 1))
    .slice(0, rowsMax)
    .flatMap(({ job, members }) => {
      const positions = orders.positions(job, prefer, statistics)
      return members.toSorted((a, b) => (positions.get(a) ?? 0) - (positions.get(b) ?? 0)).slice(0, 1)
    })
  const numbers = [...ofJobs]
  const providers = new Set<number>()
  const none = revision.capability.codeOf.get("")
  for (let number = 0; number < revision.endpoints.length && numbers.length < rowsMax; number += 1) {
    const provider = revision.provider.codes[number] ?? 0
    if (revision.capability.codes[number] !== none || providers.has(provider) || !keeps(number)) continue
    providers.add(provider)
    numbers.push(number)
  }
  const isMock = (number: number): boolean => isFlagged(revision, number, flags.mock)
  const shown = [...numbers.filter((number) => !isMock(number)), ...numbers.filter(isMock)]
  return new SearchHits(
    shown,
    shown.map(() => 0),
    () => "tokens"
  )
}

/**
 * Statistics of endpoints in memory, for tests and trials. An attempt is visible as soon as it is recorded, and is lost
 * with the process.
 */
import { Clock, Effect, Layer } from "effect"
import { EndpointStats } from "../../services/EndpointStats.js"
import { countOf, oldestDay, MergedCounts, EndpointTotals } from "../catalog/statistics/AttemptCounts.js"
import { comparedOf, MergedComparisons, totalsOf } from "../catalog/statistics/ComparedCounts.js"

const since = <A extends { readonly day: number }>(counts: ReadonlyArray<A>, now: number): ReadonlyArray<A> =>
  counts.filter(({ day }) => day >= oldestDay(now))

export const EndpointStatsMemory: Layer.Layer<EndpointStats> = Layer.sync(EndpointStats, () => {
  const sums = new MergedCounts()
  const comparisons = new MergedComparisons()
  return EndpointStats.of({
    snapshot: Effect.map(Clock.currentTimeMillis, (now) => EndpointTotals.of(since(sums.values, now)).works),
    record: (attempt) => Effect.map(Clock.currentTimeMillis, (now) => sums.add(countOf(attempt, now))),
    comparedAnswers: Effect.map(Clock.currentTimeMillis, (now) => totalsOf(since(comparisons.values, now))),
    recordCompared: (contractVersion, found) =>
      Effect.map(Clock.currentTimeMillis, (now) => comparisons.add(comparedOf(contractVersion, found, now)))
  })
})

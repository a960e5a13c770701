/**
 * Statistics of endpoints in memory, for tests and trials. An attempt is visible as soon as it is recorded, and is lost
 * with the process.
 */
import { Clock, Effect, Layer } from "effect"
import { EndpointStats } from "../../services/EndpointStats.js"
import { countOf, oldestDay, MergedCounts, EndpointTotals } from "../catalog/statistics/AttemptCounts.js"

export const EndpointStatsMemory: Layer.Layer<EndpointStats> = Layer.sync(EndpointStats, () => {
  const sums = new MergedCounts()
  return EndpointStats.of({
    snapshot: Effect.map(
      Clock.currentTimeMillis,
      (now) => EndpointTotals.of(sums.values.filter(({ day }) => day >= oldestDay(now))).works
    ),
    record: (attempt) => Effect.map(Clock.currentTimeMillis, (now) => sums.add(countOf(attempt, now)))
  })
})

/** How endpoints have done, in memory, for tests and trials: recorded is visible at once, and lost with the process. */
import { Clock, Effect, Layer } from "effect"
import { EndpointStats } from "../../services/EndpointStats.js"
import { countOf, oldestDay, Sums, Tally } from "../catalog/statistics/AttemptCounts.js"

export const EndpointStatsMemory: Layer.Layer<EndpointStats> = Layer.sync(EndpointStats, () => {
  const sums = new Sums()
  return EndpointStats.of({
    snapshot: Effect.map(
      Clock.currentTimeMillis,
      (now) => Tally.of(sums.values.filter(({ day }) => day >= oldestDay(now))).works
    ),
    record: (attempt) => Effect.map(Clock.currentTimeMillis, (now) => sums.add(countOf(attempt, now)))
  })
})

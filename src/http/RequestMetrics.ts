/**
 * Counts and times requests by method, route template and status: labels that have few values, never a url. Writes
 * straight into the metrics because it is on the path of every request.
 */
import { Metric, MetricBoundaries, MetricKey } from "effect"
import { isKnownMethod } from "./serving/Routes.js"

const requests = MetricKey.counter("http_requests_total", { description: "Answered requests", incremental: true })
const seconds = MetricKey.histogram(
  "http_request_duration_seconds",
  MetricBoundaries.fromIterable([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]),
  "Time from the request's headers to its answer"
)

// The tags belong to the key and not to the metric: a tagged metric looks its hook up anew with every update, which
// cost 15 µs a request.
const bind = (method: string, route: string, status: number) => ({
  count: Metric.fromMetricKey(
    requests.pipe(
      MetricKey.tagged("method", method),
      MetricKey.tagged("route", route),
      MetricKey.tagged("status", String(status))
    )
  ),
  time: Metric.fromMetricKey(seconds.pipe(MetricKey.tagged("method", method), MetricKey.tagged("route", route)))
})
const bound = new Map<string, ReturnType<typeof bind>>()

export const observe = (method: string, route: string | null, status: number, elapsedSeconds: number): void => {
  const methodLabel = isKnownMethod(method) ? method : "other"
  const key = `${methodLabel} ${route} ${status}`
  const known = bound.get(key)
  const { count, time } = known ?? bind(methodLabel, route ?? "none", status)
  if (known === undefined) bound.set(key, { count, time })
  count.unsafeUpdate(1, [])
  time.unsafeUpdate(elapsedSeconds, [])
}

/**
 * Counts and times requests by method, route template and status: labels that have few values, never a url. Writes straight into
 * the metrics because it is on the path of every request.
 */
import { Metric, MetricBoundaries } from "effect"

const requests = Metric.counter("http_requests_total", { description: "Answered requests", incremental: true })
const seconds = Metric.histogram(
  "http_request_duration_seconds",
  MetricBoundaries.fromIterable([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]),
  "Time from the request's headers to its answer"
)
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

type Bound = { readonly count: typeof requests; readonly time: typeof seconds }
const bound = new Map<string, Bound>()

const bind = (method: string, route: string, status: number): Bound => {
  const key = `${method} ${route} ${status}`
  const known = bound.get(key)
  if (known !== undefined) return known
  const time = seconds.pipe(Metric.tagged("method", method), Metric.tagged("route", route))
  const made = { time, count: requests.pipe(Metric.tagged("method", method), Metric.tagged("route", route), Metric.tagged("status", String(status))) }
  bound.set(key, made)
  return made
}

export const observe = (method: string, route: string | null, status: number, elapsedSeconds: number): void => {
  const { count, time } = bind(methods.has(method) ? method : "other", route ?? "none", status)
  count.unsafeUpdate(1, [])
  time.unsafeUpdate(elapsedSeconds, [])
}

/**
 * Counts for `/metrics` and its alerts: how runs end on this node, and how calls of each provider go. They are written
 * straight into the metrics, with keys that are made once, because they are on the path of every run.
 */
import { Effect, Metric, MetricBoundaries, MetricKey } from "effect"
import type { CallFailure } from "../../../domain/ProviderCall.js"
import type { Run } from "../../../domain/Run.js"

const ended = MetricKey.counter("gateway_runs_ended_total", {
  description: "Runs that this node settled, or set apart as reconciliation_pending, by status and outcome",
  incremental: true
})
const calls = MetricKey.counter("gateway_provider_calls_total", {
  description:
    "Calls of providers by result: answered, lost, or whose error a failed one was (provider, gateway, customer)",
  incremental: true
})
const seconds = MetricKey.histogram(
  "gateway_provider_call_duration_seconds",
  MetricBoundaries.fromIterable([0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 600]),
  "Time from the start of an attempt to the end of its call, failed ones too"
)
/** The providers that have a label of their own on this node; the others share one. */
const labelsMax = 200

const endedBy = new Map<string, Metric.Metric.Counter<number>>()
const counterOfEnds = (status: string, outcome: string | null): Metric.Metric.Counter<number> => {
  const key = `${status} ${outcome}`
  const known =
    endedBy.get(key) ??
    Metric.fromMetricKey(ended.pipe(MetricKey.tagged("status", status), MetricKey.tagged("outcome", outcome ?? "none")))
  endedBy.set(key, known)
  return known
}
/** Called right after the commit of each settlement, whatever ended the run. */
export const countEnded = ({ outcome, status }: Pick<Run, "outcome" | "status">): void =>
  void counterOfEnds(status, outcome).unsafeUpdate(1, [])

/** A counter that begins at 0 is seen to rise; the first figure of one that does not is no increase to Prometheus. */
const usualEnds: ReadonlyArray<readonly [status: string, outcome: string | null]> = [
  ["completed", "hit"],
  ["completed", "weak"],
  ["completed", "miss"],
  ["failed", "error"],
  ["reconciliation_pending", null]
]
export const beginCountingEnds: Effect.Effect<void> = Effect.sync(() => {
  for (const [status, outcome] of usualEnds) counterOfEnds(status, outcome).unsafeUpdate(0, [])
})

const resultOf = (failed: CallFailure | null): "answered" | "lost" | "provider" | "gateway" | "customer" =>
  failed === null ? "answered" : failed._tag === "CallLost" ? "lost" : failed.failure.whoseError

/** All results of a provider are there from its first call on, at 0. */
const bind = (provider: string) => {
  const counter = (result: string) => {
    const made = Metric.fromMetricKey(
      calls.pipe(MetricKey.tagged("provider", provider), MetricKey.tagged("result", result))
    )
    made.unsafeUpdate(0, [])
    return made
  }
  return {
    answered: counter("answered"),
    lost: counter("lost"),
    provider: counter("provider"),
    gateway: counter("gateway"),
    customer: counter("customer"),
    seconds: Metric.fromMetricKey(seconds.pipe(MetricKey.tagged("provider", provider)))
  }
}
const providers = new Map<string, ReturnType<typeof bind>>()

export const countCall = (providerId: string, failed: CallFailure | null, millis: number): void => {
  const name = providers.has(providerId) || providers.size < labelsMax ? providerId : "Other"
  const known = providers.get(name) ?? bind(name)
  providers.set(name, known)
  known[resultOf(failed)].unsafeUpdate(1, [])
  known.seconds.unsafeUpdate(millis / 1000, [])
}

/**
 * Counters begin at 0: what a fresh node or a fresh series counts first would be no increase to Prometheus. The end of
 * every run is counted, whatever ended it.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Metric, MetricState, TestClock } from "effect"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { Caller, drop, hit, Reconciliation, run, Runs, testGateway } from "../../../src/testing.js"
import { startGateway } from "../../support/gateway.js"

it.scopedLive("all ends of runs stand at 0 before any run, and all results of a provider from its first call on", () =>
  Effect.gen(function* () {
    const { call, funded } = yield* startGateway()
    const lines = Effect.map(call("GET", "/metrics"), ({ text }) => text.split("\n"))
    const before = yield* lines
    for (const ends of [
      'status="completed",outcome="hit"',
      'status="completed",outcome="weak"',
      'status="completed",outcome="miss"',
      'status="failed",outcome="error"',
      'status="reconciliation_pending",outcome="none"'
    ])
      assert.include(before, `gateway_runs_ended_total{${ends}} 0`)

    const { token } = yield* funded(1_000_000)
    const run = yield* call("POST", "/v1/runs?wait=10", {
      token,
      headers: { "idempotency-key": "one" },
      body: { endpointId: "mock-email-find", input: { name: "Ada Example", domain: "example.com" } }
    })
    assert.strictEqual(run.json.status, "completed")
    const after = yield* lines
    const results = { answered: 1, lost: 0, provider: 0, gateway: 0, customer: 0 }
    for (const [result, count] of Object.entries(results))
      assert.include(after, `gateway_provider_calls_total{provider="mock",result="${result}"} ${count}`)
    assert.include(after, 'gateway_runs_ended_total{status="completed",outcome="hit"} 1')
  })
)

/** How often runs have ended so in this process. */
const ended = (status: string, outcome: string): number => {
  const wanted = `${status} ${outcome}`
  const found = Metric.unsafeSnapshot().find(
    ({ metricKey: { name, tags } }) =>
      name === "gateway_runs_ended_total" &&
      ["status", "outcome"].map((key) => tags.find((tag) => tag.key === key)?.value).join(" ") === wanted
  )
  return found !== undefined && MetricState.isCounterState(found.metricState) ? Number(found.metricState.count) : 0
}
const counts = Effect.sync(() => [
  ended("completed", "hit"),
  ended("failed", "error"),
  ended("reconciliation_pending", "none"),
  ended("failed", "none")
])

it.effect("the end of a queued run, and the word of a person, count like any other end", () => {
  const gateway = testGateway({
    providers: { "mock-email-find": hit(undefined, { after: "8 seconds" }), "mock-send-message": drop() },
    dispatcher: { slots: 1, queueMillisMax: 5_000 }
  })
  return Effect.gen(function* () {
    const { principal } = yield* Caller
    const runs = yield* Runs
    const before = yield* counts
    const since = Effect.map(counts, (now) => now.map((count, n) => count - (before[n] ?? 0)))
    const find = run({ endpointId: "mock-email-find", input: { name: "Ada Example", domain: "example.com" } }, 0)
    yield* find
    // Waits too long.
    yield* find
    const third = yield* find
    yield* runs.cancel(principal.workspaceId, third.run.runId)
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(yield* since, [1, 2, 0, 0])

    const lost = yield* run({ endpointId: "mock-send-message", input: { to: "ada@example.com", text: "hello" } }, 0)
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(yield* since, [1, 2, 1, 0])
    const { resolve } = yield* Reconciliation
    yield* resolve(
      { runId: lost.run.runId, verdict: "released", chargeMicros: null, reason: "the provider never saw it" },
      commandLine
    )
    assert.deepStrictEqual(yield* since, [1, 3, 1, 0])
  }).pipe(Effect.provide(gateway.services))
})

/** Counters begin at 0: what a fresh node or a fresh series counts first would be no increase to Prometheus. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
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

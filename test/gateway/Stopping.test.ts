/** A node that stops: who waits for a run is answered with its end, where that comes in time. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { eventually } from "../support/eventually.js"
import { startGateway } from "../support/gateway.js"

it.live("answers waits with the run's end while requests may still end, and then with the run as it is", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const { call, funded } = yield* Scope.extend(startGateway({ drainMillis: 4_000 }), scope)
    const { token } = yield* funded(1_000_000)
    const waiting = (name: string, delayMs: number) =>
      call("POST", "/v1/runs?wait=20", {
        token,
        headers: { "idempotency-key": name },
        body: { endpointId: "mock-email-find", input: { domain: "a.example", name: "Ada Example", _mock: { delayMs } } }
      })
    const waits = yield* Effect.fork(
      Effect.all([waiting("short", 1_000), waiting("long", 9_000)], { concurrency: "unbounded" })
    )
    yield* eventually(call("GET", "/v1/runs?status=running", { token }), ({ json }) => json.runs.length === 2)
    const stopping = yield* Effect.fork(Scope.close(scope, Exit.void))
    const [short, long] = yield* Fiber.join(waits)
    assert.deepStrictEqual([short.status, short.json.status, short.json.outcome], [201, "completed", "hit"])
    assert.deepStrictEqual([long.status, long.json.status], [201, "running"])
    yield* Fiber.join(stopping)
  })
)

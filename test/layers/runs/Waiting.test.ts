/** What a wait for the end of a run answers when the storage does not know the run any more. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { makeDeadlines } from "../../../src/services/Deadlines.js"
import { awaitEnd } from "../../../src/layers/runs/Waiting.js"
import { Draining } from "../../../src/services/Draining.js"
import type { RunSignals } from "../../../src/services/RunSignals.js"
import type { RunStore } from "../../../src/services/RunStore.js"
import { DrainingMemory } from "../../../src/layers/node/DrainingMemory.js"
import { queuedRun } from "../../support/httpSamples.js"

it.scoped("a run that a standby lacks after a failover is answered as it was last seen, when the time is over", () =>
  Effect.gen(function* () {
    const parts = {
      deadlines: yield* makeDeadlines,
      draining: yield* Draining,
      signals: { subscribe: () => Effect.succeed(() => () => undefined) } as unknown as RunSignals["Type"],
      store: {
        tellEnd: () => Effect.succeed(false),
        detail: () => Effect.succeed(null),
        smallDetail: () => Effect.succeed(null)
      } as unknown as RunStore["Type"]
    }
    const last = { run: queuedRun, attempts: [] }
    const waiting = yield* Effect.fork(awaitEnd(parts, last, 10))
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(yield* Fiber.join(waiting), last)
  }).pipe(Effect.provide(DrainingMemory))
)

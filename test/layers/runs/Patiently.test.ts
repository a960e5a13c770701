/** What the log hears of work that waits for the storage. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { StorageBusy } from "../../../src/domain/StorageErrors.js"
import { patientlyWith } from "../../../src/layers/runs/dispatch/Work.js"

const stage = () => {
  const heard = { failed: 0, worked: 0 }
  const patiently = patientlyWith({ failed: () => void heard.failed++, worked: () => void heard.worked++ })
  return { heard, patiently }
}
const busy = new StorageBusy({ retryAfterSeconds: 1 })

it.effect("work that is taken after a wait says that the storage works again", () =>
  Effect.gen(function* () {
    const { heard, patiently } = stage()
    let tries = 0
    const waiting = yield* Effect.fork(
      patiently(Effect.suspend(() => (++tries < 3 ? Effect.fail(busy) : Effect.succeed("taken"))))
    )
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* Fiber.join(waiting), "taken")
    assert.deepStrictEqual(heard, { failed: 2, worked: 1 })
  })
)

it.effect("work that the storage answers with a failure of its own says so, too", () =>
  Effect.gen(function* () {
    const { heard, patiently } = stage()
    let tries = 0
    const waiting = yield* Effect.fork(
      Effect.flip(patiently(Effect.suspend(() => Effect.fail(++tries < 3 ? busy : "refused"))))
    )
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* Fiber.join(waiting), "refused")
    assert.deepStrictEqual(heard, { failed: 2, worked: 1 })
  })
)

it.effect("after work that was given up, the first that is taken at once says that the storage works again", () =>
  Effect.gen(function* () {
    const { heard, patiently } = stage()
    const waiting = yield* Effect.fork(patiently(Effect.fail(busy)))
    yield* TestClock.adjust("1 minute")
    yield* Fiber.interrupt(waiting)
    assert.strictEqual(heard.worked, 0)
    assert.strictEqual(yield* patiently(Effect.succeed("taken")), "taken")
    assert.strictEqual(heard.worked, 1)
    assert.strictEqual(yield* Effect.flip(patiently(Effect.fail("refused"))), "refused")
    assert.strictEqual(heard.worked, 2)
  })
)

it.effect("work that is given up, or that breaks, while it waits says no such thing", () =>
  Effect.gen(function* () {
    const { heard, patiently } = stage()
    const waiting = yield* Effect.fork(patiently(Effect.fail(busy)))
    yield* TestClock.adjust("1 minute")
    yield* Fiber.interrupt(waiting)
    let tries = 0
    const breaking = yield* Effect.fork(
      patiently(Effect.suspend(() => (++tries < 3 ? Effect.fail(busy) : Effect.die("broken"))))
    )
    yield* TestClock.adjust("1 minute")
    yield* Fiber.await(breaking)
    assert.isAbove(heard.failed, 3)
    assert.strictEqual(heard.worked, 0)
  })
)

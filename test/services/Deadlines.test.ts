/** The deadlines of a node: when their listeners are told, and that waits which end early cost no sleeping fiber. */
import { assert, it } from "@effect/vitest"
import { Chunk, Clock, Effect, TestClock } from "effect"
import { makeDeadlines } from "../../src/services/Deadlines.js"

it.scoped("a listener is told when its time is over, once and not before, whatever was asked for first", () =>
  Effect.gen(function* () {
    const { after } = yield* makeDeadlines
    const told: Array<string> = []
    after(2_000)(() => void told.push("long"))
    after(500)(() => void told.push("short"))
    after(500)(() => void told.push("short too"))
    yield* TestClock.adjust(499)
    assert.deepStrictEqual(told, [])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(told, ["short", "short too"])
    yield* TestClock.adjust(1_499)
    assert.deepStrictEqual(told, ["short", "short too"])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(told, ["short", "short too", "long"])
    yield* TestClock.adjust(60_000)
    assert.strictEqual(told.length, 3)
    after(10)(() => void told.push("after a quiet time"))
    yield* TestClock.adjust(10)
    assert.strictEqual(told.at(-1), "after a quiet time")
  })
)

it.scoped("a listener that went away is not told", () =>
  Effect.gen(function* () {
    const { after } = yield* makeDeadlines
    const told: Array<string> = []
    const leave = after(1_000)(() => void told.push("left"))
    after(1_000)(() => void told.push("stayed"))
    leave()
    yield* TestClock.adjust(1_000)
    assert.deepStrictEqual(told, ["stayed"])
  })
)

it.scoped("a thousand waits that end early share one sleeping fiber", () =>
  Effect.gen(function* () {
    const { after } = yield* makeDeadlines
    for (let wait = 0; wait < 1_000; wait++) after(20_000)(() => assert.fail("it went away"))()
    yield* Effect.repeatN(Effect.yieldNow(), 10)
    assert.strictEqual(Chunk.size(yield* TestClock.sleeps()), 1)
    yield* TestClock.adjust(20_000)
    yield* Effect.repeatN(Effect.yieldNow(), 10)
    assert.strictEqual(Chunk.size(yield* TestClock.sleeps()), 0)
  })
)

it.scoped("waits of any lengths share one sleeping fiber, whether they come or end early", () =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    // The clock of tests keeps what was interrupted.
    let sleeping = 0
    const { after } = yield* Effect.withClock(makeDeadlines, {
      ...Clock.make(),
      unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
      sleep: (duration) =>
        Effect.acquireUseRelease(
          Effect.sync(() => void (sleeping += 1)),
          () => clock.sleep(duration),
          () => Effect.sync(() => void (sleeping -= 1))
        )
    })
    const told: Array<number> = []
    after(60_000)(() => void told.push(60_000))
    for (let wait = 1; wait <= 50; wait++) {
      after(1)(() => void told.push(wait))
      after(20_000)(() => assert.fail("it went away"))()
      yield* TestClock.adjust(1)
    }
    yield* Effect.repeatN(Effect.yieldNow(), 10)
    assert.deepStrictEqual([told.length, sleeping], [50, 1])
    yield* TestClock.adjust(60_000)
    yield* Effect.repeatN(Effect.yieldNow(), 10)
    assert.deepStrictEqual([told.length, sleeping], [51, 0])
  })
)

it.scoped("a deadline comes after its time, also when somebody sets the clock meanwhile", () =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    let shown = 1_000_000
    const { after } = yield* Effect.withClock(makeDeadlines, {
      ...Clock.make(),
      unsafeCurrentTimeMillis: () => shown,
      unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
      sleep: (duration) => clock.sleep(duration)
    })
    const told: Array<string> = []
    after(1_000)(() => void told.push("over"))
    shown -= 3_600_000
    yield* TestClock.adjust(999)
    assert.deepStrictEqual(told, [])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(told, ["over"])
  })
)

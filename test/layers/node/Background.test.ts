/** Work in the background goes on whatever happens to it, and values that are read now and again are never guessed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { StorageBusy } from "../../../src/domain/StorageErrors.js"
import { everySoOften, makeReading, repeatInBackground } from "../../../src/layers/node/Background.js"
import { withLogLines } from "../../support/logLines.js"

const busy = Effect.fail(new StorageBusy({ retryAfterSeconds: 1 }))
const broken = Effect.die(new Error("relation is gone"))

describe("work in the background", () => {
  it.scoped("goes on after the storage was away, which is not its to tell", () =>
    withLogLines((lines) =>
      Effect.gen(function* () {
        let turns = 0
        yield* everySoOften(
          { name: "counting", every: "10 seconds" },
          Effect.suspend(() => (++turns < 4 ? busy : Effect.void))
        )
        yield* TestClock.adjust("9 seconds")
        assert.strictEqual(turns, 0)
        yield* TestClock.adjust("51 seconds")
        assert.deepStrictEqual([turns, lines.length], [6, 0])
      })
    )
  )

  it.scoped("that fails for another reason says so once, by its name, and once when it succeeds again", () =>
    withLogLines((lines) =>
      Effect.gen(function* () {
        let turns = 0
        yield* everySoOften(
          { name: "counting", every: "10 seconds", firstAtOnce: true },
          Effect.suspend(() => (turns++ < 5 ? broken : Effect.void))
        )
        yield* TestClock.adjust("49 seconds")
        assert.deepStrictEqual([turns, lines.length], [5, 1])
        assert.match(lines[0]?.message ?? "", /^Work in the background failed/)
        assert.strictEqual(lines[0]?.annotations["work"], "counting")
        assert.include(String(lines[0]?.annotations["why"]), "relation is gone")
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(
          lines.slice(1).map(({ annotations, message }) => [message, annotations]),
          [["Work in the background succeeds again", { work: "counting", failures: 5, seconds: 50 }]]
        )
      })
    )
  )

  it.scoped("that dies before it has waited for its next turn is not done again at once", () =>
    withLogLines((lines) =>
      Effect.gen(function* () {
        let turns = 0
        yield* repeatInBackground(
          "taking over runs",
          Effect.zipRight(
            Effect.suspend(() => (turns++, broken)),
            Effect.sleep("1 second")
          )
        )
        yield* TestClock.adjust("59500 millis")
        assert.deepStrictEqual([turns, lines.length], [60, 1])
      })
    )
  )
})

describe("a value that is read now and again", () => {
  const world = () => {
    const now = { value: 1, away: false, reads: 0 }
    const read = Effect.suspend(() => (now.reads++, now.away ? busy : Effect.succeed(now.value)))
    return { now, reading: makeReading({ name: "a number", every: "2 seconds" }, read) }
  }

  it.scoped("is there only when it has been read: at the start that waits for the storage", () =>
    Effect.gen(function* () {
      const { now, reading } = world()
      now.away = true
      const made = yield* Effect.fork(reading)
      yield* TestClock.adjust("1 minute")
      assert.isTrue((yield* Fiber.poll(made))._tag === "None")
      now.away = false
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(made)).last(), 1)
    })
  )

  it.scoped("stays as it was read last while the storage is away, and follows it after that", () =>
    Effect.gen(function* () {
      const { now, reading } = world()
      const { last, refresh } = yield* reading
      now.value = 2
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(last(), 2)
      Object.assign(now, { value: 3, away: true })
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(last(), 2)
      assert.strictEqual((yield* Effect.flip(refresh))._tag, "storage_busy")
      now.away = false
      yield* refresh
      assert.strictEqual(last(), 3)
    })
  )

  it.scoped("is read by one at a time, and not while work between readings is done", () =>
    Effect.gen(function* () {
      let reading = 0
      const most = { at: 0 }
      const slow = Effect.acquireUseRelease(
        Effect.sync(() => (most.at = Math.max(most.at, ++reading))),
        () => Effect.delay(Effect.succeed(0), "3 seconds"),
        () => Effect.sync(() => reading--)
      )
      const made = yield* Effect.fork(makeReading({ name: "slow", every: "1 second" }, slow))
      yield* TestClock.adjust("3 seconds")
      const { betweenReadings, refresh } = yield* Fiber.join(made)
      yield* Effect.fork(Effect.all([refresh, refresh, refresh], { concurrency: 3 }))
      const seen = yield* Effect.fork(betweenReadings(Effect.sync(() => reading)))
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual([most.at, yield* Fiber.join(seen)], [1, 0])
    })
  )
})

/** That trouble makes two lines of the log, when it begins and when it is over, however much fails meanwhile. */
import { assert, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { makeTrouble } from "../../../src/layers/node/Trouble.js"
import { withLogLines } from "../../support/logLines.js"

it.scoped("ten thousand failures are one warning, at the first of them, that says what it means and why", () =>
  withLogLines((lines) =>
    Effect.gen(function* () {
      const trouble = yield* makeTrouble("storage")
      trouble.failed("connect ECONNREFUSED")
      yield* TestClock.adjust(0)
      assert.strictEqual(lines.length, 1)
      for (let n = 1; n < 10_000; n += 1) {
        trouble.failed(`failure ${n}`)
        if (n % 100 === 0) yield* TestClock.adjust(1_000)
      }
      assert.strictEqual(lines.length, 1)
      assert.strictEqual(lines[0]?.level, "WARN")
      assert.match(lines[0]?.message ?? "", /^The storage fails: requests that need it are answered 503/)
      assert.deepStrictEqual(lines[0]?.annotations, { why: "connect ECONNREFUSED" })
    })
  )
)

it.scoped(
  "its end is a warning too, with how long it was and how much failed, once nothing has failed for a while",
  () =>
    withLogLines((lines) =>
      Effect.gen(function* () {
        const trouble = yield* makeTrouble("listener", { channel: "runs" })
        trouble.failed("lost")
        yield* TestClock.adjust(12_000)
        trouble.failed("lost")
        yield* TestClock.adjust(500)
        trouble.worked()
        yield* TestClock.adjust(4_000)
        assert.strictEqual(lines.length, 1)
        yield* TestClock.adjust(1_000)
        assert.deepStrictEqual(lines[1], {
          level: "WARN",
          message: "The connection that hears what other nodes announce is back",
          annotations: { channel: "runs", failures: 2, seconds: 12.5 }
        })
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(lines.length, 2)
      })
    )
)

it.scoped("what works and fails by turns is one trouble until it only works", () =>
  withLogLines((lines) =>
    Effect.gen(function* () {
      const trouble = yield* makeTrouble("storage")
      for (let second = 0; second < 100; second += 1) {
        trouble.failed("too many connections")
        trouble.worked()
        yield* TestClock.adjust(1_000)
      }
      assert.strictEqual(lines.length, 1)
      yield* TestClock.adjust(5_000)
      assert.deepStrictEqual(
        lines.map(({ annotations }) => annotations["failures"]),
        [undefined, 100]
      )
    })
  )
)

it.scoped("its end does not wait for a clock that was set back", () =>
  withLogLines((lines) =>
    Effect.gen(function* () {
      const clock = yield* Effect.clock
      let off = 0
      const trouble = yield* Effect.withClock(makeTrouble("storage"), {
        ...clock,
        unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() + off,
        unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
        sleep: (duration) => clock.sleep(duration)
      })
      trouble.failed("lost")
      off = -3_600_000
      trouble.worked()
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(
        lines.map(({ annotations }) => annotations["seconds"]),
        [undefined, 0]
      )
    })
  )
)

it.scoped("it is not over while nothing has worked, and the next one is told again", () =>
  withLogLines((lines) =>
    Effect.gen(function* () {
      const trouble = yield* makeTrouble("leases")
      trouble.worked()
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(lines.length, 0)
      trouble.failed("first")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(lines.length, 1)
      trouble.worked()
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(lines.length, 2)
      trouble.failed("second")
      yield* TestClock.adjust(0)
      assert.strictEqual(lines[2]?.annotations["why"], "second")
    })
  )
)

/** Long works do not add up to a long turn of the event loop, however many are under way. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { nextEventLoopTurn, runInSlices } from "../../src/services/Slices.js"

/** Longer than a slice, so that each step is a slice of its own. */
const work = (): void => {
  const until = performance.now() + 5
  while (performance.now() < until);
}

describe("long works in slices", () => {
  it.live("have one slice in a turn of the event loop, in the order in which they wait", () =>
    Effect.gen(function* () {
      let turn = 0
      const counting = yield* Effect.fork(
        Effect.forever(
          Effect.zipRight(
            nextEventLoopTurn,
            Effect.sync(() => (turn += 1))
          )
        )
      )
      const steps: Array<{ readonly of: number; readonly at: number }> = []
      function* stepsOf(of: number): Generator<void, number> {
        for (let count = 0; count < 3; count += 1) {
          work()
          steps.push({ of, at: turn })
          yield
        }
        return of
      }
      const works = Array.from({ length: 8 }, (_, of) => of)
      const ended = yield* Effect.forEach(works, (of) => runInSlices(() => stepsOf(of)), { concurrency: "unbounded" })
      yield* Fiber.interrupt(counting)
      assert.deepStrictEqual(ended, works)
      // The first of all is done when it begins; the others come behind it.
      const later = steps.slice(1)
      assert.deepStrictEqual(
        later.map(({ of }) => of),
        [...works, ...works, ...works.slice(1)]
      )
      for (const { at } of later) assert.isAtMost(later.filter((other) => other.at === at).length, 1)
    })
  )

  it.live("end with who asked for them", () =>
    Effect.gen(function* () {
      let steps = 0
      const endless = function* (): Generator<void, never> {
        for (;;) {
          work()
          steps += 1
          yield
        }
      }
      const fiber = yield* Effect.fork(runInSlices(endless))
      yield* nextEventLoopTurn
      yield* Fiber.interrupt(fiber)
      const before = steps
      yield* nextEventLoopTurn
      yield* nextEventLoopTurn
      assert.strictEqual(steps, before)
    })
  )
})

/**
 * A fact that becomes known once: who listens before and after it, who has left, and waits for the first of several.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { firstOf, makeOneTimeEvent } from "../../src/services/OneTimeEvent.js"

describe("a one-time event", () => {
  it("is told to everybody who listens, once, and at once to whoever comes later; later words change nothing", () => {
    const fact = makeOneTimeEvent<string>()
    const heard: Array<string> = []
    const listener = (value: string) => void heard.push(value)
    fact.listen(listener)
    fact.listen(listener)
    assert.deepStrictEqual(fact.known(), Option.none())
    fact.tell("first")
    fact.tell("second")
    assert.deepStrictEqual(heard, ["first", "first"])
    fact.listen(listener)
    assert.deepStrictEqual(heard, ["first", "first", "first"])
    assert.deepStrictEqual(fact.known(), Option.some("first"))
  })

  it("is not told to whoever has left", () => {
    const fact = makeOneTimeEvent<number>()
    const heard: Array<number> = []
    fact.listen((value) => void heard.push(value))()
    fact.tell(1)
    assert.deepStrictEqual(heard, [])
  })
})

describe("waiting for the first of several", () => {
  it.effect("ends with the one that is known first, also when it is known already, and leaves the others", () =>
    Effect.gen(function* () {
      const [one, other] = [makeOneTimeEvent<number>(), makeOneTimeEvent<number>()]
      let left = 0
      const waiting = yield* Effect.fork(
        firstOf(one.listen, (listener) => {
          const leave = other.listen(listener)
          return () => {
            left += 1
            leave()
          }
        })
      )
      yield* Effect.yieldNow()
      one.tell(1)
      assert.strictEqual(yield* Fiber.join(waiting), 1)
      assert.isAbove(left, 0)
      let listening = 0
      const counted = (listener: (value: number) => void) => {
        listening += 1
        const leave = other.listen(listener)
        return () => {
          listening -= 1
          leave()
        }
      }
      assert.strictEqual(yield* firstOf(one.listen, counted), 1)
      assert.strictEqual(yield* firstOf(counted, one.listen), 1)
      assert.strictEqual(listening, 0)
    })
  )

  it.effect("listens to nothing any more when it is interrupted", () =>
    Effect.gen(function* () {
      let listening = 0
      const waiting = yield* Effect.fork(
        firstOf<never>(() => {
          listening += 1
          return () => void (listening -= 1)
        })
      )
      yield* Effect.yieldNow()
      assert.strictEqual(listening, 1)
      yield* Fiber.interrupt(waiting)
      assert.strictEqual(listening, 0)
    })
  )
})

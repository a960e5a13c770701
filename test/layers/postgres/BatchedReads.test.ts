import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { makeBatchedReads } from "../../../src/layers/postgres/database/BatchedReads.js"

/** A storage that is read only once it is let: what it holds by key, and which keys each statement has asked for. */
const gated = Effect.gen(function* () {
  const stored = new Map([
    ["a", { value: 1 }],
    ["b", { value: 2 }]
  ])
  const asked: Array<ReadonlyArray<string>> = []
  const gate = yield* Deferred.make<void>()
  const begun = yield* Deferred.make<void>()
  const read = yield* makeBatchedReads({
    readersMax: 4,
    keyOf: (name: string) => name.toLowerCase(),
    read: (keys) =>
      Effect.gen(function* () {
        asked.push([...keys.keys()])
        const found = new Map(stored)
        yield* Deferred.succeed(begun, undefined)
        yield* Deferred.await(gate)
        return found
      })
  })
  return { asked, begun, gate, read, stored }
})

it.scoped("those who read the same at the same time share one answer, and nothing is read twice for them", () =>
  Effect.gen(function* () {
    const { asked, begun, gate, read } = yield* gated
    const first = yield* Effect.fork(read("a"))
    yield* Deferred.await(begun)
    const others = yield* Effect.forEach(["b", "B", "c", "b", "a"], (name) => Effect.fork(read(name)))
    yield* Effect.repeatN(Effect.yieldNow(), 50)
    yield* Deferred.succeed(gate, undefined)
    const [, one, two, none, three, last] = yield* Fiber.join(Fiber.all([first, ...others]))
    assert.deepStrictEqual(asked, [["a"], ["b", "c"], ["a"]])
    assert.deepStrictEqual([one, none, last], [{ value: 2 }, null, { value: 1 }])
    assert.strictEqual(one, two)
    assert.strictEqual(one, three)
  })
)

it.scoped("an answer is never older than its request: who asks while a statement runs is answered by the next", () =>
  Effect.gen(function* () {
    const { begun, gate, read, stored } = yield* gated
    const before = yield* Effect.fork(read("a"))
    yield* Deferred.await(begun)
    stored.set("a", { value: 7 })
    const after = yield* Effect.fork(read("a"))
    yield* Effect.repeatN(Effect.yieldNow(), 50)
    yield* Deferred.succeed(gate, undefined)
    assert.deepStrictEqual(yield* Fiber.join(Fiber.all([before, after])), [{ value: 1 }, { value: 7 }])
  })
)

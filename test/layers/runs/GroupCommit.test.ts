import { assert, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { makeGroupCommit } from "../../../src/layers/runs/GroupCommit.js"

/** Commits that wait until they are let through, and what each was given. */
const gated = Effect.gen(function* () {
  const batches: Array<ReadonlyArray<number>> = []
  const gate = yield* Deferred.make<void>()
  const begun = yield* Deferred.make<void>()
  const commit = (batch: ReadonlyArray<number>) =>
    Effect.gen(function* () {
      batches.push(batch)
      yield* Deferred.succeed(begun, undefined)
      yield* Deferred.await(gate)
      return batch.map((value) => Exit.succeed(value * 10))
    })
  return { batches, begun, gate, submit: yield* makeGroupCommit({ batchMax: 3, commit }) }
})

it.scoped("nobody is answered before the commit is done, and what came meanwhile shares the next ones", () =>
  Effect.gen(function* () {
    const { batches, begun, gate, submit } = yield* gated
    const first = yield* Effect.fork(submit(1))
    yield* Deferred.await(begun)
    const others = yield* Effect.forEach([2, 3, 4, 5], (value) => Effect.fork(submit(value)))
    yield* Effect.repeatN(Effect.yieldNow(), 50)
    assert.strictEqual((yield* Fiber.poll(first))._tag, "None")
    assert.deepStrictEqual(batches, [[1]])
    yield* Deferred.succeed(gate, undefined)
    assert.deepStrictEqual(yield* Fiber.join(Fiber.all([first, ...others])), [10, 20, 30, 40, 50])
    assert.deepStrictEqual(batches, [[1], [2, 3, 4], [5]])
  })
)

it.scoped("a caller that goes away does not undo the commit of its item", () =>
  Effect.gen(function* () {
    const { batches, begun, gate, submit } = yield* gated
    const gone = yield* Effect.fork(submit(1))
    yield* Deferred.await(begun)
    yield* Fiber.interrupt(gone)
    yield* Deferred.succeed(gate, undefined)
    assert.strictEqual(yield* submit(2), 20)
    assert.deepStrictEqual(batches, [[1], [2]])
  })
)

it.scoped("an item that breaks its batch breaks alone", () =>
  Effect.gen(function* () {
    const submit = yield* makeGroupCommit({
      batchMax: 10,
      commit: (batch: ReadonlyArray<number>) =>
        batch.includes(3) ? Effect.dieMessage("three") : Effect.succeed(batch.map(Exit.succeed))
    })
    const exits = yield* Effect.forEach([1, 2, 3, 4, 5], (value) => Effect.exit(submit(value)), {
      concurrency: "unbounded"
    })
    assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, true, false, true, true])
  })
)

it.scoped("an item that is refused fails alone, in the same commit", () =>
  Effect.gen(function* () {
    const batches: Array<ReadonlyArray<number>> = []
    const begun = yield* Deferred.make<void>()
    const gate = yield* Deferred.make<void>()
    const submit = yield* makeGroupCommit({
      batchMax: 10,
      commit: Effect.fnUntraced(function* (batch: ReadonlyArray<number>) {
        batches.push(batch)
        yield* Deferred.succeed(begun, undefined)
        yield* Deferred.await(gate)
        return batch.map((value) => (value === 3 ? Exit.fail("refused") : Exit.succeed(value)))
      })
    })
    const first = yield* Effect.fork(submit(1))
    yield* Deferred.await(begun)
    const others = yield* Effect.forEach([2, 3, 4], (value) => Effect.fork(submit(value)))
    yield* Effect.repeatN(Effect.yieldNow(), 50)
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(first)
    const exits = yield* Effect.forEach(others, Fiber.await)
    assert.deepStrictEqual(exits, [Exit.succeed(2), Exit.fail("refused"), Exit.succeed(4)])
    assert.deepStrictEqual(batches, [[1], [2, 3, 4]])
  })
)

it.scoped(
  "a failure is every caller's of its batch, and is not tried again: what became of the commit is not known",
  () =>
    Effect.gen(function* () {
      const committed: Array<number> = []
      const submit = yield* makeGroupCommit({
        batchMax: 10,
        commit: (batch: ReadonlyArray<number>) =>
          Effect.zipRight(
            Effect.sync(() => committed.push(...batch)),
            Effect.zipRight(Effect.yieldNow(), Effect.fail("storage"))
          )
      })
      const exits = yield* Effect.forEach([1, 2, 3], (value) => Effect.exit(submit(value)), {
        concurrency: "unbounded"
      })
      for (const exit of exits) assert.deepStrictEqual(exit, Exit.failCause(Cause.fail("storage")))
      assert.deepStrictEqual(committed, [1, 2, 3])
    })
)

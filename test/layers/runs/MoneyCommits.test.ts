import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, TestClock } from "effect"
import { zero } from "../../../src/domain/Micros.js"
import { FaultPointsOff } from "../../../src/layers/node/FaultPointsOff.js"
import { AdmissionBatched } from "../../../src/layers/runs/AdmissionBatched.js"
import { MoneyCommits, MoneyCommitsInTurn } from "../../../src/layers/runs/MoneyCommits.js"
import { SettlementBatched } from "../../../src/layers/runs/SettlementBatched.js"
import { Admission } from "../../../src/services/Admission.js"
import { Ids } from "../../../src/services/Ids.js"
import { Settlement } from "../../../src/services/Settlement.js"
import { Transactions } from "../../../src/services/Transactions.js"
import { funded, storageMemory } from "../../support/engine.js"
import { queuedRun } from "../../support/httpSamples.js"

/** Two kinds of commits, of which each tells what it begins and waits until it is let through. */
const twoKinds = Effect.gen(function* () {
  const begun: Array<string> = []
  const { grouped } = yield* MoneyCommits
  const kind = (name: string) =>
    Effect.gen(function* () {
      const through = yield* Deferred.make<void>()
      const submit = yield* grouped((batch: ReadonlyArray<number>) =>
        Effect.gen(function* () {
          begun.push(`${name} ${batch.join(" ")}`)
          yield* Deferred.await(through)
          return batch.map(Exit.succeed)
        })
      )
      // What has begun is always completed, so a test that fails must let it through too.
      yield* Effect.addFinalizer(() => Deferred.succeed(through, undefined))
      return { through, submit }
    })
  return { begun, admissions: yield* kind("admit"), settlements: yield* kind("settle") }
})

const othersHaveTheirSay = Effect.repeatN(Effect.yieldNow(), 50)

it.scoped("a batch of one kind gathers while one of the other kind is committed", () =>
  Effect.gen(function* () {
    const { admissions, begun, settlements } = yield* twoKinds
    const first = yield* Effect.fork(admissions.submit(1))
    yield* othersHaveTheirSay
    const others = yield* Effect.forEach([2, 3], (value) => Effect.fork(settlements.submit(value)))
    yield* othersHaveTheirSay
    assert.deepStrictEqual(begun, ["admit 1"])
    yield* Deferred.succeed(admissions.through, undefined)
    yield* Fiber.join(first)
    yield* othersHaveTheirSay
    assert.deepStrictEqual(begun, ["admit 1", "settle 2 3"])
    yield* Deferred.succeed(settlements.through, undefined)
    assert.deepStrictEqual(yield* Fiber.join(Fiber.all(others)), [2, 3])
  }).pipe(Effect.provide(MoneyCommitsInTurn))
)

it.scoped("a batch that takes long holds up the other kind for a tenth of a second at most", () =>
  Effect.gen(function* () {
    const { admissions, begun, settlements } = yield* twoKinds
    yield* Effect.fork(admissions.submit(1))
    yield* othersHaveTheirSay
    yield* Deferred.succeed(settlements.through, undefined)
    const settled = yield* Effect.fork(settlements.submit(2))
    yield* othersHaveTheirSay
    yield* TestClock.adjust("99 millis")
    assert.deepStrictEqual(begun, ["admit 1"])
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* Fiber.join(settled), 2)
    // Nor does the next one wait for what others did meanwhile: only for the batch before it.
    assert.strictEqual(yield* settlements.submit(3), 3)
    assert.deepStrictEqual(begun, ["admit 1", "settle 2", "settle 3"])
  }).pipe(Effect.provide(MoneyCommitsInTurn))
)

it.scoped("runs are admitted and settled in turns", () =>
  Effect.gen(function* () {
    const through = yield* Deferred.make<void>()
    let transactions = 0
    const slowly = Layer.effect(
      Transactions,
      Effect.map(Transactions, ({ transact }) => ({
        transact: <A, E>(work: Effect.Effect<A, E>) => {
          transactions += 1
          return Effect.zipRight(Deferred.await(through), transact(work))
        }
      }))
    )
    yield* Effect.gen(function* () {
      const { suffix } = yield* Ids
      const { tokenId, workspaceId } = yield* funded(1_000_000)
      const before = transactions
      const run = { ...queuedRun, workspaceId, tokenId, idempotencyKey: yield* suffix }
      const admitted = yield* Effect.fork((yield* Admission).admit({ run, start: null, waitedFor: false }))
      yield* othersHaveTheirSay
      const settled = yield* Effect.fork(
        (yield* Settlement).settle({
          run: { ...run, status: "queued" },
          leaseToken: null,
          event: "Cancelled",
          costMicros: zero,
          reason: null,
          attempt: null,
          media: null
        })
      )
      yield* othersHaveTheirSay
      assert.strictEqual(transactions - before, 1)
      yield* Deferred.succeed(through, undefined)
      assert.strictEqual((yield* Fiber.join(admitted))._tag, "Admitted")
      assert.strictEqual((yield* Fiber.join(settled))._tag, "Settled")
      assert.strictEqual(transactions - before, 2)
    }).pipe(
      Effect.provide(
        Layer.merge(AdmissionBatched, SettlementBatched).pipe(
          Layer.provide(MoneyCommitsInTurn),
          Layer.provide(slowly),
          Layer.provideMerge(storageMemory),
          Layer.provide(FaultPointsOff)
        )
      )
    )
  })
)

/** Money that comes in: credited once per key, exactly, however many come at once, and never below zero. */
import { assert, it } from "@effect/vitest"
import type { Layer } from "effect"
import { Effect, Either, TestClock } from "effect"
import { describe } from "vitest"
import { commandLine } from "../../src/domain/AuditEntry.js"
import type { LedgerFilter } from "../../src/domain/LedgerList.js"
import { Wallet } from "../../src/services/Wallet.js"
import { funded, type Storage } from "../support/engine.js"

export const walletSuite = (name: string, storage: Layer.Layer<Storage>) =>
  describe(name, () => {
    const test = (title: string, work: Effect.Effect<void, unknown, Storage>) =>
      it.live(title, () => Effect.provide(work, storage))
    const credit = (micros: number, key: string) =>
      ({ kind: "adjustment", micros, reason: null, topUpId: null, key }) as const
    const sound = Effect.flatMap(Wallet, ({ verify }) =>
      Effect.map(verify, (verified) => assert.deepInclude(verified, { driftMicros: 0, difference: null }))
    )

    test(
      "500 simultaneous credits of one wallet add up to the micro",
      Effect.gen(function* () {
        const wallet = yield* Wallet
        const { workspaceId } = yield* funded(0)
        const amounts = Array.from({ length: 500 }, (_, index) => index + 1)
        yield* Effect.forEach(
          amounts,
          (micros) => wallet.credit({ workspaceId, ...credit(micros, `credit-${micros}`) }, commandLine),
          { concurrency: 50 }
        )
        assert.strictEqual((yield* wallet.balance(workspaceId)).availableMicros, 125_250)
        yield* sound
      })
    )

    test(
      "a credit that comes again, at once or later, is credited once; another amount under its key is refused",
      Effect.gen(function* () {
        const wallet = yield* Wallet
        const { workspaceId } = yield* funded(0)
        yield* Effect.forEach(
          Array.from({ length: 20 }),
          () => wallet.credit({ workspaceId, ...credit(700, "one") }, commandLine),
          {
            concurrency: "unbounded"
          }
        )
        const other = yield* Effect.flip(wallet.credit({ workspaceId, ...credit(900, "one") }, commandLine))
        assert.match(other.message, /^key: was used for another credit, of \$0\.0007; use a new key/)
        // It is foreseen in the same words.
        const foreseen = (micros: number, key: string | null) =>
          wallet.foresee({ workspaceId, ...credit(micros, ""), key })
        assert.deepStrictEqual(yield* Effect.flip(foreseen(900, "one")), other)
        const now = yield* wallet.balance(workspaceId)
        assert.deepStrictEqual(yield* foreseen(700, "one"), { before: now, after: now, used: true })
        const after = { ...now, availableMicros: 1_600 }
        for (const key of [null, "two"])
          assert.deepStrictEqual(yield* foreseen(900, key), { before: now, after, used: false })
        assert.deepStrictEqual(
          yield* Effect.flip(foreseen(-701, "two")),
          yield* Effect.flip(wallet.credit({ workspaceId, ...credit(-701, "two") }, commandLine))
        )
        assert.strictEqual((yield* wallet.balance(workspaceId)).availableMicros, 700)
        yield* sound
      })
    )

    it.effect("its entries from a time on, and before one, with and without their kind", () =>
      Effect.gen(function* () {
        const wallet = yield* Wallet
        const { workspaceId } = yield* funded(0)
        for (const hour of [1, 2, 3, 4]) {
          yield* TestClock.setTime(hour * 3_600_000)
          yield* wallet.credit({ workspaceId, ...credit(hour, `at ${hour}`) }, commandLine)
        }
        const listed = (filter: LedgerFilter) =>
          Effect.map(wallet.entries(workspaceId, filter, { limit: 10, after: null }), ({ items }) =>
            items.map(({ amountMicros }) => Number(amountMicros))
          )
        const [fromMillis, toMillis] = [2 * 3_600_000, 4 * 3_600_000]
        for (const kind of [{}, { kind: "adjustment" as const }]) {
          assert.deepStrictEqual(yield* listed({ ...kind, fromMillis, toMillis }), [3, 2])
          assert.deepStrictEqual(yield* listed({ ...kind, fromMillis }), [4, 3, 2])
          assert.deepStrictEqual(yield* listed({ ...kind, toMillis }), [3, 2, 1])
        }
      }).pipe(Effect.provide(storage))
    )

    test(
      "takes back at most what is there, also when many take at once",
      Effect.gen(function* () {
        const wallet = yield* Wallet
        const { workspaceId } = yield* funded(1_000)
        const taken = yield* Effect.forEach(
          Array.from({ length: 8 }, (_, index) => index),
          (index) => Effect.either(wallet.credit({ workspaceId, ...credit(-300, `take-${index}`) }, commandLine)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(taken.filter(Either.isRight).length, 3)
        for (const refused of taken.filter(Either.isLeft)) assert.propertyVal(refused.left, "_tag", "validation_error")
        assert.strictEqual((yield* wallet.balance(workspaceId)).availableMicros, 100)
        yield* sound
      })
    )
  })

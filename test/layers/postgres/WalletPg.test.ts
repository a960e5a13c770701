import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { Micros } from "../../../src/domain/Micros.js"
import { Transactions } from "../../../src/services/Transactions.js"
import { Wallet } from "../../../src/services/Wallet.js"
import { walletSuite } from "../../services/Wallet.suite.js"
import { funded, storagePg, storagePgByClock } from "../../support/engine.js"
import { testDatabase } from "../../support/postgres.js"
import { skewed } from "../../support/skewedClock.js"

const storage = Layer.provide(storagePg, testDatabase({ connectionsMax: 10 }))

walletSuite("Wallet over Postgres", Layer.provide(storagePgByClock, testDatabase({ connectionsMax: 10 })))

it.live("a credit has the time of the database, as holds and charges have, whatever clock its node has", () =>
  Effect.gen(function* () {
    const wallet = yield* Wallet
    const { workspaceId } = yield* funded(1_000)
    const credit = { workspaceId, kind: "adjustment", micros: 5, reason: "late", topUpId: null, key: "late" } as const
    const before = Date.now()
    yield* Effect.withClock(wallet.credit(credit, commandLine), skewed(-3_600_000))
    const { items } = yield* wallet.entries(workspaceId, {}, { after: null, limit: 10 })
    const at = items.find(({ reason }) => reason === "late")?.createdAt ?? 0
    // The database of tests is on this machine.
    assert.isAtLeast(at, before - 1_000)
    assert.deepStrictEqual(
      items.map(({ createdAt }) => createdAt).sort((a, b) => b - a),
      items.map(({ createdAt }) => createdAt)
    )
  }).pipe(Effect.provide(storage))
)

it.live("a transaction that locks a wallet waits for the one that has it, and then reads what that one wrote", () =>
  Effect.gen(function* () {
    const { transact } = yield* Transactions
    const wallet = yield* Wallet
    const spender = yield* funded(1_000)
    const locked = yield* Deferred.make<void>()
    const write = yield* Deferred.make<void>()
    const first = yield* Effect.fork(
      transact(
        Effect.gen(function* () {
          const { owners, spends, walletStates } = yield* wallet.lock([spender])
          yield* Deferred.succeed(locked, undefined)
          yield* Deferred.await(write)
          const walletState = walletStates.get(spender.workspaceId)!
          yield* wallet.write({
            walletStates: new Map([[spender.workspaceId, { ...walletState, inflight: 7 }]]),
            spends: new Map(
              [...spends].map(([tokenId, spend]) => [
                tokenId,
                { ...spend, month: "2026-01", spentMicros: Micros.make(55) }
              ])
            ),
            owners,
            postings: [],
            now: 0
          })
        })
      )
    )
    yield* Deferred.await(locked)
    const second = yield* Effect.fork(transact(wallet.lock([spender])))
    // Long enough for one that does not wait to be through.
    assert.isTrue(Option.isNone(yield* Effect.timeoutOption(Fiber.await(second), "300 millis")))
    yield* Deferred.succeed(write, undefined)
    yield* Fiber.join(first)
    const { spends, walletStates } = yield* Fiber.join(second)
    assert.strictEqual(walletStates.get(spender.workspaceId)?.inflight, 7)
    assert.strictEqual(Number(spends.get(spender.tokenId)?.spentMicros), 55)
  }).pipe(Effect.provide(storage))
)

/** Nodes whose clocks are wrong, on one Postgres: leases, windows and months go by the clock that all of them share. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Either } from "effect"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { Micros } from "../../src/domain/Micros.js"
import { monthOf } from "../../src/domain/Run.js"
import { ProvidersScripted, silence } from "../../src/layers/providers/ProvidersScripted.js"
import { Accounts, type Principal } from "../../src/services/Accounts.js"
import { Runs } from "../../src/services/Runs.js"
import { RunStore } from "../../src/services/RunStore.js"
import { Wallet } from "../../src/services/Wallet.js"
import { engine, funded, requestOf, storagePg } from "../support/engine.js"
import { testDatabase } from "../support/postgres.js"
import { skewed } from "../support/skewedClock.js"

const hour = 3_600_000
const price = 5_000

/** A node of its own whose clock is off by so much, while `meanwhile` goes on. */
const nodeAt = <A, E, R>(millis: number, meanwhile: Effect.Effect<A, E, R>) => {
  const providers = ProvidersScripted()
  providers.script("mock-email-find", silence)
  return meanwhile.pipe(Effect.provide(engine(providers.layer)), Effect.withClock(skewed(millis)))
}
const run = (principal: Principal) =>
  Effect.flatMap(Runs, (runs) => Effect.either(runs.create(principal, requestOf("mock-email-find"), 0)))
/** One request on such a node, which then stops. */
const runAt = (millis: number, principal: Principal) => nodeAt(millis, run(principal))
const tagOf = <A, E extends { readonly _tag: string }>(answer: Either.Either<A, E>) =>
  Either.isLeft(answer) ? answer.left : null

describe("a node whose clock is wrong", () => {
  const live = storagePg
  it.live("opens no window of runs a minute that others cannot close, and no month that is not there yet", () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const principal = yield* funded(1_000_000, { monthlyLimitMicros: Micros.make(2 * price) })
      yield* accounts.setLimits(principal.workspaceId, { runsPerMinute: 1 }, commandLine)
      assert.isTrue(Either.isRight(yield* runAt(400 * 24 * hour, principal)))
      const refused = tagOf(yield* runAt(-hour, principal))
      assert.strictEqual(refused?._tag, "run_rate_limited")
      if (refused?._tag === "run_rate_limited") assert.isAtMost(refused.retryAfterSeconds, 60)
      // The month is today's: what was spent counts, and half of the limit is left.
      assert.strictEqual(
        (yield* Effect.withClock(accounts.monthSpend(principal), skewed(-400 * 24 * hour))).spentMicros,
        price
      )
      yield* accounts.setLimits(principal.workspaceId, { runsPerMinute: null }, commandLine)
      const again = yield* runAt(0, principal)
      assert.isTrue(Either.isRight(again))
      if (Either.isRight(again)) assert.strictEqual(again.right.run.spendMonth, monthOf(yield* Clock.currentTimeMillis))
      assert.strictEqual(tagOf(yield* runAt(400 * 24 * hour, principal))?._tag, "key_spend_limit_reached")
      assert.isNull((yield* (yield* Wallet).verify).difference)
    }).pipe(Effect.provide(live), Effect.provide(testDatabase()))
  )

  it.live("neither loses its leases to others nor takes theirs", () =>
    Effect.gen(function* () {
      const store = yield* RunStore
      const principal = yield* funded(1_000_000)
      const taking = { node: "another", limit: 10, leaseMillis: 6_000, except: [] }
      yield* nodeAt(
        -hour,
        Effect.gen(function* () {
          assert.isTrue(Either.isRight(yield* run(principal)))
          for (const millis of [0, hour])
            assert.lengthOf(yield* Effect.withClock(store.reclaim(taking), skewed(millis)), 0)
        })
      )
    }).pipe(Effect.provide(live), Effect.provide(testDatabase()))
  )
})

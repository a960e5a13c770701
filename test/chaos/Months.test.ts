/**
 * A key's month, by a clock that the test holds: it begins with the month of UTC, and a clock set back does not begin
 * it again.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Either, Layer, TestClock } from "effect"
import { describe } from "vitest"
import { Micros } from "../../src/domain/Micros.js"
import { ProvidersScripted, silence } from "../../src/layers/providers/ProvidersScripted.js"
import { Accounts, type Principal } from "../../src/services/Accounts.js"
import { Runs } from "../../src/services/Runs.js"
import { Wallet } from "../../src/services/Wallet.js"
import { engine, funded, requestOf, type Storage, storageMemory, storagePgByClock } from "../support/engine.js"
import { testDatabase } from "../support/postgres.js"

const price = 5_000
const end = Date.UTC(2026, 0, 31, 23, 59, 59, 999)

const months = (name: string, storage: Layer.Layer<Storage>) =>
  describe(name, () => {
    const providers = () => {
      const scripted = ProvidersScripted()
      scripted.script("mock-email-find", silence)
      return scripted.layer
    }
    const test = (
      title: string,
      work: Effect.Effect<void, unknown, Layer.Layer.Success<ReturnType<typeof engine>> | Storage>
    ) =>
      // Set before anything sleeps: otherwise every loop would be woken for every second since 1970.
      it.effect(title, () =>
        Effect.zipRight(TestClock.setTime(end), Effect.provide(work, Layer.provideMerge(engine(providers()), storage)))
      )

    const start = (principal: Principal) =>
      Effect.flatMap(Runs, (runs) => Effect.either(runs.create(principal, requestOf("mock-email-find"), 0)))
    const spendOf = (principal: Principal) =>
      Effect.flatMap(Accounts, (accounts) =>
        Effect.map(accounts.monthSpend(principal), ({ spentMicros }) => spentMicros)
      )
    const refused = (answer: Effect.Effect.Success<ReturnType<typeof start>>) =>
      Either.isLeft(answer) && assert.propertyVal(answer.left, "_tag", "key_spend_limit_reached") === undefined

    test(
      "the last millisecond of January counts for January, the next one for February",
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000, { monthlyLimitMicros: Micros.make(price) })
        assert.isTrue(Either.isRight(yield* start(principal)))
        assert.isTrue(refused(yield* start(principal)))
        yield* TestClock.setTime(end + 1)
        assert.strictEqual(yield* spendOf(principal), 0)
        assert.isTrue(Either.isRight(yield* start(principal)))
        assert.isTrue(refused(yield* start(principal)))
      })
    )

    test(
      "a clock set back does not bring back what February has spent, nor January's room",
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000, { monthlyLimitMicros: Micros.make(price) })
        yield* TestClock.setTime(end + 1)
        assert.isTrue(Either.isRight(yield* start(principal)))
        yield* TestClock.setTime(end)
        assert.isTrue(refused(yield* start(principal)))
        yield* TestClock.setTime(end + 1)
        assert.isTrue(refused(yield* start(principal)))
        assert.strictEqual(yield* spendOf(principal), price)
      })
    )

    test(
      "a hold of January that is released in February makes no room in February",
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000, { monthlyLimitMicros: Micros.make(price) })
        const runs = yield* Runs
        const { run } = yield* runs.create(principal, requestOf("mock-email-find"), 0)
        yield* TestClock.setTime(end + 1)
        assert.isTrue(Either.isRight(yield* start(principal)))
        yield* runs.cancel(principal.workspaceId, run.runId)
        assert.strictEqual(yield* spendOf(principal), price)
        assert.isTrue(refused(yield* start(principal)))
        const verified = yield* (yield* Wallet).verify
        assert.isNull(verified.difference)
      })
    )
  })

months("a key's month, in memory", storageMemory)
months("a key's month, on Postgres", Layer.provide(storagePgByClock, testDatabase()))

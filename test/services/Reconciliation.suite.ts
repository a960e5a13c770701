/** What the settling of uncertain runs by a person promises, whatever they are stored in. */
import { assert, it } from "@effect/vitest"
import { Effect, Either, Layer } from "effect"
import { describe } from "vitest"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { RunId } from "../../src/domain/Ids.js"
import { Micros } from "../../src/domain/Micros.js"
import type { Run } from "../../src/domain/Run.js"
import { drop, ProvidersScripted } from "../../src/layers/providers/ProvidersScripted.js"
import { ReconciliationStored } from "../../src/layers/runs/ReconciliationStored.js"
import { Reconciliation, type Resolution } from "../../src/services/Reconciliation.js"
import { Runs } from "../../src/services/Runs.js"
import { Wallet } from "../../src/services/Wallet.js"
import { engine, funded, requestOf, type Storage } from "../support/engine.js"

const credited = 1_000_000

export const reconciliationSuite = (name: string, storage: Layer.Layer<Storage>) =>
  describe(name, () => {
    const providers = ProvidersScripted()
    const services = ReconciliationStored.pipe(Layer.provideMerge(engine(providers.layer)), Layer.provideMerge(storage))
    const test = (title: string, work: Effect.Effect<void, unknown, Layer.Layer.Success<typeof services>>) =>
      it.live(title, () => Effect.provide(Effect.zipRight(work, noDrift), services))

    const noDrift = Effect.gen(function* () {
      assert.strictEqual((yield* (yield* Wallet).verify).difference, null)
    })

    /** A run whose effectful call was sent and never answered. */
    const uncertain = Effect.gen(function* () {
      providers.script("mock-send-message", drop())
      const principal = yield* funded(credited)
      const { run } = yield* (yield* Runs).create(
        principal,
        requestOf("mock-send-message", { input: { to: "ada@example.com", text: "hello" } }),
        20
      )
      assert.strictEqual(run.status, "reconciliation_pending")
      assert.isAbove(run.holdMicros, 1)
      return run
    })
    const resolve = (
      run: Pick<Run, "runId">,
      verdict: Resolution["verdict"],
      chargeMicros: number | null = null,
      reason = "the provider's invoice"
    ) =>
      Effect.flatMap(Reconciliation, (service) =>
        service.resolve(
          {
            runId: run.runId,
            verdict,
            chargeMicros: chargeMicros === null ? null : Micros.make(chargeMicros),
            reason
          },
          commandLine
        )
      )
    const balanceOf = (run: Run) => Effect.flatMap(Wallet, (wallet) => wallet.balance(run.workspaceId))
    const entriesOf = (run: Run) =>
      Effect.flatMap(Wallet, (wallet) =>
        Effect.map(wallet.entries(run.workspaceId, { runId: run.runId }, { limit: 10, after: null }), ({ items }) =>
          items.map(({ amountMicros, kind, reason }) => ({ kind, amountMicros, reason })).reverse()
        )
      )

    test(
      "a charged run is completed, costs its whole hold, and the reason stands on the ledger",
      Effect.gen(function* () {
        const run = yield* uncertain
        const ended = yield* resolve(run, "charged")
        assert.deepStrictEqual(
          [ended.run.status, ended.run.outcome, ended.run.chargeMicros, ended.run.error],
          ["completed", "weak", run.holdMicros, null]
        )
        assert.deepStrictEqual(yield* balanceOf(run), {
          availableMicros: Micros.make(credited - run.holdMicros),
          reservedMicros: Micros.make(0)
        })
        assert.deepStrictEqual(yield* entriesOf(run), [
          { kind: "hold", amountMicros: -run.holdMicros, reason: null },
          { kind: "release", amountMicros: Number(run.holdMicros), reason: "the provider's invoice" },
          { kind: "charge", amountMicros: -run.holdMicros, reason: "the provider's invoice" }
        ])
      })
    )

    test(
      "a released run has failed and costs nothing",
      Effect.gen(function* () {
        const run = yield* uncertain
        const { attempts, run: ended } = yield* resolve(run, "released", null, "the provider never saw it")
        assert.deepStrictEqual([ended.status, ended.outcome, Number(ended.chargeMicros)], ["failed", "error", 0])
        assert.deepInclude(ended.error, { code: "provider_error", requestId: run.requestId })
        assert.include(ended.error?.message, "the provider never saw it")
        assert.deepStrictEqual(
          attempts.map(({ billed, costMicros, status }) => [status, Number(costMicros), billed]),
          [["failed", 0, false]]
        )
        assert.deepStrictEqual(yield* balanceOf(run), {
          availableMicros: Micros.make(credited),
          reservedMicros: Micros.make(0)
        })
      })
    )

    test(
      "a partly charged run costs what the person says, and its attempt says the same",
      Effect.gen(function* () {
        const run = yield* uncertain
        const { attempts, run: ended } = yield* resolve(run, "partly_charged", 1)
        assert.deepStrictEqual([ended.status, Number(ended.chargeMicros)], ["completed", 1])
        assert.deepStrictEqual(
          attempts.map(({ billed, costMicros, status }) => [status, Number(costMicros), billed]),
          [["completed", 1, true]]
        )
        const stored = yield* (yield* Runs).get(run.workspaceId, run.runId)
        assert.deepStrictEqual(stored, { run: ended, attempts })
      })
    )

    test(
      "an amount that does not go with the verdict, or with the hold, changes nothing",
      Effect.gen(function* () {
        const run = yield* uncertain
        const wrong = [
          ["charged", 1],
          ["released", 1],
          ["partly_charged", null],
          ["partly_charged", 0],
          ["partly_charged", run.holdMicros],
          ["partly_charged", run.holdMicros + 1]
        ] as const
        for (const [verdict, amount] of wrong) {
          const refused = yield* Effect.flip(resolve(run, verdict, amount))
          assert.strictEqual(
            refused._tag === "validation_error" ? refused.details[0].field : refused._tag,
            "chargeMicros",
            `${verdict} ${amount}`
          )
        }
        const blank = yield* Effect.flip(resolve(run, "released", null, " "))
        assert.strictEqual(blank._tag === "validation_error" ? blank.details[0].field : blank._tag, "reason")
        assert.strictEqual((yield* balanceOf(run)).reservedMicros, run.holdMicros)
      })
    )

    test(
      "ten people at once settle a run exactly once",
      Effect.gen(function* () {
        const run = yield* uncertain
        const answers = yield* Effect.forEach(
          Array.from({ length: 10 }, (_, n) => n),
          (n) => Effect.either(resolve(run, n % 2 === 0 ? "charged" : "released")),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(answers.filter(Either.isRight).length, 1)
        for (const refused of answers.filter(Either.isLeft)) assert.strictEqual(refused.left._tag, "validation_error")
        assert.strictEqual((yield* entriesOf(run)).filter(({ kind }) => kind === "release").length, 1)
      })
    )

    test(
      "a run that waits for nobody, and one that nobody knows, are refused",
      Effect.gen(function* () {
        const run = yield* uncertain
        yield* resolve(run, "released")
        const again = yield* Effect.flip(resolve(run, "charged"))
        assert.match(again.message, /runId: run_\w+ is failed/)
        assert.strictEqual(
          (yield* Effect.flip(resolve({ runId: RunId.make(`run_${"0".repeat(26)}`) }, "released")))._tag,
          "not_found"
        )
      })
    )

    test(
      "the oldest uncertain run is listed first, until it is resolved",
      Effect.gen(function* () {
        const [first, second] = [yield* uncertain, yield* uncertain]
        const mine = Effect.flatMap(Reconciliation, (service) =>
          Effect.map(service.uncertain(1000), (runs) =>
            runs.map(({ runId }) => runId).filter((runId) => runId === first.runId || runId === second.runId)
          )
        )
        assert.deepStrictEqual(yield* mine, [first.runId, second.runId])
        yield* resolve(first, "released")
        assert.deepStrictEqual(yield* mine, [second.runId])
      })
    )
  })

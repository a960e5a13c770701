/** What the settling of uncertain runs by a person promises, whatever they are stored in. */
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Either, Layer } from "effect"
import { describe } from "vitest"
import { RequestId, RunId, suffix } from "../../src/domain/Ids.js"
import { Micros } from "../../src/domain/Micros.js"
import type { Run } from "../../src/domain/Run.js"
import { StorageBusy } from "../../src/domain/StorageErrors.js"
import { drop, ProvidersScripted } from "../../src/layers/providers/ProvidersScripted.js"
import { ReconciliationStored } from "../../src/layers/runs/ReconciliationStored.js"
import { actorName, commandLine } from "../../src/domain/AuditEntry.js"
import { MemberId } from "../../src/domain/Ids.js"
import type { Decider, OperatorActing, Resolution } from "../../src/domain/Resolution.js"
import { AuditTrail } from "../../src/services/AuditTrail.js"
import { Reconciliation } from "../../src/services/Reconciliation.js"
import { RunStore } from "../../src/services/RunStore.js"
import { Settlement } from "../../src/services/Settlement.js"
import { Runs } from "../../src/services/Runs.js"
import { Wallet } from "../../src/services/Wallet.js"
import { engine, funded, requestOf, type Storage } from "../support/engine.js"

const credited = 1_000_000
const operator = (n: number): OperatorActing => ({
  kind: "operator",
  memberId: MemberId.make(`mem_${String(n).padStart(26, "0")}`),
  from: "192.0.2.1",
  requestId: null
})

export const reconciliationSuite = (name: string, storage: Layer.Layer<Storage>) =>
  describe(name, () => {
    const providers = ProvidersScripted()
    const servicesWith = (twoPersonAboveMicros: Micros | null) =>
      ReconciliationStored({ twoPersonAboveMicros }).pipe(
        Layer.provideMerge(engine(providers.layer)),
        Layer.provideMerge(storage)
      )
    type Services = Layer.Layer.Success<ReturnType<typeof servicesWith>>
    const test = (title: string, work: Effect.Effect<void, unknown, Services>) =>
      it.live(title, () => Effect.provide(Effect.zipRight(work, noDrift), servicesWith(null)))
    /** Two people decide about every run that holds more than a tenth of a cent. */
    const testTwo = (title: string, work: Effect.Effect<void, unknown, Services>) =>
      it.live(title, () => Effect.provide(Effect.zipRight(work, noDrift), servicesWith(Micros.make(1_000))))

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
    const decide = (
      run: Pick<Run, "runId">,
      verdict: Resolution["verdict"],
      chargeMicros: number | null,
      reason: string,
      by: Decider
    ) =>
      Effect.flatMap(Reconciliation, (service) =>
        service.resolve(
          {
            runId: run.runId,
            verdict,
            chargeMicros: chargeMicros === null ? null : Micros.make(chargeMicros),
            reason
          },
          by
        )
      )
    const resolve = (
      run: Pick<Run, "runId">,
      verdict: Resolution["verdict"],
      chargeMicros: number | null = null,
      reason = "the provider's invoice"
    ) =>
      Effect.flatMap(decide(run, verdict, chargeMicros, reason, commandLine), (done) =>
        done._tag === "Settled" ? Effect.succeed(done.detail) : Effect.dieMessage("nobody asked for two people")
      )
    const propose = (run: Pick<Run, "runId">, verdict: Resolution["verdict"], by: Decider) =>
      Effect.flatMap(decide(run, verdict, null, "their log", by), (done) =>
        done._tag === "Proposed" ? Effect.succeed(done.proposal) : Effect.dieMessage("one person was enough")
      )
    const fieldOf = (error: { readonly _tag: string; readonly details?: unknown; readonly message: string }) =>
      `${error._tag} ${error.message}`
    const trailOf = (run: Run) =>
      Effect.flatMap(AuditTrail, (trail) =>
        Effect.map(trail.list({ subjectId: run.runId }, { limit: 10, after: null }), ({ items }) =>
          items.map(({ action, actor, after }) => ({ action, by: actorName(actor), after })).reverse()
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
      "a run is found by its id and by that of the request that made it, unless this one was made at another time",
      Effect.gen(function* () {
        const runs = yield* Runs
        const { find } = yield* Reconciliation
        const principal = yield* funded(credited)
        const now = yield* Clock.currentTimeMillis
        const requestAt = (millis: number) => RequestId.make(`req_${suffix(millis, new Uint8Array(10).fill(7))}`)
        const runOf = (requestId: RequestId) =>
          Effect.map(runs.create(principal, requestOf("mock-email-find", { requestId }), 20), ({ run }) => run)
        const { runId, workspaceId } = yield* runOf(requestAt(now - 5_000))
        assert.deepStrictEqual(yield* find(runId), { runId, workspaceId })
        assert.deepStrictEqual(yield* find(requestAt(now - 5_000)), { runId, workspaceId })
        for (const strange of [now + 3_600_000, now - 3_600_000]) {
          yield* runOf(requestAt(strange))
          assert.strictEqual((yield* Effect.flip(find(requestAt(strange))))._tag, "not_found")
        }
        assert.strictEqual((yield* Effect.flip(find(requestAt(now - 4_000))))._tag, "not_found")
      })
    )

    test(
      "an error after a decision that is committed does not say that nothing was done",
      Effect.gen(function* () {
        const run = yield* uncertain
        const store = yield* RunStore
        // The decision reads them once. Then it is committed, and the storage goes away.
        let reads = 0
        const attempts: typeof store.attempts = (key) =>
          (reads += 1) === 1 ? store.attempts(key) : new StorageBusy({ retryAfterSeconds: 1 })
        const leaving = Layer.succeed(RunStore, { ...store, attempts })
        const service = Layer.provide(ReconciliationStored({ twoPersonAboveMicros: null }), leaving)
        const failure = yield* Effect.flip(
          Effect.provide(decide(run, "released", null, "not in their log", commandLine), service)
        )
        assert.strictEqual(failure._tag, "storage_uncertain")
        assert.strictEqual((yield* (yield* Runs).get(run.workspaceId, run.runId)).run.status, "failed")
      })
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
          Effect.map(service.uncertain({ limit: 1000, after: null }), ({ items }) =>
            items.map(({ run }) => run.runId).filter((runId) => runId === first.runId || runId === second.runId)
          )
        )
        assert.deepStrictEqual(yield* mine, [first.runId, second.runId])
        yield* resolve(first, "released")
        assert.deepStrictEqual(yield* mine, [second.runId])
      })
    )

    test(
      "uncertain runs come in pages, oldest first",
      Effect.gen(function* () {
        const made = [yield* uncertain, yield* uncertain, yield* uncertain]
        const service = yield* Reconciliation
        const seen: Array<string> = []
        let after: string | null = null
        do {
          const page: Effect.Effect.Success<ReturnType<typeof service.uncertain>> = yield* service.uncertain({
            limit: 1,
            after
          })
          for (const { proposals, run } of page.items) {
            seen.push(run.runId)
            assert.deepStrictEqual(proposals, [])
          }
          after = page.next
        } while (after !== null)
        assert.deepStrictEqual(
          seen.filter((runId) => made.some((run) => run.runId === runId)),
          made.map(({ runId }) => runId)
        )
      })
    )

    test(
      "every decision leaves an entry in the audit trail that says who, what and why; a refused one leaves none",
      Effect.gen(function* () {
        const run = yield* uncertain
        yield* Effect.flip(resolve(run, "partly_charged", null))
        assert.deepStrictEqual(yield* trailOf(run), [])
        yield* decide(run, "released", null, "their log", operator(1))
        yield* Effect.flip(resolve(run, "charged"))
        assert.deepStrictEqual(yield* trailOf(run), [
          {
            action: "run.resolved",
            by: operator(1).memberId,
            after: { status: "failed", verdict: "released", chargeMicros: 0, reason: "their log" }
          }
        ])
      })
    )

    testTwo(
      "above the amount for two people a decision is a proposal, and another operator's word settles the run",
      Effect.gen(function* () {
        const run = yield* uncertain
        const service = yield* Reconciliation
        const proposal = yield* propose(run, "charged", operator(1))
        assert.strictEqual(proposal.chargeMicros, run.holdMicros)
        assert.strictEqual((yield* balanceOf(run)).reservedMicros, run.holdMicros)
        assert.match(
          fieldOf(yield* Effect.flip(service.confirm(proposal, operator(1)))),
          /validation_error.*your own proposal/
        )
        assert.match(
          fieldOf(yield* Effect.flip(service.reject({ ...proposal, reason: "no" }, operator(1)))),
          /validation_error.*your own proposal/
        )
        const { run: ended } = yield* service.confirm(proposal, operator(2))
        assert.deepStrictEqual([ended.status, ended.chargeMicros], ["completed", run.holdMicros])
        assert.deepStrictEqual(
          (yield* entriesOf(run)).map(({ kind, reason }) => [kind, reason]),
          [
            ["hold", null],
            ["release", "their log"],
            ["charge", "their log"]
          ]
        )
        assert.match(
          fieldOf(yield* Effect.flip(service.confirm(proposal, operator(3)))),
          /validation_error.*confirmed already/
        )
        assert.deepStrictEqual(
          (yield* trailOf(run)).map(({ action, by }) => [action, by]),
          [
            ["run.resolution_proposed", operator(1).memberId],
            ["run.resolved", operator(2).memberId]
          ]
        )
        assert.deepInclude((yield* trailOf(run))[1]?.after, {
          proposalId: proposal.proposalId,
          proposedBy: operator(1).memberId
        })
        const [shown] = (yield* service.about(run.runId)).proposals
        assert.deepStrictEqual([shown?.status, shown?.decidedBy], ["confirmed", operator(2)])
      })
    )

    testTwo(
      "the command line proposes like everybody else, and an operator confirms",
      Effect.gen(function* () {
        const run = yield* uncertain
        const proposal = yield* propose(run, "released", commandLine)
        const { run: ended } = yield* (yield* Reconciliation).confirm(proposal, operator(1))
        assert.deepStrictEqual([ended.status, Number(ended.chargeMicros)], ["failed", 0])
      })
    )

    testTwo(
      "while a proposal is open there is no other one; a rejected one makes room, with the reason in the trail",
      Effect.gen(function* () {
        const run = yield* uncertain
        const service = yield* Reconciliation
        const first = yield* propose(run, "charged", operator(1))
        for (const by of [operator(1), operator(2), commandLine])
          assert.match(fieldOf(yield* Effect.flip(propose(run, "released", by))), /validation_error.*has a proposal/)
        assert.match(
          fieldOf(yield* Effect.flip(service.reject({ ...first, reason: " " }, operator(2)))),
          /validation_error.*reason/
        )
        yield* service.reject({ ...first, reason: "their log shows nothing" }, operator(2))
        assert.match(
          fieldOf(yield* Effect.flip(service.confirm(first, operator(2)))),
          /validation_error.*rejected already/
        )
        assert.deepInclude((yield* trailOf(run))[1], {
          action: "run.resolution_rejected",
          by: operator(2).memberId,
          after: { proposalId: first.proposalId, status: "rejected", reason: "their log shows nothing" }
        })
        // The one who rejected it may propose something else, and then the first one confirms.
        const second = yield* propose(run, "released", operator(2))
        assert.strictEqual((yield* Effect.flip(service.confirm(first, operator(1))))._tag, "not_found")
        yield* service.confirm(second, operator(1))
        assert.deepStrictEqual(
          (yield* service.about(run.runId)).proposals.map(({ status }) => status),
          ["confirmed", "rejected"]
        )
        assert.strictEqual((yield* balanceOf(run)).availableMicros, Micros.make(credited))
      })
    )

    testTwo(
      "a proposal whose run was settled meanwhile is closed and charges nothing",
      Effect.gen(function* () {
        const run = yield* uncertain
        const service = yield* Reconciliation
        const proposal = yield* propose(run, "charged", operator(1))
        // The late answer of the provider.
        yield* (yield* Settlement).settle({
          run: { ...run, outcome: "hit", completedAt: 1 },
          event: "AnsweredLate",
          costMicros: Micros.make(1_000),
          reason: null,
          leaseToken: null,
          attempt: null,
          media: null
        })
        assert.strictEqual((yield* service.about(run.runId)).proposals[0]?.status, "closed")
        assert.match(
          fieldOf(yield* Effect.flip(service.confirm(proposal, operator(2)))),
          /validation_error.*is completed; only a run/
        )
        const after = yield* (yield* RunStore).get(run)
        assert.strictEqual(Number(after?.chargeMicros), 1_000)
        assert.deepStrictEqual(
          (yield* trailOf(run)).map(({ action }) => action),
          ["run.resolution_proposed", "run.resolution_closed"]
        )
      })
    )

    testTwo(
      "ten operators who confirm at once settle the run once; ten who propose at once make one proposal",
      Effect.gen(function* () {
        const run = yield* uncertain
        const service = yield* Reconciliation
        const ten = Array.from({ length: 10 }, (_, n) => operator(n + 1))
        const proposals = yield* Effect.forEach(ten, (by) => Effect.either(propose(run, "charged", by)), {
          concurrency: "unbounded"
        })
        const made = proposals.filter(Either.isRight)
        assert.lengthOf(made, 1)
        const words = yield* Effect.forEach(ten, (by) => Effect.either(service.confirm(made[0]!.right, by)), {
          concurrency: "unbounded"
        })
        assert.lengthOf(words.filter(Either.isRight), 1)
        assert.lengthOf(
          (yield* entriesOf(run)).filter(({ kind }) => kind === "charge"),
          1
        )
      })
    )

    testTwo(
      "a run that holds no more than the amount needs one person",
      Effect.gen(function* () {
        const run = yield* uncertain
        assert.isAbove(run.holdMicros, 1_000)
        const one = ReconciliationStored({ twoPersonAboveMicros: run.holdMicros })
        yield* Effect.provide(resolve(run, "charged"), one)
      })
    )
  })

/**
 * Settlement over any storage: one transaction for all that ended together. The fence comes first (a run that somebody else
 * has ended or taken over is left alone), then the money of those that passed it, decided by the domain.
 */
import { Clock, Effect, Either, Layer, Option } from "effect"
import type { Run } from "../domain/Run.js"
import { next } from "../domain/RunMachine.js"
import { type Closing, settle } from "../domain/Settlement.js"
import * as Money from "../domain/Micros.js"
import { FaultPoints } from "../services/FaultPoints.js"
import { type Conclusion, RunStore } from "../services/RunStore.js"
import { RunSignals } from "../services/RunSignals.js"
import { Settlement, type SettlementAnswer, type SettlementRequest } from "../services/Settlement.js"
import { Transactions } from "../services/Transactions.js"
import { Wallet, type WalletChanges } from "../services/Wallet.js"
import { makeGroupCommit } from "./GroupCommit.js"

const batchMax = 128
const waitingMax = 10_000

const closingOf = ({ costMicros, event, reason, run }: SettlementRequest): Closing => ({
  runId: run.runId,
  status: run.status,
  holdMicros: run.holdMicros,
  spendMonth: run.spendMonth,
  event,
  costMicros,
  reason
})

/** The run as it is stored if the fence lets it pass; none when the event means nothing in its state. */
const conclusionOf = (request: SettlementRequest): Option.Option<Conclusion> =>
  Option.map(next(request.run.status, request.event), (status) => ({
    run: {
      ...request.run,
      status,
      chargeMicros: status === "reconciliation_pending" ? null : Money.min(request.costMicros, request.run.holdMicros)
    },
    leaseToken: request.leaseToken,
    from: request.run.status,
    attempt: request.attempt,
    media: request.media
  }))

export const SettlementBatched: Layer.Layer<Settlement, never, Transactions | Wallet | RunStore | RunSignals | FaultPoints> = Layer.scoped(
  Settlement,
  Effect.gen(function*() {
    const { transact } = yield* Transactions
    const wallet = yield* Wallet
    const store = yield* RunStore
    const signals = yield* RunSignals
    const faults = yield* FaultPoints

    const settleMoney = (requests: ReadonlyArray<SettlementRequest>, locked: WalletChanges) =>
      Effect.gen(function*() {
        const standings = new Map(locked.standings)
        const spends = new Map(locked.spends)
        const postings: Array<WalletChanges["postings"][number]> = []
        for (const request of requests) {
          const { tokenId, workspaceId } = request.run
          const standing = standings.get(workspaceId)
          const spend = spends.get(tokenId)
          if (standing === undefined || spend === undefined) return yield* Effect.dieMessage("settlement for a workspace or token that does not exist")
          const settled = settle(standing, spend, closingOf(request))
          // A hold that the wallet does not have would be drift: stop, write nothing, and let an operator see it.
          if (Either.isLeft(settled)) return yield* Effect.die(new Error(`run ${request.run.runId} cannot be settled: ${settled.left._tag}`))
          standings.set(workspaceId, settled.right.standing)
          spends.set(tokenId, settled.right.spend)
          for (const posting of settled.right.postings) postings.push({ workspaceId, posting })
        }
        yield* wallet.write({ standings, spends, postings, now: locked.now })
      })

    /**
     * What passes the fence. Several may want to end one run at once (its client, who read it while it was queued, and the
     * node that works on it now): each is put to the fence in turn, and the first that passes ends the run.
     */
    const pass = (requests: ReadonlyArray<SettlementRequest>) =>
      Effect.gen(function*() {
        const passed = new Map<SettlementRequest, Conclusion>()
        let left = requests.flatMap((request) => Option.toArray(Option.map(conclusionOf(request), (conclusion) => ({ request, conclusion }))))
        while (left.length > 0) {
          const turn = new Map(left.toReversed().map((each) => [each.conclusion.run.runId, each]))
          const ended = yield* store.conclude([...turn.values()].map(({ conclusion }) => conclusion))
          for (const [runId, { conclusion, request }] of turn) if (ended.has(runId)) passed.set(request, conclusion)
          left = left.filter((each) => !ended.has(each.conclusion.run.runId) && turn.get(each.conclusion.run.runId) !== each)
        }
        return passed
      })

    const commit = (requests: ReadonlyArray<SettlementRequest>) =>
      transact(Effect.gen(function*() {
        const now = yield* Clock.currentTimeMillis
        const locked = yield* wallet.lock(requests.map(({ run }) => run))
        const conclusions = yield* pass(requests)
        const settled = [...conclusions.keys()]
        if (settled.length > 0) yield* settleMoney(settled, { ...locked, postings: [], now })
        yield* faults.at("settlement.inside")
        return requests.map((request): SettlementAnswer => {
          const run: Run | undefined = conclusions.get(request)?.run
          return run === undefined ? { _tag: "Superseded" } : { _tag: "Settled", run }
        })
      }))

    const commitOne = yield* makeGroupCommit({ batchMax, waitingMax, commit })
    return Settlement.of({
      settle: (request) => Effect.zipLeft(commitOne(request), signals.publish({ _tag: "Settled", runId: request.run.runId }))
    })
  })
)

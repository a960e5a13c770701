/**
 * Settlement over any storage: one transaction for all that ended together. The fence comes first (a run that somebody
 * else has ended or taken over is left alone), then the money of those that passed it, decided by the domain. Two round
 * trips to the storage: what is locked and read, then what is written together with its commit.
 */
import { Array as Arr, Effect, Either, Exit, Layer, Option } from "effect"
import type { RunId } from "../../domain/Ids.js"
import type { Run } from "../../domain/Run.js"
import { next } from "../../domain/RunMachine.js"
import { type Closing, settle } from "../../domain/Settlement.js"
import * as Money from "../../domain/Micros.js"
import { spendsOf } from "../../domain/TokenLine.js"
import { attemptWithoutWords, runWithoutAnswer } from "../../domain/Placeholder.js"
import { whereRefused } from "../../domain/StorageErrors.js"
import { FaultPoints } from "../../services/FaultPoints.js"
import { type Conclusion, type Fence, RunStore } from "../../services/RunStore.js"
import { RunSignals } from "../../services/RunSignals.js"
import { Settlement, type SettlementAnswer, type SettlementRequest } from "../../services/Settlement.js"
import { Transactions } from "../../services/Transactions.js"
import { type LockedPurses, Wallet, type WalletChanges } from "../../services/Wallet.js"
import { makeGroupCommit } from "./GroupCommit.js"
import { together } from "./OneRoundTrip.js"

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

const withoutAnswer = (request: SettlementRequest, receipt: "whole" | "without_words"): SettlementRequest => ({
  ...request,
  run: runWithoutAnswer(request.run),
  attempt: request.attempt === null ? null : attemptWithoutWords(request.attempt, receipt),
  media: null
})

/**
 * The run as it is stored when the fence lets it pass, ended now by the storage's clock; none when the event means
 * nothing in its state.
 */
const conclusionOf = (request: SettlementRequest, now: number): Option.Option<Conclusion> =>
  Option.map(next(request.run.status, request.event), (status) => ({
    run: {
      ...request.run,
      status,
      completedAt: request.run.completedAt === null ? null : now,
      chargeMicros: status === "reconciliation_pending" ? null : Money.min(request.costMicros, request.run.holdMicros)
    },
    attempt: request.attempt,
    media: request.media
  }))

/**
 * What passes the fence. Several may want to end one run at once (its client, who read it while it was queued, and the
 * node that works on it now): the first that knew the run as it is ends it.
 */
const passing = (
  requests: ReadonlyArray<SettlementRequest>,
  locked: ReadonlyMap<RunId, Fence>,
  now: number
): ReadonlyMap<SettlementRequest, Conclusion> => {
  const fences = new Map(locked)
  const passed = new Map<SettlementRequest, Conclusion>()
  for (const request of requests) {
    const { leaseToken, run } = request
    const fence = fences.get(run.runId)
    const conclusion = Option.getOrNull(conclusionOf(request, now))
    if (conclusion === null || fence?.status !== run.status || fence.leaseToken !== leaseToken) continue
    passed.set(request, conclusion)
    fences.delete(run.runId)
  }
  return passed
}

export const SettlementBatched: Layer.Layer<
  Settlement,
  never,
  Transactions | Wallet | RunStore | RunSignals | FaultPoints
> = Layer.scoped(
  Settlement,
  Effect.gen(function* () {
    const { transact } = yield* Transactions
    const wallet = yield* Wallet
    const store = yield* RunStore
    const signals = yield* RunSignals
    const faults = yield* FaultPoints

    const settleMoney = Effect.fnUntraced(function* (requests: ReadonlyArray<SettlementRequest>, locked: LockedPurses) {
      const standings = new Map(locked.standings)
      const spends = new Map(locked.spends)
      const postings: Array<WalletChanges["postings"][number]> = []
      for (const request of requests) {
        const { tokenId, workspaceId } = request.run
        const standing = standings.get(workspaceId)
        const line = locked.lines.get(tokenId)
        const spent = spendsOf(line, spends)
        if (standing === undefined || line === undefined || spent === null)
          return yield* Effect.dieMessage("settlement for a workspace or token that does not exist")
        const settled = settle(standing, spent, closingOf(request))
        // A hold that the wallet does not have would be drift: stop, write nothing, and let an operator see it.
        if (Either.isLeft(settled))
          return yield* Effect.die(new Error(`run ${request.run.runId} cannot be settled: ${settled.left._tag}`))
        standings.set(workspaceId, settled.right.standing)
        for (const [spenderId, spend] of Arr.zip(line, settled.right.spends)) spends.set(spenderId, spend)
        for (const posting of settled.right.postings) postings.push({ workspaceId, posting })
      }
      yield* wallet.write({ standings, spends, postings, now: locked.now })
    })

    const settleAll = Effect.fnUntraced(function* (requests: ReadonlyArray<SettlementRequest>) {
      const runs = requests.map(({ run }) => run)
      const [locked, fences] = yield* together(wallet.lock(runs), store.lock(runs))
      const conclusions = passing(requests, fences, locked.now)
      if (conclusions.size > 0) {
        yield* store.conclude([...conclusions.values()])
        yield* settleMoney([...conclusions.keys()], locked)
      }
      yield* faults.at("settlement.inside")
      return requests.map((request): Exit.Exit<SettlementAnswer> => {
        const run: Run | undefined = conclusions.get(request)?.run
        return Exit.succeed(run === undefined ? { _tag: "Superseded" } : { _tag: "Settled", run })
      })
    })

    const commitOne = yield* makeGroupCommit({
      batchMax,
      waitingMax,
      commit: (requests: ReadonlyArray<SettlementRequest>) => transact(settleAll(requests))
    })
    /**
     * What cannot be stored as it is is stored without the provider's words: the call was answered, and its cost and
     * outcome are known.
     */
    const settleWhatCanBe = (request: SettlementRequest) =>
      whereRefused(commitOne(request), () =>
        Effect.zipRight(
          Effect.logWarning("the storage refused the data of a settlement").pipe(
            Effect.annotateLogs({ runId: request.run.runId })
          ),
          whereRefused(commitOne(withoutAnswer(request, "whole")), () =>
            commitOne(withoutAnswer(request, "without_words"))
          )
        )
      )
    return Settlement.of({
      settle: (request) =>
        Effect.zipLeft(settleWhatCanBe(request), signals.publish({ _tag: "Settled", runId: request.run.runId }))
    })
  })
)

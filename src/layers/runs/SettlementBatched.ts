/**
 * Settlement over any storage: one transaction for all runs that ended together. The fence comes first: a run that
 * another caller has ended or taken over is left alone. Then the domain decides the state, the charge and the money of
 * the runs that passed the fence. This takes two round trips to the storage: one to lock and read, one to write and
 * commit.
 */
import { Array as Arr, Effect, Either, Exit, Layer } from "effect"
import { type MoneyLeft, moneyLeft, type WalletState, type TokenSpend } from "../../domain/Admission.js"
import type { RunId, TokenId, WorkspaceId } from "../../domain/Ids.js"
import { monthOf } from "../../domain/Run.js"
import type { RunEvent } from "../../domain/RunMachine.js"
import { type Closing, settle } from "../../domain/Settlement.js"
import { spendsOf } from "../../domain/TokenLine.js"
import { attemptWithoutWords, runWithoutAnswer } from "../../domain/Placeholder.js"
import { whereRefused } from "../../domain/StorageErrors.js"
import { Changing } from "../../services/AuditTrail.js"
import { FaultPoints } from "../../services/FaultPoints.js"
import { type Conclusion, type Fence, RunStore } from "../../services/RunStore.js"
import { RunSignals } from "../../services/RunSignals.js"
import { Settlement, type SettlementAnswer, type SettlementRequest } from "../../services/Settlement.js"
import { Transactions } from "../../services/Transactions.js"
import { type LockedWallets, Wallet, type WalletChanges } from "../../services/Wallet.js"
import { countEnded } from "./dispatch/RunCounters.js"
import { MoneyCommits } from "./MoneyCommits.js"
import { inOneRoundTrip } from "./OneRoundTrip.js"

/** What a person decided is settled too, not only what the work on a run came to. */
type AnyRequest = SettlementRequest<RunEvent>

const closingOf = ({ costMicros, event, reason, run }: AnyRequest): Closing => ({
  runId: run.runId,
  status: run.status,
  holdMicros: run.holdMicros,
  spendMonth: run.spendMonth,
  event,
  costMicros,
  reason
})

const withoutAnswer = (request: AnyRequest, receipt: "whole" | "without_words"): AnyRequest => ({
  ...request,
  run: runWithoutAnswer(request.run),
  attempt: request.attempt === null ? null : attemptWithoutWords(request.attempt, receipt),
  media: null
})

/** One batch while it is decided: the state after the decisions so far, and the rows to write. */
interface Batch {
  readonly locked: LockedWallets
  /** The fences of runs that no request of this batch has ended yet. */
  readonly fences: Map<RunId, Fence>
  readonly walletStates: Map<WorkspaceId, WalletState>
  readonly spends: Map<TokenId, TokenSpend>
  readonly postings: Array<WalletChanges["postings"][number]>
  readonly conclusions: Map<AnyRequest, { readonly conclusion: Conclusion; readonly left: MoneyLeft }>
}

/**
 * Ends the run if the fence lets the request pass. Several requests may want to end one run at once: its client, who
 * read it while it was queued, and the node that works on it now. The first request that knew the current state of the
 * run ends it. Answers why nothing of the batch may be written, or null.
 */
const decide = (batch: Batch, request: AnyRequest): Error | null => {
  const { leaseToken, run } = request
  const fence = batch.fences.get(run.runId)
  if (fence?.status !== run.status || fence.leaseToken !== leaseToken) return null
  const walletState = batch.walletStates.get(run.workspaceId)
  const line = batch.locked.lines.get(run.tokenId)
  const spends = spendsOf(line, batch.spends)
  if (walletState === undefined || line === undefined || spends === null)
    return new Error("settlement for a workspace or token that does not exist")
  const decided = settle(walletState, spends, closingOf(request))
  if (Either.isLeft(decided))
    // If the wallet does not have the hold, the money has drifted, and an operator must see it.
    return decided.left._tag === "WrongState"
      ? null
      : new Error(`run ${run.runId} cannot be settled: ${decided.left._tag}`)
  const settled = decided.right
  batch.fences.delete(run.runId)
  batch.walletStates.set(run.workspaceId, settled.walletState)
  for (const [tokenId, spend] of Arr.zip(line, settled.spends)) batch.spends.set(tokenId, spend)
  for (const posting of settled.postings) batch.postings.push({ workspaceId: run.workspaceId, posting })
  const { now } = batch.locked
  batch.conclusions.set(request, {
    conclusion: {
      run: {
        ...run,
        status: settled.status,
        chargeMicros: settled.chargeMicros,
        completedAt: run.completedAt === null ? null : now
      },
      attempt: request.attempt,
      media: request.media
    },
    left: moneyLeft(settled.walletState, settled.spends, monthOf(now))
  })
  return null
}

const superseded: Exit.Exit<SettlementAnswer> = Exit.succeed({ _tag: "Superseded" })

export const SettlementBatched: Layer.Layer<
  Settlement,
  never,
  Transactions | Wallet | RunStore | RunSignals | FaultPoints | MoneyCommits
> = Layer.scoped(
  Settlement,
  Effect.gen(function* () {
    const { transact } = yield* Transactions
    const { grouped } = yield* MoneyCommits
    const wallet = yield* Wallet
    const store = yield* RunStore
    const signals = yield* RunSignals
    const faults = yield* FaultPoints

    const settleAll = Effect.fnUntraced(function* (requests: ReadonlyArray<AnyRequest>) {
      const runs = requests.map(({ run }) => run)
      const [locked, fences] = yield* inOneRoundTrip(wallet.lock(runs), store.lock(runs))
      const batch: Batch = {
        locked,
        fences: new Map(fences),
        walletStates: new Map(locked.walletStates),
        spends: new Map(locked.spends),
        postings: [],
        conclusions: new Map()
      }
      for (const request of requests) {
        const impossible = decide(batch, request)
        if (impossible !== null) return yield* Effect.die(impossible)
      }
      const { conclusions, postings, spends, walletStates } = batch
      if (conclusions.size > 0) {
        yield* store.conclude(Array.from(conclusions.values(), ({ conclusion }) => conclusion))
        yield* wallet.write({ walletStates, spends, owners: locked.owners, postings, now: locked.now })
      }
      yield* faults.at("settlement.inside")
      return requests.map((request): Exit.Exit<SettlementAnswer> => {
        const ended = conclusions.get(request)
        return ended === undefined
          ? superseded
          : Exit.succeed({ _tag: "Settled", run: ended.conclusion.run, left: ended.left })
      })
    })

    const commitOne = yield* grouped((requests: ReadonlyArray<AnyRequest>) => transact(settleAll(requests)))
    /**
     * If the storage refuses an answer, the run is stored without the provider's words: the call was answered, and its
     * cost and outcome are known.
     */
    const settleWhatCanBe = (request: AnyRequest) =>
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
        Effect.tap(settleWhatCanBe(request), (answer) => {
          if (answer._tag === "Settled") countEnded(answer.run)
          return signals.publish({ _tag: "Settled", runId: request.run.runId })
        }),
      resolve: (request) =>
        Effect.flatMap(Effect.zipRight(Changing, settleAll([request])), ([exit = superseded]) => exit)
    })
  })
)

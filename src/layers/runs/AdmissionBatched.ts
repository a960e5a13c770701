/**
 * Admission over any storage: one transaction for all requests that arrived together. First the wallets are locked in a
 * fixed order, and the owners of the idempotency keys are read. Then the domain decides each request on the state that
 * the requests before it left. Then everything is written once. This takes two round trips to the storage: one to read,
 * one to write and commit.
 */
import { Array as Arr, Effect, Either, Exit, Layer } from "effect"
import {
  admit,
  keepRefused,
  moneyLeft,
  type RunCapExceeded,
  type Spends,
  type WalletState,
  type TokenSpend
} from "../../domain/Admission.js"
import { IdempotencyConflict } from "../../domain/ApiErrors.js"
import type { TokenId, WorkspaceId } from "../../domain/Ids.js"
import { monthOf, type Run } from "../../domain/Run.js"
import { BudgetExceeded } from "../../domain/RunFailures.js"
import { refused } from "../../domain/RefusedRun.js"
import { isTerminal } from "../../domain/RunMachine.js"
import { spendsOf } from "../../domain/TokenLine.js"
import {
  Admission,
  type AdmissionAnswer,
  type AdmissionRefusal,
  type AdmissionRequest
} from "../../services/Admission.js"
import { Idempotency, type KeyOwner, placeText } from "../../services/Idempotency.js"
import { type NewRun, RunStore } from "../../services/RunStore.js"
import { Transactions } from "../../services/Transactions.js"
import { type LockedWallets, Wallet, type WalletChanges } from "../../services/Wallet.js"
import { FaultPoints } from "../../services/FaultPoints.js"
import { MoneyCommits } from "./MoneyCommits.js"
import { inOneRoundTrip } from "./OneRoundTrip.js"

const placeOf = ({ run }: Pick<AdmissionRequest, "run">) => ({ workspaceId: run.workspaceId, key: run.idempotencyKey })
const claimOf = ({ run }: NewRun) => ({
  workspaceId: run.workspaceId,
  key: run.idempotencyKey,
  requestDigest: run.requestDigest,
  runId: run.runId
})

/** The failure of a run that may hold more than the workspace lets one run hold. */
export const capFailure = ({ message }: RunCapExceeded) => new BudgetExceeded({ detail: message })

/**
 * A run that a cap of the workspace refused. It is stored, so that a repeated request gets the same answer, and it is
 * never billed.
 */
const overCap = (run: Run, exceeded: RunCapExceeded): Run =>
  refused(run, { failure: capFailure(exceeded), result: null, at: run.createdAt })

/**
 * One batch while it is decided: the state after the decisions so far, and the rows to write. Everything in the batch
 * has the same time, by the storage's clock.
 */
interface Batch {
  readonly locked: LockedWallets
  readonly month: string
  readonly walletStates: Map<WorkspaceId, WalletState>
  readonly spends: Map<TokenId, TokenSpend>
  readonly postings: Array<WalletChanges["postings"][number]>
  readonly stored: Array<NewRun>
  /** The idempotency keys that runs of this batch own. A refused run leaves its key to the next one. */
  readonly claimed: Map<string, KeyOwner>
}

type Decision = Exit.Exit<AdmissionAnswer, AdmissionRefusal>

/** The state on which a run is decided: that of its workspace and of the tokens that it counts against. */
interface Decided {
  readonly walletState: WalletState
  readonly spends: Spends
}

const keep = (batch: Batch, stored: NewRun, { spends, walletState }: Decided): Decision => {
  batch.stored.push(stored)
  batch.claimed.set(placeText(placeOf(stored)), stored.run)
  return Exit.succeed({ _tag: "Admitted", stored, left: moneyLeft(walletState, spends, batch.month) })
}

/** Stores a refused run, so that a repeated request gets the same answer, unless there are too many refused runs. */
const keepRefusedRun = (batch: Batch, run: Run, { spends, walletState }: Decided): Decision =>
  Either.match(keepRefused(walletState, batch.locked.now), {
    onLeft: Exit.fail,
    onRight: (after) => {
      batch.walletStates.set(run.workspaceId, after)
      return keep(batch, { run, lease: null, attempt: null, tellEnd: false }, { walletState: after, spends })
    }
  })

const nobody: Decision = Exit.die(new Error("admission for a workspace or token that does not exist"))

const decide = (batch: Batch, request: AdmissionRequest, owned: KeyOwner | null): Decision => {
  const { run: asked, start, waitedFor } = request
  const { lines, now } = batch.locked
  const { month } = batch
  const walletState = batch.walletStates.get(asked.workspaceId)
  const line = lines.get(asked.tokenId)
  const spends = spendsOf(line, batch.spends)
  if (walletState === undefined || line === undefined || spends === null) return nobody
  const owner = owned ?? batch.claimed.get(placeText(placeOf({ run: asked })))
  if (owner !== undefined)
    return owner.requestDigest === asked.requestDigest
      ? Exit.succeed({ _tag: "Replay", runId: owner.runId, left: moneyLeft(walletState, spends, month), at: now })
      : Exit.fail(new IdempotencyConflict({ runId: owner.runId }))
  const run: Run = {
    ...asked,
    createdAt: now,
    spendMonth: month,
    completedAt: asked.completedAt === null ? null : now
  }
  if (isTerminal(run.status)) return keepRefusedRun(batch, run, { walletState, spends })
  const decided = admit(walletState, spends, { runId: run.runId, holdMicros: run.holdMicros, now, month })
  if (Either.isLeft(decided))
    return decided.left._tag === "RunCapExceeded"
      ? keepRefusedRun(batch, overCap(run, decided.left), { walletState, spends })
      : Exit.fail(decided.left)
  const admitted = decided.right
  batch.walletStates.set(run.workspaceId, admitted.walletState)
  for (const [tokenId, spend] of Arr.zip(line, admitted.spends)) batch.spends.set(tokenId, spend)
  if (run.holdMicros > 0) batch.postings.push({ workspaceId: run.workspaceId, posting: admitted.posting })
  const stored: NewRun = {
    run: {
      ...run,
      spendMonth: admitted.month,
      status: start === null ? "queued" : "running",
      startedAt: start === null ? null : now
    },
    lease: start?.lease ?? null,
    // It was prepared before this run waited for its turn here.
    attempt: start === null ? null : { ...start.attempt, startedAt: Math.max(start.attempt.startedAt, now) },
    // Any node may take a queued run. One that starts here tells its end to the client directly.
    tellEnd: waitedFor && start === null
  }
  return keep(batch, stored, admitted)
}

export const AdmissionBatched: Layer.Layer<
  Admission,
  never,
  Transactions | Wallet | Idempotency | RunStore | FaultPoints | MoneyCommits
> = Layer.scoped(
  Admission,
  Effect.gen(function* () {
    const { transact } = yield* Transactions
    const { grouped } = yield* MoneyCommits
    const wallet = yield* Wallet
    const idempotency = yield* Idempotency
    const store = yield* RunStore
    const faults = yield* FaultPoints

    const admitAll = Effect.fnUntraced(function* (requests: ReadonlyArray<AdmissionRequest>) {
      const [locked, owners] = yield* inOneRoundTrip(
        wallet.lock(requests.map(({ run }) => run)),
        idempotency.owners(requests.map(placeOf))
      )
      const batch: Batch = {
        locked,
        month: monthOf(locked.now),
        walletStates: new Map(locked.walletStates),
        spends: new Map(locked.spends),
        postings: [],
        stored: [],
        claimed: new Map()
      }
      const decisions = requests.map((request, index) => decide(batch, request, owners[index] ?? null))
      const { postings, spends, walletStates, stored } = batch
      if (stored.length > 0) yield* idempotency.claim(stored.map(claimOf))
      yield* faults.at("admission.after_key")
      if (stored.length > 0) yield* store.insert(stored)
      if (stored.length > 0)
        yield* wallet.write({ walletStates, spends, owners: locked.owners, postings, now: locked.now })
      yield* faults.at("admission.after_hold")
      return decisions
    })

    return Admission.of({
      admit: yield* grouped((requests: ReadonlyArray<AdmissionRequest>) => transact(admitAll(requests)))
    })
  })
)

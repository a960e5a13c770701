/**
 * Admission over any storage: one transaction for all that arrived together. Wallets are locked in a fixed order, keys are
 * claimed, each request is decided by the domain on the state that the ones before it left, and everything is written once.
 */
import { Clock, Effect, Either, Layer, Option } from "effect"
import { admit, type Refusal } from "../domain/Admission.js"
import type { RunId } from "../domain/Ids.js"
import { zero } from "../domain/Micros.js"
import type { Run } from "../domain/Run.js"
import { BudgetExceeded, toRunError } from "../domain/RunFailures.js"
import { isTerminal } from "../domain/RunMachine.js"
import { Admission, type AdmissionAnswer, type AdmissionRequest } from "../services/Admission.js"
import { Idempotency, type KeyClaim } from "../services/Idempotency.js"
import { type NewRun, RunStore } from "../services/RunStore.js"
import { Transactions } from "../services/Transactions.js"
import { type LockedPurses, Wallet, type WalletChanges } from "../services/Wallet.js"
import { FaultPoints } from "../services/FaultPoints.js"
import { makeGroupCommit } from "./GroupCommit.js"
import { together } from "./Together.js"

const batchMax = 128
const waitingMax = 10_000

/** Its key was that of another request, which this batch refused: the key is free for the next one. */
type Decided = AdmissionAnswer | { readonly _tag: "Again" }

const claimOf = ({ run }: AdmissionRequest): KeyClaim => ({
  workspaceId: run.workspaceId,
  key: run.idempotencyKey,
  requestDigest: run.requestDigest,
  runId: run.runId
})

/** The run that a cap of the workspace refused: stored, so that it replays, and never billed. */
const overCap = (run: Run, refusal: Extract<Refusal, { _tag: "RunCapExceeded" }>): Run => ({
  ...run,
  status: "blocked",
  outcome: "rejected",
  holdMicros: zero,
  chargeMicros: zero,
  completedAt: run.createdAt,
  error: toRunError(new BudgetExceeded({ detail: `The maximum price is ${run.holdMicros} micros, and a run of this workspace may hold ${refusal.capMicros}.` }), run.requestId)
})

/** The decisions of one batch, and the state they leave. */
const decideAll = (requests: ReadonlyArray<AdmissionRequest>, states: ReadonlyArray<AdmissionAnswer | null>, locked: LockedPurses, now: number) => {
  const standings = new Map(locked.standings)
  const spends = new Map(locked.spends)
  const postings: Array<WalletChanges["postings"][number]> = []
  const stored: Array<NewRun> = []
  const refused = new Map<RunId, AdmissionAnswer>()

  const decide = ({ run, start }: AdmissionRequest): Option.Option<AdmissionAnswer> => {
    const keep = (fresh: NewRun): AdmissionAnswer => {
      stored.push(fresh)
      return { _tag: "Admitted", stored: fresh }
    }
    if (isTerminal(run.status)) return Option.some(keep({ run, lease: null, attempt: null }))
    const standing = standings.get(run.workspaceId)
    const spend = spends.get(run.tokenId)
    if (standing === undefined || spend === undefined) return Option.none()
    const decision = admit(standing, spend, { runId: run.runId, holdMicros: run.holdMicros, now: run.createdAt, month: run.spendMonth })
    if (Either.isLeft(decision)) {
      const refusal = decision.left
      if (refusal._tag === "RunCapExceeded") return Option.some(keep({ run: overCap(run, refusal), lease: null, attempt: null }))
      const answer: AdmissionAnswer = { _tag: "Refused", refusal }
      refused.set(run.runId, answer)
      return Option.some(answer)
    }
    standings.set(run.workspaceId, decision.right.standing)
    spends.set(run.tokenId, decision.right.spend)
    if (run.holdMicros > 0) postings.push({ workspaceId: run.workspaceId, posting: decision.right.posting })
    const admitted: Run = {
      ...run,
      spendMonth: decision.right.spend.month,
      status: start === null ? "queued" : "running",
      startedAt: start === null ? null : run.createdAt
    }
    // The lease was made when the request came, and nobody renews it before it is stored: what was waited meanwhile is given back.
    const lease = start === null ? null : { ...start.lease, expiresAt: start.lease.expiresAt + Math.max(0, now - run.createdAt) }
    return Option.some(keep({ run: admitted, lease, attempt: start?.attempt ?? null }))
  }

  const answers = requests.map((request, index): Option.Option<Decided> => {
    const known = states[index] ?? null
    if (known === null) return decide(request)
    const owner = known._tag === "Replay" || known._tag === "Conflict" ? refused.get(known.runId) : undefined
    // The key belongs to a request of this batch that was refused. The same request is refused like it.
    return Option.some<Decided>(owner === undefined ? known : known._tag === "Replay" ? owner : { _tag: "Again" })
  })
  return { answers, changes: { standings, spends, postings }, stored, refused }
}

export const AdmissionBatched: Layer.Layer<Admission, never, Transactions | Wallet | Idempotency | RunStore | FaultPoints> = Layer.scoped(
  Admission,
  Effect.gen(function*() {
    const { transact } = yield* Transactions
    const wallet = yield* Wallet
    const idempotency = yield* Idempotency
    const store = yield* RunStore
    const faults = yield* FaultPoints

    const commit = (requests: ReadonlyArray<AdmissionRequest>) =>
      transact(Effect.gen(function*() {
        const claims = requests.map(claimOf)
        const locked = yield* wallet.lock(requests.map(({ run }) => run))
        const keys = yield* idempotency.claim(claims)
        yield* faults.at("admission.after_key")
        const states = keys.map((state, index): AdmissionAnswer | null =>
          state._tag === "Claimed"
            ? null
            : { _tag: state.requestDigest === claims[index]?.requestDigest ? "Replay" : "Conflict", runId: state.runId })
        const { answers, changes, refused, stored } = decideAll(requests, states, locked, yield* Clock.currentTimeMillis)
        if (refused.size > 0) yield* idempotency.release(claims.filter((claim) => refused.has(claim.runId)))
        const held = stored.some(({ run }) => !isTerminal(run.status))
        yield* together(
          stored.length > 0 ? store.insert(stored) : Effect.void,
          held ? wallet.write({ ...changes, now: Math.max(...stored.map(({ run }) => run.createdAt)) }) : Effect.void
        )
        yield* faults.at("admission.after_hold")
        return yield* Effect.forEach(answers, (answer) =>
          Option.match(answer, { onNone: () => Effect.dieMessage("admission for a workspace or token that does not exist"), onSome: Effect.succeed }))
      }))

    const decide = yield* makeGroupCommit({ batchMax, waitingMax, commit })
    const admitOne: Admission["Type"]["admit"] = (request) =>
      Effect.flatMap(decide(request), (decided) => (decided._tag === "Again" ? admitOne(request) : Effect.succeed(decided)))
    return Admission.of({ admit: admitOne })
  })
)

/**
 * Admission over any storage: one transaction for all that arrived together. Wallets are locked in a fixed order and
 * the owners of the keys are read, each request is decided by the domain on the state that the ones before it left, and
 * everything is written once. Two round trips to the storage: what is read, then what is written together with its
 * commit.
 */
import { Array as Arr, Effect, Either, Layer, Option } from "effect"
import { admit, keepRefused, type Refusal, type Standing } from "../../domain/Admission.js"
import { dollars } from "../../domain/Micros.js"
import { monthOf, type Run } from "../../domain/Run.js"
import { BudgetExceeded } from "../../domain/RunFailures.js"
import { refused } from "../../domain/RefusedRun.js"
import { isTerminal } from "../../domain/RunMachine.js"
import { spendsOf } from "../../domain/TokenLine.js"
import { Admission, type AdmissionAnswer, type AdmissionRequest } from "../../services/Admission.js"
import { Idempotency, type KeyOwner, placeText } from "../../services/Idempotency.js"
import { type NewRun, RunStore } from "../../services/RunStore.js"
import { Transactions } from "../../services/Transactions.js"
import { type LockedPurses, Wallet, type WalletChanges } from "../../services/Wallet.js"
import { FaultPoints } from "../../services/FaultPoints.js"
import { makeGroupCommit } from "./GroupCommit.js"
import { together } from "./OneRoundTrip.js"

const batchMax = 128
const waitingMax = 10_000

const placeOf = ({ run }: AdmissionRequest) => ({ workspaceId: run.workspaceId, key: run.idempotencyKey })
const claimOf = ({ run }: NewRun) => ({
  workspaceId: run.workspaceId,
  key: run.idempotencyKey,
  requestDigest: run.requestDigest,
  runId: run.runId
})

/** The run that a cap of the workspace refused: stored, so that it replays, and never billed. */
const overCap = (run: Run, { capMicros }: Extract<Refusal, { _tag: "RunCapExceeded" }>): Run => {
  const failure = new BudgetExceeded({
    detail: `The maximum price is ${dollars(run.holdMicros)}, and a run of this workspace may hold at most ${dollars(capMicros)}.`
  })
  return refused(run, { failure, result: null, at: run.createdAt })
}

/** The decisions of one batch, and the state they leave. All of them are made now, by the storage's clock. */
const decideAll = (
  requests: ReadonlyArray<AdmissionRequest>,
  owners: ReadonlyArray<KeyOwner | null>,
  locked: LockedPurses
) => {
  const { now } = locked
  const month = monthOf(now)
  const standings = new Map(locked.standings)
  const spends = new Map(locked.spends)
  const postings: Array<WalletChanges["postings"][number]> = []
  const stored: Array<NewRun> = []
  /** Keys that runs of this batch own; a refused one leaves its key to the next. */
  const claimed = new Map<string, KeyOwner>()

  const decide = (request: AdmissionRequest, owned: KeyOwner | null): Option.Option<AdmissionAnswer> => {
    const { start } = request
    const run: Run = {
      ...request.run,
      createdAt: now,
      spendMonth: month,
      completedAt: request.run.completedAt === null ? null : now
    }
    const place = placeText(placeOf(request))
    const owner = owned ?? claimed.get(place)
    if (owner !== undefined)
      return Option.some({
        _tag: owner.requestDigest === run.requestDigest ? "Replay" : "Conflict",
        runId: owner.runId
      })
    const keep = (fresh: NewRun): AdmissionAnswer => {
      stored.push(fresh)
      claimed.set(place, fresh.run)
      return { _tag: "Admitted", stored: fresh }
    }
    const standing = standings.get(run.workspaceId)
    /** Stored, so that it replays; unless there are too many of them. */
    const keepRefusal = (refusedRun: Run, before: Standing): AdmissionAnswer =>
      Either.match(keepRefused(before, now), {
        onLeft: (refusal): AdmissionAnswer => ({ _tag: "Refused", refusal }),
        onRight: (after) => {
          standings.set(run.workspaceId, after)
          return keep({ run: refusedRun, lease: null, attempt: null })
        }
      })
    if (isTerminal(run.status)) return Option.map(Option.fromNullable(standing), (before) => keepRefusal(run, before))
    const line = locked.lines.get(run.tokenId)
    const spent = spendsOf(line, spends)
    if (standing === undefined || line === undefined || spent === null) return Option.none()
    const decision = admit(standing, spent, { runId: run.runId, holdMicros: run.holdMicros, now, month })
    if (Either.isLeft(decision)) {
      const refusal = decision.left
      if (refusal._tag === "RunCapExceeded") return Option.some(keepRefusal(overCap(run, refusal), standing))
      return Option.some({ _tag: "Refused", refusal })
    }
    standings.set(run.workspaceId, decision.right.standing)
    for (const [tokenId, spend] of Arr.zip(line, decision.right.spends)) spends.set(tokenId, spend)
    if (run.holdMicros > 0) postings.push({ workspaceId: run.workspaceId, posting: decision.right.posting })
    const admitted: Run = {
      ...run,
      spendMonth: decision.right.month,
      status: start === null ? "queued" : "running",
      startedAt: start === null ? null : now
    }
    return Option.some(keep({ run: admitted, lease: start?.lease ?? null, attempt: start?.attempt ?? null }))
  }

  const answers = requests.map((request, index) => decide(request, owners[index] ?? null))
  return { answers, changes: { standings, spends, postings }, stored }
}

export const AdmissionBatched: Layer.Layer<
  Admission,
  never,
  Transactions | Wallet | Idempotency | RunStore | FaultPoints
> = Layer.scoped(
  Admission,
  Effect.gen(function* () {
    const { transact } = yield* Transactions
    const wallet = yield* Wallet
    const idempotency = yield* Idempotency
    const store = yield* RunStore
    const faults = yield* FaultPoints

    const admitAll = Effect.fnUntraced(function* (requests: ReadonlyArray<AdmissionRequest>) {
      const [locked, owners] = yield* together(
        wallet.lock(requests.map(({ run }) => run)),
        idempotency.owners(requests.map(placeOf))
      )
      const { answers, changes, stored } = decideAll(requests, owners, locked)
      if (stored.length > 0) yield* idempotency.claim(stored.map(claimOf))
      yield* faults.at("admission.after_key")
      if (stored.length > 0) yield* store.insert(stored)
      if (stored.length > 0) yield* wallet.write({ ...changes, now: locked.now })
      yield* faults.at("admission.after_hold")
      return yield* Effect.forEach(answers, (answer) =>
        Option.match(answer, {
          onNone: () => Effect.dieMessage("admission for a workspace or token that does not exist"),
          onSome: Effect.succeed
        })
      )
    })

    return Admission.of({
      admit: yield* makeGroupCommit({
        batchMax,
        waitingMax,
        commit: (requests: ReadonlyArray<AdmissionRequest>) => transact(admitAll(requests))
      })
    })
  })
)

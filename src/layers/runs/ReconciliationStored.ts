/**
 * Reconciliation over any storage. A decision is one transaction: the settlement, which is one like any other and
 * fenced by the run's status, with the lost attempt closed; the proposal, if there is one; and the entry of the audit
 * trail.
 */
import { Clock, Effect, Layer, Schema } from "effect"
import { NotFound, ValidationError } from "../../domain/ApiErrors.js"
import { type Actor, actorName, type AuditRecord } from "../../domain/AuditEntry.js"
import { failedAttempt, failedRun } from "../../domain/FailedRun.js"
import { ProposalId, RequestId, type RunId } from "../../domain/Ids.js"
import { reasonProblem } from "../../domain/Labels.js"
import { type Micros, zero } from "../../domain/Micros.js"
import {
  decide,
  notWaiting,
  type Proposal,
  type ProposalStatus,
  type Resolution,
  secondWordProblem
} from "../../domain/Resolution.js"
import type { Attempt, Run } from "../../domain/Run.js"
import { ProviderError } from "../../domain/RunFailures.js"
import { StorageUncertain } from "../../domain/StorageErrors.js"
import { AuditTrail, changed } from "../../services/AuditTrail.js"
import { Ids } from "../../services/Ids.js"
import { Proposals } from "../../services/Proposals.js"
import { Reconciliation, type Resolved, type UncertainRow } from "../../services/Reconciliation.js"
import { type RunKey, RunStore } from "../../services/RunStore.js"
import { RunSignals } from "../../services/RunSignals.js"
import { Settlement } from "../../services/Settlement.js"
import { countEnded } from "./dispatch/RunCounters.js"

const isRequestId = Schema.is(RequestId)

type Done = { readonly _tag: "Ended"; readonly run: Run } | { readonly _tag: "Proposed"; readonly proposal: Proposal }

type Word = Pick<Resolution, "reason" | "verdict"> & { readonly chargeMicros: Micros }

/**
 * The run and its lost attempt after the reconciliation. The outcome is `weak`, because nobody has seen the answer. The
 * reason of the attempt stays: it says how the answer was lost, which is why a person had to decide.
 */
const concluded = (
  run: Run,
  lost: Attempt | null,
  { chargeMicros, reason, verdict }: Word
): { readonly run: Run; readonly attempt: Attempt | null } => {
  const story = `Resolved by the operator as ${verdict}: ${reason}`
  if (verdict === "released") {
    const failure = new ProviderError({ detail: story })
    return {
      run: { ...failedRun(run, failure), providerStatus: run.providerStatus },
      attempt: lost && { ...failedAttempt(lost, failure), reason: lost.reason, costMicros: zero }
    }
  }
  return {
    run: { ...run, outcome: "weak", outcomeReason: story },
    attempt: lost && {
      ...lost,
      status: "completed",
      outcome: "weak",
      costMicros: chargeMicros,
      billed: chargeMicros > 0
    }
  }
}

export interface ReconciliationOptions {
  /** Two people decide about runs that hold more than this; null when one is always enough. */
  readonly twoPersonAboveMicros: Micros | null
}

export const ReconciliationStored = ({
  twoPersonAboveMicros
}: ReconciliationOptions): Layer.Layer<
  Reconciliation,
  never,
  AuditTrail | Ids | Proposals | RunSignals | RunStore | Settlement
> =>
  Layer.effect(
    Reconciliation,
    Effect.gen(function* () {
      const ids = yield* Ids
      const proposals = yield* Proposals
      const settlement = yield* Settlement
      const signals = yield* RunSignals
      const store = yield* RunStore
      const trail = yield* AuditTrail

      const keyOf = Effect.fnUntraced(function* (id: RunId | RequestId) {
        const key = yield* isRequestId(id) ? store.locateRequest(id) : store.locate(id)
        return key ?? (yield* new NotFound({ what: "run", id }))
      })

      const find = Effect.fnUntraced(function* (runId: RunId) {
        const key = yield* keyOf(runId)
        const run = yield* store.get(key)
        return run === null ? yield* new NotFound({ what: "run", id: runId }) : { key, run }
      })

      /** Settles the run as part of the surrounding transaction. */
      const settleAsDecided = Effect.fnUntraced(function* (key: RunKey, run: Run, word: Word) {
        const lost = (yield* store.attempts(key)).findLast(({ status }) => status === "reconciliation_pending") ?? null
        const { attempt, run: ended } = concluded(run, lost, word)
        const answer = yield* settlement.resolve({
          run: { ...ended, completedAt: yield* Clock.currentTimeMillis },
          event: word.verdict === "released" ? "ResolvedReleased" : "ResolvedCharged",
          costMicros: word.chargeMicros,
          reason: word.reason,
          leaseToken: null,
          attempt,
          media: null
        })
        // Somebody else settled the run in the meantime, perhaps differently.
        return answer._tag === "Settled"
          ? answer.run
          : yield* notWaiting({ runId: run.runId, status: (yield* store.get(key))?.status ?? run.status })
      })

      const resolved = (run: Run, ended: Run, word: Word, proposal: Proposal | null): AuditRecord => ({
        action: "run.resolved",
        subjectId: run.runId,
        workspaceId: run.workspaceId,
        before: { status: run.status, holdMicros: run.holdMicros },
        after: {
          status: ended.status,
          verdict: word.verdict,
          chargeMicros: word.chargeMicros,
          reason: word.reason,
          ...(proposal === null ? {} : { proposalId: proposal.proposalId, proposedBy: actorName(proposal.proposedBy) })
        }
      })

      /** Counts the end of the run and tells those who wait for it, once it is committed. */
      const countAndSignal = (key: RunKey, run: Run) => {
        countEnded(run)
        return Effect.zipRight(
          signals.publish({ _tag: "Settled", runId: run.runId }),
          // An error that says that nothing was done would be untrue: the decision is committed.
          Effect.mapBoth(store.attempts(key), {
            onFailure: () => new StorageUncertain(),
            onSuccess: (attempts) => ({ run, attempts })
          })
        )
      }

      const propose = Effect.fnUntraced(function* (run: Run, word: Word, by: Actor) {
        const proposal: Proposal = {
          ...word,
          proposalId: ProposalId.make(`prp_${yield* ids.suffix}`),
          workspaceId: run.workspaceId,
          runId: run.runId,
          proposedBy: by,
          proposedAt: yield* Clock.currentTimeMillis,
          status: "open",
          decidedBy: null,
          decidedAt: null,
          decisionReason: null
        }
        const { chargeMicros, proposalId, reason, verdict } = proposal
        // Another one may have been made since this one was decided about.
        if (!(yield* proposals.insert(proposal)))
          return yield* ValidationError.of("runId", `${run.runId} has a proposal already`)
        const record: AuditRecord = {
          action: "run.resolution_proposed",
          subjectId: run.runId,
          workspaceId: run.workspaceId,
          before: null,
          after: { proposalId, verdict, chargeMicros, reason }
        }
        return { proposal, record }
      })

      /** The proposal with the second word about it, in the transaction that acts on it. */
      const decided = Effect.fnUntraced(function* (
        proposal: Proposal,
        status: Exclude<ProposalStatus, "open">,
        by: Actor,
        decisionReason: string | null
      ) {
        const after = { ...proposal, status, decidedBy: by, decidedAt: yield* Clock.currentTimeMillis, decisionReason }
        yield* proposals.decide(after)
        return after
      })

      const rejection = (proposal: Proposal, status: "closed" | "rejected", reason: string | null): AuditRecord => ({
        action: status === "closed" ? "run.resolution_closed" : "run.resolution_rejected",
        subjectId: proposal.runId,
        workspaceId: proposal.workspaceId,
        before: { proposalId: proposal.proposalId, status: "open" },
        after: { proposalId: proposal.proposalId, status, ...(reason === null ? {} : { reason }) }
      })

      const lockProposal = Effect.fnUntraced(function* (key: RunKey, proposalId: string) {
        const proposal = yield* proposals.lockNewest(key)
        return proposal === null || proposal.proposalId !== proposalId
          ? yield* new NotFound({ what: "proposal", id: proposalId })
          : proposal
      })

      const rowsOf = (runs: ReadonlyArray<Run>) =>
        Effect.map(proposals.ofRuns(runs), (made) =>
          runs.map((run): UncertainRow => ({ run, proposals: made.filter(({ runId }) => runId === run.runId) }))
        )

      return Reconciliation.of({
        twoPersonAboveMicros,
        find: keyOf,
        uncertain: Effect.fn("Reconciliation.uncertain")(function* (page) {
          const found = yield* store.uncertain(page)
          return { ...found, items: yield* rowsOf(found.items) }
        }),
        about: Effect.fn("Reconciliation.about")(function* (runId) {
          const { key, run } = yield* find(runId)
          return { run, attempts: yield* store.attempts(key), proposals: yield* proposals.ofRuns([key]) }
        }),
        // Settlements are not interruptible (`OneRoundTrip.ts`), so neither is what makes one.
        resolve: Effect.fn("Reconciliation.resolve")(function* (resolution, by) {
          const { key } = yield* find(resolution.runId)
          const done = yield* trail.change(
            by,
            Effect.gen(function* () {
              const newest = yield* proposals.lockNewest(key)
              const { run } = yield* find(resolution.runId)
              const open = newest?.status === "open" ? newest : null
              const { _tag, chargeMicros } = yield* decide(run, open, resolution, twoPersonAboveMicros)
              const word: Word = { verdict: resolution.verdict, reason: resolution.reason, chargeMicros }
              if (_tag === "Propose") {
                const { proposal, record } = yield* propose(run, word, by)
                return changed<Done>({ _tag: "Proposed", proposal }, record)
              }
              const ended = yield* settleAsDecided(key, run, word)
              return changed<Done>({ _tag: "Ended", run: ended }, resolved(run, ended, word, null))
            })
          )
          const answer: Resolved =
            done._tag === "Proposed" ? done : { _tag: "Settled", detail: yield* countAndSignal(key, done.run) }
          return answer
        }, Effect.uninterruptible),
        confirm: Effect.fn("Reconciliation.confirm")(function* ({ proposalId, runId }, by) {
          const { key } = yield* find(runId)
          const ended = yield* trail.change(
            by,
            Effect.gen(function* () {
              const proposal = yield* lockProposal(key, proposalId)
              const problem = secondWordProblem(proposal, by)
              if (problem !== null) return yield* problem
              const { run } = yield* find(runId)
              if (run.status !== "reconciliation_pending") {
                // Closing it is kept, so the answer that says why must not undo it.
                yield* decided(proposal, "closed", by, null)
                return changed(null, rejection(proposal, "closed", null))
              }
              const settled = yield* settleAsDecided(key, run, proposal)
              yield* decided(proposal, "confirmed", by, null)
              return changed(settled, resolved(run, settled, proposal, proposal))
            })
          )
          if (ended === null) return yield* notWaiting((yield* find(runId)).run)
          return yield* countAndSignal(key, ended)
        }, Effect.uninterruptible),
        reject: Effect.fn("Reconciliation.reject")(function* ({ proposalId, reason, runId }, by) {
          const problem = reasonProblem(reason)
          if (problem !== null) return yield* new ValidationError({ details: [problem] })
          const { key } = yield* find(runId)
          return yield* trail.change(
            by,
            Effect.gen(function* () {
              const proposal = yield* lockProposal(key, proposalId)
              const refused = secondWordProblem(proposal, by)
              if (refused !== null) return yield* refused
              return changed(yield* decided(proposal, "rejected", by, reason), rejection(proposal, "rejected", reason))
            })
          )
        })
      })
    })
  )

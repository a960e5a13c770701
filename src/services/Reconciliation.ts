/**
 * Runs whose money only a person can judge: a call that may have had an effect was sent, and its answer lost. Lists
 * them, and settles each by that person's word, with the reason on the ledger and the act in the audit trail. Above an
 * amount that is configured, the word of one person is a proposal, and another operator confirms or rejects it. Never
 * guesses, and never settles a run twice.
 */
import { Context, type Effect } from "effect"
import type { NotFound, ValidationError } from "../domain/ApiErrors.js"
import type { ProposalId, RequestId, RunId } from "../domain/Ids.js"
import type { Micros } from "../domain/Micros.js"
import type { Page, PageRequest } from "../domain/Page.js"
import type { Attempt, Run } from "../domain/Run.js"
import type { Decider, OperatorActing, Proposal, Resolution } from "../domain/Resolution.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { RunDetail, RunKey } from "./RunStore.js"

export type Resolved =
  | { readonly _tag: "Settled"; readonly detail: RunDetail }
  /** Nothing is settled until another operator confirms it. */
  | { readonly _tag: "Proposed"; readonly proposal: Proposal }

/** An uncertain run in a list. */
export interface UncertainRow {
  readonly run: Run
  /** Newest first. */
  readonly proposals: ReadonlyArray<Proposal>
}

/** A run with everything that a decision about it needs from the storage. */
export interface UncertainCase extends UncertainRow {
  readonly attempts: ReadonlyArray<Attempt>
}

export class Reconciliation extends Context.Tag("gateway/services/Reconciliation")<
  Reconciliation,
  {
    readonly resolve: (
      resolution: Resolution,
      by: Decider
    ) => Effect.Effect<Resolved, NotFound | ValidationError | StorageError>
    /** Settles the run as proposed. A `ValidationError` for one's own proposal, and for one that is not open. */
    readonly confirm: (
      proposal: Pick<Proposal, "proposalId" | "runId">,
      by: OperatorActing
    ) => Effect.Effect<RunDetail, NotFound | ValidationError | StorageError>
    /** The run waits on, for another decision. */
    readonly reject: (
      proposal: { readonly proposalId: ProposalId; readonly runId: RunId; readonly reason: string },
      by: OperatorActing
    ) => Effect.Effect<Proposal, NotFound | ValidationError | StorageError>
    /** Oldest first, of all workspaces. */
    readonly uncertain: (page: PageRequest) => Effect.Effect<Page<UncertainRow>, StorageError>
    /** Of a run in any state. */
    readonly about: (runId: RunId) => Effect.Effect<UncertainCase, NotFound | StorageError>
    /** The run of this id, or the run that the request of this id made, in whichever workspace. */
    readonly find: (id: RunId | RequestId) => Effect.Effect<RunKey, NotFound | StorageError>
    /** Two people decide about runs that hold more than this; null when one is always enough. */
    readonly twoPersonAboveMicros: Micros | null
  }
>() {}

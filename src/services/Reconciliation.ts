/**
 * Runs whose money only a person can judge: a call that may have had an effect was sent, and its answer lost. Lists
 * them, and settles each by that person's word, with the reason on the ledger. Never guesses, and never settles a run
 * twice.
 */
import { Context, type Effect } from "effect"
import type { Actor } from "../domain/AuditEntry.js"
import type { NotFound, ValidationError } from "../domain/ApiErrors.js"
import type { RunId } from "../domain/Ids.js"
import type { Micros } from "../domain/Micros.js"
import type { Run } from "../domain/Run.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { RunDetail } from "./Runs.js"

export const verdicts = ["charged", "released", "partly_charged"] as const
export type Verdict = (typeof verdicts)[number]

export interface Resolution {
  readonly runId: RunId
  readonly verdict: Verdict
  /** At most the hold, and only with `partly_charged`: the other verdicts say the amount themselves. */
  readonly chargeMicros: Micros | null
  readonly reason: string
}

export class Reconciliation extends Context.Tag("gateway/services/Reconciliation")<
  Reconciliation,
  {
    readonly resolve: (
      resolution: Resolution,
      by: Actor
    ) => Effect.Effect<RunDetail, NotFound | ValidationError | StorageError>
    /** Oldest first, of all workspaces. */
    readonly uncertain: (limit: number) => Effect.Effect<ReadonlyArray<Run>, StorageError>
  }
>() {}

/**
 * Lets runs in. One call is one transaction with the key, the limits, the hold, the ledger entry and the run, or
 * nothing at all; calls that arrive together share a transaction, and each is answered after its commit. A call that
 * fails with a refusal has written nothing, so its key stays free.
 */
import { Context, type Effect } from "effect"
import type { MoneyLeft, RefusedTooOften, Refusal, RunCapExceeded } from "../domain/Admission.js"
import type { IdempotencyConflict } from "../domain/ApiErrors.js"
import type { RunId } from "../domain/Ids.js"
import type { Attempt, Run } from "../domain/Run.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { Lease, NewRun } from "./RunStore.js"

export interface AdmissionRequest {
  /** A queued run with its hold, or a run refused before dispatch (`failed` or `blocked`), which holds nothing. */
  readonly run: Run
  /** When given, and admitted, the run starts at once under this lease with this first attempt. */
  readonly start: { readonly lease: Lease; readonly attempt: Attempt } | null
  /** A client of this node waits for the run. */
  readonly waitedFor: boolean
}

export type AdmissionAnswer =
  /** Stored as asked; or blocked, when it may hold more than the workspace lets one run hold. */
  | { readonly _tag: "Admitted"; readonly stored: NewRun; readonly left: MoneyLeft }
  /**
   * The key belongs to this run already, for the same request. `left` is what was left at `at`, by the storage's clock;
   * the run may have been settled since.
   */
  | { readonly _tag: "Replay"; readonly runId: RunId; readonly left: MoneyLeft; readonly at: number }

/** The key is another request's, or a limit refuses the run. */
export type AdmissionRefusal = IdempotencyConflict | RefusedTooOften | Exclude<Refusal, RunCapExceeded>

export class Admission extends Context.Tag("gateway/services/Admission")<
  Admission,
  {
    readonly admit: (request: AdmissionRequest) => Effect.Effect<AdmissionAnswer, AdmissionRefusal | StorageError>
  }
>() {}

/**
 * Ends runs. One call is one transaction with the outcome, the attempt, the charge and the release, fenced by the run's
 * lease; calls that arrive together share a transaction, and each is answered after its commit. Settling twice is the
 * same as once.
 */
import { Context, type Effect } from "effect"
import type { MoneyLeft } from "../domain/Admission.js"
import type { Run } from "../domain/Run.js"
import type { Micros } from "../domain/Micros.js"
import type { RunEvent } from "../domain/RunMachine.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { Changing } from "./AuditTrail.js"
import type { Conclusion } from "./RunStore.js"

/** A person decides the money of an uncertain run. These endings leave an entry in the audit trail. */
export type PersonalEvent = "ResolvedCharged" | "ResolvedReleased"

export interface SettlementRequest<Event extends RunEvent = Exclude<RunEvent, PersonalEvent>> {
  /** The run as it was worked on, with everything found out filled in except `status` and `chargeMicros`. */
  readonly run: Run
  readonly event: Event
  /** Sum of the evidenced costs of all attempts; clamped to the hold. */
  readonly costMicros: Micros
  readonly reason: string | null
  readonly leaseToken: string | null
  readonly attempt: Conclusion["attempt"]
  readonly media: Conclusion["media"]
}

export type SettlementAnswer =
  | { readonly _tag: "Settled"; readonly run: Run; readonly left: MoneyLeft }
  /** Somebody else ended it, or took it over; nothing was written. */
  | { readonly _tag: "Superseded" }

export class Settlement extends Context.Tag("gateway/services/Settlement")<
  Settlement,
  {
    readonly settle: (request: SettlementRequest) => Effect.Effect<SettlementAnswer, StorageError>
    /**
     * The same by the word of a person, as part of the transaction that writes its audit entry. The caller tells those
     * who wait for the run, after the commit.
     */
    readonly resolve: (
      request: SettlementRequest<PersonalEvent>
    ) => Effect.Effect<SettlementAnswer, StorageError, Changing>
  }
>() {}

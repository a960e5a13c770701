/**
 * Requests to put money on a balance, and the hint that tells a client how. Crediting happens once however often a
 * payment is reported.
 */
import { Context, type Effect } from "effect"
import type { BillingUnavailable, IdempotencyConflict, NotFound, ValidationError } from "../domain/ApiErrors.js"
import type { Actor } from "../domain/AuditEntry.js"
import type { TopUpId, WorkspaceId } from "../domain/Ids.js"
import type { Micros } from "../domain/Micros.js"
import type { Reversal } from "../domain/PaymentReport.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { TopUpHint, TopUpReason } from "../domain/TopUpHint.js"
import type { Page, PageRequest } from "../domain/Page.js"

export type TopUpStatus = "pending" | "paid" | "expired" | "failed" | "refused"

export interface TopUp {
  readonly topUpId: TopUpId
  readonly workspaceId: WorkspaceId
  readonly status: TopUpStatus
  readonly amountMicros: Micros
  readonly checkoutUrl: string | null
  readonly dashboardUrl: string
  readonly message: string
  readonly reason: TopUpReason | null
  /** What refunds and disputes have taken of it from the balance so far. */
  readonly takenBackMicros: Micros
  /** What they are still to take, because the balance did not have it. Later top-ups pay it first. */
  readonly owedMicros: Micros
  /** Refunds and disputes of its payment. */
  readonly reversals: ReadonlyArray<Reversal>
  readonly createdAt: number
}

export interface TopUpRequest {
  readonly workspaceId: WorkspaceId
  readonly operatorWorkspace: boolean
  /** Null asks for the suggested amount. */
  readonly amountMicros: Micros | null
  readonly idempotencyKey: string | null
  /** Whether the card that pays is saved for automatic top-ups. */
  readonly saveMethod: boolean
}

export class TopUps extends Context.Tag("gateway/services/TopUps")<
  TopUps,
  {
    /** One of the operator's own workspace is refused with the reason `operator_workspace`. */
    readonly request: (
      input: TopUpRequest,
      by: Actor
    ) => Effect.Effect<TopUp, ValidationError | IdempotencyConflict | BillingUnavailable | StorageError>
    readonly list: (
      workspaceId: WorkspaceId,
      page: PageRequest
    ) => Effect.Effect<Page<TopUp>, BillingUnavailable | StorageError>
    readonly get: (
      workspaceId: WorkspaceId,
      topUpId: TopUpId
    ) => Effect.Effect<TopUp, BillingUnavailable | NotFound | StorageError>
    /** What refunds and disputes of all top-ups of the workspace are still to take. */
    readonly owed: (workspaceId: WorkspaceId) => Effect.Effect<Micros, StorageError>
    /** The hint for a 402 or a balance; asks no payment processor. `neededMicros` raises the suggested amount. */
    readonly hint: (input: {
      readonly workspaceId: WorkspaceId
      readonly operatorWorkspace: boolean
      readonly readOnly: boolean
      readonly availableMicros: Micros
      readonly neededMicros: Micros | null
    }) => Effect.Effect<TopUpHint>
  }
>() {}

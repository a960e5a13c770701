/**
 * The rows under `TopUps` and `TopUpReports`: what their storages must do, and nothing that decides about money. Locks
 * are taken in one order: the wallet, the payment, the top-up.
 */
import type { Effect } from "effect"
import type { TopUpId, WorkspaceId } from "../../../domain/Ids.js"
import type { Micros } from "../../../domain/Micros.js"
import type { Payment, Reversal } from "../../../domain/PaymentReport.js"
import type { StorageError } from "../../../domain/StorageErrors.js"
import type { TopUpStatus } from "../../../domain/TopUp.js"
import type { TopUpReason } from "../../../domain/TopUpHint.js"
import type { PageRequest } from "../../../domain/Page.js"

export interface TopUpRow {
  readonly topUpId: TopUpId
  readonly workspaceId: WorkspaceId
  readonly status: TopUpStatus
  readonly amountMicros: Micros
  readonly checkoutUrl: string | null
  readonly reason: TopUpReason | null
  readonly idempotencyKey: string | null
  readonly paymentReference: string | null
  /** Whether the gateway started it by itself, with a saved card. */
  readonly automatic: boolean
  /** Whether its checkout saves the card for automatic top-ups. */
  readonly savesMethod: boolean
  readonly createdAt: number
  readonly paidAt: number | null
}

/** What a list shows. */
export interface ListedTopUp extends TopUpRow {
  readonly reversals: ReadonlyArray<Reversal>
  readonly toTakeMicros: Micros
  readonly takenMicros: Micros
}

export interface TopUpRows {
  /** One transaction of everything that is done inside. */
  readonly transact: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E | StorageError>
  /** Answers the row that has the key: this one, or the one that had it before. */
  readonly insert: (row: TopUpRow) => Effect.Effect<TopUpRow, StorageError>
  /** The row that has the key; null when it is free. */
  readonly ofKey: (workspaceId: WorkspaceId, key: string) => Effect.Effect<TopUpRow | null, StorageError>
  readonly get: (topUpId: TopUpId) => Effect.Effect<TopUpRow | null, StorageError>
  /** Changes one row under its lock, in one transaction with whatever `change` does; null when there is none. */
  readonly change: <E>(
    topUpId: TopUpId,
    change: (row: TopUpRow) => Effect.Effect<TopUpRow, E>
  ) => Effect.Effect<TopUpRow | null, E | StorageError>
  /** Newest first; one more than the limit where there are more. */
  readonly newest: (
    workspaceId: WorkspaceId,
    page: PageRequest
  ) => Effect.Effect<ReadonlyArray<ListedTopUp>, StorageError>
  /** One of them; null where the workspace has none of this id. */
  readonly listed: (workspaceId: WorkspaceId, topUpId: TopUpId) => Effect.Effect<ListedTopUp | null, StorageError>
  /** What is still to be taken of the workspace's payments. */
  readonly owed: (workspaceId: WorkspaceId) => Effect.Effect<Micros, StorageError>
  /** The workspace of the top-up that the payment paid; null as long as none is known. */
  readonly payer: (reference: string) => Effect.Effect<WorkspaceId | null, StorageError>
  /** The payment under its lock; it is made when it is new. Joins the surrounding transaction. */
  readonly payment: (reference: string) => Effect.Effect<Payment, StorageError>
  /** Joins the surrounding transaction. */
  readonly putPayment: (payment: Payment) => Effect.Effect<void, StorageError>
  /**
   * The payment for which a refund or dispute was reported first; this one when it is new. Joins the surrounding
   * transaction, and comes after the lock of the payment.
   */
  readonly paymentOfReversal: (objectId: string, reference: string) => Effect.Effect<string, StorageError>
  /** Payments of which not exactly what is to be taken was taken, under their locks, oldest top-up first. */
  readonly unsettled: (workspaceId: WorkspaceId) => Effect.Effect<ReadonlyArray<Payment>, StorageError>
  /** Workspaces that have such payments and money on their balance, at most `limit`. */
  readonly collectable: (limit: number) => Effect.Effect<ReadonlyArray<WorkspaceId>, StorageError>
}

/** The rows under `TopUps`: what its storages must do, and nothing that decides about a top-up. */
import type { Effect } from "effect"
import type { TopUpId, WorkspaceId } from "../../../domain/Ids.js"
import type { Micros } from "../../../domain/Micros.js"
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
  readonly createdAt: number
  readonly paidAt: number | null
}

export interface TopUpRows {
  /** Answers the row that has the key: this one, or the one that had it before. */
  readonly insert: (row: TopUpRow) => Effect.Effect<TopUpRow, StorageError>
  /** Changes one row under its lock, in one transaction with whatever `change` does; null when there is none. */
  readonly change: <E>(
    topUpId: TopUpId,
    change: (row: TopUpRow) => Effect.Effect<TopUpRow, E>
  ) => Effect.Effect<TopUpRow | null, E | StorageError>
  /** Newest first; one more than the limit where there are more. */
  readonly newest: (workspaceId: WorkspaceId, page: PageRequest) => Effect.Effect<ReadonlyArray<TopUpRow>, StorageError>
}

/** The rows under `AuditTrail`: what its storages must do, and nothing that decides. */
import type { Effect } from "effect"
import type { AuditEntry, AuditFilter, AuditPlace } from "../../../domain/AuditEntry.js"
import type { StorageError } from "../../../domain/StorageErrors.js"

/** The storage adds the time. */
export type NewAuditEntry = Omit<AuditEntry, "createdAt">

/** An entry with its place in the trail. */
export interface AuditRow extends AuditEntry {
  readonly seq: number
}

export interface AuditRows {
  /** Joins the surrounding transaction. */
  readonly insert: (entries: ReadonlyArray<NewAuditEntry>) => Effect.Effect<void, StorageError>
  /** Newest first, behind the place `after`, at most `limit`. */
  readonly newest: (
    filter: AuditFilter,
    page: { readonly after: AuditPlace | null; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<AuditRow>, StorageError>
}

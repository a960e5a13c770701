/**
 * The audit trail: every act of an operator, owner, member or token that changes something leaves an entry, written in
 * the transaction of the change. Entries are never changed or deleted.
 *
 * A change cannot forget its entry. The rows that a storage changes ask for `Changing`, which only `change` gives, and
 * `change` takes only work that says what it recorded. So a method of a service that changes something compiles only
 * with an entry.
 */
import { Context, type Effect } from "effect"
import type { Actor, AuditEntry, AuditFilter, AuditRecord } from "../domain/AuditEntry.js"
import type { Page, PageRequest } from "../domain/Page.js"
import type { StorageError } from "../domain/StorageErrors.js"

/** A transaction whose changes go into the trail. Rows that require it join that transaction. */
export class Changing extends Context.Tag("gateway/services/AuditTrail/Changing")<Changing, { readonly by: Actor }>() {}

/** The outcome of a change, with what goes into the trail. */
export interface Changed<A> {
  readonly value: A
  readonly records: ReadonlyArray<AuditRecord>
}

export const changed = <A>(
  value: A,
  ...records: readonly [AuditRecord, ...ReadonlyArray<AuditRecord>]
): Changed<A> => ({
  value,
  records
})

/** Nothing was changed, for example because the same was done before. The trail gets no entry. */
export const unchanged = <A>(value: A): Changed<A> => ({ value, records: [] })

export class AuditTrail extends Context.Tag("gateway/services/AuditTrail")<
  AuditTrail,
  {
    /** Does the work and writes its entries in one transaction, or as part of the surrounding one. */
    readonly change: <A, E>(
      by: Actor,
      work: Effect.Effect<Changed<A>, E, Changing>
    ) => Effect.Effect<A, E | StorageError>
    /** Writes entries of a change that another transaction makes. Joins the surrounding transaction. */
    readonly write: (by: Actor, records: ReadonlyArray<AuditRecord>) => Effect.Effect<void, StorageError>
    /** Newest first; the sort key is `auditKey` of `AuditEntry.ts`. */
    readonly list: (filter: AuditFilter, page: PageRequest) => Effect.Effect<Page<AuditEntry>, StorageError>
  }
>() {}

/**
 * The three ways storage can fail a caller, whatever the storage is: it had no room (nothing happened), it took too long (nothing
 * happened), or it fell silent around a commit (nobody knows). All three invite a retry with the same idempotency key. Anything else
 * that goes wrong in a storage is a mistake in this program and dies as a defect.
 */
import { Schema } from "effect"

/** No connection in time, too many of them, or lost before the commit was sent: certain not to have happened. */
export class StorageBusy extends Schema.TaggedError<StorageBusy>()("storage_busy", { retryAfterSeconds: Schema.Int }) {
  static readonly retryable = true
  override get message() {
    return `Storage is overloaded and nothing was done; retry with the same key in ${this.retryAfterSeconds} seconds`
  }
}

/** The connection was lost while a commit was under way: it may have happened. The idempotency key makes the retry safe. */
export class StorageUncertain extends Schema.TaggedError<StorageUncertain>()("storage_uncertain", {}) {
  static readonly retryable = true
  override get message() {
    return "The last write is unconfirmed, which does not mean that it failed; retry with the same key to learn what became of it"
  }
}

/** A statement or a lock took longer than allowed and was cancelled: certain not to have happened. */
export class StorageTimeout extends Schema.TaggedError<StorageTimeout>()("runtime_bridge_timeout", { retryAfterSeconds: Schema.Int }) {
  static readonly retryable = true
  override get message() {
    return `Storage took too long and nothing was done; retry with the same key in ${this.retryAfterSeconds} seconds`
  }
}

export const StorageError = Schema.Union(StorageBusy, StorageUncertain, StorageTimeout)
export type StorageError = typeof StorageError.Type

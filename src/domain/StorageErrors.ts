/**
 * The three ways storage can fail a caller, whatever the storage is: it had no room (nothing happened), it took too
 * long (nothing happened), or it fell silent around a commit (nobody knows). All three invite a retry with the same
 * idempotency key. Anything else that goes wrong in a storage is a mistake in this program and dies as a defect.
 */
import { Data, Effect, Option, Schema } from "effect"
import { afterSeconds } from "./ApiErrors.js"

/** No connection in time, too many of them, or lost before the commit was sent: certain not to have happened. */
export class StorageBusy extends Schema.TaggedError<StorageBusy>()("storage_busy", { retryAfterSeconds: Schema.Int }) {
  static readonly retryable = true
  static readonly retryHint = afterSeconds()
  override get message() {
    return `Storage is overloaded and nothing was done; retry with the same key in ${this.retryAfterSeconds} seconds`
  }
  get retryHint() {
    return afterSeconds(this.retryAfterSeconds)
  }
}

/**
 * The connection was lost while a commit was under way: it may have happened. The idempotency key makes the retry safe.
 */
export class StorageUncertain extends Schema.TaggedError<StorageUncertain>()("storage_uncertain", {}) {
  static readonly retryable = true
  static readonly retryHint =
    "Send it again, with the same idempotency key if it had one: the answer says what became of it."
  override get message() {
    return "The last write is unconfirmed, which does not mean that it failed; retry with the same key to learn what became of it"
  }
}

/** A statement or a lock took longer than allowed and was cancelled: certain not to have happened. */
export class StorageTimeout extends Schema.TaggedError<StorageTimeout>()("runtime_bridge_timeout", {
  retryAfterSeconds: Schema.Int
}) {
  static readonly retryable = true
  static readonly retryHint = afterSeconds()
  override get message() {
    return `Storage took too long and nothing was done; retry with the same key in ${this.retryAfterSeconds} seconds`
  }
  get retryHint() {
    return afterSeconds(this.retryAfterSeconds)
  }
}

/**
 * The storage refused the data itself (a text it cannot hold, a nesting it cannot walk): certain not to have happened,
 * and certain to fail again. It is a defect and not one of the errors above. Only code that can store something smaller
 * instead catches it.
 */
export class DataRefused extends Data.TaggedError("DataRefused")<{ readonly cause: unknown }> {}

/** Runs `instead` when `first` died because its data was refused. */
export const whereRefused = <A, E, R, E2, R2>(
  first: Effect.Effect<A, E, R>,
  instead: () => Effect.Effect<A, E2, R2>
): Effect.Effect<A, E | E2, R | R2> =>
  Effect.catchSomeDefect(first, (defect) =>
    defect instanceof DataRefused ? Option.some(Effect.suspend(instead)) : Option.none()
  )

export const StorageError = Schema.Union(StorageBusy, StorageUncertain, StorageTimeout)
export type StorageError = typeof StorageError.Type

export const isStorageError: (error: unknown) => error is StorageError = Schema.is(StorageError)

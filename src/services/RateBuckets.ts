/**
 * The token buckets of workspaces, where all nodes see them. They only add up what nodes report; what a node allows is
 * decided by `RateLimiterShared`. Nothing here is precious: a bucket that is lost is a full one.
 */
import { Context, type Effect } from "effect"
import type { StorageError } from "../domain/StorageErrors.js"

export interface Spent {
  readonly tenant: string
  /** How much later its bucket is full. */
  readonly millis: number
}

export interface BucketState {
  readonly tenant: string
  /** How long until the bucket is full, by the storage's clock, with everything that any node has reported. */
  readonly fullInMillis: number
}

export class RateBuckets extends Context.Tag("gateway/services/RateBuckets")<
  RateBuckets,
  {
    /**
     * Adds what was spent, whether there was room or not, and answers how the buckets stand then. What was spent beyond
     * the bucket is a debt; it ends at `mostMillis` from now.
     */
    readonly spend: (
      spent: ReadonlyArray<Spent>,
      mostMillis: number
    ) => Effect.Effect<ReadonlyArray<BucketState>, StorageError>
    /** Drops buckets that are full: they need no row. */
    readonly forgetFull: Effect.Effect<void, StorageError>
  }
>() {}

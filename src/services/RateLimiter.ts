/** The rate of requests: token buckets. Never decides about money or runs; see `Admission` for those. */
import { Context, type Effect } from "effect"

export interface RateDecision {
  readonly allowed: boolean
  /** Requests that a full bucket has. */
  readonly limit: number
  readonly remaining: number
  /** Requests that come back each second. */
  readonly refillPerSecond: number
  /** Seconds until one request is possible again (0 when allowed). */
  readonly retryAfterSeconds: number
  /** Seconds until the bucket is full again. */
  readonly resetSeconds: number
}

export class RateLimiter extends Context.Tag("gateway/services/RateLimiter")<
  RateLimiter,
  {
    /** Takes one request out of the bucket of `tenant`. */
    readonly take: (tenant: string) => Effect.Effect<RateDecision>
    /**
     * For a caller without a token: takes one out of the bucket of their address and, when that allows it, one out of
     * the bucket of all such callers.
     */
    readonly takePublic: (address: string) => Effect.Effect<RateDecision>
  }
>() {}

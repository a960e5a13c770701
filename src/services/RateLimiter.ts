/** The rate of requests: token buckets. Never decides about money or runs; see `Admission` for those. */
import { Context, type Effect } from "effect"

export interface RateDecision {
  readonly allowed: boolean
  /** Requests that a full bucket has. */
  readonly limit: number
  readonly remaining: number
  /** Requests that come back each second. */
  readonly refillPerSecond: number
  /** Seconds until as many requests as were asked for are possible (0 when allowed). */
  readonly retryAfterSeconds: number
  /** Seconds until the bucket is full again. */
  readonly resetSeconds: number
}

export class RateLimiter extends Context.Tag("gateway/services/RateLimiter")<
  RateLimiter,
  {
    /**
     * Takes so many requests out of the bucket of `tenant`, one where no number is given: all of them or none. More
     * than a full bucket has are never allowed.
     */
    readonly take: (tenant: string, count?: number) => Effect.Effect<RateDecision>
    /**
     * For a caller without a token: takes one out of the bucket of their address and, when that allows it, one out of
     * the bucket of all such callers.
     */
    readonly takePublic: (address: string) => Effect.Effect<RateDecision>
  }
>() {}

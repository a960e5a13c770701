/**
 * The arithmetic of a token bucket. A bucket is one number: the time at which it is full again. Each request moves this
 * time on by one interval, and a request that would move it further than the bucket is deep is refused.
 */
import type { RateDecision } from "../../services/RateLimiter.js"

export interface Rate {
  /** Requests that a full bucket has. */
  readonly burst: number
  /** Requests that come back each second. */
  readonly refillPerSecond: number
}

export interface TokenBucket {
  readonly intervalMillis: number
  /** From empty to full. */
  readonly capacityMillis: number
  /** Whether one more request may pass, and when the bucket is full after it. */
  readonly take: (fullAt: number, now: number) => { readonly decision: RateDecision; readonly fullAt: number }
}

const seconds = (millis: number): number => Math.max(0, Math.ceil(millis / 1000))

export const tokenBucket = ({ burst, refillPerSecond }: Rate): TokenBucket => {
  const intervalMillis = 1000 / refillPerSecond
  const capacityMillis = burst * intervalMillis
  // Sums of intervals that are no whole milliseconds have rounding errors. They must not cost a request.
  const roundingMillis = intervalMillis / 1000
  return {
    intervalMillis,
    capacityMillis,
    take: (fullAt, now) => {
      const before = Math.max(fullAt, now)
      const after = before + intervalMillis
      const room = now + capacityMillis - after + roundingMillis
      const allowed = room >= 0
      return {
        fullAt: allowed ? after : before,
        decision: {
          allowed,
          limit: burst,
          remaining: allowed ? Math.floor(room / intervalMillis) : 0,
          refillPerSecond,
          retryAfterSeconds: allowed ? 0 : Math.max(1, seconds(-room)),
          resetSeconds: seconds((allowed ? after : before) - now)
        }
      }
    }
  }
}

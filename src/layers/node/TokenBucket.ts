/**
 * The arithmetic of a token bucket. A bucket is one number: the time at which it is full again. Each request moves this
 * time on by one interval, and requests that would move it further than the bucket is deep are refused.
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
  /** Whether so many more requests may pass together, and when the bucket is full after them. */
  readonly take: (
    fullAt: number,
    now: number,
    count: number
  ) => { readonly decision: RateDecision; readonly fullAt: number }
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
    take: (fullAt, now, count) => {
      const before = Math.max(fullAt, now)
      const after = before + count * intervalMillis
      const room = now + capacityMillis - after + roundingMillis
      const allowed = room >= 0
      const leftMillis = allowed ? room : room + count * intervalMillis
      return {
        fullAt: allowed ? after : before,
        decision: {
          allowed,
          limit: burst,
          remaining: Math.max(0, Math.floor(leftMillis / intervalMillis)),
          refillPerSecond,
          retryAfterSeconds: allowed ? 0 : Math.max(1, seconds(-room)),
          resetSeconds: seconds((allowed ? after : before) - now)
        }
      }
    }
  }
}

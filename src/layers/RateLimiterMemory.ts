/**
 * The request rate of each tenant in the memory of one node. A bucket is one number, the moment when it is full again, so that a
 * full bucket needs no memory: buckets of tenants that are silent are dropped. Several nodes count each for themselves, so
 * the largest overshoot is the limit times the nodes.
 */
import { Clock, Effect, Layer } from "effect"
import { type RateDecision, RateLimiter } from "../services/RateLimiter.js"

export interface RateLimitOptions {
  /** Requests that a tenant with a full bucket may send at once; 60 by default. */
  readonly burst?: number
  /** Requests that come back each second; 10 by default. */
  readonly refillPerSecond?: number
}

const seconds = (millis: number): number => Math.max(0, Math.ceil(millis / 1000))

export const RateLimiterMemory = (options: RateLimitOptions = {}): Layer.Layer<RateLimiter> =>
  Layer.sync(RateLimiter, () => {
    const burst = options.burst ?? 60
    const intervalMillis = 1000 / (options.refillPerSecond ?? 10)
    const capacityMillis = burst * intervalMillis
    // Intervals need not be whole milliseconds; sums of them may be off by a hair, which must not cost a request.
    const hair = intervalMillis / 1000
    const fullAt = new Map<string, number>()
    let sweptAt = 0

    const dropFull = (now: number) => {
      for (const [tenant, at] of fullAt) if (at <= now) fullAt.delete(tenant)
      sweptAt = now
    }

    const take = (tenant: string, now: number): RateDecision => {
      // After one capacity every bucket untouched since the last sweep is full. A clock that was set back sweeps too.
      if (Math.abs(now - sweptAt) >= capacityMillis) dropFull(now)
      // The upper bound only matters when the clock was set back: no one waits longer than an empty bucket takes.
      const before = Math.min(Math.max(fullAt.get(tenant) ?? now, now), now + capacityMillis)
      const after = before + intervalMillis
      const room = now + capacityMillis - after + hair
      const allowed = room >= 0
      fullAt.set(tenant, allowed ? after : before)
      return {
        allowed,
        limit: burst,
        remaining: allowed ? Math.floor(room / intervalMillis) : 0,
        retryAfterSeconds: allowed ? 0 : Math.max(1, seconds(-room)),
        resetSeconds: seconds((allowed ? after : before) - now)
      }
    }

    return RateLimiter.of({ take: (tenant) => Effect.map(Clock.currentTimeMillis, (now) => take(tenant, now)) })
  })

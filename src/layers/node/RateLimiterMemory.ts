/**
 * The request rates of workspaces, and of callers without a token, in the memory of one node. A bucket is one number:
 * the time at which it is full again. A full bucket needs no memory, so those of silent workspaces are dropped. Each
 * node counts for itself: with several nodes a workspace can send at most the limit times the number of nodes.
 */
import { Effect, Layer } from "effect"
import {
  publicRateBurst,
  publicRatePerSecond,
  publicTotalRateBurst,
  publicTotalRatePerSecond,
  rateBurstDefault,
  ratePerSecondDefault
} from "../../domain/Limits.js"
import { type RateDecision, RateLimiter } from "../../services/RateLimiter.js"

export interface Rate {
  /** Requests that a full bucket has. */
  readonly burst: number
  /** Requests that come back each second. */
  readonly refillPerSecond: number
}

/** What is not said is as in `domain/Limits.ts`. */
export interface RateLimitOptions extends Partial<Rate> {
  /** Of each address without a token. */
  readonly publicRate?: Rate
  /** Of all of them together. */
  readonly publicTotalRate?: Rate
}

const seconds = (millis: number): number => Math.max(0, Math.ceil(millis / 1000))

/** The buckets of one rate, by name. */
const bucketsOf = ({ burst, refillPerSecond }: Rate): ((name: string, now: number) => RateDecision) => {
  const intervalMillis = 1000 / refillPerSecond
  const capacityMillis = burst * intervalMillis
  // Sums of intervals that are no whole milliseconds have rounding errors. They must not cost a request.
  const roundingMillis = intervalMillis / 1000
  const fullAt = new Map<string, number>()
  let sweptAt = 0

  const dropFull = (now: number) => {
    for (const [name, at] of fullAt) if (at <= now) fullAt.delete(name)
    sweptAt = now
  }

  return (name, now) => {
    // After one capacity every bucket untouched since the last sweep is full. A clock that was set back sweeps too.
    if (Math.abs(now - sweptAt) >= capacityMillis) dropFull(now)
    // The upper bound only matters when the clock was set back: no one waits longer than an empty bucket takes.
    const before = Math.min(Math.max(fullAt.get(name) ?? now, now), now + capacityMillis)
    const after = before + intervalMillis
    const room = now + capacityMillis - after + roundingMillis
    const allowed = room >= 0
    fullAt.set(name, allowed ? after : before)
    return {
      allowed,
      limit: burst,
      remaining: allowed ? Math.floor(room / intervalMillis) : 0,
      refillPerSecond,
      retryAfterSeconds: allowed ? 0 : Math.max(1, seconds(-room)),
      resetSeconds: seconds((allowed ? after : before) - now)
    }
  }
}

export const RateLimiterMemory = (options: RateLimitOptions = {}): Layer.Layer<RateLimiter> =>
  Layer.effect(
    RateLimiter,
    Effect.map(Effect.clock, (clock) => {
      const ofTenant = bucketsOf({
        burst: options.burst ?? rateBurstDefault,
        refillPerSecond: options.refillPerSecond ?? ratePerSecondDefault
      })
      const ofAddress = bucketsOf(
        options.publicRate ?? { burst: publicRateBurst, refillPerSecond: publicRatePerSecond }
      )
      const ofAll = bucketsOf(
        options.publicTotalRate ?? { burst: publicTotalRateBurst, refillPerSecond: publicTotalRatePerSecond }
      )
      const takePublic = (address: string, now: number): RateDecision => {
        const own = ofAddress(address, now)
        if (!own.allowed) return own
        const shared = ofAll("all", now)
        return shared.allowed ? own : shared
      }
      return RateLimiter.of({
        take: (tenant) => Effect.sync(() => ofTenant(tenant, clock.unsafeCurrentTimeMillis())),
        takePublic: (address) => Effect.sync(() => takePublic(address, clock.unsafeCurrentTimeMillis()))
      })
    })
  )

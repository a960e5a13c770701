/**
 * The request rates of workspaces, and of callers without a token, in the memory of one node. A full bucket needs no
 * memory, so those of silent workspaces are dropped. Each node counts for itself: with several nodes a workspace can
 * send at most the limit times the number of nodes. `RateLimiterShared` counts over all of them.
 */
import { Effect, Layer } from "effect"
import {
  publicRateBurst,
  publicRatePerSecond,
  publicTotalRateBurst,
  publicTotalRatePerSecond,
  rateBurstDefault,
  ratePerSecondDefault
} from "../../domain/limits/Workspaces.js"
import { type RateDecision, RateLimiter } from "../../services/RateLimiter.js"
import { type Rate, tokenBucket } from "./TokenBucket.js"

/** What is not said is as in `domain/limits/Workspaces.ts`. */
export interface RateLimitOptions extends Partial<Rate> {
  /** Of each address without a token. */
  readonly publicRate?: Rate
  /** Of all of them together. */
  readonly publicTotalRate?: Rate
}

/** The rate of workspaces. */
export const workspaceRate = (options: RateLimitOptions): Rate => ({
  burst: options.burst ?? rateBurstDefault,
  refillPerSecond: options.refillPerSecond ?? ratePerSecondDefault
})

/** The buckets of one rate, by name. */
const bucketsOf = (rate: Rate): ((name: string, now: number, count?: number) => RateDecision) => {
  const { capacityMillis, take } = tokenBucket(rate)
  const fullAt = new Map<string, number>()
  let sweptAt = 0

  const dropFull = (now: number) => {
    for (const [name, at] of fullAt) if (at <= now) fullAt.delete(name)
    sweptAt = now
  }

  return (name, now, count = 1) => {
    // After one capacity every bucket untouched since the last sweep is full. A clock that was set back sweeps too.
    if (Math.abs(now - sweptAt) >= capacityMillis) dropFull(now)
    // The upper bound only matters when the clock was set back: no one waits longer than an empty bucket takes.
    const taken = take(Math.min(fullAt.get(name) ?? now, now + capacityMillis), now, count)
    fullAt.set(name, taken.fullAt)
    return taken.decision
  }
}

/** Counts callers without a token. Every node does this for itself: the rates protect the node. */
export const publicBuckets = (options: RateLimitOptions): ((address: string, now: number) => RateDecision) => {
  const ofAddress = bucketsOf(options.publicRate ?? { burst: publicRateBurst, refillPerSecond: publicRatePerSecond })
  const ofAll = bucketsOf(
    options.publicTotalRate ?? { burst: publicTotalRateBurst, refillPerSecond: publicTotalRatePerSecond }
  )
  return (address, now) => {
    const own = ofAddress(address, now)
    if (!own.allowed) return own
    const shared = ofAll("all", now)
    return shared.allowed ? own : shared
  }
}

export const RateLimiterMemory = (options: RateLimitOptions = {}): Layer.Layer<RateLimiter> =>
  Layer.effect(
    RateLimiter,
    Effect.map(Effect.clock, (clock) => {
      const ofTenant = bucketsOf(workspaceRate(options))
      const ofPublic = publicBuckets(options)
      return RateLimiter.of({
        take: (tenant, count) => Effect.sync(() => ofTenant(tenant, clock.unsafeCurrentTimeMillis(), count)),
        takePublic: (address) => Effect.sync(() => ofPublic(address, clock.unsafeCurrentTimeMillis()))
      })
    })
  )

import { assert, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { describe } from "vitest"
import { RateLimiterMemory } from "../../../src/layers/node/RateLimiterMemory.js"
import { RateLimiter } from "../../../src/services/RateLimiter.js"
import { rateLimiterSuite } from "../../services/RateLimiter.suite.js"

rateLimiterSuite("Rates that each node counts for itself", RateLimiterMemory)

describe("RateLimiterMemory", () => {
  const take = (tenant: string, times = 1) =>
    Effect.flatMap(RateLimiter, (limiter) => Effect.replicateEffect(limiter.take(tenant), times))
  const allowed = (decisions: ReadonlyArray<{ readonly allowed: boolean }>) =>
    decisions.filter((decision) => decision.allowed).length

  it.effect("after the clock was set back nobody waits longer than an empty bucket takes", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(1_800_000_000_000)
      yield* take("a", 60)
      yield* TestClock.setTime(1_700_000_000_000)
      const [refused] = yield* take("a")
      assert.isAtMost(refused?.resetSeconds ?? Infinity, 6)
      yield* TestClock.adjust("6 seconds")
      assert.strictEqual(allowed(yield* take("a", 100)), 60)
    }).pipe(Effect.provide(RateLimiterMemory()))
  )
})

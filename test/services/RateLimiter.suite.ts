/** What a rate promises to one node, whoever counts it. */
import { assert, it } from "@effect/vitest"
import { Effect, TestClock, TestServices, type Layer } from "effect"
import { describe } from "vitest"
import type { RateLimitOptions } from "../../src/layers/node/RateLimiterMemory.js"
import { RateLimiter } from "../../src/services/RateLimiter.js"

const take = (tenant: string, times = 1) =>
  Effect.flatMap(RateLimiter, (limiter) => Effect.replicateEffect(limiter.take(tenant), times))
const allowed = (decisions: ReadonlyArray<{ readonly allowed: boolean }>) =>
  decisions.filter((decision) => decision.allowed).length

export const rateLimiterSuite = (
  title: string,
  limiter: (options?: RateLimitOptions) => Layer.Layer<RateLimiter>
): void => {
  describe(title, () => {
    it.effect("by default lets 60 requests through at once and then 10 a second", () =>
      Effect.gen(function* () {
        assert.strictEqual(allowed(yield* take("a", 100)), 60)
        yield* TestClock.adjust("1 second")
        assert.strictEqual(allowed(yield* take("a", 100)), 10)
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(allowed(yield* take("a", 100)), 60)
      }).pipe(Effect.provide(limiter()))
    )

    it.effect("tenants do not share a bucket", () =>
      Effect.gen(function* () {
        yield* take("a", 100)
        assert.strictEqual(allowed(yield* take("b", 60)), 60)
      }).pipe(Effect.provide(limiter()))
    )

    it.effect("says how many are left, when one is possible again and when all are", () =>
      Effect.gen(function* () {
        const [first] = yield* take("a")
        assert.deepStrictEqual(first, {
          allowed: true,
          limit: 4,
          remaining: 3,
          refillPerSecond: 0.5,
          retryAfterSeconds: 0,
          resetSeconds: 2
        })
        yield* take("a", 3)
        const [refused] = yield* take("a")
        assert.deepStrictEqual(refused, {
          allowed: false,
          limit: 4,
          remaining: 0,
          refillPerSecond: 0.5,
          retryAfterSeconds: 2,
          resetSeconds: 8
        })
        // A report that is under way over a real connection must end by the clock by which it began.
        yield* TestServices.provideLive(Effect.sleep("200 millis"))
        yield* TestClock.adjust("2 seconds")
        const [again] = yield* take("a")
        assert.deepStrictEqual(again, {
          allowed: true,
          limit: 4,
          remaining: 0,
          refillPerSecond: 0.5,
          retryAfterSeconds: 0,
          resetSeconds: 8
        })
      }).pipe(Effect.provide(limiter({ burst: 4, refillPerSecond: 0.5 })))
    )

    it.effect("takes several requests together or none of them, and says when all of them can go", () =>
      Effect.gen(function* () {
        const limiter = yield* RateLimiter
        yield* take("a", 20)
        const refused = yield* limiter.take("a", 50)
        assert.deepInclude(refused, { allowed: false, remaining: 40, retryAfterSeconds: 1, resetSeconds: 2 })
        assert.deepInclude(yield* limiter.take("a", 40), { allowed: true, remaining: 0 })
        assert.deepInclude(yield* limiter.take("a", 50), { allowed: false, remaining: 0, retryAfterSeconds: 5 })
        // More than a full bucket has never go.
        assert.isFalse((yield* limiter.take("b", 61)).allowed)
        assert.deepInclude(yield* limiter.take("b", 60), { allowed: true, remaining: 0 })
      }).pipe(Effect.provide(limiter()))
    )

    it.effect("gives the whole burst when intervals are no whole milliseconds", () =>
      Effect.zipRight(
        TestClock.setTime(1_800_000_000_000),
        Effect.map(take("a", 100), (decisions) => assert.strictEqual(allowed(decisions), 60)).pipe(
          Effect.provide(limiter({ burst: 60, refillPerSecond: 7 }))
        )
      )
    )

    it.effect("counts callers without a token by address, and all of them together", () =>
      Effect.gen(function* () {
        const { takePublic } = yield* RateLimiter
        assert.strictEqual(allowed(yield* Effect.replicateEffect(takePublic("192.0.2.1"), 5)), 2)
        assert.strictEqual(allowed(yield* Effect.replicateEffect(takePublic("192.0.2.2"), 5)), 1)
      }).pipe(
        Effect.provide(
          limiter({
            publicRate: { burst: 2, refillPerSecond: 1 },
            publicTotalRate: { burst: 3, refillPerSecond: 1 }
          })
        )
      )
    )
  })
}

// How much several nodes let through together, over buckets that are late, away or silent.
import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, FastCheck, Fiber, Layer, TestClock } from "effect"
import { StorageBusy } from "../../../src/domain/StorageErrors.js"
import { RateBucketsMemory } from "../../support/rateBucketsMemory.js"
import { RateLimiterShared, unreportedMax } from "../../../src/layers/node/RateLimiterShared.js"
import { RateBuckets } from "../../../src/services/RateBuckets.js"
import { RateLimiter } from "../../../src/services/RateLimiter.js"
import { rateLimiterSuite } from "../../services/RateLimiter.suite.js"

rateLimiterSuite("Rates that nodes share", (options) => Layer.provide(RateLimiterShared(options), RateBucketsMemory))

const rate = { burst: 60, refillPerSecond: 10 }

type Buckets = RateBuckets["Type"]

/** Nodes over the same buckets, each of which sees them as `between` makes them. */
const nodesOver = (count: number, between: (buckets: Buckets, node: number) => Buckets) =>
  Effect.gen(function* () {
    const buckets = yield* RateBuckets
    return yield* Effect.forEach(
      Array.from({ length: count }, (_, node) => node),
      (node) =>
        Effect.map(
          Layer.build(
            Layer.fresh(RateLimiterShared(rate)).pipe(Layer.provide(Layer.succeed(RateBuckets, between(buckets, node))))
          ),
          (context) => Effect.map(RateLimiter, (limiter) => limiter).pipe(Effect.provide(context))
        ).pipe(Effect.flatten)
    )
  })

const take = (limiter: RateLimiter["Type"], times: number) =>
  Effect.map(
    Effect.replicateEffect(limiter.take("acme"), times),
    (decisions) => decisions.filter(({ allowed }) => allowed).length
  )

const busy = new StorageBusy({ retryAfterSeconds: 1 })

describe("several nodes", () => {
  it.scoped("share one burst and one refill", () =>
    Effect.gen(function* () {
      const [one, two] = yield* nodesOver(2, (buckets) => buckets)
      const first = (yield* take(one!, 40)) + (yield* take(two!, 40))
      assert.isAtLeast(first, 60)
      assert.isAtMost(first, 60 + 2 * unreportedMax(rate))
      yield* TestClock.adjust("1 minute")
      let later = 0
      for (let second = 0; second < 10; second++) {
        yield* TestClock.adjust("1 second")
        later += (yield* take(one!, 40)) + (yield* take(two!, 40))
      }
      // The bucket was full at the minute, and ten seconds brought a hundred more less what came above the burst.
      assert.isAtLeast(later, 60 + 90)
      assert.isAtMost(later, 60 + 100 + 2 * unreportedMax(rate))
    }).pipe(Effect.provide(RateBucketsMemory))
  )

  it.scoped("give back what they have taken of requests that cannot all go", () =>
    Effect.gen(function* () {
      const [one, two] = yield* nodesOver(2, (buckets) => buckets)
      assert.strictEqual(yield* take(one!, 40), 40)
      yield* TestClock.adjust("10 millis")
      // The second node does not know yet what the first has allowed.
      const refused = yield* two!.take("acme", 50)
      assert.deepInclude(refused, { allowed: false, limit: 60 })
      assert.isAtLeast(refused.remaining, 20 - unreportedMax(rate))
      yield* TestClock.adjust("10 millis")
      // Its bucket is as if nobody had asked.
      const left = yield* take(two!, 40)
      assert.isAtLeast(left, 20)
      assert.isAtMost(left, 20 + 2 * unreportedMax(rate))
    }).pipe(Effect.provide(RateBucketsMemory))
  )

  it.scoped("give back what a batch has taken that was given up meanwhile", () =>
    Effect.gen(function* () {
      const reported = yield* Deferred.make<void>()
      const goOn = yield* Deferred.make<void>()
      const [one] = yield* nodesOver(1, (buckets) => ({
        ...buckets,
        spend: (spent, most) =>
          Effect.zipRight(
            Effect.zipRight(Deferred.succeed(reported, undefined), Deferred.await(goOn)),
            buckets.spend(spent, most)
          )
      }))
      const batch = yield* Effect.fork(one!.take("acme", 40))
      yield* Deferred.await(reported)
      yield* Fiber.interrupt(batch)
      yield* Deferred.succeed(goOn, undefined)
      yield* TestClock.adjust("10 millis")
      assert.deepInclude(yield* one!.take("acme"), { allowed: true, remaining: 59 })
    }).pipe(Effect.provide(RateBucketsMemory))
  )

  const Step = FastCheck.record({
    node: FastCheck.nat({ max: 4 }),
    requests: FastCheck.integer({ min: 1, max: 40 }),
    pauseMillis: FastCheck.oneof(FastCheck.nat({ max: 30 }), FastCheck.nat({ max: 3_000 })),
    lateMillis: FastCheck.nat({ max: 100 })
  })
  it.effect.prop(
    "let through, in any time, at most the limit and the stated number for each node, and in the long run the limit",
    { steps: FastCheck.array(Step, { minLength: 5, maxLength: 15 }), nodes: FastCheck.integer({ min: 1, max: 5 }) },
    ({ nodes: count, steps }) =>
      Effect.scoped(
        Effect.gen(function* () {
          let lateMillis = 0
          // An answer takes its time before and after the buckets have it.
          const nodes = yield* nodesOver(count, (buckets) => ({
            ...buckets,
            spend: (spent, most) =>
              Effect.sleep(lateMillis).pipe(
                Effect.zipRight(buckets.spend(spent, most)),
                Effect.zipLeft(Effect.suspend(() => Effect.sleep(lateMillis)))
              )
          }))
          const times: Array<number> = []
          for (const step of steps) {
            lateMillis = step.lateMillis
            const limiter = nodes[step.node % count]!
            const one = Effect.flatMap(limiter.take("acme"), ({ allowed }) =>
              allowed ? Effect.map(Clock.currentTimeMillis, (now) => void times.push(now)) : Effect.void
            )
            for (let n = 0; n < step.requests; n++) yield* Effect.forkScoped(one)
            yield* TestClock.adjust(step.pauseMillis)
          }
          const over = count * unreportedMax(rate)
          for (let from = 0; from < times.length; from++)
            for (let to = from; to < times.length; to++) {
              const most = rate.burst + (rate.refillPerSecond * (times[to]! - times[from]!)) / 1000 + over
              assert.isAtMost(to - from + 1, most + 1e-6)
            }
          // Nobody has less than one node would give, once the reports are in.
          yield* TestClock.adjust("1 minute")
          lateMillis = 0
          assert.isAtLeast(yield* take(nodes[0]!, 100), rate.burst)
        }).pipe(Effect.provide(RateBucketsMemory))
      ),
    { fastCheck: { numRuns: 5 } }
  )

  it.scoped("count each for itself while the buckets are away, and share again afterwards what they let through", () =>
    Effect.gen(function* () {
      let away = true
      const [one, two] = yield* nodesOver(2, (buckets) => ({
        ...buckets,
        spend: (spent, most) => (away ? Effect.fail(busy) : buckets.spend(spent, most))
      }))
      assert.strictEqual(yield* take(one!, 100), 60)
      away = false
      yield* TestClock.adjust("1 second")
      // It has not asked yet, so it may let the stated number through; by then it knows.
      assert.isAtMost(yield* take(two!, 100), 10 + unreportedMax(rate))
    }).pipe(Effect.provide(RateBucketsMemory))
  )

  it.scoped("go on when a report dies: nobody waits for it, and what it held is reported again", () =>
    Effect.gen(function* () {
      let broken = true
      const [one, two] = yield* nodesOver(2, (buckets) => ({
        ...buckets,
        spend: (spent, most) => (broken ? Effect.die(new Error("a mistake")) : buckets.spend(spent, most))
      }))
      const all = yield* Effect.fork(take(one!, 100))
      yield* TestClock.adjust("10 seconds")
      const done = yield* all.poll
      assert.isTrue(done._tag === "Some")
      assert.isAtLeast(yield* Effect.flatten(all.await), 60)
      broken = false
      yield* TestClock.adjust("1 second")
      assert.isAtMost(yield* take(two!, 100), 10 + unreportedMax(rate))
    }).pipe(Effect.provide(RateBucketsMemory))
  )

  it.scoped("do not wait for buckets that are silent", () =>
    Effect.gen(function* () {
      const silent = yield* Deferred.make<never>()
      const [one] = yield* nodesOver(1, (buckets) => ({ ...buckets, spend: () => Deferred.await(silent) }))
      const all = yield* Effect.fork(take(one!, 100))
      yield* TestClock.adjust("249 millis")
      assert.isTrue((yield* all.poll)._tag === "None")
      yield* TestClock.adjust("1 millis")
      assert.isAtLeast(yield* all.await.pipe(Effect.flatten), 60)
    }).pipe(Effect.provide(RateBucketsMemory))
  )
})

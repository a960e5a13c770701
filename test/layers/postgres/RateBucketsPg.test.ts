// Rates that two nodes share through Postgres: with its statements, its clock and its time to answer.
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { RateLimiterShared, unreportedMax } from "../../../src/layers/node/RateLimiterShared.js"
import { Database } from "../../../src/layers/postgres/Database.js"
import { DatabaseNow } from "../../../src/layers/postgres/database/Now.js"
import { RateBucketsPg } from "../../../src/layers/postgres/RateBucketsPg.js"
import { RateBuckets } from "../../../src/services/RateBuckets.js"
import { RateLimiter } from "../../../src/services/RateLimiter.js"
import { rateLimiterSuite } from "../../services/RateLimiter.suite.js"
import { testDatabase } from "../../support/postgres.js"

const byClock = Layer.succeed(
  DatabaseNow,
  Effect.map(Clock.currentTimeMillis, (millis) => `${millis}::bigint`)
)
rateLimiterSuite("Rates that nodes share in Postgres", (options) =>
  RateLimiterShared(options).pipe(Layer.provide(RateBucketsPg), Layer.provide(byClock), Layer.provide(testDatabase()))
)

describe("two nodes over one Postgres", () => {
  it.scopedLive("let one workspace through at its rate, whatever both are sent", () =>
    Effect.gen(function* () {
      const rate = { burst: 40, refillPerSecond: 100 }
      const context = yield* Layer.build(testDatabase())
      const node = Effect.flatMap(
        Layer.build(Layer.fresh(RateLimiterShared(rate)).pipe(Layer.provide(RateBucketsPg))),
        (built) => Effect.provide(RateLimiter, built)
      ).pipe(Effect.provide(context))
      const nodes = [yield* node, yield* node]
      const times: Array<number> = []
      const client = (limiter: RateLimiter["Type"]) =>
        Effect.flatMap(limiter.take("acme"), ({ allowed }) =>
          Effect.zipRight(
            Effect.sync(() => (allowed ? void times.push(performance.now()) : undefined)),
            Effect.sleep("2 millis")
          )
        )
      yield* Effect.forEach(
        nodes.flatMap((limiter) => Array.from({ length: 8 }, () => limiter)),
        (limiter) => Effect.forever(client(limiter)),
        { concurrency: "unbounded" }
      ).pipe(Effect.timeoutOption("1500 millis"))
      const seconds = (times.at(-1)! - times[0]!) / 1000
      const expected = rate.burst + rate.refillPerSecond * seconds
      assert.isAtMost(times.length, expected + nodes.length * unreportedMax(rate))
      // Each would let through nearly as much alone; together they stay near the rate of one.
      assert.isAtLeast(times.length, expected * 0.8)
    })
  )

  it.scopedLive("drop the rows of full buckets, and no others", () =>
    Effect.gen(function* () {
      const { query, sql } = yield* Database
      const { forgetFull, spend } = yield* RateBuckets
      yield* spend(
        [
          { tenant: "soon", millis: 1 },
          { tenant: "later", millis: 60_000 }
        ],
        100_000
      )
      yield* Effect.sleep("20 millis")
      yield* forgetFull
      assert.deepStrictEqual(yield* query(sql`select tenant from request_rates`), [{ tenant: "later" }])
    }).pipe(Effect.provide(Layer.provideMerge(RateBucketsPg, testDatabase())))
  )
})

import { assert, it } from "@effect/vitest"
import { Effect, FastCheck, Layer, TestClock } from "effect"
import { describe } from "vitest"
import { bucketOf, medianMs } from "../../../src/domain/EndpointLatency.js"
import type { Break } from "../../../src/domain/ProviderFigures.js"
import { EndpointStatsMemory } from "../../../src/layers/memory/EndpointStatsMemory.js"
import { EndpointStatsPg } from "../../../src/layers/postgres/EndpointStatsPg.js"
import { Database } from "../../../src/layers/postgres/Database.js"
import { EndpointStats } from "../../../src/services/EndpointStats.js"
import { testDatabase } from "../../support/postgres.js"

const noon = Date.UTC(2026, 5, 15, 12)
const record = (endpointId: string, success: boolean, latencyMs: number) =>
  Effect.flatMap(EndpointStats, (stats) => stats.record({ endpointId, success, latencyMs }))
const snapshot = Effect.flatMap(EndpointStats, (stats) => stats.snapshot)

const suite = (name: string, layer: Layer.Layer<EndpointStats>) =>
  describe(name, () => {
    it.effect("counts calls, successes and the median latency of each endpoint, visible at once", () =>
      // Before the layer is built: once its loops run, the clock would take them through every second until noon.
      Effect.zipRight(
        TestClock.setTime(noon),
        Effect.provide(
          Effect.gen(function* () {
            assert.strictEqual((yield* snapshot).size, 0)
            for (const latency of [100, 100, 1000]) yield* record("a", true, latency)
            yield* record("a", false, 20_000)
            yield* record("b", false, 5)
            const works = yield* snapshot
            const a = works.get("a")
            assert.deepStrictEqual({ ...a, p50Ms: null }, { calls: 4, successes: 3, p50Ms: null })
            assert.closeTo(a?.p50Ms ?? 0, 100, 13)
            assert.deepInclude(works.get("b"), { calls: 1, successes: 0 })
            assert.isFalse(works.has("c"))
          }),
          layer
        )
      )
    )
  })

const answered = (version: string, found: Break | null) =>
  Effect.flatMap(EndpointStats, (stats) => stats.recordCompared(version, found))
const compared = Effect.flatMap(EndpointStats, (stats) => stats.comparedAnswers)
const missing = { place: "body.id", message: "is missing" }
const listed = { place: "body.tags", message: "is a list, and is documented as text" }

const answersSuite = (name: string, layer: Layer.Layer<EndpointStats>) =>
  it.effect(
    `${name} counts answers against their schema by contract version, and keeps the first break of the last day`,
    () =>
      Effect.zipRight(
        TestClock.setTime(noon),
        Effect.provide(
          Effect.gen(function* () {
            assert.strictEqual((yield* compared).size, 0)
            for (const found of [null, missing, listed]) yield* answered("v1", found)
            yield* answered("v2", null)
            assert.deepStrictEqual([...(yield* compared)].sort(), [
              ["v1", { compared: 3, broken: 2, firstBreak: missing }],
              ["v2", { compared: 1, broken: 0, firstBreak: null }]
            ])
            yield* answered("v2", listed)
            assert.deepStrictEqual((yield* compared).get("v2"), { compared: 2, broken: 1, firstBreak: listed })
          }),
          layer
        )
      )
  )
answersSuite("EndpointStatsMemory", EndpointStatsMemory)
answersSuite("EndpointStatsPg", Layer.provide(EndpointStatsPg, testDatabase()))

suite("EndpointStatsMemory", EndpointStatsMemory)
suite("EndpointStatsPg", Layer.provide(EndpointStatsPg, testDatabase()))

it.effect("EndpointStatsMemory forgets what is older than 30 days", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(noon)
    yield* record("a", true, 10)
    yield* answered("v1", missing)
    yield* TestClock.adjust("29 days")
    assert.isTrue((yield* snapshot).has("a"))
    yield* answered("v1", listed)
    assert.deepStrictEqual((yield* compared).get("v1"), { compared: 2, broken: 2, firstBreak: listed })
    yield* TestClock.adjust("1 day")
    assert.isFalse((yield* snapshot).has("a"))
    assert.deepStrictEqual((yield* compared).get("v1"), { compared: 1, broken: 1, firstBreak: listed })
  }).pipe(Effect.provide(EndpointStatsMemory))
)

describe("EndpointStatsPg", () => {
  /** One life of a node: everything is flushed when it stops. */
  const node = <A, E>(work: Effect.Effect<A, E, EndpointStats>) => Effect.provide(work, EndpointStatsPg)

  it.effect("what several nodes counted adds up, outlives them, and is forgotten after 30 days", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* Effect.all(
        [node(record("a", true, 100)), node(Effect.zipRight(record("a", false, 100), record("b", true, 1)))],
        { concurrency: 2 }
      )
      yield* node(record("a", true, 100))
      yield* Effect.all([node(answered("v1", missing)), node(answered("v1", null))], { concurrency: 2 })
      assert.deepStrictEqual((yield* node(compared)).get("v1"), { compared: 2, broken: 1, firstBreak: missing })
      assert.deepInclude((yield* node(snapshot)).get("a"), { calls: 3, successes: 2 })
      yield* TestClock.adjust("29 days")
      assert.deepInclude((yield* node(snapshot)).get("b"), { calls: 1, successes: 1 })
      yield* TestClock.adjust("1 day")
      assert.strictEqual((yield* node(snapshot)).size, 0)
      const { query, sql } = yield* Database
      assert.deepStrictEqual(yield* query(sql`select 1 from endpoint_stats`), [])
      assert.deepStrictEqual(yield* query(sql`select 1 from compared_answers`), [])
    }).pipe(Effect.provide(testDatabase()))
  )
})

it.prop(
  "a median read from buckets is off by an eighth at most",
  [FastCheck.integer({ min: 2, max: 600_000 })],
  ([latency]) => {
    const median = medianMs(new Map([[bucketOf(latency), 1]])) ?? 0
    // Half a millisecond of rounding, which matters below ten.
    return Math.abs(median - latency) <= latency * 0.125 + 0.5
  }
)

/** What waits for a collector has a bound, is tried again, and is counted when it is lost. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Metric, Option, Scope, TestClock } from "effect"
import { exportLimits, makeExporter, NotTaken, type Post } from "../../../../src/layers/node/otlp/Export.js"
import { withLogLines } from "../../../support/logLines.js"

const droppedSoFar = Effect.map(Metric.snapshot, (pairs) =>
  pairs
    .filter(
      ({ metricKey }) =>
        metricKey.name === "gateway_telemetry_dropped_total" && metricKey.tags.some(({ value }) => value === "traces")
    )
    .reduce((sum, { metricState }) => sum + ("count" in metricState ? Number(metricState.count) : 0), 0)
)
const counting = (records: ReadonlyArray<number>) => JSON.stringify(records)

it.scoped("records are sent in batches, at once when a batch is full and after a while when it is not", () =>
  Effect.gen(function* () {
    const sent: Array<ReadonlyArray<number>> = []
    const { push } = yield* makeExporter<number>(
      "traces",
      (_, body) => Effect.sync(() => void sent.push(JSON.parse(body))),
      counting
    )
    push(1)
    yield* TestClock.adjust(exportLimits.everyMillis - 1)
    assert.deepStrictEqual(sent, [])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(sent, [[1]])
    for (let n = 0; n < exportLimits.batchMax; n += 1) push(n)
    yield* TestClock.adjust(0)
    assert.strictEqual(sent[1]?.length, exportLimits.batchMax)
  })
)

it.effect("a collector that never answers holds a bounded number of records, and the rest is counted", () =>
  withLogLines(() =>
    Effect.gen(function* () {
      const before = yield* droppedSoFar
      const asked = yield* Deferred.make<void>()
      const scope = yield* Scope.make()
      const { push } = yield* Scope.extend(
        makeExporter<number>(
          "traces",
          () => Effect.zipRight(Deferred.succeed(asked, undefined), Effect.never),
          counting
        ),
        scope
      )
      const pushed = 100_000
      for (let n = 0; n < exportLimits.batchMax; n += 1) push(n)
      yield* TestClock.adjust(0)
      yield* Deferred.await(asked)
      for (let n = exportLimits.batchMax; n < pushed; n += 1) push(n)
      const dropped = (yield* droppedSoFar) - before
      assert.strictEqual(pushed - dropped, exportLimits.queueMax + exportLimits.batchMax)
      const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* TestClock.adjust(exportLimits.flushMillis)
      yield* closing.await
    })
  )
)

it.scoped("what the collector may take later is tried again; what it refuses is dropped at once; both are told", () =>
  withLogLines((lines) =>
    Effect.gen(function* () {
      const before = yield* droppedSoFar
      let tries = 0
      let passing = true
      const post: Post = () =>
        Effect.suspend(() => {
          tries += 1
          return new NotTaken({ why: "it answered 503", passing })
        })
      const { push } = yield* makeExporter<number>("traces", post, counting)
      push(1)
      yield* TestClock.adjust("25 seconds")
      assert.deepStrictEqual([tries, (yield* droppedSoFar) - before], [exportLimits.tries, 1])
      passing = false
      push(2)
      yield* TestClock.adjust("25 seconds")
      assert.deepStrictEqual([tries, (yield* droppedSoFar) - before], [exportLimits.tries + 1, 2])
      assert.match(lines[0]?.message ?? "", /^The collector of telemetry does not take/)
      assert.deepStrictEqual(lines[0]?.annotations, { signal: "traces", why: "it answered 503" })
    })
  )
)

it.effect("what waits when the gateway stops is sent first, the batch under way too", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const sent: Array<ReadonlyArray<number>> = []
    let first = true
    const { push } = yield* Scope.extend(
      makeExporter<number>(
        "traces",
        (_, body) =>
          Effect.suspend(() => {
            if (!first) return Effect.sync(() => void sent.push(JSON.parse(body)))
            first = false
            return Effect.never
          }),
        counting
      ),
      scope
    )
    push(1)
    yield* TestClock.adjust(exportLimits.everyMillis)
    push(2)
    yield* Scope.close(scope, Exit.void)
    assert.deepStrictEqual(sent, [[1], [2]])
  })
)

it.effect("a collector that never answers delays the stop by its bound alone, and what is left is counted", () =>
  withLogLines(() =>
    Effect.gen(function* () {
      const before = yield* droppedSoFar
      const scope = yield* Scope.make()
      const { push } = yield* Scope.extend(
        makeExporter<number>("traces", () => Effect.never, counting),
        scope
      )
      push(1)
      const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* TestClock.adjust(exportLimits.flushMillis - 1)
      assert.isTrue(Option.isNone(yield* closing.poll))
      yield* TestClock.adjust(1)
      yield* closing.await
      assert.strictEqual((yield* droppedSoFar) - before, 1)
    })
  )
)

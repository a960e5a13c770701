/** Which spans are recorded: by the sampler of the settings, and by what a caller says of its own trace. */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { type EndedSpan, makeTracer } from "../../../../src/layers/node/otlp/Traces.js"
import type { SamplerName, TelemetrySettings } from "../../../../src/layers/node/TelemetryConfig.js"
import type { TraceContext } from "../../../../src/domain/Trace.js"

const settings = (sampler: SamplerName, ratio = 1): TelemetrySettings => ({
  endpoint: "http://127.0.0.1:4318",
  headers: Redacted.make([]),
  timeoutMillis: 1,
  serviceName: "test",
  attributes: new Map(),
  traces: true,
  metrics: false,
  logs: false,
  sampler,
  ratio,
  metricsEveryMillis: 1
})

const begun = (sampler: SamplerName, parent: TraceContext | null, ratio?: number) =>
  Effect.map(Effect.clock, (clock) => {
    const spans: Array<EndedSpan> = []
    const tracer = makeTracer(settings(sampler, ratio), clock, (span) => spans.push(span))
    const span = tracer.begin({ name: "one", kind: "internal", parent })
    span.end({ attributes: {}, error: null })
    span.end({ attributes: {}, error: null })
    return { context: span.context, recorded: spans.length }
  })

const parent = (sampled: boolean): TraceContext => ({
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: "00f067aa0ba902b7",
  sampled,
  state: null
})

it.effect("each sampler records what its name says, once for a span that ends twice", () =>
  Effect.gen(function* () {
    const rows: ReadonlyArray<readonly [SamplerName, root: number, ofSampled: number, ofUnsampled: number]> = [
      ["always_on", 1, 1, 1],
      ["always_off", 0, 0, 0],
      ["traceidratio", 1, 1, 1],
      ["parentbased_always_on", 1, 1, 0],
      ["parentbased_always_off", 0, 1, 0],
      ["parentbased_traceidratio", 1, 1, 0]
    ]
    for (const [sampler, root, ofSampled, ofUnsampled] of rows)
      assert.deepStrictEqual(
        [
          (yield* begun(sampler, null)).recorded,
          (yield* begun(sampler, parent(true))).recorded,
          (yield* begun(sampler, parent(false))).recorded
        ],
        [root, ofSampled, ofUnsampled],
        sampler
      )
  })
)

it.effect("a span that is not recorded has a place in the trace, and tells what it calls that it is not", () =>
  Effect.gen(function* () {
    const { context } = yield* begun("parentbased_always_on", parent(false))
    assert.deepInclude(context, { traceId: parent(false).traceId, sampled: false })
    assert.match(context.spanId, /^[0-9a-f]{16}$/)
    assert.notStrictEqual(context.spanId, parent(false).spanId)
  })
)

it.effect("a ratio records that share of new traces, and the same ones on every node", () =>
  Effect.gen(function* () {
    let recorded = 0
    for (let n = 0; n < 2_000; n += 1) {
      const { context } = yield* begun("traceidratio", null, 0.25)
      if (context.sampled) recorded += 1
      const elsewhere = yield* begun("traceidratio", { ...context, sampled: false }, 0.25)
      assert.strictEqual(elsewhere.context.sampled, context.sampled)
    }
    // Seven standard deviations around 500.
    assert.isAbove(recorded, 365)
    assert.isBelow(recorded, 635)
    assert.strictEqual((yield* begun("traceidratio", null, 0)).recorded, 0)
  })
)

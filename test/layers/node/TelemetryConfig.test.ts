/** The settings of OpenTelemetry: off without an endpoint, its own names and defaults, and what is refused. */
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import { secret } from "../../../src/layers/node/ConfigValues.js"
import { readTelemetry } from "../../../src/layers/node/TelemetryConfig.js"

const read = (entries: { readonly [name: string]: string }) =>
  Effect.withConfigProvider(
    readTelemetry(secret("OTEL_EXPORTER_OTLP_HEADERS")),
    ConfigProvider.fromMap(new Map(Object.entries(entries)))
  )
const on = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318/" }

describe("telemetry", () => {
  it.effect("is off without an endpoint, whatever else stands in the environment, and when it is disabled", () =>
    Effect.gen(function* () {
      assert.isTrue(Option.isNone(yield* read({})))
      assert.isTrue(Option.isNone(yield* read({ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc", OTEL_TRACES_SAMPLER: "odd" })))
      assert.isTrue(Option.isNone(yield* read({ ...on, OTEL_SDK_DISABLED: "true" })))
    })
  )

  it.effect("has the defaults of the specification, and the gateway's name", () =>
    Effect.gen(function* () {
      const { headers, ...found } = Option.getOrThrow(yield* read(on))
      assert.deepStrictEqual(Redacted.value(headers), [])
      assert.deepStrictEqual(found, {
        endpoint: "http://127.0.0.1:4318",
        timeoutMillis: 10_000,
        serviceName: "provider-gateway",
        attributes: new Map(),
        traces: true,
        metrics: true,
        logs: true,
        sampler: "parentbased_always_on",
        ratio: 1,
        metricsEveryMillis: 60_000
      })
    })
  )

  it.effect("takes pairs with percent-encoded values, and the name from either place", () =>
    Effect.gen(function* () {
      const given = Option.getOrThrow(
        yield* read({
          ...on,
          OTEL_EXPORTER_OTLP_ENDPOINT: "https://collector.example/otlp",
          OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Basic%20YTpi, x-scope=one",
          OTEL_RESOURCE_ATTRIBUTES: "service.name=from attributes,zone=a%2Cb",
          OTEL_TRACES_EXPORTER: "none"
        })
      )
      assert.strictEqual(given.endpoint, "https://collector.example/otlp")
      assert.deepStrictEqual(Redacted.value(given.headers), [
        ["authorization", "Basic YTpi"],
        ["x-scope", "one"]
      ])
      assert.deepStrictEqual([...given.attributes], [["zone", "a,b"]])
      assert.strictEqual(given.serviceName, "from attributes")
      assert.deepStrictEqual([given.traces, given.metrics, given.logs], [false, true, true])
      const named = Option.getOrThrow(
        yield* read({ ...on, OTEL_SERVICE_NAME: "named", OTEL_RESOURCE_ATTRIBUTES: "service.name=other" })
      )
      assert.strictEqual(named.serviceName, "named")
    })
  )

  it.effect("refuses what the gateway cannot follow, names the setting, and shows no secret", () =>
    Effect.gen(function* () {
      for (const [name, value] of [
        ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"],
        ["OTEL_EXPORTER_OTLP_ENDPOINT", "http://user:hidden@collector:4318"],
        ["OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"],
        ["OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"],
        ["OTEL_EXPORTER_OTLP_HEADERS", "hidden"],
        ["OTEL_EXPORTER_OTLP_HEADERS", "bad name=hidden"],
        ["OTEL_EXPORTER_OTLP_HEADERS", "x=hidden%0d%0aevil: 1"],
        ["OTEL_EXPORTER_OTLP_TIMEOUT", "0"],
        ["OTEL_RESOURCE_ATTRIBUTES", "novalue"],
        ["OTEL_RESOURCE_ATTRIBUTES", "a=%zz"],
        ["OTEL_TRACES_EXPORTER", "jaeger"],
        ["OTEL_TRACES_SAMPLER", "sometimes"],
        ["OTEL_TRACES_SAMPLER_ARG", "1.5"],
        ["OTEL_METRIC_EXPORT_INTERVAL", "10"]
      ] as const) {
        const refused = String(yield* Effect.flip(read({ ...on, [name]: value })))
        assert.include(refused, name, value)
        assert.notInclude(refused, "hidden", name)
      }
    })
  )
})

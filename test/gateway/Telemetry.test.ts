/**
 * What a collector of OpenTelemetry hears of a gateway, over real sockets: one trace from the client through the run to
 * the provider, with the run on every span; metrics and log lines; nothing of what the run was about. And that a
 * collector which does not answer is nobody's problem.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { createServer } from "node:http"
import type { TelemetrySettings } from "../../src/layers/node/TelemetryConfig.js"
import { listenLocally } from "../../src/layers/providers/fixture/LocalServer.js"
import { json, serve } from "../layers/providers/support.js"
import { attribute, type Collector, type Span, startCollector } from "../support/collector.js"
import { catalogFolder } from "../support/folders.js"
import { startGateway } from "../support/gateway.js"

const settings = (endpoint: string): TelemetrySettings => ({
  endpoint,
  headers: Redacted.make([["x-collector-key", "collector-secret"]]),
  timeoutMillis: 5_000,
  serviceName: "gateway-under-test",
  attributes: new Map([["deployment.environment.name", "test"]]),
  traces: true,
  metrics: true,
  logs: true,
  sampler: "parentbased_always_on",
  ratio: 1,
  metricsEveryMillis: 60_000
})

const manifest = (id: string, port: number, traced: string) => `
id: ${id}
name: ${id}
baseUrl: http://127.0.0.1:${port}
${traced}
operations:
  - id: ${id}-find
    name: Find
    summary: Finds something.
    method: GET
    path: /find/{who}
    input: { type: object, required: [who], properties: { who: { type: string } } }
    price: { basis: per_call, micros: 10 }
`

const catalogOf = (manifests: Readonly<Record<string, string>>) => catalogFolder({ providers: manifests })

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const clientSpan = "00f067aa0ba902b7"
const traceparent = `00-${traceId}-${clientSpan}-01`

const named = (spans: ReadonlyArray<Span>, name: string): Span => {
  const found = spans.filter((span) => span.name === name)
  if (found.length !== 1) throw new Error(`${found.length} spans ${name} among ${spans.map((span) => span.name)}`)
  return found[0]!
}

it.scopedLive("a collector hears one trace of a run, with the run on every span and nothing of its content", () =>
  Effect.gen(function* () {
    const collector: Collector = yield* startCollector
    const provider = yield* serve((_, response) => json(response, 200, { secretAnswer: "answer-of-provider" }))
    const folder = yield* catalogOf({
      told: manifest("told", provider.port, "traceContext: true"),
      untold: manifest("untold", provider.port, "")
    })
    const { left, runs, token } = yield* Effect.scoped(
      Effect.gen(function* () {
        const { call, funded } = yield* startGateway({
          telemetry: Option.some(settings(collector.endpoint)),
          catalogFolders: [folder],
          egressAllow: [`127.0.0.1:${provider.port}`]
        })
        const { token } = yield* funded(1_000_000)
        const run = (endpointId: string, headers: Record<string, string>) =>
          Effect.map(
            call("POST", "/v1/runs?wait=10", {
              token,
              headers: { "idempotency-key": `${endpointId}-${Object.values(headers).join()}`, ...headers },
              body: { endpointId, input: { who: "input-of-client" } }
            }),
            ({ json }) => json
          )
        const told = yield* run("told-find", { traceparent, tracestate: "vendor=a,other=b" })
        const untold = yield* run("untold-find", { traceparent })
        const unsampled = yield* run("told-find", { traceparent: `00-${"a".repeat(32)}-${clientSpan}-00` })
        const broken = yield* run("told-find", { traceparent: "00-broken", tracestate: "=" })
        yield* call("GET", `/v1/runs/${told.runId}`, { token })
        yield* call("GET", `/no/such/path-with-secret?token=query-secret`, { token })
        const probed = yield* call("GET", "/livez")
        assert.strictEqual(probed.status, 200)
        return { token, runs: { told, untold, unsampled, broken }, left: [...provider.requests] }
      })
    )

    assert.deepStrictEqual(collector.problems, [])
    for (const { status } of Object.values(runs)) assert.strictEqual(status, "completed")
    const ofRun = (runId: string) =>
      collector.spans.filter(({ attributes }) => attribute(attributes, "gateway.run.id") === runId)

    const spans = ofRun(runs.told.runId).filter((span) => span.traceId === traceId)
    const server = named(spans, "POST /v1/runs")
    const work = named(spans, "run told-find")
    const attempt = named(spans, "attempt told-find")
    const client = named(spans, "GET /find/{who}")
    assert.deepStrictEqual(
      [server, work, attempt, client].map(({ kind, parentSpanId, traceState }) => [kind, parentSpanId, traceState]),
      [
        [2, clientSpan, "vendor=a,other=b"],
        [1, server.spanId, "vendor=a,other=b"],
        [1, work.spanId, "vendor=a,other=b"],
        [3, attempt.spanId, "vendor=a,other=b"]
      ]
    )
    const said = ({ attributes }: Span, ...names: ReadonlyArray<string>) =>
      names.map((name) => attribute(attributes, name))
    assert.deepStrictEqual(
      said(server, "http.request.method", "http.route", "url.path", "url.scheme", "server.address", "server.port"),
      ["POST", "/v1/runs", "/v1/runs", "http", "gateway.test", "80"]
    )
    assert.deepStrictEqual(said(server, "http.response.status_code", "error.type"), ["201", undefined])
    assert.deepStrictEqual(said(work, "gateway.run.status", "gateway.run.outcome", "gateway.run.attempts"), [
      "completed",
      "hit",
      "1"
    ])
    assert.deepStrictEqual(
      said(client, "http.request.method", "server.address", "server.port", "url.template", "http.response.status_code"),
      ["GET", "127.0.0.1", String(provider.port), "/find/{who}", "200"]
    )
    for (const span of [server, work, attempt, client]) {
      assert.deepStrictEqual(span.status, {})
      assert.isAtMost(Number(BigInt(span.startTimeUnixNano) - BigInt(span.endTimeUnixNano)), 0)
    }
    named(ofRun(runs.told.runId), "GET /v1/runs/:runId")

    const [toldOf, untoldOf] = left
    assert.deepStrictEqual(
      [toldOf?.headers["traceparent"], toldOf?.headers["tracestate"]],
      [`00-${traceId}-${client.spanId}-01`, "vendor=a,other=b"]
    )
    assert.deepStrictEqual([untoldOf?.headers["traceparent"], untoldOf?.headers["tracestate"]], [undefined, undefined])
    assert.strictEqual(left[2]?.headers["traceparent"]?.slice(-3), "-00")
    assert.deepStrictEqual(ofRun(runs.unsampled.runId), [])
    assert.notInclude([traceId, "a".repeat(32)], named(ofRun(runs.broken.runId), "POST /v1/runs").traceId)
    assert.deepStrictEqual(
      collector.spans.filter(({ name }) => name.includes("livez")),
      []
    )

    for (const resource of collector.resources)
      assert.deepStrictEqual(
        ["service.name", "deployment.environment.name"].map((name) => attribute(resource, name)),
        ["gateway-under-test", "test"]
      )
    for (const headers of collector.headers) assert.strictEqual(headers["x-collector-key"], "collector-secret")
    const requests = collector.metrics.find(({ name }) => name === "http_requests_total")
    assert.isTrue(requests?.sum?.isMonotonic)
    assert.isTrue(
      requests?.sum?.dataPoints.some(
        ({ attributes }) => attribute(attributes, "route") === "/v1/runs" && attribute(attributes, "status") === "201"
      )
    )
    assert.isDefined(collector.metrics.find(({ name }) => name === "http_request_duration_seconds")?.histogram)
    assert.isDefined(collector.metrics.find(({ name }) => name === "gateway_runs_active")?.gauge)
    const told = collector.logs.find(({ body }) => body.stringValue === "Catalog revision in force")
    assert.strictEqual(told?.severityText, "INFO")
    assert.isDefined(attribute(told?.attributes ?? [], "revision"))

    const everything = collector.bodies.join("\n")
    for (const secret of [token, "input-of-client", "answer-of-provider", "path-with-secret", "query-secret"])
      assert.notInclude(everything, secret)
  })
)

const heldMillis = 20_000

it.scopedLive("a collector that takes requests and never answers slows no run and no stop", () =>
  Effect.gen(function* () {
    const silent = createServer(() => undefined)
    const port = yield* Effect.orDie(listenLocally(silent, 0))
    const slowest = yield* Effect.scoped(
      Effect.gen(function* () {
        const { call, funded } = yield* startGateway({
          telemetry: Option.some({
            ...settings(`http://127.0.0.1:${port}`),
            timeoutMillis: heldMillis,
            metricsEveryMillis: 100
          })
        })
        const { token } = yield* funded(1_000_000)
        const times = yield* Effect.forEach([1, 2, 3, 4, 5], (n) =>
          Effect.gen(function* () {
            const from = performance.now()
            const { json } = yield* call("POST", "/v1/runs?wait=10", {
              token,
              headers: { "idempotency-key": `silent-${n}` },
              body: { endpointId: "mock-email-find", input: { name: "Ada Example", domain: "example.com" } }
            })
            assert.strictEqual(json.status, "completed")
            return performance.now() - from
          })
        )
        return Math.max(...times)
      })
    )
    // The collector holds each request until its time limit, so a run that waited for it would take as long.
    assert.isBelow(slowest, heldMillis)
  })
)

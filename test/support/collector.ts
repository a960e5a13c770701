/**
 * A collector of OpenTelemetry on a real socket: takes OTLP over HTTP in JSON, and refuses what is no sound message of
 * that protocol. Ids are hexadecimal, times and 64-bit numbers are texts, and enumerations are numbers, as the JSON
 * encoding of OTLP has them.
 */
import { Effect, Either, type Scope, Schema } from "effect"
import * as http from "node:http"
import { listenLocally } from "../../src/layers/providers/fixture/LocalServer.js"

const exact = { exact: true } as const
const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, exact)
const hex = (digits: number) => Schema.String.pipe(Schema.pattern(new RegExp(`^(?!0+$)[0-9a-f]{${digits}}$`)))
const Whole = Schema.String.pipe(Schema.pattern(/^-?\d+$/))
const Nanos = Schema.String.pipe(Schema.pattern(/^\d{18,20}$/))

const AnyValue = Schema.Union(
  Schema.Struct({ stringValue: Schema.String }),
  Schema.Struct({ intValue: Whole }),
  Schema.Struct({ doubleValue: Schema.Number }),
  Schema.Struct({ boolValue: Schema.Boolean })
)
const Attributes = Schema.Array(Schema.Struct({ key: Schema.NonEmptyString, value: AnyValue }))
const resource = Schema.Struct({ attributes: Attributes })
const scope = Schema.Struct({ name: Schema.String, version: Schema.String })

const Span = Schema.Struct({
  traceId: hex(32),
  spanId: hex(16),
  parentSpanId: optional(hex(16)),
  traceState: optional(Schema.String),
  name: Schema.NonEmptyString,
  kind: Schema.Literal(1, 2, 3),
  startTimeUnixNano: Nanos,
  endTimeUnixNano: Nanos,
  attributes: Attributes,
  status: Schema.Struct({ code: optional(Schema.Literal(1, 2)) })
})
export type Span = typeof Span.Type

const LogRecord = Schema.Struct({
  timeUnixNano: Nanos,
  observedTimeUnixNano: Nanos,
  severityNumber: Schema.Int.pipe(Schema.between(1, 24)),
  severityText: Schema.String,
  body: Schema.Struct({ stringValue: Schema.String }),
  attributes: Attributes
})

const moment = { attributes: Attributes, startTimeUnixNano: Nanos, timeUnixNano: Nanos }
const NumberPoint = Schema.Struct({ ...moment, asInt: optional(Whole), asDouble: optional(Schema.Number) })
const HistogramPoint = Schema.Struct({
  ...moment,
  count: Whole,
  sum: Schema.Number,
  explicitBounds: Schema.Array(Schema.Number),
  bucketCounts: Schema.Array(Whole)
}).pipe(Schema.filter(({ bucketCounts, explicitBounds }) => bucketCounts.length === explicitBounds.length + 1))
const Metric = Schema.Struct({
  name: Schema.NonEmptyString,
  description: Schema.String,
  sum: optional(
    Schema.Struct({
      aggregationTemporality: Schema.Literal(2),
      isMonotonic: Schema.Boolean,
      dataPoints: Schema.Array(NumberPoint)
    })
  ),
  gauge: optional(Schema.Struct({ dataPoints: Schema.Array(NumberPoint) })),
  histogram: optional(
    Schema.Struct({ aggregationTemporality: Schema.Literal(2), dataPoints: Schema.Array(HistogramPoint) })
  )
})
export type Metric = typeof Metric.Type

const strictly = { onExcessProperty: "error" } as const
const Traces = Schema.Struct({
  resourceSpans: Schema.Array(
    Schema.Struct({ resource, scopeSpans: Schema.Array(Schema.Struct({ scope, spans: Schema.Array(Span) })) })
  )
})
const Logs = Schema.Struct({
  resourceLogs: Schema.Array(
    Schema.Struct({ resource, scopeLogs: Schema.Array(Schema.Struct({ scope, logRecords: Schema.Array(LogRecord) })) })
  )
})
const Metrics = Schema.Struct({
  resourceMetrics: Schema.Array(
    Schema.Struct({ resource, scopeMetrics: Schema.Array(Schema.Struct({ scope, metrics: Schema.Array(Metric) })) })
  )
})
const readers = {
  "/v1/traces": Schema.decodeEither(Schema.parseJson(Traces), strictly),
  "/v1/logs": Schema.decodeEither(Schema.parseJson(Logs), strictly),
  "/v1/metrics": Schema.decodeEither(Schema.parseJson(Metrics), strictly)
}

export interface Collector {
  readonly endpoint: string
  /** What was sent, as it came. */
  readonly bodies: ReadonlyArray<string>
  readonly headers: ReadonlyArray<http.IncomingHttpHeaders>
  /** What is no sound message. */
  readonly problems: ReadonlyArray<string>
  readonly spans: ReadonlyArray<Span>
  readonly logs: ReadonlyArray<typeof LogRecord.Type>
  readonly metrics: ReadonlyArray<Metric>
  readonly resources: ReadonlyArray<typeof Attributes.Type>
}

export const attribute = (attributes: typeof Attributes.Type, name: string): string | undefined => {
  const found = attributes.find(({ key }) => key === name)
  return found === undefined ? undefined : String(Object.values(found.value)[0])
}

export const startCollector: Effect.Effect<Collector, never, Scope.Scope> = Effect.gen(function* () {
  const bodies: Array<string> = []
  const headers: Array<http.IncomingHttpHeaders> = []
  const problems: Array<string> = []
  const spans: Array<Span> = []
  const logs: Array<typeof LogRecord.Type> = []
  const metrics: Array<Metric> = []
  const resources: Array<typeof Attributes.Type> = []
  const take = (path: string, text: string) => {
    if (path === "/v1/traces")
      return Either.map(readers[path](text), ({ resourceSpans }) => {
        resources.push(...resourceSpans.map((each) => each.resource.attributes))
        for (const span of resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans)))
          // A sender that heard no answer in time sends the same spans again.
          if (!spans.some(({ spanId }) => spanId === span.spanId)) spans.push(span)
      })
    if (path === "/v1/logs")
      return Either.map(readers[path](text), ({ resourceLogs }) => {
        resources.push(...resourceLogs.map((each) => each.resource.attributes))
        logs.push(...resourceLogs.flatMap(({ scopeLogs }) => scopeLogs.flatMap((each) => each.logRecords)))
      })
    if (path === "/v1/metrics")
      return Either.map(readers[path](text), ({ resourceMetrics }) => {
        resources.push(...resourceMetrics.map((each) => each.resource.attributes))
        metrics.push(...resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((each) => each.metrics)))
      })
    return Either.left(new Error(`nothing is at ${path}`))
  }
  const server = http.createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8")
      bodies.push(text)
      headers.push(request.headers)
      const taken = take(request.url ?? "", text)
      if (Either.isLeft(taken)) problems.push(String(taken.left))
      response.writeHead(Either.isLeft(taken) ? 400 : 200, { "content-type": "application/json" }).end("{}")
    })
  })
  const port = yield* Effect.orDie(listenLocally(server, 0))
  return { endpoint: `http://127.0.0.1:${port}`, bodies, headers, problems, spans, logs, metrics, resources }
})

/**
 * Tells a collector of OpenTelemetry what this process does: traces, metrics and the log, as JSON over HTTP (OTLP).
 * Loaded only when a collector is configured. A collector that is away or slow delays and fails nothing of the gateway;
 * the log says once that it is, and `gateway_telemetry_dropped_total` what was lost.
 */
import { Duration, Effect, type Logger, Metric, Redacted, type Scope } from "effect"
import { Agent, request } from "undici"
import { userAgent } from "../../../domain/Product.js"
import type { Tracer } from "../../../services/Tracing.js"
import { everySoOften } from "../Background.js"
import type { TelemetrySettings } from "../TelemetryConfig.js"
import { makeTrouble } from "../Trouble.js"
import { exportLimits, makeExporter, NotTaken, type Post } from "./Export.js"
import { logsBody, makeOtlpLogger } from "./Logs.js"
import { metricsBody } from "./Metrics.js"
import { makeTracer, tracesBody } from "./Traces.js"
import { resourceOf } from "./Values.js"

export interface Telemetry {
  readonly tracer: Tracer | null
  readonly logger: Logger.Logger<unknown, void> | null
}

/** Statuses after which the specification has the same tried again. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504])
const answerBytesMax = 65_536

const codeOf = (cause: unknown): string =>
  typeof cause === "object" && cause !== null && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : "no connection"

const poster = ({ endpoint, headers, timeoutMillis }: TelemetrySettings): Effect.Effect<Post, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      // A connection for each signal.
      Effect.sync(() => new Agent({ connections: 3, connect: { timeout: timeoutMillis } })),
      (agent) => Effect.promise(() => agent.destroy())
    ),
    (agent): Post =>
      (signal, body) =>
        Effect.tryPromise({
          try: async (abort) => {
            const answer = await request(`${endpoint}/v1/${signal}`, {
              dispatcher: agent,
              method: "POST",
              headers: {
                ...Object.fromEntries(Redacted.value(headers)),
                "content-type": "application/json",
                "user-agent": userAgent
              },
              body,
              signal: abort
            })
            await answer.body.dump({ limit: answerBytesMax })
            return answer.statusCode
          },
          catch: (cause) => new NotTaken({ why: codeOf(cause), passing: true })
        }).pipe(
          Effect.timeoutFail({
            duration: Duration.millis(timeoutMillis),
            onTimeout: () => new NotTaken({ why: `no answer within ${timeoutMillis} ms`, passing: true })
          }),
          Effect.filterOrFail(
            (status) => status >= 200 && status < 300,
            (status) => new NotTaken({ why: `it answered ${status}`, passing: passing.has(status) })
          )
        )
  )

/** Metrics are read and sent every so often, and once more at the end; what was not taken is in the next reading. */
const sendMetrics = (settings: TelemetrySettings, resource: ReturnType<typeof resourceOf>, post: Post) =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    const started = clock.unsafeCurrentTimeNanos()
    const trouble = yield* makeTrouble("telemetry", { signal: "metrics" })
    const once = Effect.flatMap(Metric.snapshot, (snapshot) =>
      post("metrics", metricsBody(resource, snapshot, { started, now: clock.unsafeCurrentTimeNanos() }))
    ).pipe(
      Effect.matchEffect({
        onFailure: ({ why }) => Effect.sync(() => trouble.failed(why)),
        onSuccess: () => Effect.sync(trouble.worked)
      })
    )
    yield* Effect.addFinalizer(() =>
      Effect.timeoutOption(Effect.interruptible(once), Duration.millis(exportLimits.flushMillis))
    )
    yield* everySoOften({ name: "sending metrics", every: Duration.millis(settings.metricsEveryMillis) }, once)
  })

/** Tells the collector until the scope closes; then what waits is sent once more. */
export const startTelemetry = (
  settings: TelemetrySettings,
  instance: string
): Effect.Effect<Telemetry, never, Scope.Scope> =>
  Effect.gen(function* () {
    const post = yield* poster(settings)
    const resource = resourceOf(settings, instance)
    const clock = yield* Effect.clock
    if (settings.metrics) yield* sendMetrics(settings, resource, post)
    const logs = settings.logs ? yield* makeExporter("logs", post, logsBody(resource)) : null
    const spans = settings.traces ? yield* makeExporter("traces", post, tracesBody(resource)) : null
    return {
      tracer: spans === null ? null : makeTracer(settings, clock, spans.push),
      logger: logs === null ? null : makeOtlpLogger(logs.push)
    }
  })

/**
 * The tracer of a process that tells a collector: which spans are recorded, by the sampler of the settings, and how
 * they are written. A span that is not recorded still has its place in the trace, and costs next to nothing.
 */
import type { Clock } from "effect"
import { randomBytes } from "node:crypto"
import type { Span, SpanEnd, SpanStart, Tracer } from "../../../services/Tracing.js"
import type { TraceContext } from "../../../domain/Trace.js"
import type { TelemetrySettings } from "../TelemetryConfig.js"
import { keyValues, type resourceOf, scope } from "./Values.js"

/** A span that has ended. */
export interface EndedSpan extends SpanStart, SpanEnd {
  readonly name: string
  readonly context: TraceContext
  readonly startNanos: bigint
  readonly endNanos: bigint
}

const idBytesAtOnce = 4_096

/** Asks the system for many random bytes at a time: once for each id took longer than the rest of a span. */
const makeHexIds = () => {
  let bytes = Buffer.alloc(0)
  let at = 0
  return (length: 8 | 16): string => {
    if (at + length > bytes.length) {
      bytes = randomBytes(idBytesAtOnce)
      at = 0
    }
    const id = bytes.toString("hex", at, at + length)
    at += length
    return id
  }
}

/** The end of a trace id is random in every implementation, so that the same traces are recorded everywhere. */
const within = (traceId: string, ratio: number): boolean => Number.parseInt(traceId.slice(-13), 16) < ratio * 2 ** 52

const samples = ({ ratio, sampler }: TelemetrySettings, parent: TraceContext | null, traceId: string): boolean => {
  if (parent !== null && sampler.startsWith("parentbased_")) return parent.sampled
  if (sampler.endsWith("always_on")) return true
  return sampler.endsWith("traceidratio") && within(traceId, ratio)
}

/** `push` takes what is recorded. */
export const makeTracer = (
  settings: TelemetrySettings,
  clock: Clock.Clock,
  push: (span: EndedSpan) => void
): Tracer => {
  const hexId = makeHexIds()
  return {
    begin: (start): Span => {
      const { parent } = start
      const traceId = parent?.traceId ?? hexId(16)
      const context: TraceContext = {
        traceId,
        spanId: hexId(8),
        sampled: samples(settings, parent, traceId),
        state: parent?.state ?? null
      }
      if (!context.sampled) return { context, end: () => {} }
      const startNanos = clock.unsafeCurrentTimeNanos()
      let ended = false
      return {
        context,
        end: (end) => {
          if (ended) return
          ended = true
          push({
            ...start,
            ...end,
            name: end.name ?? start.name,
            context,
            startNanos,
            endNanos: clock.unsafeCurrentTimeNanos()
          })
        }
      }
    }
  }
}

const kinds = { internal: 1, server: 2, client: 3 }
const statusError = 2

const written = ({ attributes, context, endNanos, error, kind, name, parent, startNanos }: EndedSpan) => ({
  traceId: context.traceId,
  spanId: context.spanId,
  ...(context.state === null ? {} : { traceState: context.state }),
  ...(parent === null ? {} : { parentSpanId: parent.spanId }),
  name,
  kind: kinds[kind],
  startTimeUnixNano: String(startNanos),
  endTimeUnixNano: String(endNanos),
  attributes: keyValues([...Object.entries(attributes), ...(error === null ? [] : [["error.type", error] as const])]),
  status: error === null ? {} : { code: statusError }
})

export const tracesBody =
  (resource: ReturnType<typeof resourceOf>) =>
  (spans: ReadonlyArray<EndedSpan>): string =>
    JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans: spans.map(written) }] }] })

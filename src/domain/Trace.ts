/**
 * Where a request or call stands in a trace, and how that is told between programs: `traceparent` and `tracestate` of
 * the W3C (https://www.w3.org/TR/trace-context/). What does not fit is taken for absent and never refused: a trace
 * must not decide whether a request is answered.
 */
import { Schema } from "effect"

export interface TraceContext {
  /** 32 hexadecimal digits, not all of them 0. */
  readonly traceId: string
  /** 16 hexadecimal digits, not all of them 0. */
  readonly spanId: string
  /** Whether the spans of this trace are recorded. */
  readonly sampled: boolean
  /** What tracing systems on the way have added, passed on as it came; null when there is nothing. */
  readonly state: string | null
}

/** What a call of a provider needs to know to be a part of the trace of its run. */
export interface CallTrace {
  readonly parent: TraceContext
  readonly runId: string
  readonly attemptId: string
}

/** As it is stored with a run, so that another node goes on with the same trace. */
export const StoredTrace = Schema.Struct({ parent: Schema.String, state: Schema.NullOr(Schema.String) })
export type StoredTrace = typeof StoredTrace.Type

/** Version, trace, span and flags; versions after 00 may say more behind a dash. */
const parentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const parentCharsMax = 256
const stateCharsMax = 512
const stateMembersMax = 32
const statePattern = /^[a-z0-9][a-z0-9_*/@-]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/
const onlyZeros = /^0+$/

const stateOf = (text: string | null | undefined): string | null => {
  if (text === undefined || text === null || text.length > stateCharsMax) return null
  const members = text
    .split(",")
    .map((member) => member.trim())
    .filter((member) => member !== "")
  return members.length > 0 && members.length <= stateMembersMax && members.every((member) => statePattern.test(member))
    ? members.join(",")
    : null
}

/** The trace that a caller tells of; null without one that can be used. A bad `tracestate` is left out alone. */
export const readTrace = (
  traceparent: string | null | undefined,
  tracestate: string | null | undefined
): TraceContext | null => {
  if (traceparent === undefined || traceparent === null || traceparent.length > parentCharsMax) return null
  const [, version, traceId, spanId, flags, more] = parentPattern.exec(traceparent.trim()) ?? []
  if (version === undefined || traceId === undefined || spanId === undefined || flags === undefined) return null
  if (version === "ff" || (version === "00" && more !== undefined)) return null
  if (onlyZeros.test(traceId) || onlyZeros.test(spanId)) return null
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1, state: stateOf(tracestate) }
}

export const traceparentOf = ({ sampled, spanId, traceId }: TraceContext): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`

/** The headers that tell of the trace. */
export const traceHeaders = (context: TraceContext): { readonly [name: string]: string } =>
  context.state === null
    ? { traceparent: traceparentOf(context) }
    : { traceparent: traceparentOf(context), tracestate: context.state }

export const toStoredTrace = (context: TraceContext): StoredTrace => ({
  parent: traceparentOf(context),
  state: context.state
})

export const fromStoredTrace = (stored: StoredTrace | undefined): TraceContext | null =>
  stored === undefined ? null : readTrace(stored.parent, stored.state)

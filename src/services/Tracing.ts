/**
 * Spans of what the gateway does for a request: its answer, the work on its run, each attempt, each call of a provider.
 * Without a tracer nothing is recorded, and nothing is done for it either. Beginning and ending a span takes no step of
 * the runtime, never waits and never fails. Spans say which, how long and how it ended: no input, no answer, no secret,
 * and no text of a client.
 */
import { Context, Effect, type Exit } from "effect"
import type { TraceContext } from "../domain/Trace.js"

export type SpanAttributes = { readonly [name: string]: string | number | boolean }

export interface SpanStart {
  readonly name: string
  readonly kind: "server" | "client" | "internal"
  /** Null begins a trace. */
  readonly parent: TraceContext | null
}

export interface SpanEnd {
  /** Where the name is known only now. */
  readonly name?: string
  readonly attributes: SpanAttributes
  /** A word for programs when it went wrong, such as a status or an error's code; null when it did not. */
  readonly error: string | null
}

export interface Span {
  readonly context: TraceContext
  readonly end: (ended: SpanEnd) => void
}

export interface Tracer {
  readonly begin: (start: SpanStart) => Span
}

/** The tracer of this process; null when nothing is traced. Read once, by the layers that trace. */
export class Tracing extends Context.Reference<Tracing>()("gateway/services/Tracing", {
  defaultValue: (): Tracer | null => null
}) {}

/** Does the work inside a span of its own, which ends however the work ends. */
export const inSpan = <A, E, R>(
  tracer: Tracer | null,
  start: () => SpanStart,
  work: (trace: TraceContext | null) => Effect.Effect<A, E, R>,
  endOf: (exit: Exit.Exit<A, E>) => SpanEnd
): Effect.Effect<A, E, R> =>
  tracer === null
    ? work(null)
    : Effect.suspend(() => {
        const span = tracer.begin(start())
        return Effect.onExit(work(span.context), (exit) => Effect.sync(() => span.end(endOf(exit))))
      })

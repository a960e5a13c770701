/**
 * What the span of one exchange with a provider says, by OpenTelemetry's conventions for HTTP clients, and which
 * provider is told of the trace. Addresses are those of the manifest: a path, a query and a host that a customer or an
 * answer chose can hold inputs and keys.
 */
import { Cause, Exit, Option } from "effect"
import type { CallFailure } from "../../domain/ProviderCall.js"
import { type TraceContext, traceHeaders } from "../../domain/Trace.js"
import { portOf, readUrl } from "../../domain/Url.js"
import type { SpanAttributes, SpanEnd, SpanStart } from "../../services/Tracing.js"
import type { Prepared } from "./KeyedExchange.js"
import type { WireAnswer } from "./Transport.js"

export const exchangeSpan = ({ seen, trace }: Prepared, method: string): SpanStart => ({
  name: `${method} ${seen.endpoint.operation.path}`,
  kind: "client",
  parent: trace?.parent ?? null
})

/** Only the address of the manifest is told, and only where the manifest allows it. */
export const traceHeadersFor = (
  { isTold, seen }: Prepared,
  context: TraceContext | null
): { readonly [name: string]: string } =>
  context !== null && !isTold && seen.endpoint.provider.traceContext === true ? traceHeaders(context) : {}

const serverOf = ({ isChosen, isTold, origin }: Prepared): SpanAttributes => {
  if (isTold) return { "server.address": "told by an answer" }
  if (isChosen) return { "server.address": "chosen by a connection" }
  const url = readUrl(origin)
  if (url === null) return {}
  return { "server.address": url.hostname, "server.port": portOf(url), "url.full": `${url.origin}/REDACTED` }
}

export const endOfExchange =
  (prepared: Prepared, method: string) =>
  (exit: Exit.Exit<WireAnswer, CallFailure>): SpanEnd => {
    const { operation, provider } = prepared.seen.endpoint
    const attributes = {
      ...serverOf(prepared),
      "http.request.method": method,
      "url.template": operation.path,
      "gateway.endpoint.id": operation.id,
      "gateway.provider.id": provider.id,
      ...(prepared.trace === null
        ? {}
        : { "gateway.run.id": prepared.trace.runId, "gateway.attempt.id": prepared.trace.attemptId })
    }
    if (Exit.isFailure(exit)) {
      const failed = Option.getOrNull(Cause.failureOption(exit.cause))
      return { attributes, error: failed?.failure.code ?? "stopped" }
    }
    const { status } = exit.value
    return {
      attributes: { ...attributes, "http.response.status_code": status },
      error: status >= 400 ? String(status) : null
    }
  }

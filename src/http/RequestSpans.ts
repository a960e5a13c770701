/**
 * What the span of a request says, by OpenTelemetry's conventions for HTTP servers. Where those want the path, it says
 * the template of the route: a path can hold what is secret, such as the token of a callback. Probes have no span.
 */
import type * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import { Exit } from "effect"
import { readTrace } from "../domain/Trace.js"
import { portOf, readUrl } from "../domain/Url.js"
import type { Span, SpanEnd, Tracer } from "../services/Tracing.js"
import type { Route } from "./Access.js"
import type { RequestState } from "./RequestState.js"
import { isKnownMethod, pathOf } from "./serving/Routes.js"
import type { ServedRequest } from "./serving/ServedRequest.js"

type Request = Pick<ServedRequest, "headers" | "sentMethod" | "url">

const runIdShape = /^run_[0-9a-z]{1,64}$/

/** The run that the path names. */
const runIdIn = (route: string, url: string): string | null => {
  const at = route.split("/").indexOf(":runId")
  const named = at < 0 ? undefined : pathOf(url).split("/")[at]
  return named !== undefined && runIdShape.test(named) ? named : null
}

export interface RequestSpans {
  /** Null for a probe. */
  readonly begin: (request: Request) => Span | null
  readonly ended: (
    request: Request,
    state: RequestState,
    exit: Exit.Exit<HttpServerResponse.HttpServerResponse, unknown>
  ) => SpanEnd
}

/** `publicUrl` is what clients know this server as. */
export const makeRequestSpans = (tracer: Tracer, routes: ReadonlyArray<Route>, publicUrl: string): RequestSpans => {
  const probes = new Set(routes.filter(({ access }) => access === "probe").map(({ path }) => path))
  const known = readUrl(publicUrl)
  const scheme = known?.protocol.slice(0, -1) ?? "http"
  const server = {
    "url.scheme": scheme,
    ...(known === null
      ? {}
      : {
          "server.address": known.hostname,
          "server.port": portOf(known)
        })
  }

  return {
    begin: ({ headers, url }) =>
      probes.has(pathOf(url))
        ? null
        : tracer.begin({
            name: "request",
            kind: "server",
            parent: readTrace(headers["traceparent"], headers["tracestate"])
          }),
    ended: ({ sentMethod: method, url }, { requestId, route, runId, workspaceId }, exit) => {
      const status = Exit.isSuccess(exit) ? exit.value.status : null
      const run = runId ?? (route === null ? null : runIdIn(route, url))
      const methodName = isKnownMethod(method) ? method : "_OTHER"
      return {
        name: `${methodName === "_OTHER" ? "HTTP" : methodName}${route === null ? "" : ` ${route}`}`,
        attributes: {
          ...server,
          "http.request.method": methodName,
          "gateway.request.id": requestId,
          ...(route === null ? {} : { "http.route": route, "url.path": route }),
          ...(status === null ? {} : { "http.response.status_code": status }),
          ...(run === null ? {} : { "gateway.run.id": run }),
          ...(workspaceId === null ? {} : { "gateway.workspace.id": workspaceId })
        },
        // The conventions: what a client does wrong is no error of the server. Without an answer the client hung up.
        error: status === null ? "client_closed_request" : status >= 500 ? String(status) : null
      }
    }
  }
}

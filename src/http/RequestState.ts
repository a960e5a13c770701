/**
 * What is known about the request that is being answered, in one record per request: its id, and what headers, log and
 * metrics need. The boundary and the access middleware write it, services never do.
 */
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Context, Effect, Option } from "effect"
import type { IncomingMessage } from "node:http"
import type { TraceContext } from "../domain/Trace.js"
import type { RateDecision } from "../services/RateLimiter.js"

export interface RequestState {
  readonly requestId: string
  /** The matched route's template, `/v1/runs/:runId`; null when none matched. */
  route: string | null
  rate: RateDecision | null
  /** From here on a value that does not fit its schema is a mistake of the gateway, not of the client. */
  answering: boolean
  /** The span of the request; null where nothing is traced. */
  readonly trace: TraceContext | null
  /** For the span: the workspace of the caller, and the run that the request made; null where there is none. */
  workspaceId: string | null
  runId: string | null
}

// Beside the request and not a service of its own: to provide one more service to the handling of a request takes 18
// steps of the runtime, of the 800 that a paid run took.
const states = new WeakMap<IncomingMessage, RequestState>()

/** The boundary calls this before anything else looks at the request. */
export const beginRequest = (request: HttpServerRequest.HttpServerRequest, state: RequestState): void =>
  void states.set(NodeHttpServerRequest.toIncomingMessage(request), state)

/** The state of a request of which nothing more is known yet. */
export const newRequest = (requestId: string, trace: TraceContext | null): RequestState => ({
  requestId,
  route: null,
  rate: null,
  answering: false,
  trace,
  workspaceId: null,
  runId: null
})

const blank = (): RequestState => newRequest("req_none", null)

/** What a request for a run says of its trace. */
export const tracedBy = ({ trace }: RequestState): { readonly trace?: TraceContext } =>
  trace === null ? {} : { trace }

export const stateOf = (request: HttpServerRequest.HttpServerRequest): RequestState =>
  states.get(NodeHttpServerRequest.toIncomingMessage(request)) ?? blank()

/** The state of the request that is being answered; a blank one where there is no request. */
export const currentRequest: Effect.Effect<RequestState> = Effect.contextWith((context: Context.Context<never>) =>
  Option.match(Context.getOption(context, HttpServerRequest.HttpServerRequest), { onNone: blank, onSome: stateOf })
)

/**
 * Every handler is wrapped in this: an answer that breaks its own schema is then an internal error instead of a 400.
 */
export const answering =
  <Request, A, E, R>(handler: (request: Request) => Effect.Effect<A, E, R>) =>
  (request: Request): Effect.Effect<A, E, R> =>
    Effect.flatMap(currentRequest, (state) => {
      state.answering = true
      return handler(request)
    })

const acceptable = /^[A-Za-z0-9._:-]{1,128}$/

/** The client's own request id, when it is safe to repeat it; else none. */
export const incomingRequestId = (header: string | undefined): string | null =>
  header !== undefined && acceptable.test(header) ? header : null

/**
 * What is known about the request that is being answered, in one record per request: its id, and what headers, log and
 * metrics need. The boundary and the access middleware write it, services never do.
 */
import type { IncomingMessage } from "node:http"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { Context, Effect, Option } from "effect"
import type { TraceContext } from "../domain/Trace.js"
import type { RateDecision } from "../services/RateLimiter.js"
import { ServedRequest } from "./serving/ServedRequest.js"

export interface RequestState {
  /** Empty until one is made, before any handler begins. */
  requestId: string
  /** The matched route's template, `/v1/runs/:runId`; null when none matched. */
  route: string | null
  rate: RateDecision | null
  /** The span of the request; null where nothing is traced. */
  trace: TraceContext | null
  /** For the span: the workspace of the caller, and the run that the request made; null where there is none. */
  workspaceId: string | null
  runId: string | null
}

/** The state of a request of which nothing more is known yet. */
export const newRequest = (requestId: string): RequestState => ({
  requestId,
  route: null,
  rate: null,
  trace: null,
  workspaceId: null,
  runId: null
})

const blank = (): RequestState => newRequest("req_none")

/** What a request for a run says of its trace. */
export const tracedBy = ({ trace }: RequestState): { readonly trace?: TraceContext } =>
  trace === null ? {} : { trace }

export const stateOf = (request: HttpServerRequest.HttpServerRequest): RequestState =>
  request instanceof ServedRequest ? request.state : blank()

/** The state of the request that is being answered; a blank one where there is no request. */
export const currentRequest: Effect.Effect<RequestState> = Effect.contextWith((context: Context.Context<never>) =>
  Option.match(Context.getOption(context, HttpServerRequest.HttpServerRequest), { onNone: blank, onSome: stateOf })
)

const acceptable = /^[A-Za-z0-9._:-]{1,128}$/

/** The client's own request id, when it is safe to repeat it; else none. */
export const incomingRequestId = ({ headers }: Pick<IncomingMessage, "headers">): string | null => {
  const given = headers["x-request-id"]
  return typeof given === "string" && acceptable.test(given) ? given : null
}

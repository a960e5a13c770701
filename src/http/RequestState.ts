/**
 * What is known about the request that is being answered, in one record per request: its id, and what headers, log and
 * metrics need. The boundary and the access middleware write it, services never do.
 */
import { Context, Effect } from "effect"
import type { RateDecision } from "../services/RateLimiter.js"

export interface RequestState {
  readonly requestId: string
  /** The matched route's template, `/v1/runs/:runId`; null when none matched. */
  route: string | null
  rate: RateDecision | null
  /** From here on a value that does not fit its schema is a mistake of the gateway, not of the client. */
  answering: boolean
}

export class CurrentRequest extends Context.Reference<CurrentRequest>()("gateway/http/CurrentRequest", {
  defaultValue: (): RequestState => ({ requestId: "req_none", route: null, rate: null, answering: false })
}) {}

/**
 * Every handler is wrapped in this: an answer that breaks its own schema is then an internal error instead of a 400.
 */
export const answering =
  <Request, A, E, R>(handler: (request: Request) => Effect.Effect<A, E, R>) =>
  (request: Request): Effect.Effect<A, E, R> =>
    Effect.flatMap(CurrentRequest, (state) => {
      state.answering = true
      return handler(request)
    })

const acceptable = /^[A-Za-z0-9._:-]{1,128}$/

/** The client's own request id, when it is safe to repeat it; else none. */
export const incomingRequestId = (header: string | undefined): string | null =>
  header !== undefined && acceptable.test(header) ? header : null

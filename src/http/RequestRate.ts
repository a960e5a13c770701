/**
 * Spends one request from a token bucket: the workspace's for calls with a token, the client address's for calls without.
 * Leaves the verdict in the exchange, from which every answer gets its rate headers.
 */
import { Effect, Option } from "effect"
import type { HttpServerRequest } from "@effect/platform"
import { RateLimitExceeded } from "../domain/ApiErrors.js"
import type { RateDecision, RateLimiter } from "../services/RateLimiter.js"
import type { ExchangeState } from "./Exchange.js"

type Limiter = RateLimiter["Type"]

export const spend = (limiter: Limiter, tenant: string, exchange: ExchangeState): Effect.Effect<void, RateLimitExceeded> =>
  Effect.flatMap(limiter.take(tenant), (decision) => {
    exchange.rate = decision
    return decision.allowed
      ? Effect.void
      : Effect.fail(new RateLimitExceeded({ limit: decision.limit, retryAfterSeconds: Math.max(1, Math.ceil(decision.retryAfterSeconds)) }))
  })

/**
 * The bucket of the client's address. Of `X-Forwarded-For` only the last entry counts, and only behind a proxy that is trusted to have written
 * it: everything before is the client's own word.
 */
export const addressOf = (request: HttpServerRequest.HttpServerRequest, trustProxy: boolean): string => {
  const forwarded = trustProxy ? request.headers["x-forwarded-for"]?.split(",").at(-1)?.trim() ?? "" : ""
  return `address:${forwarded === "" ? Option.getOrElse(request.remoteAddress, () => "unknown") : forwarded}`
}

/** The `RateLimit` fields of the IETF draft; the contract's `x-ratelimit-*` go with refusals (`Envelope.ts`). */
export const rateHeaders = (decision: RateDecision): { readonly [name: string]: string } => ({
  "ratelimit-policy": `"requests";q=${decision.limit}`,
  ratelimit: `"requests";r=${Math.max(0, Math.floor(decision.remaining))};t=${Math.max(0, Math.ceil(decision.resetSeconds))}`
})

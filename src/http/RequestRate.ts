/**
 * Spends one request from a token bucket: the workspace's for calls with a token; for calls without, the client
 * address's and the one that all such calls share. Writes the decision into the state of the request, from which every
 * answer gets its rate headers.
 */
import { Effect, Option } from "effect"
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import ipaddr from "ipaddr.js"
import { RateLimitExceeded } from "../domain/ApiErrors.js"
import type { RateDecision, RateLimiter } from "../services/RateLimiter.js"
import type { RequestState } from "./RequestState.js"

type Limiter = RateLimiter["Type"]

const decided =
  (state: RequestState) =>
  (decision: RateDecision): Effect.Effect<void, RateLimitExceeded> => {
    state.rate = decision
    return decision.allowed
      ? Effect.void
      : Effect.fail(
          new RateLimitExceeded({
            limit: decision.limit,
            retryAfterSeconds: Math.max(1, Math.ceil(decision.retryAfterSeconds))
          })
        )
  }

export const spend = (limiter: Limiter, tenant: string, state: RequestState): Effect.Effect<void, RateLimitExceeded> =>
  Effect.flatMap(limiter.take(tenant), decided(state))

/**
 * Spends the messages of a batch beside the first, which was spent with the request: all of them, or none. A batch that
 * is sent again is a request again, so the wait that it is told is for all of its messages.
 */
export const spendBatch = (
  limiter: Limiter,
  tenant: string,
  messages: number,
  state: RequestState
): Effect.Effect<void, RateLimitExceeded> =>
  messages <= 1
    ? Effect.void
    : Effect.flatMap(limiter.take(tenant, messages - 1), (decision) =>
        decided(state)(
          decision.allowed
            ? decision
            : { ...decision, retryAfterSeconds: decision.retryAfterSeconds + 1 / decision.refillPerSecond }
        )
      )

/** The address in an entry of `X-Forwarded-For`, where some proxies add the client's port; null when there is none. */
const addressIn = (entry: string): string | null => {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry
  // Not the old spellings, such as 0306.51.100.1, in which one address has many.
  return ipaddr.IPv6.isValid(bare) || ipaddr.IPv4.isValidFourPartDecimal(bare) ? ipaddr.process(bare).toString() : null
}

/**
 * The client's address. Of `X-Forwarded-For` only the last entry counts, and only behind a proxy that is trusted to
 * have written it: the client itself may have written every entry before it. Without an address in it, the proxy's own
 * counts: any other text could be another one in each request.
 */
export const clientAddress = (request: HttpServerRequest.HttpServerRequest, trustProxy: boolean): string => {
  const entry = trustProxy ? request.headers["x-forwarded-for"]?.split(",").at(-1)?.trim() : undefined
  const forwarded = entry === undefined ? null : addressIn(entry)
  if (forwarded !== null) return forwarded
  const own = Option.getOrElse(request.remoteAddress, () => "unknown")
  return addressIn(own) ?? own
}

/** The name of a client's bucket. Of an IPv6 address only the network counts: one client usually has 2^64 addresses. */
const bucketOf = (request: HttpServerRequest.HttpServerRequest, trustProxy: boolean): string => {
  const text = clientAddress(request, trustProxy)
  if (!ipaddr.isValid(text)) return text
  const address = ipaddr.parse(text)
  return address instanceof ipaddr.IPv6
    ? address.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(":")
    : address.toString()
}

/**
 * For a request whose sender is not known: spends from the bucket of their address and from that of all such requests.
 */
export const spendPublic = (
  limiter: Limiter,
  request: HttpServerRequest.HttpServerRequest,
  trustProxy: boolean,
  state: RequestState
): Effect.Effect<void, RateLimitExceeded> =>
  Effect.flatMap(limiter.takePublic(bucketOf(request, trustProxy)), decided(state))

/** The `RateLimit` fields of the IETF draft; the contract's `x-ratelimit-*` go with refusals (`Envelope.ts`). */
export const rateHeaders = (decision: RateDecision): { readonly [name: string]: string } => ({
  "ratelimit-policy": `"requests";q=${decision.limit}`,
  ratelimit: `"requests";r=${Math.max(0, Math.floor(decision.remaining))};t=${Math.max(0, Math.ceil(decision.resetSeconds))}`
})

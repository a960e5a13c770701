/**
 * Stripe's own library, loaded when it is first needed, and what its failures mean to the gateway. Stripe's texts go no
 * further than here: they may repeat parts of the key and of what a person typed. The log gets the error's type, its
 * code and the id of the request at Stripe, with which the rest can be looked up there; where none was reached, why.
 */
import type Stripe from "stripe"
import { Data, Effect, Option, Predicate, Redacted, Schema } from "effect"
import { processorMillisMax } from "../../../domain/limits/Workspaces.js"
import { portOf } from "../../../domain/Url.js"
import type { StripeSettings } from "../../node/ConfigGroups.js"
import { onOwnFiber } from "../../node/OwnFiber.js"

/**
 * - `rate_limited`: Stripe takes no more requests for now, and did nothing.
 * - `no_answer`: nobody knows whether Stripe did it. The same request with the same idempotency key tells.
 * - `server_error`: Stripe failed, or its answer cannot be read. It may have done it.
 * - `amount`: Stripe does not take this amount.
 * - `declined`: the card was declined; `code` says why.
 * - `key_used`: another request had this idempotency key, such as that of another version. It may have done it.
 * - `refused`: Stripe refuses the request.
 * - `no_access`: Stripe refuses the key. No request works until an operator has set another one.
 */
export class StripeFailure extends Data.TaggedError("StripeFailure")<{
  readonly kind:
    "rate_limited" | "no_answer" | "server_error" | "amount" | "declined" | "key_used" | "refused" | "no_access"
  /** Stripe's code of the error, such as `card_declined`. */
  readonly code: string | null
}> {}

export type StripeLibrary = typeof Stripe

export interface StripeClient {
  /**
   * Sends a request, and fails after `processorMillisMax` with `no_answer`. The library takes every answer without an
   * `error` for a success, whatever its status and shape, so the shape is checked here.
   */
  readonly ask: <A, I>(
    request: (stripe: Stripe) => Promise<unknown>,
    answer: Schema.Schema<A, I>
  ) => Effect.Effect<A, StripeFailure>
  readonly webhooks: Effect.Effect<Stripe["webhooks"]>
}

const amountCodes: ReadonlySet<string> = new Set(["amount_too_large", "amount_too_small"])

const kindOf = ({ code, statusCode, type }: Stripe.errors.StripeError): StripeFailure["kind"] => {
  // While a first request with the same key is under way, Stripe answers 409.
  if (type === "StripeConnectionError" || statusCode === 409) return "no_answer"
  if (type === "StripeRateLimitError" || statusCode === 429) return "rate_limited"
  if (type === "StripeCardError") return "declined"
  if (type === "StripeIdempotencyError") return "key_used"
  if (statusCode === 401 || statusCode === 403) return "no_access"
  if (code !== undefined && amountCodes.has(code)) return "amount"
  return type === "StripeAPIError" || (statusCode ?? 0) >= 500 ? "server_error" : "refused"
}

const noAnswer = new StripeFailure({ kind: "no_answer", code: null })

/** What the log says where an operator can do something about it. */
const logTexts: { readonly [Kind in StripeFailure["kind"]]?: string } = {
  no_access: "Stripe refuses the key of this gateway, or the key may not do this: look at its key and what it may do",
  key_used: "Stripe knows the idempotency key of a request from another one: look at both in Stripe's dashboard",
  refused: "Stripe refuses a request of this gateway: look at the request in Stripe's dashboard",
  server_error: "Stripe failed to answer a request",
  rate_limited: "Stripe takes no more requests of this gateway for now",
  no_answer: "Stripe did not answer a request in time"
}

/** Why no connection was made, or what became of it: a code of the system, and the host; undefined of anything else. */
const unconnected = ({ detail, type }: Stripe.errors.StripeError): string | undefined => {
  if (type !== "StripeConnectionError" || !Predicate.hasProperty(detail, "code")) return undefined
  const host = Predicate.hasProperty(detail, "hostname") ? ` ${String(detail.hostname)}` : ""
  return `${String(detail.code)}${host}`
}

/** The library's own code for its limit of time. */
const timeIsUp = "ETIMEDOUT"

/** The bank's reason, which says more than the code. The library has an empty text where there is none. */
const declineOf = ({ decline_code }: Stripe.errors.StripeError): string | undefined =>
  decline_code === "" ? undefined : decline_code

const unreadable = Effect.zipRight(
  Effect.logError("An answer of Stripe cannot be read: it has no shape that this version knows"),
  Effect.fail(new StripeFailure({ kind: "server_error", code: null }))
)

const failureOf = (library: StripeLibrary, error: unknown): Effect.Effect<never, StripeFailure> => {
  // The library stumbled over an answer.
  if (!(error instanceof library.errors.StripeError)) return unreadable
  const failure = new StripeFailure({ kind: kindOf(error), code: declineOf(error) ?? error.code ?? null })
  const why = unconnected(error)
  const text = why === undefined || why === timeIsUp ? logTexts[failure.kind] : "The connection to Stripe failed"
  if (text === undefined) return Effect.fail(failure)
  const { code, requestId, statusCode, type } = error
  return Effect.zipRight(
    Effect.logError(text).pipe(Effect.annotateLogs({ type, code, statusCode, stripeRequestId: requestId, why })),
    Effect.fail(failure)
  )
}

const addressOf = (url: URL) => ({
  host: url.hostname,
  port: portOf(url),
  protocol: url.protocol === "https:" ? ("https" as const) : ("http" as const)
})

export const makeStripeClient = ({ apiBase, secretKey }: StripeSettings): Effect.Effect<StripeClient> =>
  Effect.gen(function* () {
    const loaded = yield* Effect.cached(
      Effect.promise(async () => {
        const { default: library } = await import("stripe")
        const stripe = new library(Redacted.value(secretKey), {
          timeout: processorMillisMax,
          maxNetworkRetries: 0,
          telemetry: false,
          ...Option.match(apiBase, { onNone: () => ({}), onSome: addressOf })
        })
        return { library, stripe }
      })
    )
    return {
      ask: (request, answer) =>
        Effect.flatMap(loaded, ({ library, stripe }) =>
          Effect.tryPromise({ try: () => request(stripe), catch: (error) => error }).pipe(
            Effect.catchAll((error) => failureOf(library, error)),
            Effect.flatMap((found) => Effect.catchAll(Schema.decodeUnknown(answer)(found), () => unreadable)),
            // The library's own limit counts the time in which nothing arrives.
            Effect.timeoutFail({ duration: processorMillisMax, onTimeout: () => noAnswer }),
            // A charge may not be interrupted, but has to end in time.
            onOwnFiber
          )
        ),
      webhooks: Effect.map(loaded, ({ stripe }) => stripe.webhooks)
    }
  })

/**
 * Checkout Sessions for top-ups. The idempotency key is made of the top-up's id, and the request of nothing but the
 * stored top-up, so that a repeated request answers the session of the first one.
 */
import { Effect, Option } from "effect"
import { checkoutHours } from "../../../domain/limits/Workspaces.js"
import {
  type CheckoutReturn,
  type CheckoutRequest,
  CheckoutUnavailable,
  type Payments
} from "../../../services/Payments.js"
import { toCents } from "./StripeAmounts.js"
import type { StripeClient, StripeFailure } from "./StripeClient.js"
import { metadataOf } from "./StripeMetadata.js"
import { OpenedSession } from "./StripeObjects.js"

const reasons: { readonly [Kind in StripeFailure["kind"]]: CheckoutUnavailable["reason"] } = {
  rate_limited: "rate_limited",
  no_answer: "processor_timeout",
  server_error: "checkout_failed",
  amount: "amount_out_of_range",
  declined: "checkout_failed",
  key_used: "checkout_failed",
  refused: "checkout_failed",
  no_access: "checkout_failed"
}

const sessionOf = (client: StripeClient, request: CheckoutRequest, cents: number) => {
  const { createdAt, returnUrl, savesMethod, topUpId } = request
  const back = (notice: CheckoutReturn) => `${returnUrl}?notice=${notice}`
  const metadata = metadataOf({ ...request, automatic: false })
  return client.ask(
    (stripe) =>
      stripe.checkout.sessions.create(
        {
          mode: "payment",
          line_items: [
            {
              quantity: 1,
              price_data: { currency: "usd", unit_amount: cents, product_data: { name: "Balance top-up" } }
            }
          ],
          client_reference_id: topUpId,
          metadata,
          payment_intent_data: { metadata, ...(savesMethod ? { setup_future_usage: "off_session" } : {}) },
          // A card can be charged again only for a customer.
          ...(savesMethod ? { customer_creation: "always" } : {}),
          success_url: back("paid"),
          cancel_url: back("cancelled"),
          expires_at: Math.floor(createdAt / 1000) + checkoutHours * 3_600
        },
        { idempotencyKey: `checkout:${topUpId}` }
      ),
    OpenedSession
  )
}

export const createCheckout = (client: StripeClient): Payments["Type"]["createCheckout"] =>
  Effect.fn("Payments.createCheckout")(function* (request) {
    const cents = toCents(request.amountMicros)
    if (Option.isNone(cents)) return yield* new CheckoutUnavailable({ reason: "amount_out_of_range" })
    const { url } = yield* Effect.mapError(
      sessionOf(client, request, cents.value),
      ({ kind }) => new CheckoutUnavailable({ reason: reasons[kind] })
    )
    return url == null ? yield* new CheckoutUnavailable({ reason: "checkout_failed" }) : { checkoutUrl: url }
  })

/** Payments by card, through Stripe. */
import { Context, Effect, Layer } from "effect"
import { PaymentEvents } from "../../../services/PaymentEvents.js"
import { Payments } from "../../../services/Payments.js"
import type { StripeSettings } from "../../node/Config.js"
import { makeStripeClient } from "./StripeClient.js"
import { readEvent } from "./StripeEvents.js"
import { createCheckout } from "./StripeCheckout.js"

export const PaymentsStripe = (settings: StripeSettings): Layer.Layer<Payments | PaymentEvents> =>
  Layer.effectContext(
    Effect.map(makeStripeClient(settings), (client) =>
      Context.make(Payments, Payments.of({ configured: true, createCheckout: createCheckout(client) })).pipe(
        Context.add(PaymentEvents, PaymentEvents.of({ read: readEvent(client, settings) }))
      )
    )
  )

/** Payments by card, through Stripe. */
import { Effect, Layer } from "effect"
import { Payments } from "../../../services/Payments.js"
import type { StripeSettings } from "../../node/Config.js"
import { makeStripeClient } from "./StripeClient.js"
import { createCheckout } from "./StripeCheckout.js"

export const PaymentsStripe = (settings: StripeSettings): Layer.Layer<Payments> =>
  Layer.effect(
    Payments,
    Effect.map(makeStripeClient(settings), (client) =>
      Payments.of({ configured: true, createCheckout: createCheckout(client) })
    )
  )

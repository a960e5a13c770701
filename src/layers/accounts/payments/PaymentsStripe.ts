/** Payments by card, through Stripe. */
import { Context, Effect, Layer } from "effect"
import { OffSessionPayments } from "../../../services/OffSessionPayments.js"
import { PaymentEvents } from "../../../services/PaymentEvents.js"
import { Payments } from "../../../services/Payments.js"
import type { StripeSettings } from "../../node/ConfigGroups.js"
import { makeStripeClient } from "./StripeClient.js"
import { offSessionPayments } from "./StripeCharges.js"
import { readEvent } from "./StripeEvents.js"
import { createCheckout } from "./StripeCheckout.js"

export const PaymentsStripe = (settings: StripeSettings): Layer.Layer<Payments | PaymentEvents | OffSessionPayments> =>
  Layer.effectContext(
    Effect.map(makeStripeClient(settings), (client) =>
      Context.make(Payments, Payments.of({ configured: true, createCheckout: createCheckout(client) })).pipe(
        Context.add(PaymentEvents, PaymentEvents.of({ read: readEvent(client, settings) })),
        Context.add(OffSessionPayments, OffSessionPayments.of(offSessionPayments(client)))
      )
    )
  )

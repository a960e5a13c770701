/** A gateway without a payment processor. It refuses every checkout; the operator adds money with `gateway credit`. */
import { Effect, Layer } from "effect"
import { CheckoutUnavailable, Payments } from "../../../services/Payments.js"

export const PaymentsNone: Layer.Layer<Payments> = Layer.succeed(
  Payments,
  Payments.of({
    configured: false,
    createCheckout: () => Effect.fail(new CheckoutUnavailable({ reason: "payment_processor_not_configured" }))
  })
)

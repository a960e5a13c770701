/** A gateway without a payment processor. It refuses every checkout; the operator adds money with `gateway credit`. */
import { Context, Effect, Layer } from "effect"
import { BillingUnavailable } from "../../../domain/ApiErrors.js"
import { ChargeUncertain, OffSessionPayments } from "../../../services/OffSessionPayments.js"
import { PaymentEvents } from "../../../services/PaymentEvents.js"
import { CheckoutUnavailable, Payments } from "../../../services/Payments.js"

/** What a gateway lacks that Stripe sends events to. */
const stripeSettings = ["GATEWAY_STRIPE_SECRET_KEY", "GATEWAY_STRIPE_WEBHOOK_SECRET"]

export const PaymentsNone: Layer.Layer<Payments | PaymentEvents | OffSessionPayments> = Layer.succeedContext(
  Context.make(
    Payments,
    Payments.of({
      configured: false,
      createCheckout: () => Effect.fail(new CheckoutUnavailable({ reason: "payment_processor_not_configured" }))
    })
  ).pipe(
    Context.add(
      PaymentEvents,
      PaymentEvents.of({ read: () => Effect.fail(new BillingUnavailable({ missing: stripeSettings })) })
    ),
    Context.add(
      OffSessionPayments,
      OffSessionPayments.of({
        charge: () => Effect.fail(new ChargeUncertain()),
        find: () => Effect.fail(new ChargeUncertain())
      })
    )
  )
)

/**
 * PaymentIntents of saved cards, confirmed while their owners are away. The idempotency key is made of the top-up's id;
 * the metadata name it, so that the payment can be found when the key is forgotten.
 */
import { Effect, Option } from "effect"
import {
  type Charged,
  ChargeRefused,
  ChargeUncertain,
  type OffSessionPayments
} from "../../../services/OffSessionPayments.js"
import { fromCents, toCents } from "./StripeAmounts.js"
import type { StripeClient, StripeFailure } from "./StripeClient.js"
import { metadataOf } from "./StripeMetadata.js"
import { ChargedIntent, ChargedIntents } from "./StripeObjects.js"
import { methodParts, stopOf } from "./StripeMethods.js"

const chargedOf = ({ amount, currency, id, status }: typeof ChargedIntent.Type): Charged => ({
  state: status === "succeeded" ? "paid" : status === "processing" ? "open" : "failed",
  reference: id,
  amountMicros: currency === "usd" ? Option.getOrNull(fromCents(amount)) : null
})

/** Only what Stripe says about the card or this very payment ends it. Anything else may pass. */
const failed = ({ code, kind }: StripeFailure): ChargeRefused | ChargeUncertain => {
  switch (kind) {
    case "declined":
      return new ChargeRefused({ stop: stopOf(code) })
    case "amount":
    case "refused":
      return new ChargeRefused({ stop: "charge_failed" })
    default:
      return new ChargeUncertain()
  }
}

export const offSessionPayments = (client: StripeClient): OffSessionPayments["Type"] => ({
  charge: Effect.fn("OffSessionPayments.charge")(function* (request) {
    const { customer, paymentMethod } = methodParts(request.method)
    const cents = toCents(request.amountMicros)
    if (Option.isNone(cents)) return yield* new ChargeRefused({ stop: "charge_failed" })
    const intent = yield* Effect.mapError(
      client.ask(
        (stripe) =>
          stripe.paymentIntents.create(
            {
              amount: cents.value,
              currency: "usd",
              customer,
              payment_method: paymentMethod,
              off_session: true,
              confirm: true,
              // A bank that wants to ask the owner declines: nobody is there to answer.
              error_on_requires_action: true,
              description: "Automatic balance top-up",
              metadata: metadataOf({ ...request, automatic: true })
            },
            { idempotencyKey: `automatic:${request.topUpId}` }
          ),
        ChargedIntent
      ),
      failed
    )
    return chargedOf(intent)
  }),
  find: (topUpId) =>
    client
      .ask(
        (stripe) => stripe.paymentIntents.search({ query: `metadata['topUpId']:'${topUpId}'`, limit: 10 }),
        ChargedIntents
      )
      .pipe(
        Effect.mapBoth({
          onFailure: () => new ChargeUncertain(),
          // One that was paid counts before one that was not.
          onSuccess: ({ data }) => {
            const found = data.map(chargedOf)
            return (
              found.find(({ state }) => state === "paid") ??
              found.find(({ state }) => state === "open") ??
              found[0] ??
              null
            )
          }
        })
      )
})

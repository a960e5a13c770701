/**
 * Objects of Stripe, as far as the gateway reads them. Their shape follows the version that the account has set, not
 * the version of the library, so it is checked wherever one arrives: in events, and in answers.
 */
import { Schema } from "effect"

export const nullable = Schema.NullishOr

/** Such as `pi_3Q…`. Nothing else is stored as a name of Stripe's. */
export const StripeId = Schema.String.pipe(Schema.pattern(/^[\w-]{1,255}$/))

/** The id of an object, which is there as itself where the account expands it. */
const Reference = Schema.Union(StripeId, Schema.Struct({ id: StripeId }))
export const idOf = (reference: typeof Reference.Type): string =>
  typeof reference === "string" ? reference : reference.id
const AnyMetadata = nullable(Schema.Record({ key: Schema.String, value: Schema.String }))

export const Session = Schema.Struct({
  amount_total: nullable(Schema.Number),
  currency: nullable(Schema.String),
  metadata: AnyMetadata,
  payment_intent: nullable(Reference),
  payment_status: Schema.String
})
export const Intent = Schema.Struct({
  id: StripeId,
  amount_received: Schema.Number,
  currency: Schema.String,
  customer: nullable(Reference),
  last_payment_error: nullable(Schema.Struct({ code: nullable(Schema.String) })),
  metadata: AnyMetadata,
  payment_method: nullable(Reference),
  setup_future_usage: nullable(Schema.String)
})
export const Charge = Schema.Struct({ id: StripeId, metadata: AnyMetadata, payment_intent: nullable(Reference) })
export const Refund = Schema.Struct({
  id: StripeId,
  amount: Schema.Number,
  currency: Schema.String,
  payment_intent: nullable(Reference),
  status: nullable(Schema.String)
})
export const Dispute = Schema.Struct({
  id: StripeId,
  amount: Schema.Number,
  currency: Schema.String,
  payment_intent: nullable(Reference),
  status: Schema.String
})

/** What a charge of a saved card answers. */
export const ChargedIntent = Schema.Struct({
  id: StripeId,
  amount: Schema.Number,
  currency: Schema.String,
  status: Schema.String
})
export const ChargedIntents = Schema.Struct({ data: Schema.Array(ChargedIntent) })
/** One that was completed or has expired has no page any more. */
export const OpenedSession = Schema.Struct({ url: nullable(Schema.String.pipe(Schema.pattern(/^https?:\/\//))) })
export const RefundPage = Schema.Struct({ data: Schema.Array(Refund), has_more: Schema.Boolean })

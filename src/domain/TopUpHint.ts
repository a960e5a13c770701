/** The hint that goes with a balance and with every 402 (contract: "Top-up hint"). */
import { Schema } from "effect"

export const TopUpReason = Schema.Literal(
  "billing_disabled",
  "payment_processor_not_configured",
  "operator_workspace",
  "read_only_token",
  "rate_limited",
  "checkout_failed",
  "processor_timeout",
  "amount_out_of_range",
  "balance_low",
  "balance_sufficient"
)
export type TopUpReason = typeof TopUpReason.Type

export const TopUpHint = Schema.Struct({
  minimumUsd: Schema.Number,
  suggestedUsd: Schema.Number,
  checkoutUrl: Schema.NullOr(Schema.String),
  dashboardUrl: Schema.String,
  message: Schema.String,
  reason: Schema.optionalWith(TopUpReason, { exact: true })
}).annotations({ identifier: "TopUpHint" })
export type TopUpHint = typeof TopUpHint.Type

/** The hint that goes with a balance and with every 402 (contract: "Top-up hint"). */
import { Schema } from "effect"
import { field } from "./Described.js"
import { topUpMinimumUsdDefault, topUpSuggestedUsdDefault } from "./limits/Workspaces.js"

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
).annotations({
  description: "Why the balance cannot be topped up as asked, or whether it has to be",
  examples: ["balance_low"]
})
export type TopUpReason = typeof TopUpReason.Type

export const TopUpHint = Schema.Struct({
  minimumUsd: field(Schema.Number, "The smallest top-up, in US dollars", topUpMinimumUsdDefault),
  suggestedUsd: field(Schema.Number, "A sensible top-up, in US dollars", topUpSuggestedUsdDefault),
  checkoutUrl: field(
    Schema.NullOr(Schema.String),
    "Where a person can pay now; null when a checkout has to be requested first, or cannot be",
    null
  ),
  dashboardUrl: field(
    Schema.String,
    "Where a person sees the balance and its top-ups",
    "https://gateway.example.com/console"
  ),
  message: field(
    Schema.String,
    "How to top up, in a sentence",
    "Request a top-up with POST /v1/top-ups and pay it at its checkoutUrl."
  ),
  reason: Schema.optionalWith(TopUpReason, { exact: true })
}).annotations({ identifier: "TopUpHint", description: "How to put money on the balance" })
export type TopUpHint = typeof TopUpHint.Type

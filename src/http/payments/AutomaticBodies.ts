/** What the routes of automatic top-ups take and give. Names in `Micros` are integers, other money is dollars. */
import { Schema } from "effect"
import { automaticStates } from "../../domain/AutomaticTopUp.js"
import { fieldUsdMax } from "../../domain/Limits.js"
import { toUsd } from "../../domain/Micros.js"
import { automaticStops } from "../../domain/PaymentReport.js"
import type { AutomaticTopUpShown } from "../../services/AutomaticTopUps.js"
import { optional, says, Time, time } from "../Fields.js"

const usd = Schema.JsonNumber.pipe(
  Schema.between(0, fieldUsdMax),
  Schema.annotations(says(`must be a number of dollars from 0 to ${fieldUsdMax}`))
)

export const AutomaticTopUpInput = Schema.Struct({
  belowUsd: usd,
  amountUsd: usd,
  monthlyMaximumUsd: usd
}).annotations({
  identifier: "AutomaticTopUpRequest",
  examples: [{ belowUsd: 10, amountUsd: 50, monthlyMaximumUsd: 200 }]
})

export const AutomaticTopUpBody = Schema.Struct({
  status: Schema.Literal(...automaticStates).annotations({
    description: "active charges as soon as the balance is low; the others say what stands in the way"
  }),
  reason: optional(Schema.Literal(...automaticStops).annotations({ description: "Why the rule is disabled" })),
  message: Schema.String,
  belowUsd: Schema.Number,
  belowMicros: Schema.Int,
  amountUsd: Schema.Number,
  amountMicros: Schema.Int,
  monthlyMaximumUsd: Schema.Number,
  monthlyMaximumMicros: Schema.Int,
  monthMicros: Schema.Int.annotations({ description: "What was charged in this calendar month (UTC)" }),
  topUpId: optional(Schema.String.annotations({ description: "The top-up under way" })),
  updatedAt: Time
}).annotations({
  identifier: "AutomaticTopUp",
  examples: [
    {
      status: "active",
      message: "The saved card is charged when the balance falls below belowUsd.",
      belowUsd: 10,
      belowMicros: 10_000_000,
      amountUsd: 50,
      amountMicros: 50_000_000,
      monthlyMaximumUsd: 200,
      monthlyMaximumMicros: 200_000_000,
      monthMicros: 50_000_000,
      updatedAt: "2026-11-22T10:00:00.000Z"
    }
  ]
})

export const automaticTopUpBody = (rule: AutomaticTopUpShown): typeof AutomaticTopUpBody.Type => ({
  status: rule.state,
  ...(rule.reason === null ? {} : { reason: rule.reason }),
  message: rule.message,
  belowUsd: toUsd(rule.belowMicros),
  belowMicros: rule.belowMicros,
  amountUsd: toUsd(rule.amountMicros),
  amountMicros: rule.amountMicros,
  monthlyMaximumUsd: toUsd(rule.monthlyMaximumMicros),
  monthlyMaximumMicros: rule.monthlyMaximumMicros,
  monthMicros: rule.monthMicros,
  ...(rule.topUpId === null ? {} : { topUpId: rule.topUpId }),
  updatedAt: time(rule.updatedAt)
})

/** What the routes of automatic top-ups take and give. Names in `Micros` are integers, other money is dollars. */
import { Schema } from "effect"
import {
  automaticReasons,
  automaticStates,
  belowExpected,
  belowMinimumMicros,
  monthlyExpected
} from "../../domain/AutomaticTopUp.js"
import { fieldUsdMax } from "../../domain/limits/Workspaces.js"
import { Micros, microsPerUsd, toUsd } from "../../domain/Micros.js"
import { topUpAmounts } from "../../domain/TopUp.js"
import type { AutomaticTopUpShown } from "../../services/AutomaticTopUps.js"
import { TopUpUsd } from "../account/MoneyBodies.js"
import { asked, exampleId, exampleTime, field, optional, Time, time, UsdInput, usdWithin } from "../Fields.js"

export const AutomaticTopUpInput = Schema.Struct({
  belowUsd: asked(
    usdWithin(UsdInput, belowMinimumMicros, topUpAmounts.maximumMicros, belowExpected(topUpAmounts)),
    "The card is charged while less than this is available, in US dollars",
    Micros.make(10 * microsPerUsd)
  ),
  amountUsd: asked(
    TopUpUsd,
    "How much is charged at a time, in US dollars and whole cents",
    Micros.make(50 * microsPerUsd)
  ),
  monthlyMaximumUsd: asked(
    usdWithin(UsdInput, topUpAmounts.minimumMicros, Micros.make(fieldUsdMax * microsPerUsd), monthlyExpected),
    "How much is charged in a calendar month (UTC) at most, in US dollars; at least amountUsd",
    Micros.make(200 * microsPerUsd)
  )
}).annotations({ identifier: "AutomaticTopUpRequest", description: "A rule of automatic top-ups" })

const usd = (description: string, example: number) => field(Schema.Number, `${description}, in US dollars`, example)
const micros = (description: string, example: number) => field(Schema.Int, `${description}, in micros`, example)

export const AutomaticTopUpBody = Schema.Struct({
  status: field(
    Schema.Literal(...automaticStates),
    "active charges as soon as the balance is low; the others say what stands in the way",
    "active"
  ),
  reason: optional(
    field(Schema.Literal(...automaticReasons), "Why the rule is disabled or unavailable", "card_declined")
  ),
  message: field(
    Schema.String,
    "The same in a sentence",
    "The saved card is charged when the balance falls below belowUsd."
  ),
  belowUsd: usd("The card is charged while less than this is available", 10),
  belowMicros: micros("The same", 10_000_000),
  amountUsd: usd("How much is charged at a time", 50),
  amountMicros: micros("The same", 50_000_000),
  monthlyMaximumUsd: usd("How much is charged in a calendar month (UTC) at most", 200),
  monthlyMaximumMicros: micros("The same", 200_000_000),
  monthMicros: micros("What was charged in this calendar month (UTC)", 50_000_000),
  topUpId: optional(field(Schema.String, "The top-up under way; absent when there is none", exampleId("top"))),
  updatedAt: field(Time, "When the rule was set", exampleTime)
}).annotations({ identifier: "AutomaticTopUp", description: "The rule of automatic top-ups, and how it stands" })

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

/** The body of a quote: the hold of the run, the providers that it would try, and the limits that would refuse it. */
import { Schema } from "effect"
import { JsonObject } from "../../domain/Json.js"
import { toUsd } from "../../domain/Micros.js"
import { Prefer, Skipped } from "../../domain/RoutePlan.js"
import { RunError } from "../../domain/RunFailures.js"
import type { Quote } from "../../services/Runs.js"
import { field, optional, textOrNull } from "../Fields.js"

export const QuoteAnswer = Schema.Struct({
  admissible: field(Schema.Boolean, "Whether the run would be dispatched now", true),
  holdMicros: field(Schema.Int, "What it would hold, in micros: the most that it can cost", 20_000),
  estimatedCost: field(Schema.Number, "The same in US dollars", 0.02),
  route: optional(
    Schema.Struct({
      job: textOrNull("The job; null for a tool", "people.email.find"),
      prefer: Prefer,
      reason: field(Schema.String, "Why the first one is first", "Best record of the last 30 days."),
      capped: field(Schema.Boolean, "Whether maxCostUsd cuts the hold", false),
      candidates: Schema.Array(
        Schema.Struct({
          endpointId: field(Schema.String, "The operation", "mock-email-find"),
          provider: field(Schema.String, "Its provider", "mock"),
          maxMicros: field(Schema.Int, "The most that one attempt can cost, in micros", 20_000),
          effectful: field(Schema.Boolean, "Whether it changes something in the world", false)
        })
      ).annotations({ description: "Providers that it would call, in order" }),
      skipped: Schema.Array(Skipped).annotations({ description: "Providers that it would skip, each with the reason" })
    }).annotations({ description: "Whom the run would try; absent when nothing could be planned" })
  ),
  error: optional(RunError),
  result: optional(
    field(JsonObject, "What the refused run would carry as result; absent when it would not be refused", {
      code: "needs_input",
      needs: [{ endpointId: "mock-email-find", provider: "mock", fields: ["domain"] }]
    })
  ),
  limits: Schema.Array(
    Schema.Struct({
      limit: field(
        Schema.Literal("run_cap", "runs_per_minute", "inflight", "key_month", "balance"),
        "Which limit: of one run, of runs a minute, of runs in flight, of the token's month, or the balance",
        "balance"
      ),
      admits: field(Schema.Boolean, "Whether it lets the run through", true),
      message: textOrNull("Why it does not; null when it does", null)
    })
  ).annotations({ description: "What each limit says, as it stands now" })
}).annotations({ identifier: "Quote", description: "What a run would hold, and what would refuse it" })
export type QuoteAnswer = typeof QuoteAnswer.Type

export const quoteBody = ({ holdMicros, limits, plan, refusal, refusalResult }: Quote): QuoteAnswer => ({
  admissible: refusal === null && limits.every(({ admits }) => admits),
  holdMicros,
  estimatedCost: toUsd(holdMicros),
  ...(plan === null
    ? {}
    : {
        route: {
          job: plan.job,
          prefer: plan.prefer,
          reason: plan.reason,
          capped: plan.capped,
          candidates: plan.candidates.map(({ effectful, endpointId, maxMicros, providerId }) => ({
            endpointId,
            provider: providerId,
            maxMicros,
            effectful
          })),
          skipped: plan.skipped
        }
      }),
  ...(refusal === null ? {} : { error: refusal }),
  ...(refusalResult === null ? {} : { result: refusalResult }),
  limits
})

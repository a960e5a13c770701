/** The body of a quote: the hold of the run, the providers that it would try, and the limits that would refuse it. */
import { Schema } from "effect"
import { JsonObject } from "../../domain/Json.js"
import { toUsd } from "../../domain/Micros.js"
import { Prefer, SkipCode } from "../../domain/RoutePlan.js"
import { RunError } from "../../domain/RunFailures.js"
import type { Quote } from "../../services/Runs.js"
import { optional } from "../Fields.js"

export const QuoteAnswer = Schema.Struct({
  admissible: Schema.Boolean.annotations({ description: "Whether the run would be dispatched now" }),
  holdMicros: Schema.Int,
  estimatedCost: Schema.Number,
  route: optional(
    Schema.Struct({
      job: Schema.NullOr(Schema.String),
      prefer: Prefer,
      reason: Schema.String,
      capped: Schema.Boolean,
      candidates: Schema.Array(
        Schema.Struct({
          endpointId: Schema.String,
          provider: Schema.String,
          maxMicros: Schema.Int,
          effectful: Schema.Boolean
        })
      ),
      skipped: Schema.Array(Schema.Struct({ endpointId: Schema.String, code: SkipCode, reason: Schema.String }))
    })
  ),
  error: optional(RunError),
  result: optional(JsonObject),
  limits: Schema.Array(
    Schema.Struct({
      limit: Schema.Literal("run_cap", "runs_per_minute", "inflight", "key_month", "balance"),
      admits: Schema.Boolean,
      message: Schema.NullOr(Schema.String)
    })
  )
}).annotations({ identifier: "Quote" })
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

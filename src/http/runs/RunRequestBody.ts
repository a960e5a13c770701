/**
 * The body of `POST /v1/runs` and what it means: closed, with the defaults of `fallback` filled in (contract: "Run
 * request"; completions: section 3, "Body").
 */
import { Option, Schema } from "effect"
import { trimmedEndpointId } from "../../domain/EndpointIds.js"
import { ParsedObject } from "../../domain/Json.js"
import {
  fallbackAttemptsDefault,
  fallbackAttemptsMax,
  fallbackExcludesMax,
  fieldUsdMax,
  runIdentifierCharsMax
} from "../../domain/Limits.js"
import { fromUsd, type Micros } from "../../domain/Micros.js"
import { Prefer } from "../../domain/RoutePlan.js"
import type { FallbackRequest, RunRequest } from "../../services/Runs.js"
import { line, optional, says } from "../Fields.js"
import { IdempotencyKey } from "../IdempotencyKey.js"
import { WaitBody } from "./Wait.js"

/** Fills it in, and says so in the document. */
const withDefault = <A, I>(schema: Schema.Schema<A, I>, value: NoInfer<A>) =>
  Schema.optionalWith(schema.annotations({ default: value }), { exact: true, default: () => value })

const Fallback = Schema.Struct({
  enabled: withDefault(Schema.Boolean, true),
  maxAttempts: withDefault(
    Schema.Int.pipe(
      Schema.between(1, fallbackAttemptsMax),
      Schema.annotations(says(`must be a whole number from 1 to ${fallbackAttemptsMax}`))
    ),
    fallbackAttemptsDefault
  ),
  maxCostUsd: optional(
    Schema.JsonNumber.pipe(
      Schema.between(0, fieldUsdMax),
      Schema.annotations(says(`must be a number of dollars from 0 to ${fieldUsdMax}`))
    )
  ),
  prefer: withDefault(Prefer.annotations(says(`must be one of ${Prefer.literals.join(", ")}`)), "balanced"),
  exclude: withDefault(
    Schema.Array(line(runIdentifierCharsMax)).pipe(
      Schema.maxItems(fallbackExcludesMax),
      Schema.annotations(says(`must be at most ${fallbackExcludesMax} endpoint or provider ids`))
    ),
    []
  ),
  stopAtFirstMiss: withDefault(Schema.Boolean, false)
}).annotations({ identifier: "Fallback" })

const fields = {
  endpointId: line(runIdentifierCharsMax, "job:<job_id> or a tool id"),
  input: ParsedObject.annotations({ description: "Fields of the job or tool; unknown keys pass through unchanged" }),
  fallback: optional(
    Schema.Union(Schema.Boolean, Fallback).annotations({ description: "Jobs: try the next provider on a miss" })
  ),
  output: optional(
    Schema.Struct({
      mode: optional(Schema.Literal("raw", "canonical").annotations(says("must be raw")))
    })
  ),
  connectionId: optional(line(runIdentifierCharsMax, "Run on this connection of yours"))
}

export const RunRequestBody = Schema.Struct({
  ...fields,
  wait: optional(WaitBody),
  idempotencyKey: optional(IdempotencyKey)
}).annotations({ identifier: "RunRequest" })
export type RunRequestBody = typeof RunRequestBody.Type

export const QuoteBody = Schema.Struct(fields).annotations({ identifier: "QuoteRequest" })
export type QuoteBody = typeof QuoteBody.Type

const noFallback = {
  maxAttempts: fallbackAttemptsDefault,
  maxCostMicros: null,
  prefer: "balanced",
  exclude: [],
  stopAtFirstMiss: false
} as const

const fallbackOf = (sent: RunRequestBody["fallback"]): FallbackRequest | null => {
  if (sent === undefined || sent === false) return null
  if (sent === true) return { enabled: true, ...noFallback }
  const maxCostMicros: Micros | null = sent.maxCostUsd === undefined ? null : Option.getOrNull(fromUsd(sent.maxCostUsd))
  return {
    enabled: sent.enabled,
    maxAttempts: sent.maxAttempts,
    maxCostMicros,
    prefer: sent.prefer,
    exclude: sent.exclude.map((id) => id.trim()),
    stopAtFirstMiss: sent.stopAtFirstMiss
  }
}

export const quoteRequestOf = (body: QuoteBody, requestId: string): Omit<RunRequest, "idempotencyKey"> => ({
  endpointId: trimmedEndpointId(body.endpointId),
  input: body.input,
  fallback: fallbackOf(body.fallback),
  outputMode: body.output?.mode ?? null,
  connectionId: body.connectionId?.trim() ?? null,
  requestId
})

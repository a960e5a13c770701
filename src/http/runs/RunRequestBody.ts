/**
 * The body of `POST /v1/runs` and what it means: closed, with the defaults of `fallback` filled in (contract: "Run
 * request"; completions: section 3, "Body").
 */
import { Schema } from "effect"
import { trimmedEndpointId } from "../../domain/EndpointIds.js"
import { ParsedObject } from "../../domain/Json.js"
import {
  fallbackAttemptsDefault,
  fallbackAttemptsMax,
  fallbackExcludesMax,
  runIdentifierCharsMax,
  waitSecondsMax,
  waitSecondsWhenTrue
} from "../../domain/limits/Runs.js"
import { Micros } from "../../domain/Micros.js"
import { Prefer } from "../../domain/RoutePlan.js"
import type { FallbackRequest, RunRequest } from "../../services/Runs.js"
import { askedMaybe, exampleId, field, line, optional, says, UsdInput } from "../Fields.js"
import { mandatoryKeyField } from "../IdempotencyKey.js"
import { WaitBody } from "./Wait.js"

/** A field that is filled in when it is left out; the document says with what. */
const withDefault = <A, I>(
  schema: Schema.Schema<A, I>,
  value: NoInfer<A>,
  description: string,
  example: NoInfer<A> = value
) =>
  Schema.optionalWith(schema.annotations({ default: value }), { exact: true, default: () => value }).annotations({
    description,
    examples: [example]
  })

const Fallback = Schema.Struct({
  enabled: withDefault(Schema.Boolean, true, "Whether other providers are tried"),
  maxAttempts: withDefault(
    Schema.Int.pipe(
      Schema.between(1, fallbackAttemptsMax),
      Schema.annotations(says(`must be a whole number from 1 to ${fallbackAttemptsMax}`))
    ),
    fallbackAttemptsDefault,
    "How many providers are tried at most"
  ),
  maxCostUsd: optional(
    field(
      UsdInput,
      "How many US dollars the whole run may cost; providers above it are skipped. Without it, what the dearest set of attempts can cost",
      Micros.make(50_000)
    )
  ),
  prefer: withDefault(
    Prefer.annotations(says(`must be one of ${Prefer.literals.join(", ")}`)),
    "balanced",
    "What decides which provider is tried first: balanced weighs price, record and speed"
  ),
  exclude: withDefault(
    Schema.Array(line(runIdentifierCharsMax)).pipe(
      Schema.maxItems(fallbackExcludesMax),
      Schema.annotations(says(`must be at most ${fallbackExcludesMax} endpoint or provider ids`))
    ),
    [],
    "Endpoints and providers that are not tried",
    ["mock-email-find-2"]
  ),
  stopAtFirstMiss: withDefault(Schema.Boolean, false, "Whether a provider that finds nothing ends the run")
}).annotations({ identifier: "Fallback", description: "How other providers of the job are tried" })

const fields = {
  endpointId: field(
    line(runIdentifierCharsMax),
    "job: and the id of a job, or the id of a tool",
    "job:people.email.find"
  ),
  input: field(ParsedObject, "Fields of the job or tool; unknown keys pass through unchanged", {
    full_name: "Ada Lovelace",
    domain: "example.com"
  }),
  fallback: optional(
    field(
      Schema.Union(Schema.Boolean, Fallback),
      "Jobs: try the next provider on a miss. It has no effect on a tool",
      true
    )
  ),
  output: optional(
    Schema.Struct({
      mode: askedMaybe(
        Schema.Literal("raw", "canonical").annotations(says("must be raw")),
        "How the result is given: raw, as the provider answered it; canonical is refused",
        "raw"
      )
    })
  ).annotations({ description: "How the result is given" }),
  connectionId: optional(field(line(runIdentifierCharsMax), "Run on this connection of yours", exampleId("con")))
}

export const RunRequestBody = Schema.Struct({
  ...fields,
  wait: askedMaybe(
    WaitBody,
    `How long to wait for the end: true is ${waitSecondsWhenTrue} seconds, a number is seconds, of which more than ${waitSecondsMax} count as ${waitSecondsMax}. The query parameter wins`,
    true
  ),
  idempotencyKey: mandatoryKeyField
}).annotations({ identifier: "RunRequest", description: "What to run, with which input" })
export type RunRequestBody = typeof RunRequestBody.Type

export const QuoteBody = Schema.Struct(fields).annotations({
  identifier: "QuoteRequest",
  description: "The run to be priced"
})
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
  return {
    enabled: sent.enabled,
    maxAttempts: sent.maxAttempts,
    maxCostMicros: sent.maxCostUsd ?? null,
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

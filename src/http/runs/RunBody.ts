/**
 * Runs and attempts as a client sees them (contract: "Run" and "GET /v1/runs"; completions: section 3). Absent and null
 * mean different things here: absent is "does not apply or not known yet", null is "has a value later" (`actualCost`
 * before settlement). Dollars appear only here, as JSON numbers.
 */
import { Schema } from "effect"
import { jobNamedBy } from "../../domain/EndpointIds.js"
import { anyJson, Json, JsonObject } from "../../domain/Json.js"
import { toUsd } from "../../domain/Micros.js"
import { Prefer, SkipCode, type RoutePlan } from "../../domain/RoutePlan.js"
import { AttemptStatus, RunOutcome, RunStatus, type Attempt, type Run, type StoredResult } from "../../domain/Run.js"
import type * as Stored from "../../domain/Run.js"
import { RunError } from "../../domain/RunFailures.js"
import { isSettledForWaiters } from "../../domain/RunMachine.js"
import type { RunDetail } from "../../services/Runs.js"
import { optional, Time, time, timeOrNull } from "../Fields.js"

const nullable = Schema.NullOr
const Usd = Schema.Number.annotations({ description: "US dollars" })
const Skipped = Schema.Struct({ endpointId: Schema.String, code: SkipCode, reason: Schema.String })

const RequestedJob = Schema.Struct({
  job: Schema.String,
  prefer: optional(Prefer),
  pickedEndpointId: nullable(Schema.String),
  reason: Schema.String,
  skipped: Schema.Array(Skipped)
}).annotations({ identifier: "RequestedJob" })

const Route = Schema.Struct({
  servedBy: optional(Schema.String),
  outcome: nullable(RunOutcome),
  chargedUsd: Usd,
  capped: Schema.Boolean,
  attempts: Schema.Array(
    Schema.Struct({
      n: Schema.Int,
      endpointId: Schema.String,
      provider: Schema.String,
      outcome: nullable(RunOutcome),
      status: AttemptStatus,
      chargedUsd: Usd,
      ms: nullable(Schema.Int),
      reason: optional(Schema.String),
      billed: Schema.Boolean
    })
  ),
  skipped: Schema.Array(Skipped),
  summary: Schema.String
}).annotations({ identifier: "Route" })

const TrimmedBody = Schema.Struct({
  truncated: Schema.Boolean,
  fields: optional(Schema.Array(Schema.String)),
  max_items: optional(Schema.Int),
  arrays: Schema.Array(Schema.Struct({ path: Schema.String, kept: Schema.Int, total: Schema.Int }))
}).annotations({ identifier: "Trimmed" })
export type TrimmedBody = typeof TrimmedBody.Type

const summaryFields = {
  runId: Schema.String,
  endpointId: Schema.String,
  providerId: optional(Schema.String),
  servedEndpointId: optional(Schema.String),
  servedProviderId: optional(Schema.String),
  status: RunStatus,
  outcome: optional(RunOutcome),
  providerResponseStatus: nullable(Schema.Int),
  createdAt: Time,
  completedAt: nullable(Time),
  actualCost: nullable(Usd),
  error: optional(RunError),
  resultBytes: nullable(Schema.Int)
}
const Result = Json.annotations({
  identifier: "RunResult",
  jsonSchema: anyJson,
  description:
    "The provider's answer: its JSON as the provider gave it, be that an object, a list, a text, a number or null; else text and format, or media with a downloadPath"
})

const words = { type: "array", items: { type: "string" } }
/** Stored as JSON, so nothing is decoded; the document says what it holds. */
const NormalizedBody = JsonObject.annotations({
  identifier: "Normalized",
  description:
    "The answer under field names that do not change with the provider; absent, never null, unless the gateway has it on and the answering endpoint has an output map",
  jsonSchema: {
    type: "object",
    required: [
      "job",
      "endpointId",
      "fields",
      "missing",
      "ambiguous",
      "unmapped",
      "providerValues",
      "verdict",
      "verdictReason",
      "mapVerified"
    ],
    properties: {
      job: { type: "string" },
      endpointId: { type: "string" },
      fields: {
        type: "object",
        description: "The job's fields that were found, by their fixed names",
        additionalProperties: true
      },
      missing: { ...words, description: "Fields that the answer does not hold" },
      ambiguous: { ...words, description: "Fields of which the answer holds several values" },
      unmapped: { ...words, description: "Fields whose word is none of the vocabulary" },
      providerValues: {
        type: "object",
        description: "The provider's own words, where they were translated",
        additionalProperties: true
      },
      verdict: { type: "string", enum: ["confirmed", "guessed", "empty"] },
      verdictReason: { type: "string" },
      mapVerified: { type: "boolean" }
    }
  }
})

export const RunSummary = Schema.Struct({ ...summaryFields, result: optional(Result) }).annotations({
  identifier: "RunSummary"
})
export type RunSummary = typeof RunSummary.Type

export const RunBody = Schema.Struct({
  ...summaryFields,
  requestedJob: optional(RequestedJob),
  outcomeReason: optional(Schema.String),
  result: optional(Result),
  normalized: optional(NormalizedBody),
  pricing: Schema.Struct({ maximumChargeMicros: Schema.Int, finalChargeMicros: optional(Schema.Int) }),
  estimatedCost: Usd,
  route: optional(Route),
  contractVersion: optional(Schema.String),
  startedAt: nullable(Time),
  connectionId: optional(Schema.String),
  replayed: optional(Schema.Boolean),
  trimmed: optional(TrimmedBody)
}).annotations({ identifier: "Run" })
export type RunBody = typeof RunBody.Type

export const RunPage = Schema.Struct({
  runs: Schema.Array(RunSummary),
  nextCursor: nullable(Schema.String)
}).annotations({ identifier: "RunPage" })

export const AttemptList = Schema.Struct({
  runId: Schema.String,
  attempts: Schema.Array(
    Schema.Struct({
      attemptId: Schema.String,
      n: Schema.Int,
      providerId: Schema.String,
      endpointId: Schema.String,
      status: AttemptStatus,
      outcome: nullable(RunOutcome),
      providerResponseStatus: nullable(Schema.Int),
      latencyMs: nullable(Schema.Int),
      costMicros: nullable(Schema.Int),
      billed: Schema.Boolean,
      reason: optional(Schema.String),
      errorCode: optional(Schema.String),
      receiptId: nullable(Schema.String),
      receipt: nullable(
        Schema.Struct({
          requestDigest: nullable(Schema.String),
          responseDigest: nullable(Schema.String),
          requestBytes: Schema.Int,
          responseBytes: Schema.Int,
          providerRequestId: nullable(Schema.String),
          costAnomaly: optional(Schema.String),
          sharedWithRunId: optional(Schema.String)
        })
      ),
      startedAt: Time,
      completedAt: nullable(Time)
    })
  )
}).annotations({ identifier: "AttemptList" })
export type AttemptList = typeof AttemptList.Type

const usdOrNull = (micros: number | null): number | null => (micros === null ? null : toUsd(micros))

export const mediaPath = (runId: string, mediaId: string): string => `/v1/runs/${runId}/media/${mediaId}`

export const resultBody = (runId: string, stored: StoredResult): Json => {
  switch (stored._tag) {
    case "Json":
    case "Refusal":
      return stored.value
    case "Text":
      return { text: stored.text, format: stored.format }
    case "Media": {
      const { bytes, contentType, filename, mediaId, sha256 } = stored.media
      return {
        media: {
          downloadPath: mediaPath(runId, mediaId),
          contentType,
          bytes,
          sha256,
          ...(filename === null ? {} : { filename })
        }
      }
    }
  }
}

const summaryOf = (run: Stored.RunSummary) => ({
  runId: run.runId,
  endpointId: run.endpointId,
  ...(run.providerId === null ? {} : { providerId: run.providerId }),
  ...(run.servedEndpointId === null ? {} : { servedEndpointId: run.servedEndpointId }),
  ...(run.servedProviderId === null ? {} : { servedProviderId: run.servedProviderId }),
  status: run.status,
  ...(run.outcome === null ? {} : { outcome: run.outcome }),
  providerResponseStatus: run.providerStatus,
  createdAt: time(run.createdAt),
  completedAt: timeOrNull(run.completedAt),
  actualCost: usdOrNull(run.chargeMicros),
  ...(run.error === null ? {} : { error: run.error }),
  resultBytes: run.resultBytes
})

/**
 * What a run that is under way has found so far is not its answer: the next attempt may bring a better one. A client
 * that took it for the end would send the run again and pay twice (contract: `error` is present on a failed run).
 */
const nothingYet = {
  outcome: null,
  error: null,
  providerStatus: null,
  result: null,
  resultBytes: null,
  servedEndpointId: null,
  servedProviderId: null
}

export const runSummary = (stored: Stored.ListedRun): RunSummary => {
  const run = isSettledForWaiters(stored.status) ? stored : { ...stored, ...nothingYet }
  return { ...summaryOf(run), ...(run.result === null ? {} : { result: resultBody(run.runId, run.result) }) }
}

const requestedJobOf = (run: Run): NonNullable<RunBody["requestedJob"]> | null => {
  const job = jobNamedBy(run.requestedEndpointId)
  if (job === null) return null
  if (run.plan === null)
    return { job, pickedEndpointId: null, reason: run.error?.message ?? "No provider was chosen.", skipped: [] }
  return {
    job,
    prefer: run.plan.prefer,
    pickedEndpointId: run.plan.candidates[0]?.endpointId ?? null,
    reason: run.plan.reason,
    skipped: run.plan.skipped
  }
}

const routeSummary = (run: Run, attempts: ReadonlyArray<Attempt>): string => {
  const tried = attempts.length === 1 ? "1 provider tried" : `${attempts.length} providers tried`
  const none =
    run.completedAt === null ? "still under way" : run.outcome === "miss" ? "none found anything" : "none answered"
  return `${tried}, ${run.servedEndpointId === null ? none : `${run.servedEndpointId} answered`}${run.outcome === null ? "" : `: ${run.outcome}`}.`
}

const routeOf = (run: Run, plan: RoutePlan, attempts: ReadonlyArray<Attempt>): NonNullable<RunBody["route"]> => ({
  ...(run.servedEndpointId === null ? {} : { servedBy: run.servedEndpointId }),
  outcome: run.outcome,
  chargedUsd: toUsd(run.chargeMicros ?? 0),
  capped: plan.capped,
  attempts: attempts.map((attempt) => ({
    n: attempt.n,
    endpointId: attempt.endpointId,
    provider: attempt.providerId,
    outcome: attempt.outcome,
    status: attempt.status,
    chargedUsd: attempt.billed ? toUsd(attempt.costMicros ?? 0) : 0,
    ms: attempt.latencyMs,
    ...(attempt.reason === null ? {} : { reason: attempt.reason }),
    billed: attempt.billed
  })),
  skipped: plan.skipped,
  summary: routeSummary(run, attempts)
})

/** The full run, without what only some answers add (`replayed`, `trimmed`). */
export const runBody = ({ attempts, run: stored }: RunDetail): RunBody => {
  const run = isSettledForWaiters(stored.status)
    ? stored
    : { ...stored, ...nothingYet, outcomeReason: null, normalized: null }
  const requestedJob = requestedJobOf(run)
  const route =
    run.plan !== null && run.plan.job !== null && run.plan.fallback?.enabled === true
      ? routeOf(run, run.plan, attempts)
      : null
  return {
    ...summaryOf(run),
    ...(requestedJob === null ? {} : { requestedJob }),
    ...(run.outcomeReason === null ? {} : { outcomeReason: run.outcomeReason }),
    ...(run.result === null ? {} : { result: resultBody(run.runId, run.result) }),
    ...(run.normalized === null ? {} : { normalized: run.normalized }),
    pricing: {
      maximumChargeMicros: run.holdMicros,
      ...(run.chargeMicros === null ? {} : { finalChargeMicros: run.chargeMicros })
    },
    estimatedCost: toUsd(run.holdMicros),
    ...(route === null ? {} : { route }),
    ...(run.contractVersion === null ? {} : { contractVersion: run.contractVersion }),
    startedAt: timeOrNull(run.startedAt),
    ...(run.connectionId === null ? {} : { connectionId: run.connectionId })
  }
}

export const attemptList = ({ attempts, run }: RunDetail): AttemptList => ({
  runId: run.runId,
  attempts: attempts.map((attempt) => ({
    attemptId: attempt.attemptId,
    n: attempt.n,
    providerId: attempt.providerId,
    endpointId: attempt.endpointId,
    status: attempt.status,
    outcome: attempt.outcome,
    providerResponseStatus: attempt.providerStatus,
    latencyMs: attempt.latencyMs,
    costMicros: attempt.costMicros,
    billed: attempt.billed,
    ...(attempt.reason === null ? {} : { reason: attempt.reason }),
    ...(attempt.errorCode === null ? {} : { errorCode: attempt.errorCode }),
    receiptId: attempt.receiptId,
    receipt:
      attempt.receipt === null
        ? null
        : {
            requestDigest: attempt.receipt.requestDigest,
            responseDigest: attempt.receipt.responseDigest,
            requestBytes: attempt.receipt.requestBytes,
            responseBytes: attempt.receipt.responseBytes,
            providerRequestId: attempt.receipt.providerRequestId,
            ...(attempt.receipt.costAnomaly === null ? {} : { costAnomaly: attempt.receipt.costAnomaly }),
            ...(attempt.receipt.sharedWithRunId === null ? {} : { sharedWithRunId: attempt.receipt.sharedWithRunId })
          },
    startedAt: time(attempt.startedAt),
    completedAt: timeOrNull(attempt.completedAt)
  }))
})

/**
 * A run and its attempts as they are stored: everything that admission promised and dispatch found out. What a client
 * sees of them is made in `src/http/runs`. Times are milliseconds since the epoch.
 */
import { Schema } from "effect"
import { AttemptId, MediaId, ReceiptId, RunId, TokenId, WorkspaceId } from "./Ids.js"
import { Json, JsonObject } from "./Json.js"
import { Micros } from "./Micros.js"
import { RoutePlan } from "./RoutePlan.js"
import { RunError } from "./RunFailures.js"

export const RunStatus = Schema.Literal(
  "queued",
  "running",
  "completed",
  "failed",
  "blocked",
  "reconciliation_pending"
).annotations({
  identifier: "RunStatus",
  description:
    "Where the run stands: queued, running, completed (the provider answered), failed, blocked (refused before anything was sent), reconciliation_pending (the answer was lost, and an operator decides what is charged)",
  examples: ["completed"]
})
export type RunStatus = typeof RunStatus.Type
/** What is told of a run that is `reconciliation_pending`. The client package has the same sentence. */
export const uncertainHint = "Do not run it again: read this run later, after the operator of the gateway has decided."
export const RunOutcome = Schema.Literal("hit", "weak", "miss", "error", "rejected").annotations({
  identifier: "RunOutcome",
  description:
    "What came of it: hit (found), weak (a guess), miss (nothing found), error (the provider or the gateway failed), rejected (bad input, or another refusal that is yours to mend)",
  examples: ["hit"]
})
export type RunOutcome = typeof RunOutcome.Type

const TextFormat = Schema.Literal("csv", "text", "html", "xml", "markdown")
const MediaReference = Schema.Struct({
  mediaId: Schema.String,
  contentType: Schema.String,
  bytes: Schema.Int,
  sha256: Schema.String,
  filename: Schema.NullOr(Schema.String)
})
type MediaReference = typeof MediaReference.Type

/** Where a file of a result is downloaded, and how inputs of later runs name it. */
export const mediaPath = (runId: string, mediaId: string): string => `/v1/runs/${runId}/media/${mediaId}`

const isRunId = Schema.is(RunId)
const isMediaId = Schema.is(MediaId)
/** The file that a download path names; null for another text. */
export const mediaNamedBy = (path: string): { readonly runId: RunId; readonly mediaId: MediaId } | null => {
  const [, runId, mediaId] = /^\/v1\/runs\/([^/?#]+)\/media\/([^/?#]+)$/.exec(path) ?? []
  return isRunId(runId) && isMediaId(mediaId) ? { runId, mediaId } : null
}

/** `Refusal` is the body of a job run that called nobody: a reason code with its particulars. */
export const StoredResult = Schema.Union(
  Schema.TaggedStruct("Json", { value: Json }),
  Schema.TaggedStruct("Text", { text: Schema.String, format: TextFormat }),
  Schema.TaggedStruct("Media", { media: MediaReference }),
  Schema.TaggedStruct("Refusal", { value: JsonObject })
)
export type StoredResult = typeof StoredResult.Type

const Millis = Schema.Int
const nullable = Schema.NullOr

export const Run = Schema.Struct({
  runId: RunId,
  workspaceId: WorkspaceId,
  tokenId: TokenId,
  idempotencyKey: Schema.String,
  requestDigest: Schema.String,
  requestId: Schema.String,
  /** As the client sent it: `job:<id>` or a tool id. */
  requestedEndpointId: Schema.String,
  /** The tool that was picked. When none was picked, the endpoint id as the client sent it. */
  endpointId: Schema.String,
  providerId: nullable(Schema.String),
  contractVersion: nullable(Schema.String),
  /** The job that was asked for, or the one that the tool did when the run was made; null where there is none. */
  job: nullable(Schema.String),
  /** A text is the beginning of the input of a run that was refused (`RefusedRun.ts`). */
  input: Schema.Union(JsonObject, Schema.String),
  /** Null on a run that was refused before a plan could be made. */
  plan: nullable(RoutePlan),
  status: RunStatus,
  outcome: nullable(RunOutcome),
  outcomeReason: nullable(Schema.String),
  holdMicros: Micros,
  /** Null until the run is settled. */
  chargeMicros: nullable(Micros),
  /** The calendar month (UTC, `2026-11`) whose key limit the hold counts against. */
  spendMonth: Schema.String,
  error: nullable(RunError),
  result: nullable(StoredResult),
  normalized: nullable(JsonObject),
  resultBytes: nullable(Schema.Int),
  providerStatus: nullable(Schema.Int),
  servedEndpointId: nullable(Schema.String),
  servedProviderId: nullable(Schema.String),
  connectionId: nullable(Schema.String),
  cancelRequested: Schema.Boolean,
  createdAt: Millis,
  startedAt: nullable(Millis),
  completedAt: nullable(Millis),
  /**
   * What was sent and what was answered was dropped because of its age: `input` is empty, and `result` and `normalized`
   * are null whatever the answer was.
   */
  payloadDropped: Schema.optionalWith(Schema.Literal(true), { exact: true })
})
export type Run = typeof Run.Type

/** What lists show of a run: the contract's ("GET /v1/runs and GET /v1/runs/{runId}"), and the pages of the console. */
export const RunSummary = Run.pick(
  "runId",
  "tokenId",
  "job",
  "endpointId",
  "providerId",
  "servedEndpointId",
  "servedProviderId",
  "status",
  "outcome",
  "providerStatus",
  "createdAt",
  "completedAt",
  "holdMicros",
  "chargeMicros",
  "error",
  "resultBytes"
)
export type RunSummary = typeof RunSummary.Type

export const summarise = (run: Run): RunSummary => ({
  runId: run.runId,
  tokenId: run.tokenId,
  job: run.job,
  endpointId: run.endpointId,
  providerId: run.providerId,
  servedEndpointId: run.servedEndpointId,
  servedProviderId: run.servedProviderId,
  status: run.status,
  outcome: run.outcome,
  providerStatus: run.providerStatus,
  createdAt: run.createdAt,
  completedAt: run.completedAt,
  holdMicros: run.holdMicros,
  chargeMicros: run.chargeMicros,
  error: run.error,
  resultBytes: run.resultBytes
})

/** The operation and the provider that a run is shown under: those that answered, or that were picked. */
export const shownEndpoint = (run: Pick<Run, "endpointId" | "servedEndpointId">): string =>
  run.servedEndpointId ?? run.endpointId
export const shownProvider = (run: Pick<Run, "providerId" | "servedProviderId">): string | null =>
  run.servedProviderId ?? run.providerId

/** A row of a list: with its result where results were asked for. */
export interface ListedRun extends RunSummary {
  readonly result: StoredResult | null
  /** As on a run; told only where results were asked for. */
  readonly payloadDropped?: true
}

export const AttemptStatus = Schema.Literal("running", "completed", "failed", "reconciliation_pending")
export type AttemptStatus = typeof AttemptStatus.Type

/** Digests and sizes of one exchange, or the run whose call was shared. Never headers or bodies. */
export const Receipt = Schema.Struct({
  requestDigest: nullable(Schema.String),
  responseDigest: nullable(Schema.String),
  requestBytes: Schema.Int,
  responseBytes: Schema.Int,
  providerRequestId: nullable(Schema.String),
  /**
   * The cost that the provider reported, when it could not be used as it was (negative, not a number, above the hold).
   */
  costAnomaly: nullable(Schema.String),
  sharedWithRunId: nullable(Schema.String),
  /** Of an answer that was read in pages alone. `complete` is false when the provider has, or may have, more. */
  pages: Schema.optionalWith(Schema.Struct({ read: Schema.Int, complete: Schema.Boolean }), { exact: true })
})
export type Receipt = typeof Receipt.Type

export const Attempt = Schema.Struct({
  attemptId: AttemptId,
  runId: RunId,
  workspaceId: WorkspaceId,
  n: Schema.Int,
  endpointId: Schema.String,
  providerId: Schema.String,
  status: AttemptStatus,
  outcome: nullable(RunOutcome),
  reason: nullable(Schema.String),
  errorCode: nullable(Schema.String),
  providerStatus: nullable(Schema.Int),
  latencyMs: nullable(Schema.Int),
  costMicros: nullable(Micros),
  billed: Schema.Boolean,
  receiptId: nullable(ReceiptId),
  receipt: nullable(Receipt),
  startedAt: Millis,
  completedAt: nullable(Millis)
})
export type Attempt = typeof Attempt.Type

const latencyMsMax = 2 ** 31 - 1
/**
 * How long an attempt took. The clock may have been set back meanwhile, or its node away for months: at least 0, at
 * most what is stored.
 */
export const latencyMsOf = (startedAt: number, endedAt: number): number =>
  Math.min(latencyMsMax, Math.max(0, endedAt - startedAt))

/** The attempt as it ends now, but for what came of it. */
export const endedAttempt = (attempt: Attempt, now: number): Attempt => ({
  ...attempt,
  latencyMs: latencyMsOf(attempt.startedAt, now),
  completedAt: now
})

/** The sort key of a run that waits for a person, in lists that are oldest first, and back. */
export const uncertainKey = ({ createdAt, runId }: Pick<Run, "createdAt" | "runId">): string => `${createdAt}.${runId}`
export const uncertainPlaceOf = (key: string): { readonly createdAt: number; readonly runId: string } => {
  const [createdAt, runId = ""] = key.split(".")
  return { createdAt: Number(createdAt), runId }
}

/** The calendar month of a moment, in UTC: `2026-11`. */
export const monthOf = (millis: number): string => new Date(millis).toISOString().slice(0, 7)

/** The first moment after a calendar month, in UTC. */
export const endOfMonth = (month: string): number => Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)), 1)

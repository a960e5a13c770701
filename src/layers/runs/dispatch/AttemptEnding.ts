/**
 * What one provider call means for the run: the ended attempt with its receipt and cost, and the run with the better of
 * the answers so far. Plain data in, plain data out; ids and times are given.
 */
import { createHash } from "node:crypto"
import { isBetter } from "../../../domain/Fallback.js"
import type { MediaId, ReceiptId, RunId } from "../../../domain/Ids.js"
import type { JsonObject } from "../../../domain/Json.js"
import type { Endpoint } from "../../../domain/Manifest.js"
import { zero } from "../../../domain/Micros.js"
import type { AnswerBody, CallResult, Normalized } from "../../../domain/ProviderCall.js"
import type { Candidate } from "../../../domain/RoutePlan.js"
import {
  type Attempt,
  latencyMsOf,
  type Receipt,
  type Run,
  type RunOutcome,
  type StoredResult
} from "../../../domain/Run.js"
import { type RunFailure, toRunError } from "../../../domain/RunFailures.js"
import { costOf } from "../../../domain/Settlement.js"
import type { Media } from "../../../services/RunStore.js"

export interface Ending {
  readonly run: Run
  readonly attempt: Attempt
  readonly media: Media | null
  /** The call may have had an effect that nobody can vouch for. */
  readonly uncertain: boolean
}

export interface Call {
  readonly run: Run
  readonly attempt: Attempt
  readonly candidate: Candidate
  /** Null when the contract is gone: then nothing was called. */
  readonly endpoint: Endpoint | null
  readonly result: CallResult
  /** The run that made and paid for the call, when it was not this one. */
  readonly sharedWithRunId: RunId | null
  readonly now: number
  readonly receiptId: ReceiptId
  readonly mediaId: MediaId
  readonly normalizedOn: boolean
}

export const end = (call: Call): Ending => {
  const { attempt, candidate, endpoint, now, result, run } = call
  const answered = result._tag === "Answered"
  const outcome: RunOutcome = answered
    ? result.outcome
    : result.failure._tag === "validation_error"
      ? "rejected"
      : "error"
  const uncertain = !answered && candidate.effectful && result.certainty === "unanswered"
  const cost =
    call.sharedWithRunId !== null
      ? { micros: zero, anomaly: null }
      : costOf({
          price: endpoint?.operation.price ?? freePrice,
          delivered: answered && (result.outcome !== "miss" || endpoint?.operation.response.billsMiss === true),
          resultCount: answered ? result.resultCount : null,
          evidence: result.cost,
          maxMicros: candidate.maxMicros
        })
  const receipt: Receipt = {
    requestDigest: result.evidence?.requestDigest ?? null,
    responseDigest: result.evidence?.responseDigest ?? null,
    requestBytes: result.evidence?.requestBytes ?? 0,
    responseBytes: result.evidence?.responseBytes ?? 0,
    providerRequestId: result.evidence?.providerRequestId ?? null,
    costAnomaly: cost.anomaly,
    sharedWithRunId: call.sharedWithRunId
  }
  const ended: Attempt = {
    ...attempt,
    status: uncertain ? "reconciliation_pending" : answered ? "completed" : "failed",
    outcome,
    reason: answered ? result.outcomeReason : result.failure.message,
    errorCode: answered ? null : result.failure.code,
    providerStatus: result.providerStatus,
    latencyMs: latencyMsOf(attempt.startedAt, now),
    costMicros: uncertain ? null : cost.micros,
    billed: !uncertain && cost.micros > 0,
    receiptId: call.receiptId,
    receipt,
    completedAt: now
  }
  if (!answered) {
    const better = isBetter(outcome, run.outcome) || run.outcome === "error" || run.outcome === "rejected"
    return {
      attempt: ended,
      media: null,
      uncertain,
      run: better ? failed(run, result.failure, outcome, result.providerStatus) : run
    }
  }
  if (!isBetter(result.outcome, run.outcome)) return { attempt: ended, media: null, uncertain, run }
  const stored = store(call, result.body)
  // A tool's miss is that tool's answer; of a job, whoever found nothing has not served it.
  const served = result.outcome !== "miss" || run.plan?.job === null
  return {
    attempt: ended,
    media: stored.media,
    uncertain,
    run: {
      ...run,
      outcome: result.outcome,
      outcomeReason: result.outcomeReason,
      error: null,
      result: stored.result,
      normalized: call.normalizedOn && result.normalized !== null ? toJson(result.normalized) : null,
      resultBytes: result.evidence.responseBytes,
      providerStatus: result.providerStatus,
      servedEndpointId: served ? candidate.endpointId : null,
      servedProviderId: served ? candidate.providerId : null
    }
  }
}

const freePrice: Endpoint["operation"]["price"] = { basis: "free", micros: zero, perCallMicros: zero }

/** The run with a failure as its best answer so far. */
export const failed = (run: Run, failure: RunFailure, outcome: RunOutcome, providerStatus: number | null): Run => ({
  ...run,
  outcome,
  outcomeReason: failure.message,
  error: toRunError(failure, run.requestId),
  providerStatus,
  result: null,
  normalized: null,
  resultBytes: null,
  servedEndpointId: null,
  servedProviderId: null
})

const toJson = (normalized: Normalized): JsonObject => ({ ...normalized })

const store = (
  { mediaId, run }: Call,
  body: AnswerBody
): { readonly result: StoredResult; readonly media: Media | null } => {
  switch (body._tag) {
    case "Json":
      return { result: { _tag: "Json", value: body.value }, media: null }
    case "Text":
      return { result: { _tag: "Text", text: body.text, format: body.format }, media: null }
    case "Media": {
      const sha256 = createHash("sha256").update(body.bytes).digest("hex")
      const { bytes, contentType, filename } = body
      return {
        result: { _tag: "Media", media: { mediaId, contentType, bytes: bytes.length, sha256, filename } },
        media: { mediaId, runId: run.runId, workspaceId: run.workspaceId, contentType, filename, sha256, bytes }
      }
    }
  }
}

/**
 * The effect of one attempt on its run: it gives the ended attempt with its receipt and cost, and the run with the
 * better of its answers so far. Plain data in, plain data out; the caller gives ids and times.
 */
import { isAnswer, isBetter } from "../../../domain/Fallback.js"
import { failedAttempt, failedRun } from "../../../domain/FailedRun.js"
import type { ReceiptId, RunId } from "../../../domain/Ids.js"
import type { JsonObject } from "../../../domain/Json.js"
import type { Endpoint } from "../../../domain/Manifest.js"
import { zero } from "../../../domain/Micros.js"
import type {
  AnswerPages,
  CallFailure,
  CallLost,
  CostEvidence,
  Evidence,
  Normalized,
  ProviderAnswer
} from "../../../domain/ProviderCall.js"
import type { Candidate } from "../../../domain/RoutePlan.js"
import { type Attempt, endedAttempt, type Receipt, type Run } from "../../../domain/Run.js"
import type { RunFailure } from "../../../domain/RunFailures.js"
import { type AttemptCost, costOfFailure } from "../../../domain/Settlement.js"
import type { Media } from "../../../services/RunStore.js"
import { costOfAnswer } from "../../providers/PriceByInput.js"
import type { AttemptFailure, CallStopped } from "./AttemptCall.js"
import type { StoredAnswer } from "./StoredAnswer.js"

export interface AttemptEnd {
  /** The run with the better of its answers so far. */
  readonly run: Run
  readonly attempt: Attempt
  readonly media: Media | null
}

/** An attempt whose call has just ended. */
export interface AttemptToEnd {
  readonly run: Run
  readonly attempt: Attempt
  readonly candidate: Candidate
  readonly now: number
  readonly receiptId: ReceiptId
}

interface Proof {
  readonly cost: AttemptCost
  readonly evidence: Evidence | null
  readonly pages?: AnswerPages | undefined
  /** The run that made and paid for the call; null when this run did. */
  readonly sharedWithRunId: RunId | null
}

const receiptOf = ({ cost, evidence, pages, sharedWithRunId }: Proof): Receipt => ({
  requestDigest: evidence?.requestDigest ?? null,
  responseDigest: evidence?.responseDigest ?? null,
  requestBytes: evidence?.requestBytes ?? 0,
  responseBytes: evidence?.responseBytes ?? 0,
  providerRequestId: evidence?.providerRequestId ?? null,
  costAnomaly: cost.anomaly,
  sharedWithRunId,
  ...(pages === undefined ? {} : { pages: { read: pages.read, complete: pages.complete } })
})

const withProof = (attempt: Attempt, { now, receiptId }: AttemptToEnd, proof: Proof): Attempt => ({
  ...endedAttempt(attempt, now),
  costMicros: proof.cost.micros,
  billed: proof.cost.micros > 0,
  receiptId,
  receipt: receiptOf(proof)
})

/** When another run made the call, this run pays nothing for it. */
const nothing: AttemptCost = { micros: zero, anomaly: null }

export interface AnsweredAttempt extends AttemptToEnd {
  readonly endpoint: Endpoint
  readonly answer: ProviderAnswer
  readonly sharedWithRunId: RunId | null
  readonly stored: StoredAnswer
  readonly normalizedOn: boolean
}

export const endAnswered = (answered: AnsweredAttempt): AttemptEnd => {
  const { answer, attempt, candidate, endpoint, run, sharedWithRunId, stored } = answered
  const cost = sharedWithRunId !== null ? nothing : costOfAnswer(endpoint, candidate, answer)
  const completed: Attempt = {
    ...attempt,
    status: "completed",
    outcome: answer.outcome,
    reason: answer.outcomeReason,
    providerStatus: answer.providerStatus
  }
  const proved = withProof(completed, answered, {
    cost,
    evidence: answer.evidence,
    pages: answer.pages,
    sharedWithRunId
  })
  if (!isBetter(answer.outcome, run.outcome)) return { attempt: proved, media: null, run }
  const { media, result } = stored
  // For a run of a tool, a miss is the tool's answer. For a run of a job, a provider that found nothing has not served
  // the job.
  const served = answer.outcome !== "miss" || run.plan?.job === null
  return {
    attempt: proved,
    media,
    run: {
      ...run,
      outcome: answer.outcome,
      outcomeReason: answer.outcomeReason,
      error: null,
      result,
      normalized: answered.normalizedOn && answer.normalized !== null ? toJson(answer.normalized) : null,
      resultBytes: answer.evidence.responseBytes,
      providerStatus: answer.providerStatus,
      servedEndpointId: served ? candidate.endpointId : null,
      servedProviderId: served ? candidate.providerId : null
    }
  }
}

interface FailureFacts {
  readonly failure: RunFailure
  readonly costEvidence: CostEvidence
  readonly evidence: Evidence | null
  readonly sharedWithRunId: RunId | null
}

const ofCall = (
  { cost, evidence, failure }: CallFailure | CallStopped,
  sharedWithRunId: RunId | null
): FailureFacts => ({
  failure,
  costEvidence: cost,
  evidence,
  sharedWithRunId
})

/** The facts about an attempt without an answer. The types ensure that every kind of failure is handled. */
const factsOf = (failed: AttemptFailure): FailureFacts => {
  switch (failed._tag) {
    case "CallLost":
    case "CallStopped":
    case "ProviderFailure":
      return ofCall(failed, null)
    case "SharedCallFailed":
      return ofCall(failed.failed, failed.sharedWithRunId)
    case "connection_invalid":
    case "connection_not_found":
    case "connection_unusable":
    case "contract_invalid":
    case "credential_denied":
    case "credential_placement_unsupported":
    case "platform_auth_incompatible":
    case "platform_key_missing":
    case "provider_disabled":
      return { failure: failed, costEvidence: { _tag: "None" }, evidence: null, sharedWithRunId: null }
  }
}

export const endFailed = (toEnd: AttemptToEnd, failed: AttemptFailure): AttemptEnd => {
  const { attempt, candidate, run } = toEnd
  const { evidence, failure, sharedWithRunId, costEvidence } = factsOf(failed)
  const cost = sharedWithRunId !== null ? nothing : costOfFailure(costEvidence, candidate.maxMicros)
  return {
    attempt: withProof(failedAttempt(attempt, failure), toEnd, { cost, evidence, sharedWithRunId }),
    media: null,
    // The run reports its last failure, unless a provider answered before.
    run: isAnswer(run.outcome) ? run : failedRun(run, failure)
  }
}

const notKnown = "Whether it took effect is not known. The hold stays until an operator resolves the run."
/** The run's reason when an effectful call was sent and nobody saw its answer. */
export const lostAnswer = `The provider's answer was lost after the call was sent. ${notKnown}`

/**
 * Ends an attempt whose effectful call was lost. Its cost and its outcome stay open until an operator resolves the run.
 */
export const endUncertain = (toEnd: AttemptToEnd, lost: CallLost): AttemptEnd => {
  const { attempt, run } = endFailed(toEnd, lost)
  // When the provider answered and the answer could not be read, the reason must not say that it was silent.
  const wasAnswered = lost.evidence !== null && lost.evidence.responseDigest !== null
  return {
    attempt: { ...attempt, status: "reconciliation_pending", outcome: null, costMicros: null, billed: false },
    media: null,
    run: {
      ...run,
      error: null,
      outcome: null,
      outcomeReason: wasAnswered ? `${lost.failure.message} ${notKnown}` : lostAnswer
    }
  }
}

const toJson = (normalized: Normalized): JsonObject => ({ ...normalized })

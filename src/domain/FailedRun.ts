/**
 * The only place that records the failure of a run, in the stored run and in the stored attempt. Every failure comes
 * here through the error channel, from the place where it arose. A new class of failure does not compile until the
 * table below has its row.
 */
import type { Attempt, Run, RunOutcome } from "./Run.js"
import type { RunError, RunFailure, RunFailureCode } from "./RunFailures.js"

interface Row {
  /** The status of a run that was refused with this failure before any call. */
  readonly refused: "blocked" | "failed"
  /** The outcome of an attempt that ended with this failure. */
  readonly outcome: Extract<RunOutcome, "error" | "rejected">
  /** The event that ends a run with this failure after its admission. */
  readonly event: "Cancelled" | "Failed"
}

const plain: Row = { refused: "failed", outcome: "error", event: "Failed" }
/** Refusals by policy leave the run `blocked`; every other refusal leaves it `failed` (completions, section 3). */
const policy: Row = { ...plain, refused: "blocked" }
const input: Row = { ...plain, outcome: "rejected" }
const cancelled: Row = { ...plain, event: "Cancelled" }

const rows: { readonly [Code in RunFailureCode]: Row } = {
  provider_error: plain,
  provider_reported_error: plain,
  provider_http_error: plain,
  timeout: plain,
  rate_limited: plain,
  auth_error: plain,
  invalid_response: plain,
  unsupported_response_type: plain,
  response_too_large: plain,
  redirect_blocked: plain,
  output_mapping_error: plain,
  fetch_failed: plain,
  endpoint_not_found: plain,
  eligibility_blocked: policy,
  activation_blocked: policy,
  credential_denied: policy,
  platform_key_missing: plain,
  platform_auth_incompatible: plain,
  credential_placement_unsupported: plain,
  budget_exceeded: policy,
  provider_disabled: plain,
  provider_draining: plain,
  connection_not_found: plain,
  connection_invalid: plain,
  connection_unusable: plain,
  contract_invalid: plain,
  route_denied: plain,
  no_route_candidate: plain,
  capacity_exhausted: plain,
  cancelled_before_dispatch: cancelled,
  cancellation_requested_after_dispatch: cancelled,
  runtime_store_replaced_before_dispatch: plain,
  validation_error: input,
  insufficient_balance: policy,
  route_capped: plain,
  route_no_fit: plain
}

export const isBlocking = (code: RunFailureCode): boolean => rows[code].refused === "blocked"

/** The event that the settlement gets when a run ends with this failure. */
export const eventOf = (failure: RunFailure): Row["event"] => rows[failure.code].event

/** The run's `error` object as it is stored and shown. */
export const toRunError = (failure: RunFailure, requestId: string): RunError => ({
  code: failure.code,
  message: failure.message,
  requestId,
  whoseError: failure.whoseError,
  retryable: failure.retryable,
  retryHint: failure.retryHint,
  ...(failure.providerStatus === undefined ? {} : { providerStatus: failure.providerStatus })
})

/** How a run shows its failure. */
export const recorded = (run: Run, failure: RunFailure): Pick<Run, "outcomeReason" | "error"> => ({
  outcomeReason: failure.message,
  error: toRunError(failure, run.requestId)
})

/** The run with a failure as its best answer so far. */
export const failedRun = (run: Run, failure: RunFailure): Run => ({
  ...run,
  ...recorded(run, failure),
  outcome: rows[failure.code].outcome,
  providerStatus: failure.providerStatus ?? null,
  result: null,
  normalized: null,
  resultBytes: null,
  servedEndpointId: null,
  servedProviderId: null
})

/** The attempt that a failure ended. The caller fills in the time of its end, its cost and its receipt. */
export const failedAttempt = (attempt: Attempt, failure: RunFailure): Attempt => ({
  ...attempt,
  status: "failed",
  outcome: rows[failure.code].outcome,
  reason: failure.message,
  errorCode: failure.code,
  providerStatus: failure.providerStatus ?? attempt.providerStatus
})

/**
 * Every code that a failed run can carry, each one tagged class with whose error it is, whether the same input may work
 * later with a new key, and a plain hint (contract: "Failed-run error codes"; completions: section 3, the table).
 * `FailedRun.ts` writes them down, and nothing else makes a run's `error` object.
 */
import { type Cause, Schema } from "effect"
import { exampleId, field } from "./Described.js"

export const WhoseError = Schema.Literal("provider", "gateway", "customer")
export type WhoseError = typeof WhoseError.Type

interface Facts {
  readonly whoseError: WhoseError
  readonly retryable: boolean
  readonly retryHint: string
  /** What happened, when the place that failed has nothing more exact to say. */
  readonly summary: string
}

/** What may be said about one occurrence. */
interface Particulars {
  /** One sentence for the client; never holds secrets, provider headers or bodies. */
  readonly detail?: string
  readonly providerStatus?: number
  readonly retryAfterSeconds?: number
  /** Replaces the hint of the class: says what helps in this case. */
  readonly hint?: string
  /**
   * Replaces the `whoseError` of the class. Some refusals carry a code that is mostly the customer's fault, but are
   * not.
   */
  readonly blames?: WhoseError
}

interface Failed<Code extends string> extends Cause.YieldableError, Particulars {
  readonly _tag: Code
  readonly code: Code
  readonly whoseError: WhoseError
  readonly retryable: boolean
  readonly retryHint: string
}

interface FailureClass<Code extends string> extends Schema.Schema<Failed<Code>, Particulars & { readonly _tag: Code }> {
  new (particulars?: Particulars | void): Failed<Code>
  readonly code: Code
  readonly facts: Facts
}

const failure = <const Code extends string>(code: Code, facts: Facts): FailureClass<Code> => {
  class Failure extends Schema.TaggedError<Failure>(`gateway/RunFailure/${code}`)(code, {
    detail: Schema.optionalWith(Schema.String, { exact: true }),
    providerStatus: Schema.optionalWith(Schema.Int, { exact: true }),
    retryAfterSeconds: Schema.optionalWith(Schema.Int, { exact: true }),
    hint: Schema.optionalWith(Schema.String, { exact: true }),
    blames: Schema.optionalWith(WhoseError, { exact: true })
  }) {
    static readonly code = code
    static readonly facts = facts
    get code(): Code {
      return code
    }
    get whoseError(): WhoseError {
      return this.blames ?? facts.whoseError
    }
    get retryable(): boolean {
      return facts.retryable
    }
    get retryHint(): string {
      return this.retryAfterSeconds === undefined
        ? (this.hint ?? facts.retryHint)
        : `Wait ${this.retryAfterSeconds} s, then send it again with a new idempotency key.`
    }
    override get message(): string {
      return this.detail ?? facts.summary
    }
  }
  return Failure
}

const again = "Send it again with a new idempotency key."
const later = "Wait a little, then send it again with a new idempotency key."
const fixInput = "Correct the input and send it with a new idempotency key."
/** For a failure that this provider's answer causes each time. */
export const otherProvider = "Choose another provider, or run the job with fallback."
/** For a failure that only the operator can end, whatever its class says. */
export const askOperator = "Ask the operator of this gateway; the same input will not work until then."

// --- the provider answered, or failed to
export class ProviderError extends failure("provider_error", {
  whoseError: "provider",
  retryable: true,
  retryHint: later,
  summary: "The provider failed."
}) {}
export class ProviderReportedError extends failure("provider_reported_error", {
  whoseError: "provider",
  retryable: false,
  retryHint: otherProvider,
  summary: "The provider reported a failure inside its answer."
}) {}
export class ProviderHttpError extends failure("provider_http_error", {
  whoseError: "provider",
  retryable: false,
  retryHint: fixInput,
  summary: "The provider refused the request."
}) {}
export class ProviderTimeout extends failure("timeout", {
  whoseError: "provider",
  retryable: true,
  retryHint: later,
  summary: "The provider gave no full answer inside the operation's time limit."
}) {}
export class ProviderRateLimited extends failure("rate_limited", {
  whoseError: "provider",
  retryable: true,
  retryHint: later,
  summary: "The provider limits the rate of requests."
}) {}
export class AuthError extends failure("auth_error", {
  whoseError: "gateway",
  retryable: false,
  retryHint: askOperator,
  summary: "The provider refused the gateway's key."
}) {}
export class InvalidResponse extends failure("invalid_response", {
  whoseError: "provider",
  retryable: true,
  retryHint: again,
  summary: "The provider's answer could not be read."
}) {}
export class UnsupportedResponseType extends failure("unsupported_response_type", {
  whoseError: "provider",
  retryable: false,
  retryHint: otherProvider,
  summary: "The provider answered with a content type that this operation does not allow."
}) {}
export class ResponseTooLarge extends failure("response_too_large", {
  whoseError: "provider",
  retryable: false,
  retryHint: "Ask for less, for example with a smaller limit.",
  summary: "The provider's answer passed the operation's size limit."
}) {}
export class RedirectBlocked extends failure("redirect_blocked", {
  whoseError: "provider",
  retryable: false,
  retryHint: otherProvider,
  summary: "The provider answered with a redirect, which is never followed."
}) {}
export class OutputMappingError extends failure("output_mapping_error", {
  whoseError: "gateway",
  retryable: false,
  retryHint: askOperator,
  summary: "The output map of this contract failed on the provider's answer."
}) {}
export class FetchFailed extends failure("fetch_failed", {
  whoseError: "provider",
  retryable: true,
  retryHint: later,
  summary: "The provider could not be reached."
}) {}

// --- refused before or instead of a call
export class EndpointNotFound extends failure("endpoint_not_found", {
  whoseError: "customer",
  retryable: false,
  retryHint: "Search the catalog for the right endpointId.",
  summary: "There is no such endpoint."
}) {}
export class EligibilityBlocked extends failure("eligibility_blocked", {
  whoseError: "customer",
  retryable: false,
  retryHint: askOperator,
  summary: "This workspace is not allowed to run this operation."
}) {}
export class ActivationBlocked extends failure("activation_blocked", {
  whoseError: "gateway",
  retryable: false,
  retryHint: askOperator,
  summary: "This operation is not activated."
}) {}
export class CredentialDenied extends failure("credential_denied", {
  whoseError: "customer",
  retryable: false,
  retryHint: "Use a token or connection that may use this credential.",
  summary: "This token or connection may not use the credential."
}) {}
export class PlatformKeyMissing extends failure("platform_key_missing", {
  whoseError: "gateway",
  retryable: false,
  retryHint: "Bring your own connection for this provider, or choose another provider.",
  summary: "This operation needs a platform key, and none is set."
}) {}
export class PlatformAuthIncompatible extends failure("platform_auth_incompatible", {
  whoseError: "gateway",
  retryable: false,
  retryHint: askOperator,
  summary: "The platform key does not fit how this operation authenticates."
}) {}
export class CredentialPlacementUnsupported extends failure("credential_placement_unsupported", {
  whoseError: "gateway",
  retryable: false,
  retryHint: otherProvider,
  summary: "The contract asks for a key placement that this gateway cannot do."
}) {}
export class BudgetExceeded extends failure("budget_exceeded", {
  whoseError: "customer",
  retryable: false,
  retryHint:
    "Ask for less, or ask the operator of this gateway to raise the cap of this workspace; then send it with a new idempotency key.",
  summary: "The maximum price of this run would pass the cap of the workspace."
}) {}
export class ProviderDisabled extends failure("provider_disabled", {
  whoseError: "gateway",
  retryable: true,
  retryHint: otherProvider,
  summary: "The operator has switched this provider off."
}) {}
export class ProviderDraining extends failure("provider_draining", {
  whoseError: "gateway",
  retryable: true,
  retryHint: otherProvider,
  summary: "The operator is emptying this provider; it takes no new runs."
}) {}
export class ConnectionNotFound extends failure("connection_not_found", {
  whoseError: "customer",
  retryable: false,
  retryHint: "Make a connection to this provider with POST /v1/connections, or give the id of one that you have.",
  summary: "There is no such connection."
}) {}
export class ConnectionInvalid extends failure("connection_invalid", {
  whoseError: "customer",
  retryable: false,
  retryHint: "Check the key at the provider, and make a connection of the right one with POST /v1/connections.",
  summary: "The provider refused the connection's key."
}) {}
export class ConnectionUnusable extends failure("connection_unusable", {
  whoseError: "customer",
  retryable: false,
  retryHint: "Make a new connection with POST /v1/connections, or connect the account in a browser again.",
  summary: "The connection has expired or was revoked."
}) {}
export class ContractInvalid extends failure("contract_invalid", {
  whoseError: "gateway",
  retryable: false,
  retryHint: askOperator,
  summary: "The stored contract cannot be executed."
}) {}
export class RouteDenied extends failure("route_denied", {
  whoseError: "gateway",
  retryable: false,
  retryHint:
    "Ask the operator of this gateway, who can open the provider's address with GATEWAY_EGRESS_ALLOW; the same input will not work until then.",
  summary: "The egress policy refuses the provider's address."
}) {}
export class NoRouteCandidate extends failure("no_route_candidate", {
  whoseError: "gateway",
  retryable: true,
  retryHint: later,
  summary: "No provider is left to try."
}) {}
export class CapacityExhausted extends failure("capacity_exhausted", {
  whoseError: "gateway",
  retryable: true,
  retryHint: later,
  summary: "No dispatcher slot came free inside the queue limit."
}) {}
export class CancelledBeforeDispatch extends failure("cancelled_before_dispatch", {
  whoseError: "customer",
  retryable: false,
  retryHint: "Nothing was called; send it with a new idempotency key if you still want it.",
  summary: "The run was cancelled before any provider was called."
}) {}
export class CancellationRequestedAfterDispatch extends failure("cancellation_requested_after_dispatch", {
  whoseError: "customer",
  retryable: false,
  retryHint: "Send it with a new idempotency key if you still want it.",
  summary: "The run was cancelled while a provider was working on it."
}) {}
export class RuntimeStoreReplacedBeforeDispatch extends failure("runtime_store_replaced_before_dispatch", {
  whoseError: "gateway",
  retryable: true,
  retryHint: again,
  summary: "The storage was restored or replaced while the run was queued."
}) {}
export class InputRejected extends failure("validation_error", {
  whoseError: "customer",
  retryable: false,
  retryHint: fixInput,
  summary: "The input does not fit this operation."
}) {}
export class FundsGone extends failure("insufficient_balance", {
  whoseError: "customer",
  retryable: false,
  retryHint: "Top up, then send it with a new idempotency key.",
  summary: "The balance went away before a later attempt could be held."
}) {}
export class RouteCapped extends failure("route_capped", {
  whoseError: "customer",
  retryable: false,
  retryHint: "Raise fallback.maxCostUsd.",
  summary: "Every provider of this job costs more than the cap."
}) {}
export class RouteNoFit extends failure("route_no_fit", {
  whoseError: "customer",
  retryable: false,
  retryHint: "Change the fields that the message names, and send it with a new idempotency key.",
  summary: "No provider of this job can take this input."
}) {}

/** All classes, in the order of the contract. Tests and the docs page walk this list. */
export const runFailures = [
  ProviderError,
  ProviderReportedError,
  ProviderTimeout,
  ProviderRateLimited,
  AuthError,
  InvalidResponse,
  UnsupportedResponseType,
  ResponseTooLarge,
  RedirectBlocked,
  OutputMappingError,
  EndpointNotFound,
  EligibilityBlocked,
  ActivationBlocked,
  CredentialDenied,
  PlatformKeyMissing,
  PlatformAuthIncompatible,
  CredentialPlacementUnsupported,
  BudgetExceeded,
  ProviderDisabled,
  ProviderDraining,
  ConnectionNotFound,
  ConnectionInvalid,
  ProviderHttpError,
  FetchFailed,
  ConnectionUnusable,
  ContractInvalid,
  RouteDenied,
  NoRouteCandidate,
  CapacityExhausted,
  CancelledBeforeDispatch,
  CancellationRequestedAfterDispatch,
  RuntimeStoreReplacedBeforeDispatch,
  InputRejected,
  FundsGone,
  RouteCapped,
  RouteNoFit
] as const

/**
 * Codes of the contract that no run of this gateway ends with. The whole route is held when a run is admitted
 * (`holdOf`), and no attempt is opened that could cost more than is left of the hold (`nextStep`): so there is no later
 * attempt for which the balance could be gone. `test/domain/Fallback.test.ts` shows it for every plan.
 */
export type UnreachableFailure = FundsGone

export const RunFailure = Schema.Union(...runFailures)
export type RunFailure = typeof RunFailure.Type
export type RunFailureCode = RunFailure["code"]

/** The run's `error` object as it is stored and shown. */
export const RunError = Schema.Struct({
  code: field(Schema.String, "What went wrong, as a word for programs", "timeout"),
  message: field(Schema.String, "What went wrong, in a sentence", "The provider did not answer within 30 s"),
  requestId: field(Schema.String, "The request that made the run; name it when you ask for help", exampleId("req")),
  whoseError: field(
    WhoseError,
    "Who can do something about it: the provider, the gateway's operator, or you",
    "provider"
  ),
  retryable: field(Schema.Boolean, "Whether the same input may work later, with a new idempotency key", true),
  retryHint: field(
    Schema.String,
    "What to change or how long to wait, in a sentence",
    "Send it again in a minute, with a new idempotency key."
  ),
  providerStatus: Schema.optionalWith(
    field(Schema.Int, "The HTTP status that the provider answered; absent when it did not answer", 504),
    { exact: true }
  )
}).annotations({ identifier: "RunError", description: "Why a run failed or was refused" })
export type RunError = typeof RunError.Type

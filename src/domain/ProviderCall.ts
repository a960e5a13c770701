/**
 * One call of one provider and what came of it: an answer, a failure that is certain (`ProviderFailure`), or a call
 * that was lost (`CallLost`). Which of the two failures it is decides whether a run of an effectful operation fails or
 * needs a reconciliation.
 */
import { Data, type Effect, type Redacted } from "effect"
import type { Json, JsonObject } from "./Json.js"
import type { Endpoint, VariableValues } from "./Manifest.js"
import type { Micros } from "./Micros.js"
import type { Break } from "./ProviderFigures.js"
import type { CallTrace } from "./Trace.js"
import type {
  AuthError,
  CapacityExhausted,
  ConnectionInvalid,
  ConnectionUnusable,
  ContractInvalid,
  CredentialPlacementUnsupported,
  FetchFailed,
  InputRejected,
  InvalidResponse,
  OutputMappingError,
  PlatformAuthIncompatible,
  PlatformKeyMissing,
  ProviderError,
  ProviderHttpError,
  ProviderRateLimited,
  ProviderReportedError,
  ProviderTimeout,
  RedirectBlocked,
  ResponseTooLarge,
  RouteDenied,
  UnsupportedResponseType
} from "./RunFailures.js"

/** Why there is no access token to send. The provider of the operation has not been called. */
export type AccessTokenFailure =
  | AuthError
  | CapacityExhausted
  | ConnectionUnusable
  | FetchFailed
  | InvalidResponse
  | PlatformKeyMissing
  | ProviderError
  | ProviderRateLimited
  | ProviderTimeout
  | RouteDenied

/** The access tokens of a connection to a user's OAuth account. */
export interface AccessTokens {
  /**
   * The token to send now. It is renewed first when it ends soon, or when it is the one that the provider has just
   * `refused`; where it cannot be renewed, the refused token comes back.
   */
  readonly take: (
    refused: Redacted.Redacted<string> | null,
    timeoutMs: number
  ) => Effect.Effect<Redacted.Redacted<string>, AccessTokenFailure>
}

/**
 * The key that a call uses, and whose it is: a refused platform key is the gateway's error, a refused connection the
 * customer's.
 */
export type Credential =
  | { readonly _tag: "None" }
  | ({ readonly _tag: "Platform" } & Key)
  | ({
      readonly _tag: "Connection"
      readonly connectionId: string
      /** Of a user's OAuth account alone; its `secret` is the access token as it is stored, which may be over. */
      readonly accessTokens?: AccessTokens
    } & Key)

interface Key {
  readonly secret: Redacted.Redacted<string>
  /** What it gives for the variables of the provider's address. */
  readonly variables?: VariableValues
}

/** A stored file that an input names. */
export interface InputFile {
  readonly contentType: string
  readonly filename: string | null
  readonly bytes: Uint8Array
}

export interface ProviderCall {
  readonly endpoint: Endpoint
  /** The operation's own fields, already mapped and validated. */
  readonly input: JsonObject
  readonly credential: Credential
  /** The same for every resend of one attempt; given to providers that take an idempotency key. */
  readonly attemptReference: string
  /** The stored files that the input names, by their download path; absent when it names none. */
  readonly files?: ReadonlyMap<string, InputFile>
  /**
   * Is told after each page, and after each answer of a slow operation that is not its last, what the call has cost so
   * far by its answers: the evidence when the call is stopped.
   */
  readonly onCost?: (cost: CostEvidence, evidence: Evidence) => void
  /** What is held for it: no further page is asked for above it. When absent, the most that the input can cost. */
  readonly heldMicros?: Micros
  /** The trace that the call is a part of; absent where none is recorded. */
  readonly trace?: CallTrace
}

/** What may be kept of a call: digests and sizes, never headers or bodies. */
export interface Evidence {
  readonly requestDigest: string
  readonly responseDigest: string | null
  readonly requestBytes: number
  readonly responseBytes: number
  readonly providerRequestId: string | null
}

/**
 * The raw answer. `Text` is csv, text, html, xml or markdown; `Media` is a file, or an answer too large or too deep to
 * stand inline.
 */
export type AnswerBody =
  | { readonly _tag: "Json"; readonly value: Json }
  | { readonly _tag: "Text"; readonly text: string; readonly format: "csv" | "text" | "html" | "xml" | "markdown" }
  | {
      readonly _tag: "Media"
      readonly bytes: Uint8Array
      readonly contentType: string
      readonly filename: string | null
    }

/** What the provider says the call cost: nothing said, a usable amount, or something that must not be passed on. */
export type CostEvidence =
  | { readonly _tag: "None" }
  /** `anomaly`: something else that was told beside it, and that must not be passed on. */
  | { readonly _tag: "Reported"; readonly micros: number; readonly anomaly?: string }
  | { readonly _tag: "Anomaly"; readonly reported: string }

/** `normalized` of the contract, without the parts that the gateway adds. */
export interface Normalized {
  readonly job: string
  readonly endpointId: string
  readonly fields: JsonObject
  readonly missing: ReadonlyArray<string>
  readonly ambiguous: ReadonlyArray<string>
  readonly unmapped: ReadonlyArray<string>
  readonly providerValues: JsonObject
  readonly verdict: "confirmed" | "guessed" | "empty"
  readonly verdictReason: string
  readonly mapVerified: boolean
}

/** One page of an answer: what it brought, and what it told about its cost. A page that failed is an `error`. */
export interface PageFacts {
  readonly outcome: "hit" | "weak" | "miss" | "error"
  readonly resultCount: number | null
  readonly cost: CostEvidence
  /** It was one more try of the page before it in the list, which failed in passing. */
  readonly again?: boolean
}

/** The pages of which an answer was made. */
export interface AnswerPages {
  /** In the order in which they were asked for, each try of a page by itself. */
  readonly facts: ReadonlyArray<PageFacts>
  /** How many pages the answer is made of. */
  readonly read: number
  /** False when the provider has, or may have, more of what was asked for. */
  readonly complete: boolean
  /** Where a further page broke its documented schema, when it was refused for that. */
  readonly undocumented?: Break
}

/** What a provider answered, judged by the rules of its operation. */
export interface ProviderAnswer {
  readonly outcome: "hit" | "weak" | "miss"
  readonly outcomeReason: string
  readonly body: AnswerBody
  readonly normalized: Normalized | null
  readonly providerStatus: number
  /** Results counted for a per-result price; null when the operation does not count. */
  readonly resultCount: number | null
  readonly cost: CostEvidence
  readonly evidence: Evidence
  /** Of an answer that was read in pages alone: each has its own cost. */
  readonly pages?: AnswerPages
}

/** The run failures that a call can raise. */
export type CallRunFailure =
  | AuthError
  | CapacityExhausted
  | ConnectionInvalid
  | ConnectionUnusable
  | ContractInvalid
  | CredentialPlacementUnsupported
  | FetchFailed
  | InputRejected
  | InvalidResponse
  | OutputMappingError
  | PlatformAuthIncompatible
  | PlatformKeyMissing
  | ProviderError
  | ProviderHttpError
  | ProviderRateLimited
  | ProviderReportedError
  | ProviderTimeout
  | RedirectBlocked
  | ResponseTooLarge
  | RouteDenied
  | UnsupportedResponseType

interface CallFacts {
  /** What the run says about it. */
  readonly failure: CallRunFailure
  /** What the provider told about the cost. */
  readonly cost: CostEvidence
  /** Null when nothing was sent, or when the engine itself failed. */
  readonly evidence: Evidence | null
  /**
   * Makes the beginning of the provider's answer, in a line, with keys blotted out: for the log of the operator alone.
   * Absent where there was no answer to read.
   */
  readonly said?: () => string
}

/** The call failed for certain: nothing was sent, or the provider said so. Nothing is left to find out. */
export class ProviderFailure extends Data.TaggedError("ProviderFailure")<
  CallFacts & {
    /** False: nothing can have happened at the provider. True: the provider said that it failed. */
    readonly sent: boolean
    /** Where the answer broke its documented schema, when it was refused for that. */
    readonly undocumented?: Break
  }
> {}

/**
 * The call was lost: bytes may have reached the provider and no full answer came back, so it may have had its effect.
 * The run of an effectful operation then needs a reconciliation.
 */
export class CallLost extends Data.TaggedError("CallLost")<CallFacts> {}

export type CallFailure = ProviderFailure | CallLost

/** Whether nobody knows what a failed call has done. A lost one that only reads has done nothing that counts. */
export const isUncertain = <F extends { readonly _tag: string }>(
  failed: F,
  effectful: boolean
): failed is Extract<F, CallLost> => effectful && failed._tag === "CallLost"

/** A call that was refused before anything was sent. */
export const notSent = (failure: CallRunFailure): ProviderFailure =>
  new ProviderFailure({ failure, sent: false, cost: { _tag: "None" }, evidence: null })

/**
 * Whether a failed call says how well its operation works. It does not when nothing was sent and the provider was not
 * the cause: then the gateway's own policy stopped the call, or the customer's key or input did.
 */
export const saysHowItDid = (failed: CallFailure): boolean =>
  failed._tag === "CallLost" || failed.sent || failed.failure.whoseError === "provider"

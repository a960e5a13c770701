/**
 * One call of one provider and what came of it, as plain data: the words in which the dispatcher and the provider
 * engine talk. `certainty` is the heart of it: it alone decides whether a lost call is a failed run or needs a
 * reconciliation.
 */
import type { Redacted } from "effect"
import type { JsonObject } from "./Json.js"
import type { Json } from "./Json.js"
import type { Endpoint } from "./Manifest.js"
import type { RunFailure } from "./RunFailures.js"

/**
 * The key that a call uses, and whose it is: a refused platform key is the gateway's error, a refused connection the
 * customer's.
 */
export type Credential =
  | { readonly _tag: "None" }
  | { readonly _tag: "Platform"; readonly secret: Redacted.Redacted<string> }
  | { readonly _tag: "Connection"; readonly connectionId: string; readonly secret: Redacted.Redacted<string> }

export interface ProviderCall {
  readonly endpoint: Endpoint
  /** The operation's own fields, already mapped and validated. */
  readonly input: JsonObject
  readonly credential: Credential
  /** The same for every resend of one attempt; given to providers that take an idempotency key. */
  readonly attemptReference: string
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
  | { readonly _tag: "Reported"; readonly micros: number }
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

export type CallResult =
  | {
      readonly _tag: "Answered"
      readonly outcome: "hit" | "weak" | "miss"
      readonly outcomeReason: string
      readonly body: AnswerBody
      readonly normalized: Normalized | null
      readonly providerStatus: number
      /** Results counted for a per-result price; null when the operation does not count. */
      readonly resultCount: number | null
      readonly cost: CostEvidence
      readonly evidence: Evidence
    }
  | {
      readonly _tag: "Failed"
      readonly failure: RunFailure
      /**
       * `not_sent`: nothing can have happened. `answered`: the provider said that it failed. `unanswered`: bytes may
       * have reached the provider and no full answer came back, so an effect may have happened.
       */
      readonly certainty: "not_sent" | "answered" | "unanswered"
      readonly providerStatus: number | null
      readonly cost: CostEvidence
      readonly evidence: Evidence | null
    }

/**
 * Whether a call says how well its operation works. Where nothing was sent, and not for the provider's fault, it says
 * nothing: the gateway's own policy stood in the way, or the customer's key or input.
 */
export const saysHowItDid = (result: CallResult): boolean =>
  result._tag === "Answered" || result.certainty !== "not_sent" || result.failure.whoseError === "provider"

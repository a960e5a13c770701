/**
 * The failures that a provider's answer states: by a rule of its operation, or by its status. What is no failure is
 * judged in `Judgement.ts`.
 */
import { Option } from "effect"
import type { Json } from "../../domain/Json.js"
import type { Endpoint } from "../../domain/Manifest.js"
import type { Credential, Evidence } from "../../domain/ProviderCall.js"
import { saysNoCredit } from "../../domain/ProviderCredit.js"
import {
  AuthError,
  CapacityExhausted,
  ConnectionInvalid,
  otherProvider,
  ProviderError,
  ProviderHttpError,
  ProviderRateLimited,
  ProviderReportedError
} from "../../domain/RunFailures.js"
import { quoted, retryAfterSeconds } from "./AnswerEvidence.js"
import type { CompiledFailureRule, CompiledRules } from "./CompiledRules.js"
import { sentenceIn } from "./ErrorSentences.js"
import { type AnswerView, holds, read } from "./Expressions.js"

export interface Case {
  readonly endpoint: Endpoint
  readonly rules: CompiledRules
  readonly input: { readonly [key: string]: Json }
  readonly credential: Credential["_tag"]
  /** When the answer came; before there is one, when the call was prepared. */
  readonly nowMillis: number
  /** Larger answers are kept as media. */
  readonly inlineBytes: number
  /** The digest and size of the request. The evidence holds nothing about the answer yet. */
  readonly evidence: Evidence
  /** The answer is made of pages, each of which was held against the documented schema, which is that of a page. */
  readonly isJoined?: boolean
}

const refusedKey = (credential: Credential["_tag"], providerStatus: number, detail: string | undefined) => {
  const facts = { providerStatus, ...(detail === undefined ? {} : { detail }) }
  return credential === "Connection" ? new ConnectionInvalid(facts) : new AuthError(facts)
}

/** A provider says that an account has no credit left: whose it is decides who can help. */
const withoutCredit = (credential: Credential["_tag"]) =>
  credential === "Connection"
    ? {
        detail: "Your own account at this provider has no credit left.",
        hint: "Add credit at the provider, then send it again with a new idempotency key.",
        blames: "customer" as const
      }
    : {
        detail: "The gateway's account at this provider has no credit left.",
        hint: `${otherProvider} The operator of this gateway can add credit.`
      }

const failureOf = (code: CompiledFailureRule["code"], seen: Case, view: AnswerView, detail: string | undefined) => {
  const wait = retryAfterSeconds(view.headers["retry-after"], seen.nowMillis)
  const facts = { providerStatus: view.status, ...(detail === undefined ? {} : { detail }) }
  const patient = { ...facts, ...(wait === undefined ? {} : { retryAfterSeconds: wait }) }
  switch (code) {
    case "provider_reported_error":
      return new ProviderReportedError(facts)
    case "provider_error":
      return new ProviderError(patient)
    case "rate_limited":
      return new ProviderRateLimited(patient)
    case "auth_error":
      return refusedKey(seen.credential, view.status, detail)
    case "provider_http_error":
      return new ProviderHttpError(facts)
    case "capacity_exhausted":
      return new CapacityExhausted({ ...withoutCredit(seen.credential), ...patient })
  }
}

/** A failure that the provider states, by a rule of its operation or by its status. */
export type StatedFailure = ReturnType<typeof failureOf>

/**
 * Nothing about the input is wrong, and only whose account it is can help. The contract names the provider for every
 * `provider_http_error`. To a provider that is called without a key, nobody has an account.
 */
const refusedForCredit = ({ credential }: Case, providerStatus: number, said: string | undefined) => {
  const { detail: account, hint } = withoutCredit(credential)
  const detail = said ?? (credential === "None" ? undefined : account)
  return new ProviderHttpError({ hint, providerStatus, ...(detail === undefined ? {} : { detail }) })
}

/** With these the provider speaks of its account, which may be the operator's, and not of the request. */
const isOfAccount = (status: number): boolean => saysNoCredit(status) || status === 407

/** A customer can correct a refused request only by what the provider says of it. */
const refusalOf = ({ body, status }: AnswerView): string | undefined => {
  const sentence = isOfAccount(status) ? undefined : quoted(sentenceIn(body) ?? null)
  return sentence === undefined ? undefined : `The provider refused the request: ${sentence}`
}

export const failureByStatus = (seen: Case, view: AnswerView, detail?: string): StatedFailure => {
  const { status } = view
  if (status === 401 || status === 403) return failureOf("auth_error", seen, view, detail)
  if (status === 429) return failureOf("rate_limited", seen, view, detail)
  if (saysNoCredit(status)) return refusedForCredit(seen, status, detail)
  if (status >= 500) return failureOf("provider_error", seen, view, detail)
  return failureOf("provider_http_error", seen, view, detail ?? refusalOf(view))
}

/** Whether answers of this status are read by all rules: those of 2xx, and those that the operation names. */
export const isSuccessStatus = ({ response }: Endpoint["operation"], status: number): boolean =>
  (status >= 200 && status < 300) || isNamedSuccess(response, status)

export const isNamedSuccess = ({ successStatuses }: Endpoint["operation"]["response"], status: number): boolean =>
  successStatuses?.includes(status) === true

export const isRedirect = (status: number): boolean => status >= 300 && status < 400

/** A redirect that brings no answer. It is not followed. */
export const isBlockedRedirect = ({ response }: Endpoint["operation"], status: number): boolean =>
  isRedirect(status) && !isNamedSuccess(response, status) && !response.missStatuses.includes(status)

/** Too much was asked, or the provider failed: that may pass. */
export const isPassing = (status: number): boolean => status === 429 || status >= 500

/** Judges a status without a readable answer, such as when the body of an error broke off. */
export const judgeStatus = (seen: Case, status: number, headers: AnswerView["headers"]): StatedFailure =>
  failureByStatus(seen, { status, headers, body: null, input: seen.input })

export const reportedError = (seen: Case, view: AnswerView): Option.Option<StatedFailure> => {
  const rule = seen.rules.errors.find((each) => holds(each.when, view))
  if (rule === undefined) return Option.none()
  const detail = quoted(read(rule.message, view))
  // "Reported inside a success" says nothing of an error status, which has a code of its own; the provider's words
  // remain.
  return Option.some(
    !isSuccessStatus(seen.endpoint.operation, view.status) &&
      view.status >= 400 &&
      rule.code === "provider_reported_error"
      ? failureByStatus(seen, view, detail)
      : failureOf(rule.code, seen, view, detail)
  )
}

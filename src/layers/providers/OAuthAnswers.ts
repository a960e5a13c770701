/**
 * What answers of authorization servers say. The tokens of one are brought into the form of the standard, as the
 * manifest says where its values stand; of any other, its status and its error code are read, and decide whether it is
 * a refusal or may pass.
 */
import { Option, Predicate, Schema } from "effect"
import { secretCharsMax } from "../../domain/limits/Access.js"
import { member } from "../../domain/Members.js"
import { GrantRefused, ServerUnavailable, type TokenEndpoint } from "../../services/AuthorizationServers.js"
import { secondsOf } from "./TokenLife.js"
import type { WireAnswer, WireFailure } from "./Transport.js"

const parseJson = Schema.decodeUnknownOption(Schema.parseJson())
export const textOf = (value: unknown): string | null => (Predicate.isString(value) && value !== "" ? value : null)
const at = (value: unknown, path: string): unknown =>
  path.split(".").reduce<unknown>((found, name) => (Predicate.isRecord(found) ? member(found, name) : undefined), value)

/** What a token can be that travels in a header. */
export const tokenShape = new RegExp(`^[\\x21-\\x7e]{1,${secretCharsMax}}$`)
const tokenOf = (value: unknown): string | null => {
  const text = textOf(value)
  return text !== null && tokenShape.test(text) ? text : null
}
/** What RFC 6749 (3.3) allows, and the comma of some. The storage reads it, and takes no NUL there. */
const scopeOf = (value: unknown): string | null => {
  const text = textOf(value)
  return text !== null && /^[\x20-\x7e]+$/.test(text) ? text : null
}
/** An error code is shown to people, whatever the provider writes there. */
export const wordOf = (value: unknown): string | null => {
  const text = textOf(value)
  return text !== null && /^[A-Za-z][\w.-]{0,39}$/.test(text) ? text : null
}

/** What an answer says that gives nothing: its status, and its code where it has one. */
export interface Said {
  readonly status: number
  readonly error: string | null
}

const isSuccess = ({ status }: WireAnswer): boolean => status >= 200 && status < 300
const bodyOf = ({ bytes }: WireAnswer): unknown => Option.getOrNull(parseJson(bytes.toString("utf8")))

/** The tokens in the form of RFC 6749, section 5.1; other members do not reach the library. Null without a token. */
export const tokensIn = ({ token }: TokenEndpoint, answer: WireAnswer): Response | null => {
  const body = bodyOf(answer)
  const accessToken = tokenOf(at(body, token.accessToken))
  if (!isSuccess(answer) || accessToken === null) return null
  const refreshToken = tokenOf(at(body, token.refreshToken))
  const expiresIn = secondsOf(at(body, token.expiresIn))
  const scope = scopeOf(at(body, token.scope))
  return Response.json({
    access_token: accessToken,
    token_type: "bearer",
    ...(refreshToken === null ? {} : { refresh_token: refreshToken }),
    ...(expiresIn === null ? {} : { expires_in: expiresIn }),
    ...(scope === null ? {} : { scope })
  })
}

/** Any 2xx confirms. */
export const confirmationIn = (answer: WireAnswer): Response | null =>
  isSuccess(answer) ? new Response(null, { status: 200 }) : null

export const saidIn = (answer: WireAnswer): Said => {
  const body = bodyOf(answer)
  return { status: answer.status, error: wordOf(at(body, "error")) ?? wordOf(at(body, "status")) }
}

/** The errors of RFC 6749, section 5.2, that say something about the gateway and nothing about the user. */
const ofClient: ReadonlySet<string> = new Set([
  "invalid_client",
  "invalid_request",
  "invalid_scope",
  "unauthorized_client",
  "unsupported_grant_type",
  "unsupported_response_type",
  "unsupported_token_type"
])
const passing: ReadonlySet<string> = new Set(["server_error", "temporarily_unavailable", "slow_down"])

/** A refresh token that works no more: in the words of RFC 6749 (5.2), of GitHub and HubSpot, and of Slack. */
const endsGrant: ReadonlySet<string> = new Set([
  "invalid_grant",
  "bad_refresh_token",
  "invalid_refresh_token",
  "token_expired",
  "token_revoked"
])

/** Codes are compared in lower case: HubSpot, and others, write them in capitals. */
const isOneOf = (codes: ReadonlySet<string>, error: string | null): boolean =>
  error !== null && codes.has(error.toLowerCase())

export const unavailableFor = ({ reason, word }: WireFailure): ServerUnavailable => {
  switch (reason) {
    case "refused":
      return new ServerUnavailable({ reason: "denied", word })
    case "timeout":
      return new ServerUnavailable({ reason: "timeout", word })
    case "unreachable":
    case "lost":
      return new ServerUnavailable({ reason: "unreachable", word })
    default:
      return new ServerUnavailable({ reason: "unusable", word })
  }
}

export type Verdict = (said: Said) => GrantRefused | ServerUnavailable

const failed = ({ error, status }: Said): ServerUnavailable =>
  new ServerUnavailable({ reason: "failed", word: error === null ? String(status) : `${status} ${error}` })

export const refusedOrUnavailable: Verdict = (said) => {
  const { error, status } = said
  if (status === 429) return new ServerUnavailable({ reason: "busy", word: "429" })
  if (status >= 500 || isOneOf(passing, error)) return failed(said)
  // Some providers say no with 200. A redirect says nothing, whatever stands in it.
  if (status < 400 && (error === null || status >= 300))
    return new ServerUnavailable({ reason: "unusable", word: String(status) })
  // A 401 alone is about the gateway's client (RFC 6749, 5.2). A code that ends the grant says more than the status.
  const isOfClient = isOneOf(ofClient, error) || (status === 401 && !isOneOf(endsGrant, error))
  return new GrantRefused({ of: isOfClient ? "client" : "grant", code: error })
}

/**
 * A renewal is refused for good by these codes alone. A block, a maintenance page or another code may pass, and a grant
 * that was ended for it would be lost to its user.
 */
export const renewalRefusedOrUnavailable: Verdict = (said) => {
  const meant = refusedOrUnavailable(said)
  return meant._tag === "GrantRefused" && meant.of === "grant" && !isOneOf(endsGrant, said.error) ? failed(said) : meant
}

/** A provider could send back what it was sent. */
export const withoutSecrets = (word: string | null, secrets: ReadonlyArray<string>): string | null =>
  word !== null && secrets.some((secret) => secret.includes(word) || word.includes(secret)) ? null : word

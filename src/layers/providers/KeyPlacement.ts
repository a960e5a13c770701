/**
 * Puts a key where the provider wants it, and says which texts must never be seen again because of it. A key that does
 * not fit the placement is refused before anything is sent. Access tokens come from OAuthTokens and are placed as
 * bearer keys.
 */
import { Either, Redacted } from "effect"
import type { Auth, Endpoint, KeyPlace, VariableValues } from "../../domain/Manifest.js"
import { member } from "../../domain/Members.js"
import type { AccessTokens, Credential } from "../../domain/ProviderCall.js"
import {
  ConnectionInvalid,
  CredentialPlacementUnsupported,
  PlatformAuthIncompatible,
  PlatformKeyMissing
} from "../../domain/RunFailures.js"
import type { RequestParts } from "./RequestPlan.js"
import { shortestSecret } from "./Blotting.js"
import { isSigning, secretsOf, signerFor, type Signer, split } from "./Signing.js"
import { exampleValues, variableValues, type VariableProblem, withValues } from "./Variables.js"

export interface ClientCredentials {
  readonly id: string
  readonly secret: string
}

export type Key =
  | { readonly _tag: "None" }
  | { readonly _tag: "Plain"; readonly secret: string }
  | { readonly _tag: "OAuth"; readonly client: ClientCredentials }
  | { readonly _tag: "Signing"; readonly secrets: ReadonlyArray<string>; readonly sign: Signer }
  | { readonly _tag: "AccessTokens"; readonly tokens: AccessTokens }

export type KeyFailure =
  ConnectionInvalid | CredentialPlacementUnsupported | PlatformAuthIncompatible | PlatformKeyMissing

/** The parts of a key `first:second`. Null where one of them is missing. */
export const pairOf = (secret: string): readonly [first: string, second: string] | null => {
  const [first, second] = split(secret)
  return first === "" || second === "" ? null : [first, second]
}

const incompatible = (credential: Credential, detail: string) =>
  credential._tag === "Connection"
    ? new ConnectionInvalid({ detail: `The connection's key does not fit: ${detail}` })
    : new PlatformAuthIncompatible({ detail: `The platform key does not fit: ${detail}` })

const headerSafe = /^[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/

const noVariables: VariableValues = {}

/** A variable that is missing or does not fit any more, as a failure of its connection or platform key. */
export const variableFailure = (credential: Credential, { message, name }: VariableProblem): KeyFailure => {
  const detail = `its variable ${name} ${message}.`
  return credential._tag === "Connection"
    ? new ConnectionInvalid({
        detail: `The connection does not fit: ${detail}`,
        hint: `Make a connection that gives variables.${name}.`
      })
    : new PlatformAuthIncompatible({ detail: `The platform key does not fit: ${detail}` })
}

/** The values of the provider's variables for a call with this key. */
export const variablesFor = (
  { variables }: Endpoint["provider"],
  credential: Credential
): Either.Either<VariableValues, KeyFailure> =>
  variables === undefined
    ? Either.right(noVariables)
    : Either.mapLeft(
        variableValues(variables, credential._tag === "None" ? undefined : credential.variables),
        (problem) => variableFailure(credential, problem)
      )

export const placementUnsupported = ({ placement }: Extract<Auth, { readonly type: "unsupported" }>) =>
  new CredentialPlacementUnsupported({
    detail: `This operation wants its key as ${placement}, which this gateway cannot do.`
  })

/** Takes the secret out of its wrapping and checks its kind. */
export const keyFor = (
  auth: Auth,
  credential: Credential,
  variables: VariableValues
): Either.Either<Key, KeyFailure> => {
  if (auth.type === "unsupported") return Either.left(placementUnsupported(auth))
  if (auth.type === "none") return Either.right({ _tag: "None" })
  if (credential._tag === "None") return Either.left(new PlatformKeyMissing({}))
  if (credential._tag === "Connection" && credential.accessTokens !== undefined)
    return Either.right({ _tag: "AccessTokens", tokens: credential.accessTokens })
  return Either.mapLeft(readKey(auth, Redacted.value(credential.secret), variables), (detail) =>
    incompatible(credential, detail)
  )
}

/** The key as it is given. Left: why it does not fit its placement, as a sentence about it. */
const readKey = (
  auth: Exclude<Auth, { readonly type: "none" | "unsupported" }>,
  secret: string,
  variables: VariableValues
): Either.Either<Key, string> => {
  if (!headerSafe.test(secret))
    return Either.left("it is empty or contains line breaks, outer spaces or characters outside Latin-1.")
  if (auth.type === "basic" && !auth.passwordless && split(secret)[0] === "")
    return Either.left("it must have the form user:password.")
  if (isSigning(auth))
    return Either.map(signerFor(auth, secret, variables), (sign): Key => ({
      _tag: "Signing",
      secrets: secretsOf(auth, secret),
      sign
    }))
  const unplaceable = placesOf(auth, secret)
    .map(placeProblem)
    .find((problem) => problem !== null)
  if (unplaceable !== undefined && unplaceable !== null) return Either.left(unplaceable)
  const pair = pairOf(secret)
  if ((auth.type === "header_pair" || auth.type === "pair") && pair === null)
    return Either.left("it must have the form first:second.")
  if (auth.type === "oauth2_client_credentials")
    return pair === null
      ? Either.left(clientForm)
      : Either.right({ _tag: "OAuth", client: { id: pair[0], secret: pair[1] } })
  return Either.right({ _tag: "Plain", secret })
}

const clientForm = "it must have the form client_id:client_secret."

/** Whose key it is: the gateway's own, or that of a workspace. */
export type KeyOwner = "platform" | "connection"

/** Why no call could be made with a new key, as the rest of a sentence about `secret`. Null when one could. */
export const keyProblem = (
  { auth, variables }: Pick<Endpoint["provider"], "auth" | "variables">,
  secret: string,
  owner: KeyOwner
): string | null => {
  if (auth.type === "none" || auth.type === "unsupported") return null
  // The platform's key is the client that workspaces connect their accounts with. A client without a secret is its id.
  const needsPair = auth.type === "oauth2_authorization_code" && auth.clientAuth !== "none" && owner === "platform"
  const detail =
    needsPair && pairOf(secret) === null
      ? clientForm
      : Either.match(readKey(auth, secret, exampleValues(variables)), { onLeft: (why) => why, onRight: () => null })
  return detail === null ? null : detail.replace(/^it /, "").replace(/\.$/, "")
}

const withHeader = (parts: RequestParts, name: string, value: string): RequestParts => ({
  ...parts,
  headers: { ...parts.headers, [name.toLowerCase()]: value }
})
export const basicValue = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`

interface PlacedKey {
  readonly place: KeyPlace
  readonly secret: string
}

/** Where the parts of such a key go; nothing for the kinds of keys that have rules of their own. */
const placesOf = (auth: Auth, secret: string): ReadonlyArray<PlacedKey> => {
  switch (auth.type) {
    case "path":
    case "cookie":
      return [{ place: { in: auth.type, name: auth.name }, secret }]
    case "pair": {
      const [first, second] = split(secret)
      return [
        { place: auth.places[0], secret: first },
        { place: auth.places[1], secret: second }
      ]
    }
    default:
      return []
  }
}

/** The places of a declaration that have a name. */
export const keyPlaces = (auth: Auth): ReadonlyArray<KeyPlace> => placesOf(auth, "").map(({ place }) => place)

const placeProblem = ({ place, secret }: PlacedKey): string | null =>
  place.in === "cookie" && /[\s",;\\]/.test(secret)
    ? "it contains blanks, quotes, commas, semicolons or backslashes, which a cookie cannot hold."
    : place.in === "path" && (secret === "." || secret === ".." || /[/\\]/.test(secret))
      ? "it is no single step of a path."
      : null

const placedAt = ({ place, secret }: PlacedKey, parts: RequestParts): RequestParts => {
  switch (place.in) {
    case "header":
      return withHeader(parts, place.name, `${place.prefix ?? ""}${secret}`)
    case "query":
      return { ...parts, query: [...parts.query, [place.name, secret]] }
    case "cookie": {
      const present = member(parts.headers, "cookie")
      return withHeader(parts, "cookie", `${present === undefined ? "" : `${present}; `}${place.name}=${secret}`)
    }
    case "path":
      // A colon may stand in a path as it is, and some providers want it so.
      return {
        ...parts,
        path: withValues(parts.path, { [place.name]: encodeURIComponent(secret).replaceAll("%3A", ":") })
      }
    case "body":
      return withField(parts, place.name, secret)
  }
}

const withField = (parts: RequestParts, name: string, secret: string): RequestParts => {
  const { body } = parts
  if (body._tag === "Form") return { ...parts, body: { _tag: "Form", fields: [...body.fields, [name, secret]] } }
  if (body._tag === "Multipart")
    return { ...parts, body: { _tag: "Multipart", parts: [...body.parts, [name, secret]] } }
  return { ...parts, body: { _tag: "Json", value: { ...(body._tag === "Json" ? body.value : {}), [name]: secret } } }
}

/** `secret` is the plain key, or the access token of an OAuth client. */
export const placeKey = (auth: Auth, secret: string, parts: RequestParts): RequestParts => {
  switch (auth.type) {
    case "none":
    case "unsupported":
    case "aws_sigv4":
    case "hmac":
    case "jwt":
      return parts
    case "path":
    case "cookie":
    case "pair":
      return placesOf(auth, secret).reduce((placed, each) => placedAt(each, placed), parts)
    case "bearer":
    case "oauth2_authorization_code":
    case "oauth2_client_credentials":
      return withHeader(parts, "authorization", `Bearer ${secret}`)
    case "header":
      return withHeader(parts, auth.name, `${auth.prefix ?? ""}${secret}`)
    case "header_pair": {
      const [first, second] = split(secret)
      return withHeader(withHeader(parts, auth.names[0], first), auth.names[1], second)
    }
    case "query":
      return { ...parts, query: [...parts.query, [auth.name, secret]] }
    case "basic":
      return withHeader(
        parts,
        "authorization",
        `Basic ${Buffer.from(auth.passwordless && !secret.includes(":") ? `${secret}:` : secret).toString("base64")}`
      )
    case "body":
      return withField(parts, auth.name, secret)
  }
}

/**
 * The secret parts of a key. A user name or client id is not secret, and may well be part of a normal answer. But of
 * basic authentication the user name is the key itself where the manifest says so, or where what stands for the
 * password is too short to be a secret (`key:`, `key:X`).
 */
export const secretParts = (auth: Auth, secret: string): ReadonlyArray<string> => {
  if (isSigning(auth)) return secretsOf(auth, secret)
  if (!secret.includes(":")) return [secret]
  const [first, second] = split(secret)
  switch (auth.type) {
    case "pair":
    case "header_pair":
      return [first, second]
    case "basic":
      return auth.passwordless || second.length < shortestSecret ? [secret, first, second] : [secret, second]
    default:
      return [secret]
  }
}

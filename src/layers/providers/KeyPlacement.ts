/**
 * Puts a key where the provider wants it, and says which texts must never be seen again because of it. A key that does
 * not fit the placement is refused before anything is sent. Access tokens come from OAuthTokens and are placed as
 * bearer keys.
 */
import { Either, Redacted } from "effect"
import type { Auth, Endpoint, VariableValues } from "../../domain/Manifest.js"
import type { Credential } from "../../domain/ProviderCall.js"
import {
  ConnectionInvalid,
  CredentialPlacementUnsupported,
  PlatformAuthIncompatible,
  PlatformKeyMissing
} from "../../domain/RunFailures.js"
import type { RequestParts } from "./RequestPlan.js"
import { variableValues, type VariableProblem } from "./Variables.js"

export interface ClientCredentials {
  readonly id: string
  readonly secret: string
}

export type Key =
  | { readonly _tag: "None" }
  | { readonly _tag: "Plain"; readonly secret: string }
  | { readonly _tag: "OAuth"; readonly client: ClientCredentials }

export type KeyFailure =
  ConnectionInvalid | CredentialPlacementUnsupported | PlatformAuthIncompatible | PlatformKeyMissing

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

/** Takes the secret out of its wrapping and checks its kind. */
export const keyFor = (auth: Auth, credential: Credential): Either.Either<Key, KeyFailure> => {
  if (auth.type === "unsupported") {
    return Either.left(
      new CredentialPlacementUnsupported({
        detail: `This operation wants its key as ${auth.placement}, which this gateway cannot do.`
      })
    )
  }
  if (auth.type === "none") return Either.right({ _tag: "None" })
  if (credential._tag === "None") return Either.left(new PlatformKeyMissing({}))
  const secret = Redacted.value(credential.secret)
  if (!headerSafe.test(secret))
    return Either.left(
      incompatible(credential, "it is empty or contains line breaks, outer spaces or characters outside Latin-1.")
    )
  const colon = secret.indexOf(":")
  if (auth.type === "basic" && !auth.passwordless && colon < 1)
    return Either.left(incompatible(credential, "it must have the form user:password."))
  if (auth.type === "header_pair" && (colon < 1 || colon === secret.length - 1))
    return Either.left(incompatible(credential, "it must have the form first:second."))
  if (auth.type === "oauth2_client_credentials") {
    return colon < 1 || colon === secret.length - 1
      ? Either.left(incompatible(credential, "it must have the form client_id:client_secret."))
      : Either.right({ _tag: "OAuth", client: { id: secret.slice(0, colon), secret: secret.slice(colon + 1) } })
  }
  return Either.right({ _tag: "Plain", secret })
}

const withHeader = (parts: RequestParts, name: string, value: string): RequestParts => ({
  ...parts,
  headers: { ...parts.headers, [name.toLowerCase()]: value }
})
export const basicValue = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`

/** `secret` is the plain key, or the access token of an OAuth client. */
export const placeKey = (auth: Auth, secret: string, parts: RequestParts): RequestParts => {
  switch (auth.type) {
    case "none":
    case "unsupported":
      return parts
    case "bearer":
    case "oauth2_client_credentials":
      return withHeader(parts, "authorization", `Bearer ${secret}`)
    case "header":
      return withHeader(parts, auth.name, `${auth.prefix ?? ""}${secret}`)
    case "header_pair": {
      const colon = secret.indexOf(":")
      return withHeader(
        withHeader(parts, auth.names[0], secret.slice(0, colon)),
        auth.names[1],
        secret.slice(colon + 1)
      )
    }
    case "query":
      return { ...parts, query: [...parts.query, [auth.name, secret]] }
    case "basic":
      return withHeader(
        parts,
        "authorization",
        `Basic ${Buffer.from(auth.passwordless && !secret.includes(":") ? `${secret}:` : secret).toString("base64")}`
      )
    case "body": {
      const { body } = parts
      if (body._tag === "Form")
        return { ...parts, body: { _tag: "Form", fields: [...body.fields, [auth.name, secret]] } }
      if (body._tag === "Multipart")
        return { ...parts, body: { _tag: "Multipart", parts: [...body.parts, [auth.name, secret]] } }
      return {
        ...parts,
        body: { _tag: "Json", value: { ...(body._tag === "Json" ? body.value : {}), [auth.name]: secret } }
      }
    }
  }
}

/** The secret parts of a key. A user name or client id is not secret, and may well be part of a normal answer. */
export const secretParts = (auth: Auth, secret: string): ReadonlyArray<string> => {
  const colon = secret.indexOf(":")
  if (colon < 0) return [secret]
  if (auth.type === "basic") return [secret, secret.slice(colon + 1)]
  return auth.type === "header_pair" ? [secret.slice(0, colon), secret.slice(colon + 1)] : [secret]
}

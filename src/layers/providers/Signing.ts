/**
 * The kinds of keys that sign a request instead of standing in it. A signature is made over what is sent, at the moment
 * when it is sent, of follow-up requests too. What is derived from a key is named, so that it can be blotted out of
 * answers.
 */
import { Either } from "effect"
import type { Auth, VariableValues } from "../../domain/Manifest.js"
import { headerName } from "../../domain/manifest/Auth.js"
import { hasId, hmacNames, hmacSigned } from "./HmacSigning.js"
import { tokensOf } from "./JsonWebTokens.js"
import { sigV4, type Signable } from "./SigV4.js"
import { placeholdersOf, withValues } from "./Variables.js"

type SigningAuth = Extract<Auth, { readonly type: "aws_sigv4" | "hmac" | "jwt" }>

/** Path and headers of the signed request. */
interface Signed {
  readonly path: string
  readonly headers: Record<string, string>
  readonly derived: ReadonlyArray<string>
}
export type Signer = (request: Signable, nowMillis: number) => Signed

export const isSigning = (auth: Auth): auth is SigningAuth =>
  auth.type === "aws_sigv4" || auth.type === "hmac" || auth.type === "jwt"

/** The parts of a key `first:second`, each of which may be empty. A key without a colon is the second alone. */
export const split = (secret: string): readonly [first: string, rest: string] => {
  const colon = secret.indexOf(":")
  return colon < 0 ? ["", secret] : [secret.slice(0, colon), secret.slice(colon + 1)]
}

/** The parts of such a key that are secret. */
export const secretsOf = (auth: SigningAuth, secret: string): ReadonlyArray<string> => {
  switch (auth.type) {
    case "aws_sigv4":
      return [secret, ...split(secret)[1].split(":")]
    case "hmac":
      return hasId(auth) ? [secret, split(secret)[1]] : [secret]
    case "jwt":
      // The lines of the key inside are searched for too: an answer may quote them without the rest.
      return [secret, ...secret.split(/\\n|-----|"/).filter((line) => line.length >= 40)]
  }
}

/** Left: why the key does not fit, as the end of a sentence. */
export const signerFor = (
  auth: SigningAuth,
  secret: string,
  variables: VariableValues
): Either.Either<Signer, string> => {
  const [id, rest] = split(secret)
  switch (auth.type) {
    case "aws_sigv4": {
      const [key = "", ...token] = rest.split(":")
      if (id === "" || key === "") return Either.left("it must have the form access_key_id:secret_access_key.")
      const scope = { service: auth.service, region: withValues(auth.region, variables) }
      const sessionToken = token.length === 0 ? null : token.join(":")
      return Either.right((request, now) => ({
        path: request.path,
        headers: { ...request.headers, ...sigV4(scope, { id, secret: key, sessionToken }, request, now) },
        derived: []
      }))
    }
    case "hmac": {
      const two = hasId(auth)
      if (two && (id === "" || rest === "")) return Either.left("it must have the form id:secret.")
      const key = two ? { id, secret: rest } : { id: "", secret }
      if (
        auth.secretEncoding === "hex"
          ? !/^([0-9a-f]{2})+$/i.test(key.secret)
          : auth.secretEncoding === "base64" && !/^[A-Za-z0-9+/_=-]+$/.test(key.secret)
      )
        return Either.left(`its secret must be ${auth.secretEncoding}.`)
      return Either.right((request, now) => {
        const { headers, path, signature } = hmacSigned(auth, key, request, now)
        return { path, headers: { ...request.headers, ...headers }, derived: [signature] }
      })
    }
    case "jwt":
      return Either.map(tokensOf(auth, secret, variables), (tokenAt): Signer => (request, now) => {
        const token = tokenAt(now)
        return {
          path: request.path,
          headers: { ...request.headers, authorization: `Bearer ${token}` },
          derived: [token]
        }
      })
  }
}

/** What is wrong with the declaration, found when a manifest is read. */
export const signingProblems = (auth: Auth): ReadonlyArray<{ readonly path: string; readonly message: string }> => {
  if (auth.type !== "hmac") return []
  const places = [...Object.values(auth.headers), ...Object.values(auth.query)]
  const unknown = (text: string, names: ReadonlyArray<string>) =>
    placeholdersOf(text).find((name) => !names.includes(name))
  const ofText = unknown(auth.text, hmacNames)
  const ofPlaces = places.map((text) => unknown(text, [...hmacNames, "signature"])).find((name) => name !== undefined)
  const badHeader = Object.keys(auth.headers).find((name) => !headerName.test(name))
  return [
    ...(ofText === undefined
      ? []
      : [{ path: "auth.text", message: `names {${ofText}}; it may name ${hmacNames.join(", ")}` }]),
    ...(ofPlaces === undefined ? [] : [{ path: "auth.headers", message: `names {${ofPlaces}}, which does not exist` }]),
    ...(badHeader === undefined ? [] : [{ path: "auth.headers", message: `${badHeader} is no name of a header` }]),
    ...(places.some((text) => placeholdersOf(text).includes("signature"))
      ? []
      : [{ path: "auth.headers", message: "needs {signature} in one header or query parameter" }])
  ]
}

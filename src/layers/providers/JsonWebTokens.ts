/**
 * Tokens that a private key signs (RFC 7515, RFC 7519), such as those of Google's service accounts and of App Store
 * Connect. A token is kept for most of its life, so that a call does not wait for a signature. The key is a private key
 * in PEM, or a JSON object that holds it as `private_key`, as Google gives it out.
 */
import { createPrivateKey, type KeyObject, sign } from "node:crypto"
import { Either, Schema } from "effect"
import { isObject, type Json, type JsonObject, JsonObject as JsonObjectSchema } from "../../domain/Json.js"
import type { Auth, VariableValues } from "../../domain/Manifest.js"
import { setBounded } from "./BoundedMap.js"
import { placeholdersOf, withValues } from "./Variables.js"

export type JwtAuth = Extract<Auth, { readonly type: "jwt" }>

/** The token to use at this moment, in milliseconds. */
type TokenAt = (nowMillis: number) => string

const readObject = Schema.decodeUnknownOption(Schema.parseJson(JsonObjectSchema))

/** The PEM and, of a JSON key, its other texts. Line breaks of a PEM in one line are written `\n`. */
const partsOf = (secret: string): { readonly pem: string; readonly members: VariableValues } => {
  const object = secret.startsWith("{") ? readObject(secret) : { _tag: "None" as const }
  const texts = object._tag === "None" ? [] : Object.entries(object.value)
  const members = Object.fromEntries(
    texts.flatMap(([name, value]) => (typeof value === "string" && name !== "private_key" ? [[name, value]] : []))
  )
  const pem = object._tag === "None" ? secret : object.value["private_key"]
  return { pem: typeof pem === "string" ? pem.replaceAll("\\n", "\n") : "", members }
}

const textsOf = (value: Json): ReadonlyArray<string> =>
  typeof value === "string"
    ? [value]
    : Array.isArray(value)
      ? value.flatMap((item: Json) => textsOf(item))
      : isObject(value)
        ? Object.values(value).flatMap(textsOf)
        : []

/** What claims and header need from the key or from variables. */
export const namesOf = ({ claims, header }: JwtAuth): ReadonlyArray<string> =>
  textsOf([claims, header]).flatMap(placeholdersOf)

const filled = (value: Json, values: VariableValues): Json =>
  typeof value === "string"
    ? withValues(value, values)
    : Array.isArray(value)
      ? value.map((item: Json) => filled(item, values))
      : isObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, values)]))
        : value

const encoded = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString("base64url")

const privateKey = (pem: string, algorithm: JwtAuth["algorithm"]): Either.Either<KeyObject, string> =>
  Either.flatMap(
    Either.try({ try: () => createPrivateKey(pem), catch: () => "it holds no private key in PEM." }),
    (key) =>
      key.asymmetricKeyType === (algorithm === "RS256" ? "rsa" : "ec") &&
      (algorithm === "RS256" || key.asymmetricKeyDetails?.namedCurve === "prime256v1")
        ? Either.right(key)
        : Either.left(
            algorithm === "RS256" ? "it must hold an RSA key." : "it must hold an elliptic curve key of P-256."
          )
  )

const made = new Map<string, Either.Either<TokenAt, string>>()
const madeMax = 1_000

/** Left: why the key does not fit, as the end of a sentence. */
export const tokensOf = (auth: JwtAuth, secret: string, variables: VariableValues): Either.Either<TokenAt, string> => {
  const name = JSON.stringify([auth, variables, secret])
  const known = made.get(name)
  if (known !== undefined) return known
  const tokens = makeTokens(auth, secret, variables)
  setBounded(made, madeMax, name, tokens)
  return tokens
}

const makeTokens = (auth: JwtAuth, secret: string, variables: VariableValues): Either.Either<TokenAt, string> => {
  const { members, pem } = partsOf(secret)
  const values = { ...members, ...variables }
  const lacking = namesOf(auth).find((each) => !Object.hasOwn(values, each))
  if (lacking !== undefined) return Either.left(`it must be a JSON object with ${lacking} and private_key.`)
  return Either.map(privateKey(pem, auth.algorithm), (key): TokenAt => {
    const header = encoded({ alg: auth.algorithm, typ: "JWT", ...objectOf(filled(auth.header, values)) })
    const claims = objectOf(filled(auth.claims, values))
    let token = ""
    let freshUntil = Number.NEGATIVE_INFINITY
    let madeAt = 0
    return (nowMillis) => {
      // A clock that was set back would make a token from the future.
      if (nowMillis < freshUntil && nowMillis >= madeAt) return token
      const issued = Math.floor(nowMillis / 1000)
      const text = `${header}.${encoded({ ...claims, iat: issued, exp: issued + auth.lifetimeSeconds })}`
      const signature = sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" })
      token = `${text}.${signature.toString("base64url")}`
      madeAt = nowMillis
      freshUntil = nowMillis + (auth.lifetimeSeconds * 1000) / 2
      return token
    }
  })
}

const objectOf = (value: Json): JsonObject => (isObject(value) ? value : {})

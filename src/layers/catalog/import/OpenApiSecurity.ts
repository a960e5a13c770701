/**
 * Which key an operation asks for. Of several ways to show a key it takes the one that asks least of the customer: one
 * text that is sent as it is comes before a pair of user and password, and both before an account that is connected in
 * a browser. An operation is without a key only where its document says so, and the report then says it too.
 */
import { Either, Schema } from "effect"
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import { UserGrant } from "../../../domain/Manifest.js"
import { member } from "../../../domain/Members.js"
import { readUrl, readUrlFrom } from "../../../domain/Url.js"
import type { ImportedAuth } from "./ImportedOperation.js"
import { noteOf, together } from "./ImportedKeys.js"
import { entriesOf, listOf, textOf } from "./OpenApiParts.js"
import type { Reading } from "./OpenApiReading.js"
import { resolved } from "./OpenApiSchemas.js"

interface Way {
  /** The lower, the better. */
  readonly rank: number
  readonly auth: ImportedAuth
  /** What the operator must know of it. */
  readonly note?: string
}

const unsupported = (placement: string): Way => ({ rank: 9, auth: { type: "unsupported", placement } })

const decodeGrant = Schema.decodeUnknownEither(UserGrant)
/** One scope, without blanks and quotes. */
const scopeName = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** An address of a flow, which may be relative to that of the provider. */
const urlIn = (flow: JsonObject, name: string, server: string): string => {
  const written = textOf(member(flow, name) ?? "")
  if (written === "") return ""
  return (readUrl(server) === null ? readUrl(written) : readUrlFrom(server, written))?.href ?? ""
}

const accessToken: Way = {
  rank: 2,
  auth: { type: "bearer" },
  note: "OAuth 2, for which a connection must hold an access token"
}

/** An account that is connected in a browser, where the document says how; else a token of the client itself. */
const oauth2 = (scheme: JsonObject, scopes: ReadonlyArray<string>, server: string): Way => {
  const flows = isObject(scheme["flows"]) ? scheme["flows"] : {}
  const { authorizationCode, clientCredentials } = flows
  if (isObject(authorizationCode)) {
    const auth = {
      type: "oauth2_authorization_code",
      authorizationUrl: urlIn(authorizationCode, "authorizationUrl", server),
      tokenUrl: urlIn(authorizationCode, "tokenUrl", server),
      ...(scopes.length === 0 ? {} : { scopes: [...scopes] })
    }
    return Either.isRight(decodeGrant(auth))
      ? {
          rank: 6,
          auth,
          note: `OAuth 2, for which accounts are connected in a browser, with the client that gateway key set takes${scopes.length === 0 ? "; the document names no scopes" : ""}`
        }
      : accessToken
  }
  const tokenUrl = isObject(clientCredentials) ? urlIn(clientCredentials, "tokenUrl", server) : ""
  return Object.keys(flows).length === 1 && /^https?:\/\//.test(tokenUrl)
    ? {
        rank: 3,
        auth: {
          type: "oauth2_client_credentials",
          tokenUrl,
          ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") })
        }
      }
    : accessToken
}

const wayOf = (scheme: JsonObject | null, scopes: ReadonlyArray<string>, server: string): Way => {
  if (scheme === null) return unsupported("a kind of key that the document does not describe")
  const type = textOf(scheme["type"])
  const kind = textOf(scheme["scheme"]).toLowerCase()
  const place = textOf(scheme["in"])
  const name = textOf(scheme["name"])
  if (type === "http" && kind === "bearer") return { rank: 0, auth: { type: "bearer" } }
  if (type === "apiKey" && place === "header" && name !== "")
    // Many documents describe a bearer key as a header, and leave to prose what stands before the key.
    return name.toLowerCase() === "authorization" && /\bbearer\b/i.test(textOf(scheme["description"]))
      ? { rank: 0, auth: { type: "bearer" } }
      : { rank: 1, auth: { type: "header", name } }
  if (type === "oauth2") return oauth2(scheme, scopes, server)
  if (type === "openIdConnect") return accessToken
  if (type === "apiKey" && place === "query" && name !== "") return { rank: 4, auth: { type: "query", name } }
  if (type === "apiKey" && place === "cookie" && name !== "") return { rank: 4, auth: { type: "cookie", name } }
  if (type === "http" && kind === "basic") return { rank: 5, auth: { type: "basic" } }
  return unsupported([type, place || kind].filter((part) => part !== "").join(" ") || "unknown")
}

/** Several keys that are shown together. */
const inOne = (ways: ReadonlyArray<Way>): Way => {
  const keys = ways.map(({ auth }) => auth)
  const auth = together(keys)
  const note = noteOf(keys)
  return auth === null ? unsupported("several keys at once") : { rank: 7, auth, ...(note === null ? {} : { note }) }
}

/** The scopes that operations ask for, by the name of the scheme: one connection is for all of them. */
export const scopesIn = (
  document: JsonObject,
  operations: ReadonlyArray<JsonObject>
): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Set<string>>()
  for (const { security = document["security"] } of operations)
    for (const requirement of listOf(security))
      for (const [name, scopes] of entriesOf(requirement))
        for (const scope of listOf(scopes).map(textOf))
          if (scopeName.test(scope)) found.set(name, (found.get(name) ?? new Set()).add(scope))
  return new Map(Array.from(found, ([name, scopes]) => [name, Array.from(scopes).sort()]))
}

/** `security`: what the operation says, or undefined when it says nothing. `server`: the address of the operation. */
export const authOf = (
  { document, report, scopes }: Reading,
  id: string,
  security: Json | undefined,
  server: string
): ImportedAuth => {
  if (security === undefined) {
    report.note("changed", id, "takes no key, because the document says nothing of keys")
    return { type: "none" }
  }
  const requirements = listOf(security).filter(isObject)
  const keyed = requirements.filter((requirement) => Object.keys(requirement).length > 0)
  if (keyed.length < requirements.length && keyed.length > 0)
    report.note("changed", id, "takes no key, because the document says that one may be left out")
  if (keyed.length < requirements.length || keyed.length === 0) return { type: "none" }

  const components = document["components"]
  const schemes = isObject(components) ? components["securitySchemes"] : undefined
  const ways = keyed
    .map((requirement): Way => {
      const each = Object.keys(requirement).map((name) =>
        wayOf(resolved(document, isObject(schemes) ? member(schemes, name) : undefined), scopes.get(name) ?? [], server)
      )
      return each.length > 1 ? inOne(each) : (each[0] ?? unsupported("unknown"))
    })
    .sort((a, b) => a.rank - b.rank)
  const [best] = ways
  if (best === undefined) return { type: "none" }
  if (ways.length > 1)
    report.note("changed", id, `takes one of several ways to show a key (${String(best.auth["type"])})`)
  if (best.note !== undefined) report.note("changed", id, best.note)
  return best.auth
}

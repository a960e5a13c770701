/**
 * Which key an operation asks for. Of several ways to show a key it takes the one that asks least of the customer: one
 * text that is sent as it is comes before a pair of user and password. An operation is without a key only where its
 * document says so, and the report then says it too.
 */
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import { member } from "../../../domain/Members.js"
import type { ImportedAuth } from "./ImportedOperation.js"
import type { ReportBuilder } from "./ImportReport.js"
import { listOf, textOf } from "./OpenApiParts.js"
import { resolved } from "./OpenApiSchemas.js"

interface Way {
  /** The lower, the better. */
  readonly rank: number
  readonly auth: ImportedAuth
}

const unsupported = (placement: string): Way => ({ rank: 9, auth: { type: "unsupported", placement } })

const flowsOf = (scheme: JsonObject): JsonObject => (isObject(scheme["flows"]) ? scheme["flows"] : {})

const oauth2 = (scheme: JsonObject): Way => {
  const flows = flowsOf(scheme)
  const { clientCredentials } = flows
  const tokenUrl = isObject(clientCredentials) ? textOf(clientCredentials["tokenUrl"]) : ""
  return Object.keys(flows).length === 1 && /^https?:\/\//.test(tokenUrl)
    ? { rank: 3, auth: { type: "oauth2_client_credentials", tokenUrl } }
    : { rank: 2, auth: { type: "bearer" } }
}

const wayOf = (scheme: JsonObject | null): Way => {
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
  if (type === "oauth2") return oauth2(scheme)
  if (type === "openIdConnect") return { rank: 2, auth: { type: "bearer" } }
  if (type === "apiKey" && place === "query" && name !== "") return { rank: 4, auth: { type: "query", name } }
  if (type === "apiKey" && place === "cookie" && name !== "") return { rank: 4, auth: { type: "cookie", name } }
  if (type === "http" && kind === "basic") return { rank: 5, auth: { type: "basic" } }
  return unsupported([type, place || kind].filter((part) => part !== "").join(" ") || "unknown")
}

/** Several keys that are shown together. */
const together = (ways: ReadonlyArray<Way>): Way => {
  const [first, second, third] = ways.map(({ auth }) => auth)
  if (first?.["type"] === "header" && second?.["type"] === "header" && third === undefined)
    return { rank: 6, auth: { type: "header_pair", names: [first["name"] ?? "", second["name"] ?? ""] } }
  const places = ways.flatMap(({ auth: { name, type } }) =>
    (type === "header" || type === "query" || type === "cookie") && name !== undefined ? [{ in: type, name }] : []
  )
  return ways.length === 2 && places.length === 2
    ? { rank: 6, auth: { type: "pair", places } }
    : unsupported("several keys at once")
}

/** `security`: what the operation says, or undefined when it says nothing. */
export const authOf = (
  document: JsonObject,
  report: ReportBuilder,
  id: string,
  security: Json | undefined
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
        wayOf(resolved(document, isObject(schemes) ? member(schemes, name) : undefined))
      )
      return each.length > 1 ? together(each) : (each[0] ?? unsupported("unknown"))
    })
    .sort((a, b) => a.rank - b.rank)
  const best = ways[0]?.auth ?? { type: "none" }
  if (ways.length > 1) report.note("changed", id, `takes one of several ways to show a key (${String(best["type"])})`)
  if (ways[0]?.rank === 2) report.note("changed", id, "OAuth 2, for which a connection must hold an access token")
  return best
}

/**
 * From a curl command to the description of an operation: the values of the call become fields with an example, its key
 * becomes the way in which the provider takes one. The key itself is left out, and so is everything else that looks
 * like a secret; what was left out is named.
 */
import { Either } from "effect"
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import { readJson } from "../../../domain/LosslessJson.js"
import type { Place } from "../../../domain/Manifest.js"
import { type CurlRequest, readCurl } from "./CurlWords.js"
import { entriesOf } from "./OpenApiParts.js"
import { type ImportedAuth, type ImportedField, type ImportedOperation, slug } from "./ImportedOperation.js"

export interface CurlOperation {
  readonly operation: ImportedOperation
  /** What was left out, in words. */
  readonly leftOut: ReadonlyArray<string>
  /** The keys of the command. None of them may stand in a file. */
  readonly secrets: ReadonlyArray<string>
}

const keyName =
  /(?:^|[-_.])(?:api[-_]?key|apikey|key|token|access[-_]?token|auth|authorization|credentials?|secret|passw(?:or)?d|passphrase|pwd|session(?:[-_]?id)?|sid|signature|sig|appid|app[-_]?id)$/i
/** A scheme of `Authorization` before its key; an address with a password, or with a key in its query. */
const holdsKey =
  /^(?:bearer|basic|token|digest)\s+\S|:\/\/[^/?#\s]*@|[?&](?:[\w.-]*[-_.])?(?:api_?key|key|token|secret|password|sig|signature)=/i
/** Long texts of letters and digits without words: keys, tokens, signatures. */
const looksSecret = (value: string): boolean =>
  holdsKey.test(value) ||
  /^(?:sk|pk|rk|gh[pousr]|xox[abps]|shpat|glpat|AIza|eyJ)[-_A-Za-z0-9]/.test(value) ||
  (/^[A-Za-z0-9+/_=.:~-]{20,}$/.test(value) &&
    /\d/.test(value) &&
    /[A-Za-z]/.test(value) &&
    !/^[a-z]+(?:[-_.][a-z0-9]{1,12})+$/.test(value) &&
    !value.includes("://"))

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** Headers of the connection, and those that the gateway writes itself. */
const ownHeader =
  /^(?:accept|accept-encoding|accept-language|connection|content-length|content-type|cookie|host|origin|referer|user-agent|sec-.*|priority)$/i

const typeOf = (value: Json): JsonObject => {
  if (typeof value === "boolean") return { type: "boolean" }
  if (typeof value === "number") return { type: Number.isInteger(value) ? "integer" : "number" }
  if (Array.isArray(value)) return { type: "array" }
  return isObject(value) ? { type: "object" } : value === null ? {} : { type: "string" }
}

const holdsSecret = (value: Json): boolean =>
  typeof value === "string"
    ? looksSecret(value)
    : Array.isArray(value)
      ? value.some(holdsSecret)
      : isObject(value) &&
        Object.entries(value).some(
          ([name, each]) => holdsSecret(each) || (keyName.test(name) && typeof each === "string")
        )

/** Names of what a client makes anew for each call. */
const oneTime = /(?:^|[-_.])(?:signature|sig|hmac|nonce|timestamp)$|^(?:date|x-amz-date)$/i

/** Collects fields, and takes the key where it finds one. */
class Collected {
  readonly fields: Array<ImportedField> = []
  readonly leftOut: Array<string> = []
  readonly fixed: Array<{ readonly [key: string]: Json }> = []
  private readonly keys: Array<ImportedAuth> = []

  readonly secrets: Array<string> = []

  key(auth: ImportedAuth, what: string, secret: string): void {
    this.keys.push(auth)
    if (secret !== "") this.secrets.push(secret)
    this.leftOut.push(`the key (${what})`)
  }

  field(place: typeof Place.Type, name: string, value: Json): void {
    if (place === "query") this.noteOneTime(name, "")
    const isKey = typeof value === "string" && value !== "" && keyName.test(name)
    if (isKey && (place === "query" || place === "json" || place === "form") && this.keys.length === 0)
      return this.key({ type: place === "query" ? "query" : "body", name }, `${place} field ${name}`, value)
    const isFile = place === "multipart" && typeof value === "string" && value.startsWith("@")
    const hidden = isKey || isFile || holdsSecret(value)
    if (hidden && !isFile) this.leftOut.push(`the value of ${name}, which looks like a secret`)
    this.fields.push({
      name,
      place,
      required: place === "path",
      schema: isFile
        ? {
            type: "object",
            required: ["base64"],
            properties: { base64: { type: "string" }, filename: { type: "string" }, contentType: { type: "string" } }
          }
        : { ...typeOf(value), ...(hidden || value === "" ? {} : { examples: [value] }) },
      ...(place === "query" && Array.isArray(value) ? { style: "repeat" as const } : {})
    })
  }

  /** A signature, or what belongs to one, cannot be a value of the manifest: it is another one in each call. */
  noteOneTime(name: string, value: string): void {
    const way = /^AWS4-HMAC-SHA/.test(value) || /^x-amz-(?:date|signature)$/i.test(name) ? "aws_sigv4" : "hmac"
    if (way === "aws_sigv4" || oneTime.test(name))
      this.leftOut.push(
        `${name} looks signed or made anew for each call: write auth ${way} by hand (docs/providers.md)`
      )
  }

  auth(): ImportedAuth {
    const [first, second, third] = this.keys
    if (first === undefined) return { type: "none" }
    if (second === undefined) return first
    if (first["type"] === "header" && second["type"] === "header" && third === undefined)
      return { type: "header_pair", names: [first["name"] ?? "", second["name"] ?? ""] }
    return { type: "unsupported", placement: "several keys at once" }
  }
}

const takeHeader = (found: Collected, name: string, value: string): void => {
  found.noteOneTime(name, value)
  if (name.toLowerCase() === "authorization" || name.toLowerCase() === "proxy-authorization") {
    const [, scheme = "", secret = ""] = /^(\S+)\s+(.*)$/.exec(value) ?? []
    if (/^bearer$/i.test(scheme)) return found.key({ type: "bearer" }, `header ${name}`, secret)
    if (/^basic$/i.test(scheme)) return found.key({ type: "basic" }, `header ${name}`, secret)
    return secret === "" || scheme.includes("=")
      ? found.key({ type: "header", name }, `header ${name}`, value)
      : found.key({ type: "header", name, prefix: `${scheme} ` }, `header ${name}`, secret)
  }
  if (ownHeader.test(name)) {
    if (/^cookie$/i.test(name)) found.leftOut.push("the cookies")
    return
  }
  if (keyName.test(name) || looksSecret(value)) return found.key({ type: "header", name }, `header ${name}`, value)
  found.fixed.push({ in: "header", name, value })
  found.leftOut.push(`the header ${name} is sent with every call as it stands in the command`)
}

/** The segments of a path that name one thing become fields. */
const pathOf = (found: Collected, url: URL): string => {
  let count = 0
  return url.pathname
    .split("/")
    .map((raw) => {
      const text = Either.getOrElse(
        Either.try(() => decodeURIComponent(raw)),
        () => raw
      )
      const named = /^\{([A-Za-z0-9_.-]+)\}$/.exec(text)?.[1]
      if (named === undefined && !uuid.test(text) && !/^\d{3,}$/.test(text) && !looksSecret(text)) return raw
      count += 1
      const name = named ?? (count === 1 ? "id" : `id${count}`)
      found.field("path", name, named === undefined ? text : "")
      return `{${name}}`
    })
    .join("/")
}

const mediaType = ({ headers }: CurlRequest): string =>
  headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? ""

/** A body that cannot be described is left out and named. */
const takeBody = (found: Collected, request: CurlRequest): void => {
  const { body } = request
  if (body._tag === "Parts") for (const [name, value] of body.parts) found.field("multipart", name, value)
  if (body._tag !== "Text") return
  const type = mediaType(request)
  const json: Json | null = Either.getOrNull(readJson(body.text))
  if (isObject(json ?? undefined) && (type === "" || /json/i.test(type))) {
    for (const [name, value] of entriesOf(json ?? undefined)) found.field("json", name, value)
    if (type !== "" && !/^application\/json\b/i.test(type))
      found.fixed.push({ in: "header", name: "content-type", value: type })
  } else if (
    (type === "" || /x-www-form-urlencoded/i.test(type)) &&
    body.text.includes("=") &&
    !body.text.startsWith("@")
  )
    for (const [name, value] of new URLSearchParams(body.text)) found.field("form", name, value)
  else found.leftOut.push("the body, which is neither an object of JSON nor a form")
}

/** Left: why no operation can be made of the command. `id` names the provider; its host does when there is none. */
export const curlOperation = (command: string, id?: string): Either.Either<CurlOperation, string> =>
  Either.map(readCurl(command), (request) => {
    const found = new Collected()
    const { url } = request
    if (request.user !== null)
      found.key({ type: "basic", passwordless: /^[^:]*:?$/.test(request.user) }, "user and password", request.user)
    for (const [name, value] of request.headers) takeHeader(found, name, value)
    if (request.hasCookies) found.leftOut.push("the cookies")
    const path = pathOf(found, url)
    const names = new Set(url.searchParams.keys())
    for (const name of names) {
      const values = url.searchParams.getAll(name)
      found.field("query", name, values.length === 1 ? (values[0] ?? "") : values)
    }
    takeBody(found, request)
    const provider = id ?? url.hostname.replace(/^(?:www|api)\./, "")
    const words = path.split("/").filter((part) => part !== "" && !part.startsWith("{"))
    const name = `${request.method} ${path}`
    return {
      operation: {
        id: `${slug(provider)}.${slug([request.method.toLowerCase(), ...words].join("-"))}`,
        providerId: provider,
        providerName: provider,
        name,
        description: `${name} of ${url.hostname}.`,
        method: request.method,
        baseUrl: url.origin,
        path,
        fields: found.fields,
        ...(found.fixed.length === 0 ? {} : { fixed: found.fixed }),
        category: "",
        tags: [],
        auth: found.auth(),
        facts: {},
        provenance: { docs: url.origin, note: "Made from one curl command; its documentation was not read." }
      },
      leftOut: Array.from(new Set(found.leftOut)),
      secrets: found.secrets
    }
  })

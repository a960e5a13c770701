/**
 * From a curl command to the description of an operation: the values of the call become fields with an example, its key
 * becomes the way in which the provider takes one. The key itself is left out, and so is everything else that looks
 * like a secret; what was left out is named. A body that cannot be described is refused: an operation without it would
 * send something else than the command.
 */
import { Either } from "effect"
import { isObject, type Json } from "../../../domain/Json.js"
import { readJson } from "../../../domain/LosslessJson.js"
import type { Body } from "../../../domain/Manifest.js"
import { readUrl } from "../../../domain/Url.js"
import { Collected } from "./CurlFields.js"
import { takePath } from "./CurlPath.js"
import { type CurlRequest, readCurl } from "./CurlRequest.js"
import { type ImportedOperation, openVariable, slug } from "./ImportedOperation.js"
import { isTextType, usableType } from "./OpenApiBodies.js"
import { isPlaceholder } from "./Placeholders.js"
import { looksSecret, namesSecret } from "./SecretLooks.js"

export interface CurlOperation {
  readonly operation: ImportedOperation
  /** What was left out, in words. */
  readonly leftOut: ReadonlyArray<string>
  /** The keys of the command. None of them may stand in a file. */
  readonly secrets: ReadonlyArray<string>
}

/** Headers of the connection, and those that the gateway writes itself. */
const ownHeader =
  /^(?:accept|accept-encoding|accept-language|connection|content-length|content-type|cookie|host|origin|referer|user-agent|sec-.*|priority)$/i

const takeHeader = (found: Collected, name: string, value: string): void => {
  found.noteOneTime(name, value)
  const what = `header ${name}`
  if (/^(?:proxy-)?authorization$/i.test(name)) {
    const [, scheme = "", secret = ""] = /^(\S+)\s+(.*)$/.exec(value) ?? []
    if (/^basic$/i.test(scheme)) found.secret(Buffer.from(secret, "base64").toString("utf8"))
    if (/^(?:bearer|basic)$/i.test(scheme)) return found.key({ type: scheme.toLowerCase() }, what, secret)
    return secret === "" || scheme.includes("=") || isPlaceholder(value)
      ? found.key({ type: "header", name }, what, value)
      : found.key({ type: "header", name, prefix: `${scheme} ` }, what, secret)
  }
  if (ownHeader.test(name)) {
    if (/^cookie$/i.test(name)) found.cookies(value)
    if (/^accept$/i.test(name) && !/\*\/\*|application\/json/i.test(value))
      found.leftOut.push(
        `the header Accept, which says the contentTypes of the operation: let them begin with ${value}`
      )
    return
  }
  if (namesSecret(name) || looksSecret(value)) return found.key({ type: "header", name }, what, value)
  if (isPlaceholder(value)) return found.field("header", name, value)
  found.fixed.push({ in: "header", name, value })
  found.leftOut.push(`the header ${name} is sent with every call as it stands in the command`)
}

const typeIn = ({ headers }: CurlRequest): string =>
  headers.find(([name]) => name.toLowerCase() === "content-type")?.[1] ?? ""

/** Values of JSON that stand for others without quotes, such as `$COUNT` or `<number>`. */
const bare = /("(?:[^"\\]|\\.)*")|\$\{?[A-Za-z_]\w*\}?|<[A-Za-z][\w .-]*>|\{\{\s*[A-Za-z][\w .-]*\}\}/g

const jsonIn = (text: string): Json | undefined =>
  Either.getOrUndefined(
    Either.orElse(readJson(text), () => readJson(text.replaceAll(bare, (_, quoted?: string) => quoted ?? "null")))
  )

const named = (pairs: Iterable<readonly [string, string]>): ReadonlyArray<readonly [string, Json]> => {
  const values = new Map<string, Array<string>>()
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value])
  return Array.from(values, ([name, all]) => [name, all.length === 1 ? (all[0] ?? "") : all] as const)
}

/** Files whose content is text that must be seen to be described. */
const textFile = /(?:^-|^[^.]*|\.(?:json|txt|form|graphql|gql))$/i

/** How a body that is no object of fields is sent; undefined when it is one. Left: why it cannot be described. */
const takeBody = (found: Collected, request: CurlRequest): Either.Either<Body | undefined, string> => {
  const { body } = request
  if (body._tag === "None")
    return Either.right(/^(?:POST|PUT|PATCH)$/.test(request.method) ? { as: "none" } : undefined)
  if (body._tag === "Parts") {
    for (const name of new Set(body.parts.map(([each]) => each))) {
      const values = body.parts.flatMap(([each, value]) => (each === name ? [value] : []))
      const texts = values.flatMap((value) => (value._tag === "Text" ? [value.text] : []))
      const [contentType] = values.flatMap((value) => value.contentType ?? [])
      if (texts.length < values.length) found.file(name, values.length > 1, contentType)
      else found.field("multipart", name, texts.length === 1 ? (texts[0] ?? "") : texts, contentType)
    }
    return Either.right(undefined)
  }
  const type = typeIn(request)
  const isForm = /x-www-form-urlencoded/i.test(type)
  const isJson =
    body.isJson || /json\b/i.test(type) || (type === "" && body.data._tag === "Text" && /^\s*[[{]/.test(body.data.text))
  const field = found.free("body")
  const contentType = usableType.test(type) ? { contentType: type } : {}
  if (body.data._tag === "File") {
    const { file } = body.data
    if (isTextType.test(type)) {
      found.whole(field, { type: "string" })
      return Either.right({ as: "text", field, contentType: type })
    }
    if (isJson || isForm || (type === "" && textFile.test(file)))
      return Either.left(
        `the body is in ${file === "-" ? "standard input" : `the file ${file}`}, which is not read; put its content in place of @${file}`
      )
    found.wholeFile(field)
    return Either.right({ as: "bytes", field, contentType: "application/octet-stream", ...contentType })
  }
  const { text } = body.data
  if (isJson && !/x-ndjson|jsonl/i.test(type)) {
    const json = jsonIn(text)
    if (json === undefined) return Either.left("the body is not JSON; write it as the provider takes it")
    if (type !== "" && !/^application\/json\b/i.test(type)) {
      if (!isObject(json)) return Either.left(`the body is no object, which cannot be sent as ${type}`)
      found.fixed.push({ in: "header", name: "content-type", value: type })
    }
    if (!isObject(json)) {
      found.wholeValue(field, json)
      return Either.right({ as: "json", field })
    }
    for (const [name, value] of Object.entries(json)) found.field("json", name, value)
    return Either.right(undefined)
  }
  if (isForm || (type === "" && text.includes("="))) {
    for (const [name, value] of named(new URLSearchParams(text))) found.field("form", name, value)
    return Either.right(undefined)
  }
  found.wholeValue(field, text)
  return Either.right({ as: "text", field, contentType: "text/plain; charset=utf-8", ...contentType })
}

const takeUser = (found: Collected, { signed, user, userScheme }: CurlRequest, host: string): void => {
  if (signed !== null) {
    const [inHost, service = "", region = ""] = /^(?:.*\.)?([a-z0-9-]+)\.([a-z0-9-]+)\.amazonaws\.com$/.exec(host) ?? []
    const [, , saidRegion = region, saidService = service] = signed.split(":")
    const isKnown = saidRegion !== "" && saidService !== "" && (inHost !== undefined || signed.split(":").length > 3)
    found.key(
      isKnown
        ? { type: "aws_sigv4", service: saidService, region: saidRegion }
        : { type: "unsupported", placement: "AWS Signature Version 4 without service and region" },
      "a signature of AWS",
      user ?? ""
    )
  } else if (user !== null)
    found.key(
      userScheme === null
        ? { type: "basic", passwordless: /^[^:]*:?$/.test(user) }
        : { type: "unsupported", placement: userScheme },
      "user and password",
      user
    )
}

/** Left: why no operation can be made of the command. `id` names the provider; its host does when there is none. */
export const curlOperation = (command: string, id?: string): Either.Either<CurlOperation, string> =>
  Either.gen(function* () {
    const request = yield* readCurl(command)
    const found = new Collected()
    const host = request.origin.replace(/^https?:\/\/(?:[^/]*\}[^./]*\.)?/, "").replace(/:\d+$/, "")
    takeUser(found, request, host)
    for (const [name, value] of request.headers) takeHeader(found, name, value)
    if (request.cookies !== null) found.cookies(request.cookies)
    found.leftOut.push(...request.leftOut)
    const query = named(request.query)
    found.takeKeyOf("query", query)
    const path = takePath(found, request.path)
    for (const [name, value] of query) found.field("query", name, value)
    const body = yield* takeBody(found, request)
    const provider = id ?? (readUrl(`https://${host}`)?.hostname ?? host).replace(/^(?:www|api)\./, "")
    const words = path.split("/").filter((part) => part !== "" && !part.includes("{"))
    const name = `${request.method} ${path}`
    const variables = Object.fromEntries(request.openParts.map((part) => [part, openVariable(part)]))
    return {
      operation: {
        id: `${slug(provider)}.${slug([request.method.toLowerCase(), ...words].join("-"))}`,
        providerId: provider,
        providerName: provider,
        name,
        description: `${name} of ${host}.`,
        method: request.method,
        baseUrl: request.origin,
        ...(request.openParts.length === 0 ? {} : { variables }),
        path,
        fields: found.fields,
        ...(body === undefined ? {} : { body }),
        ...(found.fixed.length === 0 ? {} : { fixed: found.fixed }),
        category: "",
        tags: [],
        auth: found.auth(),
        facts: {},
        provenance: {
          docs: request.openParts.length === 0 ? request.origin : `https://${host}`,
          note: "Made from one curl command; its documentation was not read."
        }
      },
      leftOut: Array.from(new Set(found.leftOut)),
      secrets: found.secrets
    }
  })

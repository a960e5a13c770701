// What a call of an operation looks like on the wire, by a plain reading of its OpenAPI document: the OpenAPI
// Specification 3.0.3, "Parameter Object", "Encoding Object" and "Security Requirement Object". It shares no code with
// the import, and knows nothing of manifests.
import {
  inside,
  isMembers,
  itemsOf,
  type Members,
  membersOf,
  type Node,
  node,
  opened,
  textOf,
  type Value
} from "./Document.js"
import { isFileValue, sampleOf } from "./Samples.js"

export type Pair = readonly [name: string, value: string]

export interface Given {
  readonly place: string
  readonly name: string
  readonly value: Value
}

interface BodyGiven {
  readonly mediaType: string
  readonly value: Value
}

type ExpectedBody =
  | { readonly kind: "none" }
  | { readonly kind: "json"; readonly value: Value }
  | { readonly kind: "form"; readonly pairs: ReadonlyArray<Pair> }
  | { readonly kind: "multipart"; readonly parts: ReadonlyArray<Pair> }
  | { readonly kind: "raw"; readonly text: string }

/** One way to show a key, as sent: each must be there. */
export interface KeyPlace {
  readonly place: "bearer" | "basic" | "header" | "query" | "cookie" | "other"
  readonly name: string
}

export interface Expected {
  readonly origins: ReadonlyArray<string>
  readonly method: string
  /** With the path of the server before it, decoded. */
  readonly paths: ReadonlyArray<string>
  readonly query: ReadonlyArray<Pair>
  readonly headers: ReadonlyArray<Pair>
  readonly cookies: ReadonlyArray<Pair>
  readonly mediaType: string | null
  readonly body: ExpectedBody
  /** True: the document lets the body be left out, and an empty object is one that it allows. */
  readonly mayBeEmptyObject: boolean
  readonly keys: ReadonlyArray<ReadonlyArray<KeyPlace>>
}

export interface Call {
  readonly given: ReadonlyArray<Given>
  readonly body: BodyGiven | null
  readonly expected: Expected
}

const asText = (value: Value): string => (typeof value === "string" ? value : JSON.stringify(value))

/** `name[a][b]=…`: the document names the style, its depth is left to providers, who all write it so. */
const bracketed = (name: string, value: Value): ReadonlyArray<Pair> =>
  Array.isArray(value)
    ? value.flatMap((each, index) => bracketed(`${name}[${index}]`, each))
    : isMembers(value)
      ? Object.entries(value).flatMap(([key, each]) => bracketed(`${name}[${key}]`, each))
      : [[name, asText(value)]]

const flat = (value: Value): string =>
  (Array.isArray(value) ? value : Object.entries(membersOf(value)).flat()).map((each) => asText(each)).join(",")

const styled = (name: string, value: Value, style: string, explode: boolean): ReadonlyArray<Pair> => {
  if (!Array.isArray(value) && !isMembers(value)) return [[name, asText(value)]]
  if (style === "deepObject") return bracketed(name, value)
  const separator = style === "spaceDelimited" ? " " : style === "pipeDelimited" ? "|" : ","
  if (!explode) return [[name, Array.isArray(value) ? value.map(asText).join(separator) : flat(value)]]
  return Array.isArray(value)
    ? value.map((each): Pair => [name, asText(each)])
    : Object.entries(membersOf(value)).map(([key, each]): Pair => [key, asText(each)])
}

const explodeOf = (said: Members, style: string): boolean =>
  typeof said["explode"] === "boolean" ? said["explode"] : style === "form"

const parametersOf = (item: Node, operation: Node): ReadonlyArray<Node> => {
  const found = new Map<string, Node>()
  for (const from of [item, operation])
    for (const raw of itemsOf(from.at["parameters"])) {
      const parameter = node(from.file, raw)
      found.set(`${textOf(parameter.at["in"])} ${textOf(parameter.at["name"])}`, parameter)
    }
  return [...found.values()]
}

/** Those which the specification tells readers to ignore as parameters. */
const ignored = new Set(["accept", "content-type", "authorization"])

const schemaOf = (parameter: Node): Node => {
  const [media] = Object.values(membersOf(parameter.at["content"]))
  return media === undefined ? inside(parameter, "schema") : inside(node(parameter.file, media), "schema")
}

const addresses = (item: Node, operation: Node, document: Node): ReadonlyArray<string> => {
  const servers = [operation, item, document].map(({ at }) => itemsOf(at["servers"])).find((list) => list.length > 0)
  return (servers ?? []).map((server) => {
    const { url, variables } = membersOf(server)
    return textOf(url)
      .replaceAll(/\{([^{}]+)\}/g, (_, name: string) => textOf(membersOf(membersOf(variables)[name])["default"]))
      .replace(/\/+$/, "")
  })
}

const keysOf = (document: Node, operation: Node): ReadonlyArray<ReadonlyArray<KeyPlace>> => {
  const wanted = itemsOf(operation.at["security"] ?? document.at["security"])
  const schemes = inside(inside(document, "components"), "securitySchemes")
  return wanted.map((requirement) =>
    Object.keys(membersOf(requirement)).map((name): KeyPlace => {
      const { at } = inside(schemes, name)
      const kind = textOf(at["scheme"]).toLowerCase()
      if (at["type"] === "oauth2" || at["type"] === "openIdConnect" || kind === "bearer")
        return { place: "bearer", name: "" }
      if (kind === "basic") return { place: "basic", name: "" }
      const place = textOf(at["in"])
      return place === "header" || place === "query" || place === "cookie"
        ? { place, name: textOf(at["name"]) }
        : { place: "other", name: textOf(at["type"]) }
    })
  )
}

const kindOf = (mediaType: string): "json" | "form" | "multipart" | "raw" =>
  /^application\/([\w.+-]+\+)?json\b/i.test(mediaType) || mediaType === "*/*"
    ? "json"
    : /^application\/x-www-form-urlencoded/i.test(mediaType)
      ? "form"
      : /^multipart\//i.test(mediaType)
        ? "multipart"
        : "raw"
export { kindOf }

const partText = (value: Value): string => (isFileValue(value) ? textOf(membersOf(value)["fileText"]) : asText(value))

const bodyExpected = (media: Node, { mediaType, value }: BodyGiven): ExpectedBody => {
  const encodings = membersOf(media.at["encoding"])
  switch (kindOf(mediaType)) {
    case "json":
      return { kind: "json", value }
    case "raw":
      return { kind: "raw", text: isFileValue(value) ? partText(value) : asText(value) }
    case "multipart":
      return {
        kind: "multipart",
        parts: Object.entries(membersOf(value)).flatMap(([name, each]): ReadonlyArray<Pair> =>
          Array.isArray(each) ? each.map((item): Pair => [name, partText(item)]) : [[name, partText(each)]]
        )
      }
    case "form":
      return {
        kind: "form",
        pairs: Object.entries(membersOf(value)).flatMap(([name, each]): ReadonlyArray<Pair> => {
          const encoding = membersOf(encodings[name])
          const style = textOf(encoding["style"]) || "form"
          // Without a style of its own an object has the content type application/json.
          return isMembers(each) && encoding["style"] === undefined && encoding["explode"] === undefined
            ? [[name, JSON.stringify(each)]]
            : styled(name, each, style, explodeOf(encoding, style))
        })
      }
  }
}

export interface Operation {
  readonly file: string
  readonly method: string
  readonly path: string
}

const found = ({ file, method, path }: Operation) => {
  const document = opened(file)
  const item = node(document.file, membersOf(inside(document, "paths").at)[path])
  return { document, item, operation: inside(item, method) }
}

/** The media types of the body of an operation, in the order of the document. */
export const mediaTypes = (of: Operation): ReadonlyArray<string> =>
  Object.keys(inside(inside(found(of).operation, "requestBody"), "content").at)

/** A call with everything that is required, or with the optional parts too (`rich`). */
export const callOf = (of: Operation, rich: boolean, mediaType: string | undefined): Call => {
  const { document, item, operation } = found(of)
  const given: Array<Given> = []
  const query: Array<Pair> = []
  const headers: Array<Pair> = []
  const cookies: Array<Pair> = []
  let path = of.path
  for (const parameter of parametersOf(item, operation)) {
    const { at } = parameter
    const place = textOf(at["in"])
    const name = textOf(at["name"])
    if (place === "header" && ignored.has(name.toLowerCase())) continue
    if (place !== "path" && at["required"] !== true && !rich) continue
    const schema = schemaOf(parameter)
    const [own] =
      at["example"] === undefined
        ? Object.values(membersOf(at["examples"])).map((each) => node(parameter.file, each).at["value"])
        : [at["example"]]
    const value = sampleOf(
      own === undefined || isMembers(own) || Array.isArray(own)
        ? schema
        : { ...schema, at: { ...schema.at, example: own } },
      rich,
      1
    )
    given.push({ place, name, value })
    const style = textOf(at["style"]) || (place === "query" || place === "cookie" ? "form" : "simple")
    const isJson = at["content"] !== undefined
    const pairs = isJson ? [[name, JSON.stringify(value)] as const] : styled(name, value, style, explodeOf(at, style))
    const joined = isJson
      ? JSON.stringify(value)
      : Array.isArray(value) || isMembers(value)
        ? flat(value)
        : asText(value)
    if (place === "path") path = path.replaceAll(`{${name}}`, joined)
    if (place === "query") query.push(...pairs)
    if (place === "header") headers.push([name.toLowerCase(), joined])
    if (place === "cookie") cookies.push(...pairs)
  }
  const requestBody = inside(operation, "requestBody")
  const isBodyRequired = requestBody.at["required"] === true
  const media = mediaType === undefined ? undefined : inside(inside(requestBody, "content"), mediaType)
  const schema = media === undefined ? undefined : inside(media, "schema")
  const body =
    mediaType === undefined || schema === undefined || !(isBodyRequired || rich)
      ? null
      : {
          mediaType,
          value: kindOf(mediaType) === "raw" && schema.at["format"] !== "binary" ? "some text" : sampleOf(schema, rich)
        }
  const servers = addresses(item, operation, document)
  const [fixedPath = "", fixedQuery = ""] = path.split("#", 1).join("").split("?")
  const fixed =
    fixedQuery === "" ? [] : [...new URLSearchParams(fixedQuery)].map(([name, value]): Pair => [name, value])
  return {
    given,
    body,
    expected: {
      origins: servers.map((server) => new URL(server).origin),
      method: of.method.toUpperCase(),
      paths: servers.map((server) => decodeURIComponent(`${new URL(server).pathname.replace(/\/+$/, "")}${fixedPath}`)),
      query: [...fixed, ...query],
      headers,
      cookies,
      mediaType: body === null ? null : body.mediaType,
      body: body === null || media === undefined ? { kind: "none" } : bodyExpected(media, body),
      mayBeEmptyObject:
        schema !== undefined &&
        !isBodyRequired &&
        mediaType !== undefined &&
        kindOf(mediaType) === "json" &&
        isMembers(sampleOf(schema, false)) &&
        Object.keys(membersOf(sampleOf(schema, false))).length === 0,
      keys: keysOf(document, operation)
    }
  }
}

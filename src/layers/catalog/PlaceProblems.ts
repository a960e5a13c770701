/**
 * What a manifest must not say about where values go: a second value under one name, and headers that belong to the
 * connection. Found when a manifest is read. A contract that was stored before is called as it is.
 */
import type { Endpoint, Place } from "../../domain/Manifest.js"
import { pathAndQuery } from "../../domain/manifest/Address.js"
import { namesIn } from "../../domain/OperationInput.js"
import { comparable, keyNamesAt, namesInPath, placeOfUnbound } from "../../domain/TakenNames.js"
import { fieldsOfBody } from "../providers/RawBodies.js"
import { placeholdersOf } from "../providers/Variables.js"
import type { OperationProblem } from "./Soundness.js"

interface Placed {
  /** Where in the manifest. */
  readonly at: string
  readonly in: Place
  readonly name: string
}

/** Where two values of one name are both sent, or one of them is lost, and how a message calls it. */
const doubling: ReadonlyMap<Place, string> = new Map<Place, string>([
  ["query", "the query"],
  ["form", "the form"],
  ["multipart", "the body"],
  ["header", "the headers"]
])

const fieldsOf = (endpoint: Endpoint): ReadonlyArray<Placed> => {
  const { bindings, body, extras = [], input, path } = endpoint.operation
  const inPath = new Set(placeholdersOf(path))
  const ofBody = fieldsOfBody(body)
  const unbound = [...new Set([...namesIn(input), ...extras])].filter(
    (name) => !Object.hasOwn(bindings, name) && !inPath.has(name) && !ofBody.has(name)
  )
  const rest = placeOfUnbound(endpoint)
  return [
    ...Object.entries(bindings).flatMap(([field, { in: place, name, style }]) =>
      style === "spread" ? [] : [{ at: `bindings.${field}`, in: place, name }]
    ),
    ...unbound.map((name) => ({ at: `input.properties.${name}`, in: rest, name }))
  ]
}

/** Only one of two fields may be given where the schema has choices, and a list may be made of several fields. */
const mayShare = ({ input }: Endpoint["operation"], { in: place, name }: Placed): boolean =>
  place === "path" ||
  name.endsWith("[]") ||
  ["allOf", "anyOf", "oneOf", "not", "if"].some((each) => Object.hasOwn(input, each))

const doubled = (endpoint: Endpoint): ReadonlyArray<OperationProblem> => {
  const { operation, provider } = endpoint
  const fields = fieldsOf(endpoint)
  const fixed = [...provider.fixed, ...operation.fixed].map(({ in: place, name }): Placed => ({
    at: `fixed.${name}`,
    in: place,
    name
  }))
  const written = namesInPath(endpoint).map((name): Placed => ({
    at: "path",
    in: "query",
    name
  }))
  return [...fields, ...fixed].flatMap((each, index) => {
    const where = doubling.get(each.in)
    if (where === undefined) return []
    const isSame = (other: Placed) => other.in === each.in && comparable(other.name) === comparable(each.name)
    const isField = index < fields.length
    const isOfKey = keyNamesAt(provider.auth, each.in).some((name) => comparable(name) === comparable(each.name))
    const constant = [...(isField ? fixed : []), ...written].find(isSame)
    const other = isField && !mayShare(operation, each) ? fields.slice(0, index).find(isSame) : undefined
    const why = isOfKey
      ? "where the key goes"
      : constant !== undefined
        ? `which ${constant.at === "path" ? "the path" : "a fixed value"} sets already`
        : other !== undefined
          ? `where ${other.at} goes too`
          : null
    return why === null ? [] : [{ path: each.at, message: `goes to ${each.name} of ${where}, ${why}` }]
  })
}

/** The gateway writes these itself, for the connection on which a request goes. */
const ofConnection: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "upgrade",
  "expect",
  "te"
])

const reserved = (endpoint: Endpoint): ReadonlyArray<OperationProblem> =>
  [
    ...fieldsOf(endpoint),
    ...[...endpoint.provider.fixed, ...endpoint.operation.fixed].map((each) => ({ ...each, at: `fixed.${each.name}` }))
  ].flatMap(({ at, in: place, name }) =>
    place === "header" && ofConnection.has(name.toLowerCase())
      ? [{ path: at, message: `goes to the header ${name}, which the gateway itself writes for each request` }]
      : []
  )

/** A placeholder is filled in before the question mark only. */
const openQuery = ({ operation }: Endpoint): ReadonlyArray<OperationProblem> =>
  placeholdersOf(pathAndQuery(operation.path)[1] ?? "").map((name) => ({
    path: "path",
    message: `has {${name}} in its query, where it would be sent as it stands: take it out, and let a field go to the query`
  }))

export const placeProblems = (endpoint: Endpoint): ReadonlyArray<OperationProblem> => [
  ...doubled(endpoint),
  ...openQuery(endpoint),
  ...reserved(endpoint)
]

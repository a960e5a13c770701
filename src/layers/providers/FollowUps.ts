/**
 * The follow-up requests of an asynchronous operation: where its state and its result are asked for, and where it is
 * cancelled. A path of the manifest is filled with the ticket and with fields of the input; an address that the
 * provider tells is taken apart and checked. Whether an address may be reached is decided by the egress policy, and
 * whether it gets the key by its origin.
 */
import { Either } from "effect"
import { isWellFormed } from "../../domain/Characters.js"
import { ExactNumber } from "../../domain/ExactNumber.js"
import { isObject, type Json, type JsonObject, textsIn } from "../../domain/Json.js"
import { toldAddressCharsMax } from "../../domain/limits/Calls.js"
import type { Auth, Endpoint, VariableValues } from "../../domain/Manifest.js"
import { signProblem } from "../../domain/manifest/Address.js"
import { member } from "../../domain/Members.js"
import { readUrl, readUrlFrom } from "../../domain/Url.js"
import { keyPlaces } from "./KeyPlacement.js"
import type { PlanProblem } from "./RequestPlan.js"
import { asText } from "./Transforms.js"
import { placeholdersOf } from "./Variables.js"

const placeholder = /\{([^{}]+)\}/g
const ofInput = /^input\.(.+)$/

/** A ticket, or the id of a result. Null when the value is none. */
export const idOf = (value: Json): string | null =>
  (typeof value === "string" && isStep(value)) || typeof value === "number" || value instanceof ExactNumber
    ? String(value)
    : null

/** A text that is one step of a path: not empty, without half characters, and no dot segment, which would climb out. */
const isStep = (text: string): boolean => text !== "" && text !== "." && text !== ".." && isWellFormed(text)

const fieldsNamed = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.flatMap((name) => ofInput.exec(name)?.[1] ?? [])

/** Which field of the input the follow-up requests cannot be made with, and why. Null when there is none. */
export const unusableField = ({ operation }: Endpoint, input: JsonObject): string | null => {
  const step = fieldsNamed(pathsOf(operation).flatMap(({ path }) => placeholdersOf(path))).find(
    (field) => !isStep(fieldText(input, field))
  )
  if (step !== undefined) return `${step} must be usable as a part of an address: not empty, no \`.\` or \`..\``
  const empty = fieldsNamed(bodyPlaceholders(operation)).find((field) => fieldText(input, field) === "")
  return empty === undefined ? null : `${empty} must not be empty, because this operation is asked for by it`
}

const fieldText = (input: JsonObject, field: string): string => {
  const value = member(input, field)
  return value === undefined || value === null ? "" : asText(value)
}

/** `{id}` and `{input.field}`, escaped. Other placeholders are variables of the provider, and are filled in later. */
export const filledPath = (path: string, id: string, input: JsonObject): string =>
  path.replace(placeholder, (whole, name: string) => {
    if (name === "id") return encodeURIComponent(id)
    const field = ofInput.exec(name)?.[1]
    return field === undefined ? whole : encodeURIComponent(fieldText(input, field))
  })

/** What the placeholders of a follow-up request stand for. */
export interface FollowUpValues {
  readonly id: string
  readonly input: JsonObject
  readonly variables: VariableValues
}

/** In a text of a body, braces around more than a name are the text's own, as in GraphQL. */
const bodyPlaceholder = /\{([^{}\s"']+)\}/g

/**
 * A body with its placeholders filled in, all in one pass: a text of the client may have braces. What is no known name
 * stays, for contracts that were stored before such a name was refused.
 */
export const filledBody = (body: JsonObject, values: FollowUpValues): { [key: string]: Json } =>
  Object.fromEntries(Object.entries(body).map(([key, value]) => [key, filledValue(value, values)]))

const filledValue = (value: Json, values: FollowUpValues): Json => {
  if (typeof value === "string")
    return value.replace(bodyPlaceholder, (whole, name: string) => {
      if (name === "id") return values.id
      const field = ofInput.exec(name)?.[1]
      return field === undefined ? (member(values.variables, name) ?? whole) : fieldText(values.input, field)
    })
  if (Array.isArray(value)) return value.map((item: Json) => filledValue(item, values))
  return isObject(value) ? filledBody(value, values) : value
}

/** The names between braces in the body of a poll. */
const bodyPlaceholders = ({ async }: Endpoint["operation"]): ReadonlyArray<string> =>
  textsIn(async?.poll.body ?? null).flatMap((text) =>
    Array.from(text.matchAll(bodyPlaceholder), ([, name = ""]) => name)
  )

export interface ToldAddress {
  readonly origin: string
  /** Path and query. */
  readonly path: string
}

/** An address out of an answer, absolute or relative to `base`. Left: why it is not asked. */
export const toldAddress = (value: Json, base: string): Either.Either<ToldAddress, string> => {
  if (typeof value !== "string" || value === "") return Either.left("did not name the address to ask")
  const url = value.length > toldAddressCharsMax ? null : readUrlFrom(base, value)
  if (url === null) return Either.left("named an address to ask that is none")
  const isPlain = url.protocol === "http:" && base.startsWith("http:")
  if (url.protocol !== "https:" && !isPlain)
    return Either.left("named an address to ask that is neither https nor of the scheme of baseUrl")
  if (url.username !== "" || url.password !== "") return Either.left("named an address to ask that holds a password")
  // Braces would be taken for variables of the provider.
  const path = `${url.pathname}${url.search}`.replaceAll("{", "%7B").replaceAll("}", "%7D")
  return Either.right({ origin: url.origin, path })
}

/**
 * A told path without the key that the provider repeats in it. It was blotted there, and it is placed anew with every
 * request.
 */
export const withoutKey = (auth: Auth, pathAndQuery: string): string => {
  const names = new Set([
    ...(auth.type === "query" ? [auth.name] : []),
    ...keyPlaces(auth).flatMap((place) => (place.in === "query" ? [place.name] : []))
  ])
  const cut = pathAndQuery.indexOf("?")
  if (names.size === 0 || cut < 0) return pathAndQuery
  const path = pathAndQuery.slice(0, cut)
  const pairs = pathAndQuery.slice(cut + 1).split("&")
  const kept = pairs.filter((pair) => !names.has([...new URLSearchParams(pair).keys()][0] ?? ""))
  return kept.length === 0 ? path : `${path}?${kept.join("&")}`
}

interface Templated {
  readonly at: string
  readonly path: string
  /** What `{id}` stands for here is said by the manifest. */
  readonly hasId: boolean
}

const pathsOf = ({ async }: Endpoint["operation"]): ReadonlyArray<Templated> => {
  if (async === undefined) return []
  const { cancel, poll, result, ticket } = async
  const hasId = ticket !== undefined
  return [
    ...("path" in poll ? [{ at: "async.poll.path", path: poll.path, hasId }] : []),
    ...(result !== undefined && "path" in result
      ? [{ at: "async.result.path", path: result.path, hasId: hasId || result.id !== undefined }]
      : []),
    ...(cancel !== undefined && "path" in cancel ? [{ at: "async.cancel.path", path: cancel.path, hasId }] : [])
  ]
}

/** `takesKey`: a path may have a place for the key; a body has none. */
const placeholderProblem = (
  { operation, provider }: Endpoint,
  name: string,
  { hasId, takesKey }: { readonly hasId: boolean; readonly takesKey: boolean }
): string | null => {
  const known = operation.input["properties"]
  const field = ofInput.exec(name)?.[1]
  if (name === "id") return hasId ? null : "uses {id}, and nothing says what that is: async.ticket does"
  if (field !== undefined)
    return isObject(known) && Object.hasOwn(known, field) ? null : `uses {${name}}, which is no property of input`
  const isKey = takesKey && keyPlaces(provider.auth).some((place) => place.in === "path" && place.name === name)
  if (isKey || Object.hasOwn(provider.variables ?? {}, name)) return null
  // In a path braces have no other meaning.
  const literal = takesKey ? "" : `. With a blank inside, as { ${name} } has, braces are sent as they are`
  return `uses {${name}}; it may use {id}, {input.field} and the variables of the provider${literal}`
}

/** What is wrong with the origins, beside that of `baseUrl`, that `under` says get the key. */
export const originProblems = (
  { auth }: Pick<Endpoint["provider"], "auth">,
  under: "async" | "pages",
  origins: ReadonlyArray<string> = []
): ReadonlyArray<PlanProblem> =>
  origins.length > 0 && auth.type === "oauth2_authorization_code"
    ? [
        {
          path: `${under}.origins`,
          message: "cannot be named with accounts of users: their tokens go to the origin of baseUrl alone"
        }
      ]
    : origins.flatMap((origin, index) =>
        readUrl(origin)?.origin === origin
          ? []
          : [{ path: `${under}.origins.${index}`, message: "is no origin, such as https://files.example.com" }]
      )

/** What is wrong with the addresses of the follow-up requests. */
export const followUpProblems = (endpoint: Endpoint): ReadonlyArray<PlanProblem> => {
  const { async } = endpoint.operation
  if (async === undefined) return []
  const origins = originProblems(endpoint.provider, "async", async.origins)
  const ticket =
    async.ticket === undefined && "path" in async.poll
      ? [{ path: "async.ticket", message: "is needed: poll.path asks by it" }]
      : []
  const paths = pathsOf(endpoint.operation).flatMap(({ at, hasId, path }) =>
    [
      signProblem(path),
      ...placeholdersOf(path).map((name) =>
        placeholderProblem(endpoint, name, { hasId: hasId || ticket.length > 0, takesKey: true })
      )
    ].flatMap((message) => (message === null ? [] : [{ path: at, message }]))
  )
  const hasId = async.ticket !== undefined || ticket.length > 0
  const body = bodyPlaceholders(endpoint.operation).flatMap((name) => {
    const message = placeholderProblem(endpoint, name, { hasId, takesKey: false })
    return message === null ? [] : [{ path: "async.poll.body", message }]
  })
  const interval =
    async.intervalMs < async.totalMs
      ? []
      : [{ path: "async.intervalMs", message: `must be below totalMs (${async.totalMs}): no poll would be made` }]
  return [...origins, ...ticket, ...paths, ...body, ...interval]
}

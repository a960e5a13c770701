/**
 * The follow-up requests of an asynchronous operation: where its state and its result are asked for, and where it is
 * cancelled. A path of the manifest is filled with the ticket and with fields of the input; an address that the
 * provider tells is taken apart and checked. Whether an address may be reached is decided by the egress policy, and
 * whether it gets the key by its origin.
 */
import { Either } from "effect"
import { isWellFormed } from "../../domain/Characters.js"
import { ExactNumber } from "../../domain/ExactNumber.js"
import { isObject, type Json, type JsonObject } from "../../domain/Json.js"
import { toldAddressCharsMax } from "../../domain/limits/Calls.js"
import type { Auth, Endpoint } from "../../domain/Manifest.js"
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

/** The fields of the input that the paths name, and what is wrong with them. Null when nothing is. */
export const unusableField = ({ operation }: Endpoint, input: JsonObject): string | null =>
  pathsOf(operation)
    .flatMap(({ path }) => placeholdersOf(path))
    .map((name) => ofInput.exec(name)?.[1])
    .find((field) => field !== undefined && !isStep(fieldText(input, field))) ?? null

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

/** A body with `{id}` filled in. */
export const filledBody = (body: JsonObject, id: string): { [key: string]: Json } =>
  Object.fromEntries(Object.entries(body).map(([key, value]) => [key, filledValue(value, id)]))

const filledValue = (value: Json, id: string): Json => {
  if (typeof value === "string") return value.replaceAll("{id}", id)
  if (Array.isArray(value)) return value.map((item: Json) => filledValue(item, id))
  return isObject(value) ? filledBody(value, id) : value
}

export interface ToldAddress {
  readonly origin: string
  /** Path and query. */
  readonly path: string
}

/** An address out of an answer, absolute or relative to `base`. Left: why it is not asked. */
export const toldAddress = (told: Json, base: string): Either.Either<ToldAddress, string> => {
  if (typeof told !== "string" || told === "") return Either.left("did not name the address to ask")
  const url = told.length > toldAddressCharsMax ? null : readUrlFrom(base, told)
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
export const withoutKey = (auth: Auth, told: string): string => {
  const names = new Set([
    ...(auth.type === "query" ? [auth.name] : []),
    ...keyPlaces(auth).flatMap((place) => (place.in === "query" ? [place.name] : []))
  ])
  const cut = told.indexOf("?")
  if (names.size === 0 || cut < 0) return told
  const path = told.slice(0, cut)
  const pairs = told.slice(cut + 1).split("&")
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

const placeholderProblem = ({ operation, provider }: Endpoint, name: string, hasId: boolean): string | null => {
  const known = operation.input["properties"]
  const field = ofInput.exec(name)?.[1]
  if (name === "id") return hasId ? null : "uses {id}, and nothing says what that is: async.ticket does"
  if (field !== undefined)
    return isObject(known) && Object.hasOwn(known, field) ? null : `uses {${name}}, which is no property of input`
  const isKey = keyPlaces(provider.auth).some((place) => place.in === "path" && place.name === name)
  return isKey || Object.hasOwn(provider.variables ?? {}, name)
    ? null
    : `uses {${name}}; it may use {id}, {input.field} and the variables of the provider`
}

/** What is wrong with the addresses of the follow-up requests. */
export const followUpProblems = (endpoint: Endpoint): ReadonlyArray<PlanProblem> => {
  const { async } = endpoint.operation
  if (async === undefined) return []
  const origins = (async.origins ?? []).flatMap((origin, index) =>
    readUrl(origin)?.origin === origin
      ? []
      : [{ path: `async.origins.${index}`, message: "is no origin, such as https://files.example.com" }]
  )
  const ticket =
    async.ticket === undefined && "path" in async.poll
      ? [{ path: "async.ticket", message: "is needed: poll.path asks by it" }]
      : []
  const paths = pathsOf(endpoint.operation).flatMap(({ at, hasId, path }) =>
    [
      signProblem(path),
      ...placeholdersOf(path).map((name) => placeholderProblem(endpoint, name, hasId || ticket.length > 0))
    ].flatMap((message) => (message === null ? [] : [{ path: at, message }]))
  )
  return [...origins, ...ticket, ...paths]
}

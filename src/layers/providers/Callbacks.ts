/**
 * Where the start of a slow operation tells the address of its callback. An input that brings an address of its own
 * keeps it, and the operation is then polled as if there were no callback. Pure.
 */
import type { Json } from "../../domain/Json.js"
import { isObject } from "../../domain/Json.js"
import type { Callback, Endpoint } from "../../domain/Manifest.js"
import { headerName, headerText } from "../../domain/manifest/Auth.js"
import { member, setMember } from "../../domain/Members.js"
import { type BodyPath, bodyPath, type Members, pathProblem, setPath } from "./BodyPaths.js"
import { type PlanProblem, type RequestParts } from "./RequestPlan.js"
import { asText } from "./Transforms.js"

interface Value {
  readonly in: Callback["in"]
  readonly name: string
  readonly value: Json
}

const standsAt = (value: Json | undefined, [step, ...rest]: BodyPath): boolean => {
  if (value === undefined || step === undefined) return value !== undefined
  if (Array.isArray(value)) return typeof step === "number" && standsAt(value[step], rest)
  return isObject(value) && standsAt(member(value, String(step)), rest)
}

/** Whether the request has a value in this place already. */
const isTaken = ({ body, headers, query }: RequestParts, { in: place, name }: Omit<Value, "value">): boolean => {
  if (place === "query") return query.some(([taken]) => taken === name)
  if (place === "header") return Object.hasOwn(headers, name.toLowerCase())
  return body._tag === "Json" && standsAt(body.value, bodyPath(name))
}

const withValue = (parts: RequestParts, { in: place, name, value }: Value): RequestParts => {
  if (place === "query") return { ...parts, query: [...parts.query, [name, asText(value)]] }
  if (place === "header") {
    const headers = { ...parts.headers }
    setMember(headers, name.toLowerCase(), asText(value))
    return { ...parts, headers }
  }
  if (parts.body._tag !== "Json") return parts
  const members: Members = { ...parts.body.value }
  setPath(members, bodyPath(name), value)
  return { ...parts, body: { _tag: "Json", value: members } }
}

/** Whether the start of an operation has room for the address of a callback: its input brings none of its own. */
export const takesCallback = (parts: RequestParts, callback: Callback): boolean => !isTaken(parts, callback)

/** The start with the address of its callback, and with what the manifest sends beside it. */
export const withCallback = (parts: RequestParts, callback: Callback, url: string): RequestParts =>
  [{ in: callback.in, name: callback.name, value: url }, ...callback.with].reduce(
    (made, value) => (isTaken(made, value) ? made : withValue(made, value)),
    parts
  )

/** What is wrong with where a manifest puts the address of a callback. */
export const callbackProblems = ({ operation, provider }: Endpoint): ReadonlyArray<PlanProblem> => {
  const { async, bindings, body, fixed, method } = operation
  if (async?.callback === undefined) return []
  const { callback } = async
  const sent = [...provider.fixed, ...fixed]
  const places = [...Object.values(bindings), ...sent].map((each) => each.in)
  const isJson =
    body === undefined &&
    method !== "GET" &&
    method !== "DELETE" &&
    !places.some((place) => place === "form" || place === "multipart")
  return [
    { at: "async.callback", in: callback.in, name: callback.name, text: "" },
    ...callback.with.map((each, index) => ({
      at: `async.callback.with.${index}`,
      in: each.in,
      name: each.name,
      text: asText(each.value)
    }))
  ].flatMap(({ at, in: place, name, text }) => {
    const problem = place === "json" ? pathProblem(bodyPath(name)) : null
    const messages = [
      ...(problem === null ? [] : [problem]),
      ...(place === "json" && !isJson ? ["goes to a JSON body, and this operation sends none"] : []),
      ...(place === "header" && !(headerName.test(name) && headerText.test(text))
        ? ["cannot be sent as a header"]
        : []),
      ...(sent.some((each) => each.in === place && each.name === name) ? [`is sent already, by fixed ${name}`] : [])
    ]
    return messages.map((message) => ({ path: at, message }))
  })
}

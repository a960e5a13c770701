/**
 * What a manifest must not say about bodies and free maps, and what the keys of a free map must not name. Found when a
 * manifest is read, except for the keys.
 */
import { Either } from "effect"
import { cutText } from "../../domain/Characters.js"
import { isObject, type JsonObject } from "../../domain/Json.js"
import type { Binding, Endpoint, Place } from "../../domain/Manifest.js"
import { pathAndQuery } from "../../domain/manifest/Address.js"
import { comparable, isTaken } from "../../domain/TakenNames.js"
import { keyPlaces } from "./KeyPlacement.js"
import { signingProblems } from "./Signing.js"
import { fieldsOfBody } from "./RawBodies.js"
import { planAddress } from "./Variables.js"
import type { PlanProblem } from "./RequestPlan.js"

/** What is wrong with a body that is no set of fields. */
export const bodyProblems = (
  { operation, provider }: Pick<Endpoint, "operation" | "provider">,
  bodies: ReadonlyArray<Place>
): ReadonlyArray<PlanProblem> => {
  const { bindings, body, input, method } = operation
  if (body === undefined) return []
  const problems: Array<PlanProblem> = []
  const known = isObject(input["properties"]) ? input["properties"] : {}
  if (method === "GET") problems.push({ path: "body", message: "cannot be sent with GET" })
  if (body.as !== "fields" && (body.as !== "list" || bodies.some((place) => place !== "json")))
    if (bodies.length > 0)
      problems.push({
        path: "body",
        message: `one request has one kind of body, not ${body.as} and ${bodies.join(" and ")}`
      })
  if (body.as === "fields") return problems
  if (provider.auth.type === "body" || keyPlaces(provider.auth).some((place) => place.in === "body"))
    problems.push({ path: "body", message: "has no place for the key, which goes into a field of the body" })
  for (const field of fieldsOfBody(body)) {
    if (Object.hasOwn(bindings, field))
      problems.push({ path: `bindings.${field}`, message: "is the body already, and needs no binding" })
    if (!Object.hasOwn(known, field))
      problems.push({ path: "body", message: `takes ${field}, which is no property of input` })
  }
  return problems
}

/** Whether access tokens can be fetched where the manifest says. */
const tokenProblems = ({ auth, variables }: Endpoint["provider"]): ReadonlyArray<PlanProblem> => {
  if (auth.type !== "oauth2_client_credentials") return []
  const planned = planAddress(auth.tokenUrl, variables)
  const message = Either.isLeft(planned)
    ? planned.left
    : /^https?:\/\//.test(auth.tokenUrl)
      ? null
      : "is not an absolute address"
  return message === null ? [] : [{ path: "auth.tokenUrl", message }]
}

/** What is wrong with where the key goes. */
export const keyProblems = ({
  operation,
  provider
}: Pick<Endpoint, "operation" | "provider">): ReadonlyArray<PlanProblem> => {
  const { async, bindings, path } = operation
  const paths = [path, ...(async !== undefined && "path" in async.poll ? [async.poll.path] : [])]
  return [
    ...signingProblems(provider.auth),
    ...tokenProblems(provider),
    ...keyPlaces(provider.auth).flatMap((place): ReadonlyArray<PlanProblem> => {
      if (place.in !== "path") return []
      if (Object.values(bindings).some((each) => each.in === "path" && each.name === place.name))
        return [{ path: "bindings", message: `put a field at {${place.name}}, where the key goes` }]
      return paths.every((each) => pathAndQuery(each)[0].includes(`{${place.name}}`))
        ? []
        : [{ path: "path", message: `has no {${place.name}} for the key` }]
    })
  ]
}

const spreadable: ReadonlySet<Place> = new Set(["query", "form", "multipart", "header"])
export const spreadProblem = (place: Place, name: string): string | null => {
  if (!spreadable.has(place)) return "can be spread in a query, form, multipart body or in headers only"
  if (name.split("*").length !== 2) return "needs one * in its name, which stands for the key of each member"
  return place === "header" && !/^x-[a-z0-9-]+-\*$/i.test(name)
    ? "needs a header name such as x-meta-*, so that no other header can be named"
    : null
}

/** A key must not name what the manifest itself sets, such as a fixed value or the key at the provider. */
export const takenProblem = (
  { name: pattern }: Pick<Binding, "name">,
  value: JsonObject,
  taken: ReadonlySet<string> | undefined
): string | null => {
  for (const key of Object.keys(value)) {
    const name = comparable(pattern.replace("*", () => key))
    const isFree = pattern.startsWith("*")
    const doubles = taken !== undefined && (isFree ? isTaken(name, taken) : taken.has(name) || taken.has(name.trim()))
    if (doubles || (isFree && /^\s*(?:$|[.[])/.test(name)))
      return `must not have the key ${cutText(key, 60)}, which this operation sets itself`
  }
  return null
}

/**
 * Which names of a request are set for an input: by a fixed value, by the binding of a field that the input has, in the
 * query of the path, or with the key. The input must not bring a second value of such a name, because many servers take
 * the first of two. A JSON body has one member of a name, and what the manifest says goes before it. Pure.
 */
import type { JsonObject } from "./Json.js"
import type { Auth, Endpoint, Place } from "./Manifest.js"
import { pathAndQuery } from "./manifest/Address.js"
import { takesFields } from "./manifest/Request.js"
import { member } from "./Members.js"
import { isKnown } from "./OperationInput.js"

type Request = Pick<Endpoint, "operation" | "provider">

const bodyPlaces: ReadonlyArray<Place> = ["json", "form", "multipart"]

/** The kinds of body that bindings and fixed values ask for. */
export const bodiesOf = ({ operation, provider }: Request): ReadonlyArray<Place> => {
  const places = new Set(
    [...Object.values(operation.bindings), ...provider.fixed, ...operation.fixed].map((each) => each.in)
  )
  return bodyPlaces.filter((place) => places.has(place))
}

/** Where a field without a binding goes, when the path has no place for it. */
export const placeOfUnbound = (request: Request): Place =>
  request.operation.method === "GET"
    ? "query"
    : (bodiesOf(request)[0] ?? (takesFields(request.operation.body) ? "json" : "query"))

/** The names under which the key goes to one place. */
export const keyNamesAt = (auth: Auth, place: Place): ReadonlyArray<string> => {
  const ofBody = bodyPlaces.includes(place)
  switch (auth.type) {
    case "query":
      return place === "query" ? [auth.name] : []
    case "body":
      return ofBody ? [auth.name] : []
    case "header":
      return place === "header" ? [auth.name] : []
    case "header_pair":
      return place === "header" ? auth.names : []
    case "hmac":
      return Object.keys(place === "query" ? auth.query : place === "header" ? auth.headers : {})
    case "pair":
      return auth.places.flatMap((each) => (each.in === place || (ofBody && each.in === "body") ? [each.name] : []))
    case "basic":
    case "bearer":
    case "jwt":
    case "aws_sigv4":
    case "oauth2_client_credentials":
    case "oauth2_authorization_code":
      return place === "header" ? ["Authorization"] : []
    case "none":
    case "path":
    case "cookie":
    case "unsupported":
      return []
  }
}

/** The names in the query that a path ends with. */
export const namesInPath = ({ operation }: Pick<Request, "operation">): ReadonlyArray<string> => [
  ...new URLSearchParams(pathAndQuery(operation.path)[1] ?? "").keys()
]

/** Two names that are the same here are one name to many servers. */
export const comparable = (name: string): string => name.toLowerCase()

/** The input has the defaults of its fields. A null is not sent where names can be doubled. */
const namesTaken = (request: Request, place: Place, input: JsonObject): ReadonlySet<string> => {
  const { operation, provider } = request
  const bound = Object.entries(operation.bindings).flatMap(([field, binding]) =>
    (member(input, field) ?? null) === null ? [] : [binding]
  )
  return new Set(
    [
      ...[...bound, ...provider.fixed, ...operation.fixed].flatMap((each) => (each.in === place ? [each.name] : [])),
      ...keyNamesAt(provider.auth, place),
      ...(place === "query" ? namesInPath(request) : [])
    ].map(comparable)
  )
}

/** Whether a name is one of these. Servers read `limit[0]` and ` limit` as `limit` too. */
export const isTaken = (name: string, taken: ReadonlySet<string>): boolean => {
  const same = comparable(name)
  return taken.has(same) || taken.has((same.split(/[.[]/, 1)[0] ?? same).trim())
}

/** Keys of an input that no field declares, and that would be a second value of what the operation sets itself. */
export const doubledKeys = (request: Request, input: JsonObject): ReadonlyArray<string> => {
  const place = placeOfUnbound(request)
  if (place === "json") return []
  const known = isKnown(request.operation)
  const unknown = Object.keys(input).filter((name) => !known(name))
  if (unknown.length === 0) return []
  const taken = namesTaken(request, place, input)
  return unknown.filter((name) => isTaken(name, taken))
}

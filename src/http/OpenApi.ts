/**
 * The OpenAPI 3.1.0 document: what the library derives from the interface, made true and readable. Says which scope a
 * route needs and which headers every answer has, names both tables of errors, and leaves out what the library adds and
 * this server never sends. Answers are open (fields may be added), request bodies are closed, as the server is.
 */
import { OpenApi } from "@effect/platform"
import { isObject, type Json, type JsonObject } from "../domain/Json.js"
import { member as ownMember } from "../domain/Members.js"
import { runFailures } from "../domain/RunFailures.js"
import { errorPrefix, type Required, type Route, routesOf } from "./Access.js"
import type { Api } from "./Api.js"
import { wireErrors } from "./Envelope.js"
import { possibleErrors } from "./RouteErrors.js"

const refPrefix = "#/components/schemas/"
const refTo = (name: string): JsonObject => ({ $ref: refPrefix + name })
const member = (value: Json | undefined, name: string): Json | undefined =>
  isObject(value) ? ownMember(value, name) : undefined
const object = (value: Json | undefined): JsonObject => (isObject(value) ? value : {})
const mapValues = (value: Json | undefined, map: (value: Json, name: string) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object(value)).map(([name, inner]) => [name, map(inner, name)]))

/** Rebuilds a document from its leaves up. */
const rewrite = (value: Json, change: (object: JsonObject) => JsonObject): Json => {
  if (Array.isArray(value)) return value.map((item) => rewrite(item, change))
  return isObject(value) ? change(mapValues(value, (inner) => rewrite(inner, change))) : value
}

/** Names of the library's own schemas, which say nothing to a reader: their meaning goes where they are used. */
const inlined: ReadonlySet<string> = new Set(["Int", "NonNegativeInt", "JsonNumber", "NonEmptyString", "PropertyKey"])
const dropped: ReadonlySet<string> = new Set(["HttpApiDecodeError", "Issue", ...inlined])

const targetOf = (schema: Json | undefined): string | null => {
  const ref = member(schema, "$ref")
  return typeof ref === "string" && ref.startsWith(refPrefix) ? ref.slice(refPrefix.length) : null
}

/** Every component that a part of the document leads to. */
const reachable = (start: Json, schemas: JsonObject, found: Set<string> = new Set()): Set<string> => {
  rewrite(start, (inner) => {
    const name = targetOf(inner)
    if (name !== null && !found.has(name)) {
      found.add(name)
      reachable(member(schemas, name) ?? {}, schemas, found)
    }
    return inner
  })
  return found
}

const tidySchema =
  (schemas: JsonObject) =>
  (schema: JsonObject): JsonObject => {
    const name = targetOf(schema)
    if (name !== null && inlined.has(name)) {
      const { title: _, ...meaning } = object(member(schemas, name))
      return meaning
    }
    const { anyOf, ...rest } = schema
    if (!Array.isArray(anyOf)) return schema
    const choices = anyOf.filter((choice) => targetOf(choice) !== "HttpApiDecodeError")
    return choices.length === 1 ? { ...rest, ...object(choices[0]) } : { ...rest, anyOf: choices }
  }

const open = (value: Json): Json =>
  rewrite(value, (schema) =>
    schema["additionalProperties"] === false
      ? Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "additionalProperties"))
      : schema
  )

const headerRef = (name: string): JsonObject => ({ $ref: `#/components/headers/${name}` })

const headersOf = (status: string, { access, answerHeaders, parameters }: Described): JsonObject => ({
  "X-Request-Id": headerRef("X-Request-Id"),
  ...(access === "probe" || parameters.size === 0 ? {} : { "X-Ignored-Parameters": headerRef("X-Ignored-Parameters") }),
  ...Object.fromEntries((ownMember(answerHeaders, status) ?? []).map((name) => [name, headerRef(name)])),
  ...(access === "probe" || (access === "signed" && !status.startsWith("4"))
    ? {}
    : { RateLimit: headerRef("RateLimit"), "RateLimit-Policy": headerRef("RateLimit-Policy") }),
  ...(status === "429" || status === "503" ? { "Retry-After": headerRef("Retry-After") } : {}),
  ...(status === "429"
    ? {
        "X-RateLimit-Limit": headerRef("X-RateLimit-Limit"),
        "X-RateLimit-Remaining": headerRef("X-RateLimit-Remaining")
      }
    : {}),
  ...(status === "401" ? { "WWW-Authenticate": headerRef("WWW-Authenticate") } : {})
})

const integer = { type: "integer" }
const text = { type: "string" }
const headerComponents: JsonObject = {
  Allow: { description: "The methods that this path has", schema: text },
  "Accept-Ranges": { description: "Ranges may be asked for, in bytes", schema: text },
  "Cache-Control": { description: "Who may keep the answer, and for how long", schema: text },
  "Content-Disposition": { description: "The file's name", schema: text },
  "Content-Range": { description: "Which bytes these are, of how many", schema: text },
  ETag: {
    description:
      "Stands for this very answer; sent back in If-None-Match, it is answered with 304 while nothing has changed",
    schema: text
  },
  "X-Balance-Micros": {
    description:
      "The balance that was left right after this run's hold, or after its settlement where the answer shows it settled, in micros; absent where another node settled it, or where its end came while a repeated request waited for it",
    schema: integer,
    required: false
  },
  "X-Key-Remaining-Micros": {
    description: "The same of the monthly limit of the calling key; absent without one",
    schema: integer,
    required: false
  },
  "X-Ignored-Parameters": {
    description: "Names of query parameters that the route does not read and has ignored; absent when there are none",
    schema: text,
    required: false
  },
  "X-Request-Id": {
    description: "The request's id: the client's own when it is 1 to 128 of A-Z a-z 0-9 . _ : -, else a new one",
    schema: text
  },
  RateLimit: { description: "What is left of the rate and when it is whole again (IETF draft)", schema: text },
  "RateLimit-Policy": { description: "The rate that counts (IETF draft)", schema: text },
  "Retry-After": { description: "Seconds to wait before the next try", schema: integer },
  "X-RateLimit-Limit": { description: "The limit that was reached", schema: integer },
  "X-RateLimit-Remaining": { description: "What is left of it", schema: integer },
  "WWW-Authenticate": { description: "How to authenticate", schema: text }
}

const problem: JsonObject = {
  description: "The same members as RFC 9457 problem details",
  type: "object",
  required: ["type", "title", "status", "detail", "error"],
  properties: { type: text, title: text, status: integer, detail: text, instance: text, error: { type: "object" } }
}

/**
 * Describes an error answer by the codes that the route can answer and adds its RFC 9457 form; null when it can answer
 * none of them.
 */
const tidyError = (response: JsonObject, possible: ReadonlySet<string>): JsonObject | null => {
  const json = object(member(response["content"], "application/json"))
  const choices = member(json["schema"], "anyOf")
  const named = (Array.isArray(choices) ? choices : [json["schema"]]).flatMap((choice) => {
    const name = targetOf(choice)
    return name?.startsWith(errorPrefix) === true ? [name.slice(errorPrefix.length)] : []
  })
  if (named.length === 0) return response
  const codes = named.filter((code) => possible.has(code))
  if (codes.length === 0) return null
  const schemas = codes.map((code) => refTo(errorPrefix + code))
  return {
    ...response,
    description: codes.map((code) => `${wireErrors.get(code)?.title ?? code} (${code})`).join("; "),
    content: {
      "application/json": { schema: schemas.length === 1 ? (schemas[0] ?? {}) : { anyOf: schemas } },
      "application/problem+json": { schema: refTo("Problem") }
    }
  }
}

const withoutToken: ReadonlySet<Required> = new Set<Required>(["public", "signed", "probe"])

const securityOf = (access: Required): Json =>
  withoutToken.has(access) ? [] : access === "optional-token" ? [{}, { bearer: [] }] : [{ bearer: [] }]

/**
 * A description inside of a parameter's schema belongs to the parameter; what it is when left out belongs into the
 * schema.
 */
const tidyParameter =
  (defaults: Described["defaults"]) =>
  (parameter: Json): Json => {
    const schema = object(member(parameter, "schema"))
    const description = schema["description"]
    const name = member(parameter, "name")
    const left = member(parameter, "in") === "query" && typeof name === "string" ? defaults.get(name) : undefined
    return {
      ...object(parameter),
      ...(description === undefined ? {} : { description }),
      ...(typeof left === "string" || typeof left === "number" || typeof left === "boolean"
        ? { schema: { ...schema, default: left } }
        : {})
    }
  }

/** A route with the access it asks for; one that says none does not start. */
interface Described extends Route {
  readonly access: Required
}

const tidyOperation = (operation: JsonObject, route: Described): JsonObject => {
  const { access } = route
  const possible = possibleErrors(route)
  const scoped = !withoutToken.has(access) && access !== "any-token" && access !== "optional-token"
  const parameters = operation["parameters"]
  return {
    ...operation,
    security: securityOf(access),
    ...(Array.isArray(parameters) ? { parameters: parameters.map(tidyParameter(route.defaults)) } : {}),
    ...(scoped ? { "x-required-scope": access } : {}),
    responses: Object.fromEntries(
      Object.entries(object(operation["responses"])).flatMap(([status, response]) => {
        const tidy = tidyError(object(response), possible)
        return tidy === null ? [] : [[status, { ...tidy, headers: headersOf(status, route) }]]
      })
    )
  }
}

/** The answers for paths and methods that do not exist. No operation can describe them. */
const missing = (code: string, headers: JsonObject): JsonObject => ({
  description: wireErrors.get(code)?.title ?? code,
  headers: { "X-Request-Id": headerRef("X-Request-Id"), ...headers },
  content: {
    "application/json": { schema: refTo(errorPrefix + code) },
    "application/problem+json": { schema: refTo("Problem") }
  }
})
const missingResponses: JsonObject = {
  RouteNotFound: missing("route_not_found", {}),
  MethodNotAllowed: missing("method_not_allowed", { Allow: headerRef("Allow") })
}

/** `strict` closes the answers too: for a test that finds fields which no schema names. */
export const openApiDocument = (
  api: typeof Api,
  options: { readonly strict: boolean } = { strict: false }
): JsonObject => {
  const derived: Json = JSON.parse(JSON.stringify(OpenApi.fromApi(api)))
  const schemas = object(member(member(derived, "components"), "schemas"))
  const routes = new Map<string, Described>()
  for (const { access, ...route } of routesOf(api)) {
    if (access !== null)
      routes.set(`${route.method.toLowerCase()} ${route.path.replace(/:(\w+)/g, "{$1}")}`, { access, ...route })
  }
  const tidied = object(rewrite(derived, tidySchema(schemas)))

  const paths = mapValues(tidied["paths"], (item, path) =>
    mapValues(item, (operation, method) => {
      const route = routes.get(`${method} ${path}`)
      return route === undefined ? operation : tidyOperation(object(operation), route)
    })
  )
  const bodies = Object.values(paths).flatMap((item) =>
    Object.values(object(item)).map((operation) => member(operation, "requestBody") ?? null)
  )
  const closed = reachable(bodies, schemas)
  const components = object(tidied["components"])
  const named = mapValues(components["schemas"], (schema, name) =>
    options.strict || closed.has(name) ? schema : open(schema)
  )
  const kept = Object.fromEntries(Object.entries(named).filter(([name]) => !dropped.has(name)))
  const runError = object(kept["RunError"])
  const codes = [...new Set(runFailures.map(({ code }) => code))]

  return {
    ...tidied,
    paths: options.strict
      ? paths
      : mapValues(paths, (item) =>
          mapValues(item, (operation) => ({
            ...object(operation),
            responses: open(member(operation, "responses") ?? {})
          }))
        ),
    security: [],
    components: {
      ...components,
      headers: headerComponents,
      responses: missingResponses,
      schemas: {
        ...kept,
        Problem: problem,
        RunError: {
          ...runError,
          properties: { ...object(runError["properties"]), code: { type: "string", enum: codes } }
        }
      }
    }
  }
}

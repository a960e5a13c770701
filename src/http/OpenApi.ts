/**
 * The OpenAPI 3.1.0 document: what the library derives from the interface, made true and readable. Says which scope a route needs and which
 * headers every answer has, names both tables of errors, and leaves out what the library adds and this server never sends.
 * Answers are open (fields may be added), request bodies are closed, as the server is.
 */
import { OpenApi } from "@effect/platform"
import { isObject, type Json, type JsonObject } from "../domain/Json.js"
import { member as ownMember } from "../domain/Members.js"
import { runFailures } from "../domain/RunFailures.js"
import { routesOf, type Required } from "./Access.js"
import type { Api } from "./Api.js"
import { wireErrors } from "./Envelope.js"

const refPrefix = "#/components/schemas/"
const refTo = (name: string): JsonObject => ({ $ref: refPrefix + name })
const member = (value: Json | undefined, name: string): Json | undefined => (isObject(value) ? ownMember(value, name) : undefined)
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

const tidySchema = (schemas: JsonObject) => (schema: JsonObject): JsonObject => {
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
  rewrite(value, (schema) => (schema["additionalProperties"] === false ? Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "additionalProperties")) : schema))

const errorPrefix = "Error_"
const headerRef = (name: string): JsonObject => ({ $ref: `#/components/headers/${name}` })

const headersOf = (status: string, access: Required): JsonObject => ({
  "X-Request-Id": headerRef("X-Request-Id"),
  ...(access === "probe" ? {} : { RateLimit: headerRef("RateLimit"), "RateLimit-Policy": headerRef("RateLimit-Policy") }),
  ...(status === "429" || status === "503" ? { "Retry-After": headerRef("Retry-After") } : {}),
  ...(status === "429" ? { "X-RateLimit-Limit": headerRef("X-RateLimit-Limit"), "X-RateLimit-Remaining": headerRef("X-RateLimit-Remaining") } : {}),
  ...(status === "401" ? { "WWW-Authenticate": headerRef("WWW-Authenticate") } : {})
})

const integer = { type: "integer" }
const text = { type: "string" }
const headerComponents: JsonObject = {
  "X-Request-Id": { description: "The request's id: the client's own when it is 1 to 128 of A-Z a-z 0-9 . _ : -, else a new one", schema: text },
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

/** Describes an error answer by its codes and adds its RFC 9457 form. */
const tidyError = (response: JsonObject): JsonObject => {
  const schema = member(member(response["content"], "application/json"), "schema")
  const choices = member(schema, "anyOf")
  const codes = (Array.isArray(choices) ? choices : [schema]).flatMap((choice) => {
    const name = targetOf(choice)
    return name?.startsWith(errorPrefix) === true ? [name.slice(errorPrefix.length)] : []
  })
  if (codes.length === 0) return response
  return {
    ...response,
    description: codes.map((code) => `${wireErrors.get(code)?.title ?? code} (${code})`).join("; "),
    content: { ...object(response["content"]), "application/problem+json": { schema: refTo("Problem") } }
  }
}

const securityOf = (access: Required): Json => (access === "public" || access === "probe" ? [] : access === "optional-token" ? [{}, { bearer: [] }] : [{ bearer: [] }])

/** A description inside of a parameter's schema belongs to the parameter. */
const tidyParameter = (parameter: Json): Json => {
  const description = member(member(parameter, "schema"), "description")
  return description === undefined ? parameter : { ...object(parameter), description }
}

const tidyOperation = (operation: JsonObject, access: Required): JsonObject => {
  const scoped = access !== "public" && access !== "probe" && access !== "any-token" && access !== "optional-token"
  const parameters = operation["parameters"]
  return {
    ...operation,
    security: securityOf(access),
    ...(Array.isArray(parameters) ? { parameters: parameters.map(tidyParameter) } : {}),
    ...(scoped ? { "x-required-scope": access } : {}),
    responses: mapValues(operation["responses"], (response, status) => ({ ...tidyError(object(response)), headers: headersOf(status, access) }))
  }
}

/** `strict` closes the answers too: for a test that finds fields which no schema names. */
export const openApiDocument = (api: typeof Api, options: { readonly strict: boolean } = { strict: false }): JsonObject => {
  const derived: Json = JSON.parse(JSON.stringify(OpenApi.fromApi(api)))
  const schemas = object(member(member(derived, "components"), "schemas"))
  const accessOf = new Map(routesOf(api).map(({ access, method, path }) => [`${method.toLowerCase()} ${path.replace(/:(\w+)/g, "{$1}")}`, access ?? "public"]))
  const tidied = object(rewrite(derived, tidySchema(schemas)))

  const paths = mapValues(tidied["paths"], (item, path) =>
    mapValues(item, (operation, method) => tidyOperation(object(operation), accessOf.get(`${method} ${path}`) ?? "public")))
  const bodies = Object.values(paths).flatMap((item) => Object.values(object(item)).map((operation) => member(operation, "requestBody") ?? null))
  const closed = reachable(bodies, schemas)
  const components = object(tidied["components"])
  const named = mapValues(components["schemas"], (schema, name) => (options.strict || closed.has(name) ? schema : open(schema)))
  const kept = Object.fromEntries(Object.entries(named).filter(([name]) => !dropped.has(name)))
  const runError = object(kept["RunError"])
  const codes = [...new Set(runFailures.map(({ code }) => code))]

  return {
    ...tidied,
    paths: options.strict ? paths : mapValues(paths, (item) => mapValues(item, (operation) => ({ ...object(operation), responses: open(member(operation, "responses") ?? {}) }))),
    security: [],
    components: {
      ...components,
      headers: headerComponents,
      schemas: {
        ...kept,
        Problem: problem,
        RunError: { ...runError, properties: { ...object(runError["properties"]), code: { type: "string", enum: codes } } }
      }
    }
  }
}

/**
 * The OpenAPI 3.1.0 document: what the library derives from the interface, made true and readable. Says which scope a
 * route needs and which headers every answer has, names both tables of errors, and leaves out what the library adds and
 * this server never sends. As the server is, answers and forms are open (fields may be added), and other request bodies
 * are closed.
 */
import * as OpenApi from "@effect/platform/OpenApi"
import { isObject, type Json, type JsonObject } from "../domain/Json.js"
import { member as ownMember } from "../domain/Members.js"
import { runFailures } from "../domain/RunFailures.js"
import { problemType } from "./Accept.js"
import { errorPrefix, type Required, type Route } from "./Access.js"
import { Api } from "./Api.js"
import { apiRoutes } from "./ApiRoutes.js"
import { wireErrors } from "./Envelope.js"
import { outsideResponses } from "./OpenApiOutside.js"
import { headerComponents, headerRef, problemSchema, refPrefix, refTo } from "./OpenApiParts.js"
import {
  errorExamples,
  errorExamplesOf,
  type Examples,
  examplesOf,
  readRecorded,
  withRecorded
} from "./OpenApiExamples.js"
import { possibleErrors } from "./RouteErrors.js"

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
const inlined: ReadonlySet<string> = new Set([
  "Int",
  "NonNegativeInt",
  "NonNegative",
  "JsonNumber",
  "NonEmptyString",
  "PropertyKey"
])
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

/** Titles and descriptions that the library gives to schemas say no more than their type and range. */
const libraryWords =
  /^(int|finite|between\(.*|m(in|ax)Items\(.*|an integer|a string|a boolean|an? (finite |non-negative )?number( between .*)?|an array of .* item\(s\))$/
const withoutLibraryWords = (schema: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(schema).filter(
      ([key, value]) =>
        !((key === "title" || key === "description") && typeof value === "string" && libraryWords.test(value))
    )
  )

/**
 * A schema of objects that names no member takes any. Said so, because generators of types make an object without
 * members of it otherwise.
 */
const ofAnyMembers = (schema: JsonObject): JsonObject => {
  const { additionalProperties, properties, type } = schema
  const isOfObjects = type === "object" || (Array.isArray(type) && type.includes("object"))
  return isOfObjects && properties === undefined && additionalProperties === undefined
    ? { ...schema, additionalProperties: true }
    : schema
}

const tidySchema =
  (schemas: JsonObject) =>
  (written: JsonObject): JsonObject => {
    const schema = ofAnyMembers(written)
    const name = targetOf(schema)
    if (name !== null && inlined.has(name)) {
      const { $ref: _, ...own } = schema
      return withoutLibraryWords({ ...object(member(schemas, name)), ...own })
    }
    const { allOf, anyOf, ...rest } = schema
    // What is said of a reference or of a narrowed number at its place stands beside it.
    if (Array.isArray(allOf) && allOf.length === 1) return withoutLibraryWords({ ...object(allOf[0]), ...rest })
    if (!Array.isArray(anyOf)) return withoutLibraryWords(schema)
    const choices = anyOf.filter((choice) => targetOf(choice) !== "HttpApiDecodeError")
    return choices.length === 1 ? { ...rest, ...object(choices[0]) } : { ...rest, anyOf: choices }
  }

const open = (value: Json): Json =>
  rewrite(value, (schema) =>
    schema["additionalProperties"] === false
      ? Object.fromEntries(Object.entries(schema).filter(([key]) => key !== "additionalProperties"))
      : schema
  )

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

/**
 * Describes an error answer by the codes that the route can answer and adds its RFC 9457 form; null when it can answer
 * none of them.
 */
const tidyError = (response: JsonObject, possible: ReadonlySet<string>): JsonObject | null => {
  const json = object(member(response["content"], "application/json"))
  const choices = member(json["schema"], "anyOf")
  const names = (Array.isArray(choices) ? choices : [json["schema"]]).flatMap((choice) => targetOf(choice) ?? [])
  const named = names.flatMap((name) => (name.startsWith(errorPrefix) ? [name.slice(errorPrefix.length)] : []))
  if (named.length === 0) return response
  const codes = named.filter((code) => possible.has(code))
  // Those that another standard names.
  const others = names.filter((name) => !name.startsWith(errorPrefix))
  if (codes.length + others.length === 0) return null
  const schemas = [...others.map(refTo), ...codes.map((code) => refTo(errorPrefix + code))]
  return {
    ...response,
    description: [...others, ...codes.map((code) => `${wireErrors.get(code)?.title ?? code} (${code})`)].join("; "),
    content: {
      "application/json": {
        schema: schemas.length === 1 ? (schemas[0] ?? {}) : { anyOf: schemas },
        examples: errorExamplesOf(codes, "error")
      },
      [problemType]: { schema: refTo("Problem"), examples: errorExamplesOf(codes, "problem") }
    }
  }
}

const withoutToken: ReadonlySet<Required> = new Set<Required>(["public", "signed", "probe"])

const securityOf = (access: Required): Json =>
  withoutToken.has(access) ? [] : access === "optional-token" ? [{}, { bearer: [] }] : [{ bearer: [] }]

/** A query is text; the document shows numbers and booleans as what they are. */
const asShown = (example: Json, schema: JsonObject): Json => {
  if (schema["type"] === "string" || typeof example !== "string") return example
  const value = Number(example)
  return example === "true" || example === "false" ? example === "true" : Number.isNaN(value) ? example : value
}

/**
 * A description inside of a parameter's schema belongs to the parameter; what it is when left out belongs into the
 * schema.
 */
const tidyParameter =
  (defaults: Described["defaults"]) =>
  (parameter: Json): Json => {
    const { description, examples, ...schema } = object(member(parameter, "schema"))
    const [example] = Array.isArray(examples) ? examples : []
    const name = member(parameter, "name")
    const left = member(parameter, "in") === "query" && typeof name === "string" ? defaults.get(name) : undefined
    return {
      ...object(parameter),
      ...(description === undefined ? {} : { description }),
      ...(example === undefined ? {} : { example: asShown(example, schema) }),
      schema:
        typeof left === "string" || typeof left === "number" || typeof left === "boolean"
          ? { ...schema, default: left }
          : schema
    }
  }

/** A route with the access it asks for; one that says none does not start. */
interface Described extends Route {
  readonly access: Required
}

/** Adds an example to a body or an answer, made of those of its fields. */
const withExample = (holder: JsonObject, exampleOf: (schema: Json | undefined) => Json | undefined): JsonObject => ({
  ...holder,
  ...(holder["content"] === undefined
    ? {}
    : {
        content: mapValues(holder["content"], (media) => {
          const example = exampleOf(member(media, "schema"))
          return example === undefined ? media : { ...object(media), example }
        })
      })
})

const tidyOperation = (
  operation: JsonObject,
  route: Described,
  examples: { readonly ofBody: Examples; readonly ofAnswer: Examples }
): JsonObject => {
  const { access } = route
  const possible = possibleErrors(route)
  const scoped = !withoutToken.has(access) && access !== "any-token" && access !== "optional-token"
  const { parameters, requestBody } = operation
  const described = requestBody === undefined ? null : withExample(object(requestBody), examples.ofBody)
  const isForm = member(member(requestBody, "content"), "application/x-www-form-urlencoded") !== undefined
  return {
    ...operation,
    // OAuth ignores the fields that it does not know (RFC 6749, section 3.1).
    ...(described === null ? {} : { requestBody: isForm ? open(described) : described }),
    security: securityOf(access),
    ...(Array.isArray(parameters) ? { parameters: parameters.map(tidyParameter(route.defaults)) } : {}),
    ...(scoped ? { "x-required-scope": access } : {}),
    responses: Object.fromEntries(
      Object.entries(object(operation["responses"])).flatMap(([status, response]) => {
        const tidy = tidyError(object(response), possible)
        if (tidy === null) return []
        const shown = status.startsWith("2") ? withExample(tidy, examples.ofAnswer) : tidy
        return [[status, { ...shown, headers: headersOf(status, route) }]]
      })
    )
  }
}

/** The document without its server. */
const derive = (strict: boolean): JsonObject => {
  const derived: Json = JSON.parse(JSON.stringify(OpenApi.fromApi(Api)))
  const schemas = object(member(member(derived, "components"), "schemas"))
  const routes = new Map<string, Described>()
  for (const { access, ...route } of apiRoutes) {
    if (access !== null)
      routes.set(`${route.method.toLowerCase()} ${route.path.replace(/:(\w+)/g, "{$1}")}`, { access, ...route })
  }
  const tidied = object(rewrite(derived, tidySchema(schemas)))
  const tidySchemas = object(member(tidied["components"], "schemas"))
  const examples = { ofBody: examplesOf(tidySchemas, "all"), ofAnswer: examplesOf(tidySchemas, "required") }

  const paths = mapValues(tidied["paths"], (item, path) =>
    mapValues(item, (operation, method) => {
      const route = routes.get(`${method} ${path}`)
      return route === undefined ? operation : tidyOperation(object(operation), route, examples)
    })
  )
  const bodies = Object.values(paths).flatMap((item) =>
    Object.values(object(item)).map((operation) => member(operation, "requestBody") ?? null)
  )
  const closed = reachable(bodies, schemas)
  const components = object(tidied["components"])
  const named = mapValues(components["schemas"], (schema, name) => (strict || closed.has(name) ? schema : open(schema)))
  const kept = Object.fromEntries(Object.entries(named).filter(([name]) => !dropped.has(name)))
  const opened = strict
    ? paths
    : mapValues(paths, (item) =>
        mapValues(item, (operation) => ({
          ...object(operation),
          responses: open(member(operation, "responses") ?? {})
        }))
      )
  const recorded = readRecorded()
  const runError = object(kept["RunError"])
  const codes = [...new Set(runFailures.map(({ code }) => code))]

  return {
    ...tidied,
    info: {
      ...object(tidied["info"]),
      contact: { name: "The operator of this gateway" },
      license: { name: "MIT", identifier: "MIT" }
    },
    servers: [],
    // Last of all: an example may hold what the steps before look for, such as a schema.
    paths: mapValues(opened, (item, path) =>
      mapValues(item, (operation, method) =>
        withRecorded(object(operation), ownMember(recorded, `${method.toUpperCase()} ${path}`) ?? [])
      )
    ),
    security: [],
    components: {
      ...components,
      examples: errorExamples,
      headers: headerComponents,
      responses: outsideResponses,
      schemas: {
        ...kept,
        Problem: problemSchema(kept[`${errorPrefix}not_found`], member(errorExamples["not_found_problem"], "value")),
        RunError: {
          ...runError,
          properties: {
            ...object(runError["properties"]),
            code: { ...object(member(runError["properties"], "code")), enum: codes }
          }
        }
      }
    }
  }
}

const documents = new Map<boolean, JsonObject>()

/**
 * `serverUrl` says where clients reach the gateway. `strict` closes the answers too: for a test that finds fields which
 * no schema names. It is derived once in a process, which takes 50 ms.
 */
export const openApiDocument = ({
  serverUrl = "/",
  strict = false
}: { readonly strict?: boolean; readonly serverUrl?: string } = {}): JsonObject => {
  const document = documents.get(strict) ?? derive(strict)
  documents.set(strict, document)
  return { ...document, servers: [{ url: serverUrl, description: "This gateway" }] }
}

/**
 * Describes the operations of one OpenAPI 3 document plainly. Parts that cannot be expressed are left out or changed,
 * and the report says so.
 */
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import { member } from "../../../domain/Members.js"
import {
  endpointIdOf,
  type ImportedAuth,
  type ImportedField,
  importedIdCharsMax,
  type ImportedOperation,
  slug
} from "./ImportedOperation.js"
import type { ReportBuilder } from "./ImportReport.js"
import { flattened, inlineSchema, resolved } from "./OpenApiSchemas.js"

export const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "")
const listOf = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])
export const entriesOf = (value: Json | undefined): ReadonlyArray<readonly [string, Json]> =>
  isObject(value) ? Object.entries(value) : []

/** A document that is being read, and the report that takes the notes about it. */
export interface Reading {
  readonly document: JsonObject
  readonly report: ReportBuilder
  readonly providerId: string
  readonly providerName: string
}

const serverOf = (servers: Json | undefined): string => {
  const [server] = listOf(servers)
  if (!isObject(server)) return ""
  return textOf(server["url"]).replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => {
    const variables = server["variables"]
    const variable = isObject(variables) ? member(variables, name) : undefined
    return (isObject(variable) ? textOf(variable["default"]) : "") || whole
  })
}

/** The members of a path that are operations. */
export const methods = ["get", "post", "put", "patch", "delete", "head", "options", "trace"]

const schemaIn = ({ document, report }: Reading, id: string, value: Json | undefined): JsonObject => {
  const { cut, schema } = inlineSchema(document, value)
  for (const what of cut) report.note("changed", id, `cut ${what}`)
  return schema
}

const parameterOf = (reading: Reading, id: string, parameter: JsonObject): ImportedField | null => {
  const { report } = reading
  const place = textOf(parameter["in"])
  if (place !== "path" && place !== "query" && place !== "header") {
    report.note(
      "changed",
      id,
      `left out a parameter in ${place || "no place"}${parameter["required"] === true ? ", which is required" : ""}`
    )
    return null
  }
  if (parameter["content"] !== undefined)
    report.note("changed", id, "takes a parameter that is a document of its own as text")
  if (parameter["style"] === "deepObject")
    report.note("changed", id, "sends an object in the query as one JSON text, not spread over several names")
  const description = textOf(parameter["description"])
  const schema = schemaIn(reading, id, parameter["schema"] ?? { type: "string" })
  const isCsv = parameter["explode"] === false && schema["type"] === "array"
  // The engine sends a list as text whose items are joined by commas.
  return {
    name: textOf(parameter["name"]),
    place,
    required: parameter["required"] === true || place === "path",
    schema: { ...(isCsv ? { type: "string" } : schema), ...(description === "" ? {} : { description }) }
  }
}

const bodies = [
  ["json", /^application\/(?:[a-z0-9.+-]*\+)?json\b/i],
  ["form", /^application\/x-www-form-urlencoded\b/i],
  ["multipart", /^multipart\/form-data\b/i]
] as const

/** The fields of the request body; null when the body is required and cannot be expressed. */
const bodyFields = (reading: Reading, id: string, value: Json | undefined): ReadonlyArray<ImportedField> | null => {
  if (value === undefined) return []
  const { document, report } = reading
  const body = resolved(document, value)
  const content = entriesOf(body?.["content"])
  const isRequired = body?.["required"] === true
  for (const [place, pattern] of bodies) {
    const media = content.find(([type]) => pattern.test(type))?.[1]
    if (media === undefined) continue
    const schema = flattened(schemaIn(reading, id, isObject(media) ? media["schema"] : undefined))
    const properties = entriesOf(schema["properties"])
    if (properties.length === 0 && !isRequired) return []
    if (properties.length === 0) {
      report.note("skipped", id, "a request body that is not an object with named fields")
      return null
    }
    if (content.length > 1) report.note("changed", id, `takes one of several kinds of request body (${place})`)
    const required = new Set(listOf(schema["required"]))
    return properties
      .filter(([, property]) => !(isObject(property) && property["readOnly"] === true))
      .map(([name, property]) => ({
        name,
        place,
        required: isRequired && required.has(name),
        schema: isObject(property) ? property : {}
      }))
  }
  if (!isRequired)
    return content.length === 0
      ? []
      : (report.note("changed", id, `left out a request body of a kind that cannot be sent (${content[0]?.[0] ?? ""})`),
        [])
  report.note("skipped", id, `a request body of a kind that cannot be sent (${content[0]?.[0] ?? "none given"})`)
  return null
}

const schemeAuth = (scheme: JsonObject | null): ImportedAuth => {
  const type = textOf(scheme?.["type"])
  const kind = textOf(scheme?.["scheme"]).toLowerCase()
  const name = textOf(scheme?.["name"])
  if (type === "apiKey" && (scheme?.["in"] === "header" || scheme?.["in"] === "query") && name !== "")
    return { type: scheme["in"], name }
  if (type === "http" && (kind === "bearer" || kind === "basic")) return { type: kind }
  if (type === "oauth2" || type === "openIdConnect") return { type: "bearer" }
  return {
    type: "unsupported",
    placement: [type, textOf(scheme?.["in"]) || kind].filter((part) => part !== "").join(" ") || "unknown"
  }
}

/** The first kind of key in the document that the gateway supports. It does not support two keys at once. */
const authOf = ({ document, report }: Reading, id: string, security: Json | undefined): ImportedAuth => {
  const ways = listOf(security).filter(isObject)
  if (ways.length === 0 || ways.some((way) => Object.keys(way).length === 0)) return { type: "none" }
  const components = document["components"]
  const schemes = isObject(components) ? components["securitySchemes"] : undefined
  const found = ways.map((way): ImportedAuth => {
    const [name = "", second] = Object.keys(way)
    if (second !== undefined) return { type: "unsupported", placement: "several keys at once" }
    return schemeAuth(resolved(document, isObject(schemes) ? member(schemes, name) : undefined))
  })
  const chosen = found.find(({ type }) => type !== "unsupported") ?? found[0] ?? { type: "none" }
  if (ways.length > 1) report.note("changed", id, "takes one of several ways to show a key")
  return chosen
}

const outputSchemaOf = (reading: Reading, id: string, responses: Json | undefined): JsonObject | null => {
  const [, ok] = entriesOf(responses).find(([status]) => /^2/.test(status)) ?? []
  const content = entriesOf(resolved(reading.document, ok)?.["content"])
  const media = content.find(([type]) => bodies[0][1].test(type))?.[1]
  return isObject(media) && media["schema"] !== undefined ? schemaIn(reading, id, media["schema"]) : null
}

/** Null when the operation cannot be expressed; the report then says why. */
export const operationOf = (
  reading: Reading,
  path: string,
  item: JsonObject,
  method: string,
  operation: JsonObject
): ImportedOperation | null => {
  const { document, providerId, providerName, report } = reading
  const named = textOf(operation["operationId"])
  const id = endpointIdOf(`${slug(providerId)}.${slug(named) || slug(`${method} ${path}`)}`)
  if (operation["callbacks"] !== undefined) report.note("changed", id, "left out callbacks")
  const parameters = new Map<string, JsonObject>()
  for (const raw of [...listOf(item["parameters"]), ...listOf(operation["parameters"])]) {
    const parameter = resolved(document, raw)
    if (parameter === null) report.note("changed", id, "left out a parameter whose reference leads nowhere")
    else parameters.set(`${textOf(parameter["in"])} ${textOf(parameter["name"])}`, parameter)
  }
  const body = bodyFields(reading, id, operation["requestBody"])
  if (body === null) return null
  const server = serverOf(operation["servers"]) || serverOf(item["servers"]) || serverOf(document["servers"])
  const output = outputSchemaOf(reading, id, operation["responses"])
  const docs = operation["externalDocs"]
  return {
    id,
    providerId,
    providerName,
    name: textOf(operation["summary"]) || named || `${method.toUpperCase()} ${path}`,
    description: textOf(operation["description"]) || textOf(operation["summary"]),
    method: method.toUpperCase(),
    baseUrl: server,
    path,
    fields: [
      ...Array.from(parameters.values()).flatMap((parameter) => parameterOf(reading, id, parameter) ?? []),
      ...body
    ],
    category: "",
    tags: listOf(operation["tags"]).map(textOf),
    auth: authOf(reading, id, operation["security"] ?? document["security"]),
    facts: {
      ...(operation["deprecated"] === true ? { deprecated: "by its provider" } : {}),
      ...(isObject(docs) && textOf(docs["url"]) !== "" ? { docs: textOf(docs["url"]) } : {})
    },
    ...(output === null ? {} : { outputSchema: output })
  }
}

export const readingOf = (document: JsonObject, report: ReportBuilder, file: string): Reading => {
  const info = document["info"]
  const title = (isObject(info) ? textOf(info["title"]).trim() : "") || slug(file) || "unnamed"
  const server = serverOf(document["servers"])
  const host = URL.canParse(server) ? new URL(server).hostname.replace(/^(?:www|api)\./, "") : ""
  return {
    document,
    report,
    providerId: (host !== "" && host.includes(".") ? host : slug(title)).slice(0, importedIdCharsMax),
    providerName: title
  }
}

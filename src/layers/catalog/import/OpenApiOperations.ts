/**
 * Describes the operations of one OpenAPI 3 document plainly. Parts that cannot be expressed are left out or changed,
 * and the report says so; an operation whose required parts cannot be expressed is left out.
 */
import { basename } from "node:path"
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import {
  endpointIdOf,
  type ImportedField,
  type ImportedOperation,
  type ImportedResponse,
  slug
} from "./ImportedOperation.js"
import { bodyOf, isJsonType } from "./OpenApiBodies.js"
import { errorSentence, onErrorStatus } from "./OpenApiErrors.js"
import { parameterFields } from "./OpenApiParameters.js"
import { entriesOf, listOf, textOf, unreadable, writtenParameters } from "./OpenApiParts.js"
import type { Reading } from "./OpenApiReading.js"
import { resolved } from "./OpenApiSchemas.js"
import { authOf } from "./OpenApiSecurity.js"
import { noServer, serverOf } from "./OpenApiServers.js"

interface Answers {
  readonly outputSchema?: JsonObject
  readonly response?: ImportedResponse
}

/** Whether a schema says more than that something is a text or a file. */
const saysMore = (schema: Json): boolean => isObject(schema) && schema["type"] !== "string"

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * What the document says of answers. A status is named where it would not be taken for a success otherwise: a redirect
 * that is all that the document promises, and an answer without a body to a GET.
 */
const answersOf = (reading: Reading, id: string, method: string, responses: Json | undefined): Answers => {
  const described = entriesOf(responses).flatMap(([status, response]) => {
    const content = entriesOf(resolved(reading.document, response)?.["content"])
    return /^[23]\d\d$/.test(status) ? [{ status: Number(status), content }] : []
  })
  const done = described.filter(({ status }) => status < 300)
  const empty = done.filter(({ content, status }) => method === "get" && content.length === 0 && status !== 200)
  const named = done.length > 0 ? empty : described.filter(({ status }) => redirects.has(status))
  const sentence = errorSentence(reading.document, responses)
  const content = done.find((each) => each.content.length > 0)?.content ?? []
  const media = content.find(([type]) => isJsonType(type))?.[1]
  const [other] = content
  if (
    media === undefined &&
    other !== undefined &&
    entriesOf(other[1]).some(([name, schema]) => name === "schema" && saysMore(schema))
  )
    reading.report.note(
      "changed",
      id,
      `left out the schema of an answer that is no JSON (${other[0].split(";", 1)[0] ?? ""})`
    )
  return {
    ...(isObject(media) && media["schema"] !== undefined
      ? { outputSchema: reading.schemaIn(id, media["schema"]) }
      : {}),
    ...(named.length === 0 && sentence === null
      ? {}
      : {
          response: {
            ...(named.length === 0 ? {} : { successStatuses: named.map(({ status }) => status) }),
            ...(sentence === null ? {} : { errors: [{ when: onErrorStatus, message: sentence }] })
          }
        })
  }
}

/** The parameters of the path and of the operation; the operation's own come before those of the path. */
const parametersOf = (
  { document, report }: Reading,
  id: string,
  item: JsonObject,
  operation: JsonObject
): ReadonlyArray<JsonObject> => {
  const found = new Map<string, JsonObject>()
  const leave = (what: string): void => report.note("changed", id, `left out ${what}`)
  for (const raw of writtenParameters(item, operation, leave)) {
    const parameter = resolved(document, raw)
    if (parameter === null) leave(unreadable("a parameter", raw))
    else found.set(`${textOf(parameter["in"])} ${textOf(parameter["name"])}`, parameter)
  }
  return Array.from(found.values())
}

const docsOf = ({ document }: Reading, operation: JsonObject): string => {
  const info = document["info"]
  const contact = isObject(info) ? info["contact"] : undefined
  const places = [operation["externalDocs"], document["externalDocs"], contact].filter(isObject)
  return places.map(({ url }) => textOf(url ?? null)).find((url) => /^https?:\/\//.test(url)) ?? ""
}

/** The id that an operation is imported with. */
export const importedId = (providerId: string, method: string, path: string, operation: JsonObject): string =>
  endpointIdOf(`${slug(providerId)}.${slug(textOf(operation["operationId"])) || slug(`${method} ${path}`)}`)

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
  const id = importedId(providerId, method, path, operation)
  if (operation["callbacks"] !== undefined) report.note("changed", id, "left out callbacks")
  const parameters: Array<ImportedField> = []
  for (const parameter of parametersOf(reading, id, item, operation)) {
    const fields = parameterFields(reading, id, parameter)
    if (!("leftOut" in fields)) parameters.push(...fields)
    else if (fields.required) {
      report.note("skipped", id, `${fields.leftOut}, which is required`)
      return null
    } else report.note("changed", id, `left out ${fields.leftOut}`)
  }
  const body = bodyOf(reading, id, operation["requestBody"], method, new Set(parameters.map(({ name }) => name)))
  if (body === null) return null
  const serverFrom = (servers: Json | undefined) => serverOf(servers, reading.reserved)
  const server =
    serverFrom(operation["servers"]) ?? serverFrom(item["servers"]) ?? serverFrom(document["servers"]) ?? noServer
  for (const what of server.fixed) report.note("changed", id, what)
  const auth = authOf(reading, id, operation["security"] ?? document["security"], server.filled)
  const isOpen = Object.keys(server.variables).length > 0
  const docs = docsOf(reading, operation)
  return {
    id,
    providerId,
    providerName,
    name: textOf(operation["summary"]) || named || `${method.toUpperCase()} ${path}`,
    description: textOf(operation["description"]) || textOf(operation["summary"]),
    method: method.toUpperCase(),
    baseUrl: server.baseUrl,
    ...(isOpen ? { variables: server.variables } : {}),
    path,
    fields: [...parameters, ...body.fields],
    ...(body.body === undefined ? {} : { body: body.body }),
    ...(body.choices === undefined ? {} : { choices: body.choices }),
    ...(body.free === undefined ? {} : { free: body.free }),
    ...(body.contentType === undefined
      ? {}
      : { fixed: [{ in: "header", name: "content-type", value: body.contentType }] }),
    category: "",
    tags: listOf(operation["tags"]).map(textOf),
    auth,
    facts: {
      ...(operation["deprecated"] === true ? { deprecated: "by its provider" } : {}),
      ...(docs === "" ? {} : { docs })
    },
    // Only the name: the folder says nothing to the readers of a manifest.
    provenance: { docs: docs || basename(reading.file), note: `Imported from ${basename(reading.file)}.` },
    ...answersOf(reading, id, method, operation["responses"])
  }
}

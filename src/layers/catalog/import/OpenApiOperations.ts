/**
 * Describes the operations of one OpenAPI 3 document plainly. Parts that cannot be expressed are left out or changed,
 * and the report says so; an operation whose required parts cannot be expressed is left out.
 */
import { basename } from "node:path"
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import { endpointIdOf, type ImportedField, type ImportedOperation, slug } from "./ImportedOperation.js"
import { bodyOf, isJsonType } from "./OpenApiBodies.js"
import { parameterFields } from "./OpenApiParameters.js"
import { entriesOf, listOf, textOf } from "./OpenApiParts.js"
import { type Reading, serverOf } from "./OpenApiReading.js"
import { resolved } from "./OpenApiSchemas.js"
import { authOf } from "./OpenApiSecurity.js"

const outputSchemaOf = (reading: Reading, id: string, responses: Json | undefined): JsonObject | null => {
  const [, ok] = entriesOf(responses).find(([status]) => /^2/.test(status)) ?? []
  const content = entriesOf(resolved(reading.document, ok)?.["content"])
  const media = content.find(([type]) => isJsonType(type))?.[1]
  return isObject(media) && media["schema"] !== undefined ? reading.schemaIn(id, media["schema"]) : null
}

/** The parameters of the path and of the operation; the operation's own come before those of the path. */
const parametersOf = (
  { document, report }: Reading,
  id: string,
  item: JsonObject,
  operation: JsonObject
): ReadonlyArray<JsonObject> => {
  const found = new Map<string, JsonObject>()
  for (const raw of [...listOf(item["parameters"]), ...listOf(operation["parameters"])]) {
    const parameter = resolved(document, raw)
    if (parameter === null) report.note("changed", id, "left out a parameter whose reference leads nowhere")
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
  const output = outputSchemaOf(reading, id, operation["responses"])
  const docs = docsOf(reading, operation)
  return {
    id,
    providerId,
    providerName,
    name: textOf(operation["summary"]) || named || `${method.toUpperCase()} ${path}`,
    description: textOf(operation["description"]) || textOf(operation["summary"]),
    method: method.toUpperCase(),
    baseUrl: serverOf(operation["servers"]) || serverOf(item["servers"]) || serverOf(document["servers"]),
    path,
    fields: [...parameters, ...body.fields],
    ...(body.body === undefined ? {} : { body: body.body }),
    ...(body.free === undefined ? {} : { free: body.free }),
    ...(body.contentType === undefined
      ? {}
      : { fixed: [{ in: "header", name: "content-type", value: body.contentType }] }),
    category: "",
    tags: listOf(operation["tags"]).map(textOf),
    auth: authOf(document, report, id, operation["security"] ?? document["security"]),
    facts: {
      ...(operation["deprecated"] === true ? { deprecated: "by its provider" } : {}),
      ...(docs === "" ? {} : { docs })
    },
    // Only the name: the folder says nothing to the readers of a manifest.
    provenance: { docs: docs || basename(reading.file), note: `Imported from ${basename(reading.file)}.` },
    ...(output === null ? {} : { outputSchema: output })
  }
}

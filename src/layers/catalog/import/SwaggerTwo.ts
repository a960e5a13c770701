/**
 * Turns a Swagger 2 document into an OpenAPI 3 document. The library does the work. What it loses is written in another
 * way before: parameters that are references, and the fields of a form, of which it keeps only type and description.
 * Those fields become the schema of one body, which it carries over whole.
 */
import { upgradeFromTwoToThree } from "@scalar/openapi-upgrader/2.0-to-3.0"
import { Either, Schema } from "effect"
import { isObject, Json, type JsonObject } from "../../../domain/Json.js"
import { member, setMember } from "../../../domain/Members.js"
import { operationMethods, textOf, listOf } from "./OpenApiParts.js"
import { resolved } from "./OpenApiSchemas.js"

const isJson = Schema.is(Json)
const urlEncoded = "application/x-www-form-urlencoded"
const multipart = "multipart/form-data"

/** A field of a form as a property. `collectionFormat` stays: without it a list of Swagger 2 is joined by commas. */
const propertyOf = ({ in: _in, name: _name, required: _required, ...rest }: JsonObject): JsonObject =>
  rest["type"] === "array" && rest["collectionFormat"] === undefined ? { ...rest, collectionFormat: "csv" } : rest

const keyOf = (parameter: JsonObject): string => `${textOf(parameter["in"])} ${textOf(parameter["name"])}`

/** The parameters of an operation: its own ones come before those of its path with the same name. */
const merged = (document: JsonObject, item: JsonObject, operation: JsonObject): ReadonlyArray<JsonObject> => {
  const found = new Map<string, JsonObject>()
  for (const raw of [...listOf(item["parameters"]), ...listOf(operation["parameters"])]) {
    const parameter = resolved(document, raw)
    if (parameter !== null) found.set(textOf(parameter["in"]) === "body" ? "body" : keyOf(parameter), parameter)
  }
  return Array.from(found.values())
}

const prepared = (document: JsonObject, item: JsonObject, operation: JsonObject): JsonObject => {
  const parameters = merged(document, item, operation)
  const fields = parameters.filter((parameter) => parameter["in"] === "formData")
  if (fields.length === 0) return { ...operation, parameters }
  const consumed = listOf(operation["consumes"] ?? document["consumes"]).map(textOf)
  const hasFile = fields.some(({ type }) => type === "file")
  const kind = hasFile || (consumed.includes(multipart) && !consumed.includes(urlEncoded)) ? multipart : urlEncoded
  const required = fields.filter((field) => field["required"] === true).map((field) => textOf(field["name"]))
  const body: JsonObject = {
    in: "body",
    name: "form",
    required: required.length > 0,
    schema: {
      type: "object",
      properties: Object.fromEntries(fields.map((field) => [textOf(field["name"]), propertyOf(field)])),
      ...(required.length === 0 ? {} : { required })
    }
  }
  const others = parameters.filter((parameter) => parameter["in"] !== "formData" && parameter["in"] !== "body")
  return { ...operation, consumes: [kind], parameters: [...others, body] }
}

const preparedPaths = (document: JsonObject): JsonObject => {
  const paths: { [key: string]: Json } = {}
  for (const [path, value] of Object.entries(isObject(document["paths"]) ? document["paths"] : {})) {
    const item = resolved(document, value)
    if (item === null) continue
    const { parameters: _, ...rest } = item
    const written: { [key: string]: Json } = { ...rest }
    for (const method of operationMethods) {
      const operation = resolved(document, member(item, method))
      if (operation !== null) setMember(written, method, prepared(document, item, operation))
    }
    setMember(paths, path, written)
  }
  return paths
}

/** Left: why the document cannot be turned. */
export const upgradedFromSwagger = (document: JsonObject): Either.Either<JsonObject, string> =>
  Either.try({
    // The library changes what it is given.
    try: (): unknown => upgradeFromTwoToThree(structuredClone({ ...document, paths: preparedPaths(document) })),
    catch: () => "a Swagger 2 document that cannot be turned into OpenAPI 3"
  }).pipe(
    Either.flatMap((value) =>
      isJson(value) && isObject(value) ? Either.right(value) : Either.left("a Swagger 2 document that holds no object")
    )
  )

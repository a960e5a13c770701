/**
 * Turns a Swagger 2 document into an OpenAPI 3 document. The library does the work. What it loses is written in another
 * way before: parameters that are references, and the fields of a form, of which it keeps only type and description.
 * Those fields become the schema of one body, which it carries over whole.
 */
import { upgradeFromTwoToThree } from "@scalar/openapi-upgrader/2.0-to-3.0"
import { Either, Schema } from "effect"
import { isObject, Json, type JsonObject } from "../../../domain/Json.js"
import { member, setMember } from "../../../domain/Members.js"
import type { ImportEffect } from "./ImportReport.js"
import { listOf, operationMethods, textOf, unreadable, writtenParameters } from "./OpenApiParts.js"
import { resolved } from "./OpenApiSchemas.js"

/** Takes what is left out, of which part of the document. */
type Note = (effect: ImportEffect, subject: string, message: string) => void

const isJson = Schema.is(Json)
const urlEncoded = "application/x-www-form-urlencoded"
const multipart = "multipart/form-data"

/** A field of a form as a property. `collectionFormat` stays: without it a list of Swagger 2 is joined by commas. */
const propertyOf = ({ in: _in, name: _name, required: _required, ...rest }: JsonObject): JsonObject =>
  rest["type"] === "array" && rest["collectionFormat"] === undefined ? { ...rest, collectionFormat: "csv" } : rest

const keyOf = (parameter: JsonObject): string => `${textOf(parameter["in"])} ${textOf(parameter["name"])}`

/**
 * How the library can say that a list is written. Another way is named as a style, which no manifest can say, so that
 * the list is left out instead of sent as if nothing were said.
 */
const writtenInQuery: ReadonlySet<string> = new Set(["csv", "ssv", "pipes", "multi"])
const styled = (parameter: JsonObject): JsonObject => {
  const format = textOf(parameter["collectionFormat"]) || "csv"
  const isWritten = parameter["in"] === "query" ? writtenInQuery.has(format) : format === "csv"
  return isWritten || parameter["in"] === "formData" ? parameter : { ...parameter, style: format }
}

/** The parameters of an operation: its own ones come before those of its path with the same name. */
const merged = (
  document: JsonObject,
  item: JsonObject,
  operation: JsonObject,
  leave: (what: string) => void
): ReadonlyArray<JsonObject> => {
  const found = new Map<string, JsonObject>()
  for (const raw of writtenParameters(item, operation, leave)) {
    const parameter = resolved(document, raw)
    if (parameter === null) leave(unreadable("a parameter", raw))
    else if (textOf(parameter["in"]) === "") leave("a parameter in no place")
    else found.set(parameter["in"] === "body" ? "body" : keyOf(parameter), styled(parameter))
  }
  return Array.from(found.values())
}

const prepared = (document: JsonObject, operation: JsonObject, parameters: ReadonlyArray<JsonObject>): JsonObject => {
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

/** What cannot be read is noted and left out here: the library fails at it. */
const preparedPaths = (document: JsonObject, note: Note): JsonObject => {
  const paths: { [key: string]: Json } = {}
  for (const [path, value] of Object.entries(isObject(document["paths"]) ? document["paths"] : {})) {
    const item = resolved(document, value)
    if (item === null) {
      if (!path.startsWith("x-")) note("skipped", path, unreadable("a path", value))
      continue
    }
    const { parameters: _, ...rest } = item
    const written: { [key: string]: Json } = Object.fromEntries(
      Object.entries(rest).filter(([name]) => !operationMethods.includes(name))
    )
    for (const method of operationMethods) {
      const raw = member(item, method)
      if (raw === undefined) continue
      const subject = `${method} ${path}`
      const operation = resolved(document, raw)
      if (operation === null) {
        note("skipped", subject, unreadable("an operation", raw))
        continue
      }
      const leave = (what: string): void => note("changed", subject, `left out ${what}`)
      setMember(written, method, prepared(document, operation, merged(document, item, operation, leave)))
    }
    setMember(paths, path, written)
  }
  return paths
}

/** Left: why the document cannot be turned. */
export const upgradedFromSwagger = (document: JsonObject, note: Note): Either.Either<JsonObject, string> =>
  Either.try({
    // The library changes what it is given.
    try: (): unknown =>
      upgradeFromTwoToThree(structuredClone({ ...document, swagger: "2.0", paths: preparedPaths(document, note) })),
    catch: () => "a Swagger 2 document that cannot be turned into OpenAPI 3"
  }).pipe(
    Either.flatMap((value) =>
      isJson(value) && isObject(value) ? Either.right(value) : Either.left("a Swagger 2 document that holds no object")
    )
  )

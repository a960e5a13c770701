/**
 * How a list or an object is written in a query, path, header or form: the styles of OpenAPI 3 as the bindings of a
 * manifest say them. A style that a manifest cannot say is named, so that the import leaves the field out instead of
 * sending it in another way.
 */
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import type { Binding } from "../../../domain/Manifest.js"
import { listOf, textOf } from "./OpenApiParts.js"

export type Written = Partial<Pick<Binding, "style" | "transform">>
/** A text says which style cannot be written. */
export type Style = Written | string

/** The types that a value of this schema may have. */
export const typesOf = (schema: JsonObject): ReadonlySet<string> => {
  const { type } = schema
  const own = Array.isArray(type) ? type.map(textOf) : [textOf(type)]
  const implied = schema["properties"] !== undefined ? ["object"] : schema["items"] !== undefined ? ["array"] : []
  const parts = [schema["anyOf"], schema["oneOf"], schema["allOf"]].flatMap((list) => listOf(list).filter(isObject))
  return new Set(
    [...own, ...implied, ...parts.flatMap((part) => Array.from(typesOf(part)))].filter((each) => each !== "")
  )
}

const typeOfValue = (value: Json): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : isObject(value) ? "object" : typeof value

/** Whether a value is of a type that the schema allows. */
export const allowsType = (schema: JsonObject, value: Json): boolean => {
  const types = typesOf(schema)
  const type = typeOfValue(value)
  return types.size === 0 || types.has(type) || (type === "number" && types.has("integer") && Number.isInteger(value))
}

const isStructured = (schema: JsonObject | undefined): boolean => {
  if (schema === undefined) return false
  const types = typesOf(schema)
  return types.has("object") || types.has("array")
}

interface Said {
  readonly style: string
  readonly explode: boolean
}

/** What a parameter or an encoding says, with the defaults of its place. */
export const saidOf = (said: JsonObject, place: "path" | "query" | "header" | "form"): Said => {
  const style = textOf(said["style"]) || (place === "query" || place === "form" ? "form" : "simple")
  const { explode } = said
  return { style, explode: typeof explode === "boolean" ? explode : style === "form" }
}

/** How Swagger 2 says that a list of a form is written, in the words of OpenAPI 3. */
const listStyles = new Map<string, JsonObject>([
  ["csv", { explode: false }],
  ["multi", { explode: true }],
  ["ssv", { style: "spaceDelimited", explode: false }],
  ["pipes", { style: "pipeDelimited", explode: false }]
])

export const styleOfList = (format: string): JsonObject => listStyles.get(format) ?? { style: format, explode: false }

/** The style of a value in a query or a form. */
export const inQuery = (schema: JsonObject, { explode, style }: Said): Style => {
  const types = typesOf(schema)
  const isOfAnyType = types.size === 0 && schema["enum"] === undefined && schema["const"] === undefined
  // A list is such a value too, and one that is none is written alike.
  if (isOfAnyType && style === "form" && explode) return { style: "repeat" }
  if (!types.has("array") && !types.has("object")) return {}
  if (style === "deepObject") return { style }
  if (types.has("object") && !types.has("array") && style === "form" && !explode) return { style: "comma" }
  if (types.has("array") && !types.has("object")) {
    const { items } = schema
    if (style === "form" && explode) return { style: "repeat" }
    if (style === "form" && !isStructured(isObject(items) ? items : undefined)) return { style: "single" }
    if (style === "spaceDelimited" && !explode) return { style: "space" }
    if (style === "pipeDelimited" && !explode) return { style: "pipe" }
  }
  return `${types.has("object") ? "an object" : "a list"} in the style ${style}${explode ? "" : " without explode"}`
}

/** The style of a value in a path or header. */
export const inPath = (schema: JsonObject, { style }: Said): Style => {
  if (style !== "simple") return `a value in the style ${style}`
  const { items } = schema
  const types = typesOf(schema)
  return types.has("object") || (types.has("array") && isStructured(isObject(items) ? items : undefined))
    ? "an object in the style simple"
    : {}
}

/**
 * JSON values and their canonical text. Two requests are the same when their canonical texts are: object keys sorted by
 * UTF-16 code unit and numbers in their shortest form (RFC 8785; larger or longer ones by their value), strings
 * compared as they are (no Unicode normalisation: two spellings of a name may matter to a provider).
 */
import { Schema } from "effect"
import { ExactNumber } from "./ExactNumber.js"
import { member } from "./Members.js"

export type Json =
  null | boolean | number | string | ExactNumber | ReadonlyArray<Json> | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Whether a value and everything in it is JSON. */
const isJson = (value: unknown): value is Json => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true
    case "number":
      return Number.isFinite(value)
    case "object":
      if (value === null || value instanceof ExactNumber) return true
      return Array.isArray(value) ? value.every(isJson) : isPlain(value) && Object.values(value).every(isJson)
    default:
      return false
  }
}

const isObjectLike = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)

export const isObject = (value: Json | undefined): value is JsonObject => isObjectLike(value)

/** All texts of a value, at any depth; not the names of its members. */
export const textsIn = (value: Json): ReadonlyArray<string> =>
  typeof value === "string"
    ? [value]
    : Array.isArray(value)
      ? value.flatMap(textsIn)
      : isObject(value)
        ? Object.values(value).flatMap(textsIn)
        : []

/** The JSON Schema of any JSON value, written out so that a document shows the types. */
export const anyJson = { type: ["object", "array", "string", "number", "boolean", "null"] } as const

// Declared as one schema. A schema built from parts would copy the value at every reading and would lose members named
// `__proto__`.
export const Json: Schema.Schema<Json> = Schema.declare(isJson, {
  identifier: "Json",
  description: "Any JSON value",
  jsonSchema: anyJson
})

export const JsonObject: Schema.Schema<JsonObject> = Schema.declare(
  (value: unknown): value is JsonObject => isJson(value) && isObject(value),
  {
    identifier: "JsonObject",
    description: "Any JSON object",
    jsonSchema: { type: "object" }
  }
)

/** A JSON object made by the JSON reader. All its members are known to be JSON, so only its own kind is checked. */
export const ParsedObject: Schema.Schema<JsonObject> = Schema.declare(
  (value: unknown): value is JsonObject => isObjectLike(value),
  {
    identifier: "JsonObject",
    description: "Any JSON object",
    jsonSchema: { type: "object" },
    message: () => ({ message: "must be an object", override: true })
  }
)

export const canonical = (value: Json): string => {
  if (value instanceof ExactNumber) return value.canonical
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (isObject(value)) {
    const members = Object.keys(value)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${canonical(member(value, key) ?? null)}`)
    return `{${members.join(",")}}`
  }
  return JSON.stringify(value)
}

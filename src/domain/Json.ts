/**
 * JSON values and their canonical text. Two requests are the same when their canonical texts are: object keys sorted by
 * UTF-16 code unit and numbers in their shortest form (RFC 8785), strings compared as they are (no Unicode normalisation:
 * two spellings of a name may matter to a provider).
 */
import { Schema } from "effect"

export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

export const Json: Schema.Schema<Json> = Schema.suspend(
  (): Schema.Schema<Json> =>
    Schema.Union(Schema.Null, Schema.Boolean, Schema.JsonNumber, Schema.String, Schema.Array(Json), Schema.Record({ key: Schema.String, value: Json }))
).annotations({ identifier: "Json", description: "Any JSON value", jsonSchema: {} })

export const JsonObject: Schema.Schema<JsonObject> = Schema.Record({ key: Schema.String, value: Json }).annotations({
  identifier: "JsonObject",
  jsonSchema: { type: "object" }
})

const isFinite = (value: Json): boolean => {
  if (typeof value === "number") return Number.isFinite(value)
  if (typeof value !== "object" || value === null) return true
  return Array.isArray(value) ? value.every(isFinite) : Object.values(value).every(isFinite)
}

/** A JSON object that a JSON parser made, so that only its kind need be looked at: a schema for each value in it would cost 1 µs a value. */
export const ParsedObject: Schema.Schema<JsonObject> = Schema.declare(
  (value): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).every(isFinite)
).annotations({ identifier: "JsonObject", jsonSchema: { type: "object" }, message: () => ({ message: "must be an object, its numbers within ±1.8e308", override: true }) })

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const canonical = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`
  if (isObject(value)) {
    const members = Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`)
    return `{${members.join(",")}}`
  }
  return JSON.stringify(value)
}

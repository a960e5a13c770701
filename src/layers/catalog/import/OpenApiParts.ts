// Reads the members of an OpenAPI document, whatever they hold.
import { isObject, type Json } from "../../../domain/Json.js"

export const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "")
export const listOf = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])
export const entriesOf = (value: Json | undefined): ReadonlyArray<readonly [string, Json]> =>
  isObject(value) ? Object.entries(value) : []

/** The members of a path that are operations. */
export const operationMethods = ["get", "post", "put", "patch", "delete", "head", "options", "trace"]

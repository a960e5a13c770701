// Reads the members of an OpenAPI document, whatever they hold.
import { Either } from "effect"
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"

export const textOf = (value: Json | undefined): string => (typeof value === "string" ? value : "")
export const listOf = (value: Json | undefined): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])
export const entriesOf = (value: Json | undefined): ReadonlyArray<readonly [string, Json]> =>
  isObject(value) ? Object.entries(value) : []

/** A version that YAML without quotes makes a number of: `3.1`, or `2` out of `2.0`. */
export const versionOf = (value: Json | undefined): string =>
  typeof value === "number" ? String(value) : textOf(value)

/** Why something of a document cannot be read that is an object, or a reference to one. */
export const unreadable = (what: string, value: Json | undefined): string =>
  isObject(value) ? `${what} whose reference leads nowhere` : `${what} that is no object`

/** The parameters of a path and of one of its operations as they stand there. `leftOut` is told what is no list. */
export const writtenParameters = (
  item: JsonObject,
  operation: JsonObject,
  leftOut: (what: string) => void
): ReadonlyArray<Json> =>
  [item["parameters"], operation["parameters"]].flatMap((list) => {
    if (list !== undefined && !Array.isArray(list)) leftOut("parameters that are no list")
    return listOf(list)
  })

/** The members of a path that are operations. */
export const operationMethods = ["get", "post", "put", "patch", "delete", "head", "options", "trace"]

/** The text without its percent escapes; as it is where these are wrong. */
export const withoutPercents = (text: string): string =>
  Either.getOrElse(
    Either.try(() => decodeURIComponent(text)),
    () => text
  )

/** Whether a value is nested deeper than this. Not recursive, because it guards what is. */
export const isDeeperThan = (value: unknown, levels: number): boolean => {
  let level: ReadonlyArray<object> = isContainer(value) ? [value] : []
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > levels) return true
    level = level.flatMap((each) => Object.values(each).filter(isContainer))
  }
  return false
}

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null

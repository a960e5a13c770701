/** How the texts of columns become values, in the pools of this program. */
import { Either } from "effect"
import Pg from "pg"
import type { Json } from "../../../domain/Json.js"
import { readJson } from "../../../domain/LosslessJson.js"

const { INT8: int8, JSON: json, JSONB: jsonb } = Pg.types.builtins
/** The type number of int8[], which `pg` parses but does not name. */
const int8Array = 1016

const toInteger = (text: string): number => {
  const value = Number(text)
  if (Number.isSafeInteger(value)) return value
  // The only way in which a parser of `pg` can refuse: the statement fails with this error.
  // eslint-disable-next-line no-restricted-syntax
  throw new RangeError(`int8 ${text} does not fit into a number`)
}

/** A column of JSON always holds valid JSON. */
const toJson = (text: string): Json =>
  Either.getOrThrowWith(readJson(text), () => new RangeError("a JSON column holds no JSON"))

/**
 * Parsers of one pool: int8 (our micros, counts and ids) and int8[] become numbers, JSON keeps every digit, and all
 * other types are parsed by `pg`.
 */
export const types: Pg.CustomTypesConfig = {
  getTypeParser: (oid, format) => {
    const known = Pg.types.getTypeParser(oid, format)
    if (format === "binary") return known
    if (oid === int8) return toInteger
    if (oid === json || oid === jsonb) return toJson
    return Number(oid) === int8Array
      ? (text: string) => known(text).map((item: string | null) => (item === null ? null : toInteger(item)))
      : known
  }
}

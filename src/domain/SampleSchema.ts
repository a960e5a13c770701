/**
 * The JSON Schema of an answer, drawn from the documented samples of an operation: which members there are and of which
 * types. It promises no more than the samples show. So it requires no member, closes no object, and leaves open what
 * lies deeper than eight levels; a number is a number, whole or not.
 */
import { ExactNumber } from "./ExactNumber.js"
import { isObject, type Json, type JsonObject } from "./Json.js"
import type { Operation } from "./Manifest.js"
import { member, setMember } from "./Members.js"

const levelsMax = 8

const typeOf = (value: Json): string => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  return value instanceof ExactNumber ? "number" : typeof value
}

/** The schema of values that stand in the same place. */
const drawn = (values: ReadonlyArray<Json>, levels: number): JsonObject => {
  const types = [...new Set(values.map(typeOf))].sort()
  const [first] = types
  // Where nothing but null was seen, nothing is known.
  if (levels === 0 || first === undefined || (first === "null" && types.length === 1)) return {}
  const objects = values.filter(isObject)
  const properties: Record<string, Json> = {}
  for (const name of new Set(objects.flatMap((object) => Object.keys(object)))) {
    const seen = objects.map((object) => member(object, name)).filter((value) => value !== undefined)
    setMember(properties, name, drawn(seen, levels - 1))
  }
  const items: ReadonlyArray<Json> = values.flatMap((value) => (Array.isArray(value) ? value : []))
  return {
    type: types.length === 1 ? first : types,
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(items.length === 0 ? {} : { items: drawn(items, levels - 1) })
  }
}

/** Null when no sample shows an answer of 2xx with something in it. */
export const sampleSchema = ({ samples }: Pick<Operation, "samples">): JsonObject | null => {
  const answers = Object.values(samples).filter(({ outcome, status }) => outcome !== "error" && status < 300)
  const schema = drawn(
    answers.map(({ body }) => body),
    levelsMax
  )
  return Object.keys(schema).length === 0 ? null : schema
}

/**
 * One object with named fields out of the schemas that a body is combined of.
 */
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import { member as own, setMember } from "../../../domain/Members.js"
import { entriesOf, listOf } from "./OpenApiParts.js"
import { annotations } from "./OpenApiSchemas.js"

/** Two schemas of one field: the value may be of either. */
const either = (a: Json, b: Json): Json => (JSON.stringify(a) === JSON.stringify(b) ? a : { anyOf: [a, b] })

/** Two schemas of one field: the value must be of both. What `b` says about it in words stands before that of `a`. */
const both = (a: Json, b: Json): Json => {
  if (!isObject(a) || !isObject(b)) return b
  const disagree = entriesOf(b).some(([key, value]) => {
    const known = own(a, key)
    return !annotations.has(key) && known !== undefined && JSON.stringify(known) !== JSON.stringify(value)
  })
  return disagree ? { allOf: [a, b] } : { ...a, ...b }
}

/** Whether a schema allows null and nothing else. */
const isNull = ({ type }: JsonObject): boolean => type === "null"

/** The schemas under `anyOf` or `oneOf` without that of null, which a body of fields cannot be. */
export const alternativesIn = (schema: JsonObject, key: "anyOf" | "oneOf"): ReadonlyArray<JsonObject> =>
  listOf(own(schema, key))
    .filter(isObject)
    .filter((part) => !isNull(part))

/**
 * One object out of `allOf`, `anyOf` and `oneOf` of objects, so that its fields can be named. A field is required when
 * every alternative requires it. Other schemas stay as they are.
 */
export const flattened = (schema: JsonObject): JsonObject => {
  const whole = listOf(own(schema, "allOf")).filter(isObject).map(flattened)
  const alternatives = [alternativesIn(schema, "anyOf"), alternativesIn(schema, "oneOf")].map((parts) =>
    parts.map(flattened)
  )
  if (whole.length + alternatives.flat().length === 0) return schema
  const isNamed = (part: JsonObject): boolean => isObject(part["properties"])
  // An alternative that is no object with named fields would be lost.
  if (!alternatives.flat().every((part) => isNamed(part) || part["required"] !== undefined)) return schema
  const { allOf: _all, anyOf: _any, oneOf: _one, ...rest } = schema
  const properties: { [key: string]: Json } = {}
  const required = new Set<Json>()
  for (const part of [...whole, rest]) {
    for (const [name, each] of entriesOf(part["properties"])) {
      const known = own(properties, name)
      setMember(properties, name, known === undefined ? each : both(known, each))
    }
    if (Array.isArray(part["required"])) for (const name of part["required"]) required.add(name)
  }
  for (const parts of alternatives) {
    for (const part of parts)
      for (const [name, each] of entriesOf(part["properties"])) {
        const known = own(properties, name)
        setMember(properties, name, known === undefined ? each : either(known, each))
      }
    const [first, ...others] = parts.map((part) => (Array.isArray(part["required"]) ? part["required"] : []))
    for (const name of first ?? []) if (others.every((names) => names.includes(name))) required.add(name)
  }
  return Object.keys(properties).length === 0
    ? schema
    : { ...rest, type: "object", properties, ...(required.size === 0 ? {} : { required: Array.from(required) }) }
}

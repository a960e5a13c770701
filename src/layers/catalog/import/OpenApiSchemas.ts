// Reads the schemas of an OpenAPI 3 document. Local references are followed, the JSON Schema dialect of 3.0 is turned
// into 2020-12, and schemas that contain themselves are cut.
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import { member as own, setMember } from "../../../domain/Members.js"
import { withoutPercents } from "./OpenApiParts.js"
import { allowsType } from "./OpenApiStyles.js"

const depthMax = 8
const nodesMax = 600

/** The value that a local reference points to; undefined when there is none. */
const pointedTo = (document: JsonObject, reference: string): Json | undefined => {
  if (!reference.startsWith("#/")) return undefined
  let at: Json | undefined = document
  for (const part of reference.slice(2).split("/")) {
    const key = withoutPercents(part).replaceAll("~1", "/").replaceAll("~0", "~")
    at = isObject(at) ? own(at, key) : Array.isArray(at) ? at[Number(key)] : undefined
  }
  return at
}

/** Follows references to anything but schemas. Null when a reference leads nowhere or in a circle. */
export const resolved = (document: JsonObject, value: Json | undefined): JsonObject | null => {
  let at = value
  for (let hops = 0; hops < 10; hops += 1) {
    if (!isObject(at)) return null
    const reference = at["$ref"]
    if (typeof reference !== "string") return at
    at = pointedTo(document, reference)
  }
  return null
}

const dropped: ReadonlySet<string> = new Set([
  "nullable",
  "discriminator",
  "xml",
  "externalDocs",
  "example",
  "$schema",
  "$id",
  "$anchor",
  "$dynamicAnchor",
  "id"
])
const lists: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"])
const maps: ReadonlySet<string> = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"])
const singles: ReadonlySet<string> = new Set([
  "items",
  "additionalProperties",
  "not",
  "if",
  "then",
  "else",
  "contains",
  "propertyNames"
])

const exclusive = new Map([
  ["minimum", "exclusiveMinimum"],
  ["maximum", "exclusiveMaximum"],
  ["exclusiveMinimum", "minimum"],
  ["exclusiveMaximum", "maximum"]
])

/**
 * In 3.0, a flag beside a limit says that the limit is exclusive. In 2020-12, the exclusive limit is a number of its
 * own. A true flag becomes that number and replaces the limit; a false flag is dropped.
 */
const boundOf = (schema: JsonObject, key: string, member: Json): Json | undefined => {
  const other = exclusive.get(key)
  if (other === undefined) return member
  if (typeof member === "boolean") return member ? own(schema, other) : undefined
  return own(schema, other) === true ? undefined : member
}

export interface InlineSchema {
  readonly schema: JsonObject
  /**
   * What was left out or cut: a schema that contains itself, is too deep or too large, a reference that leads nowhere,
   * a default that is not sent.
   */
  readonly cut: ReadonlyArray<string>
}

/**
 * What a schema of an input is for. The gateway sends the defaults of a schema. In OpenAPI, a default says what the
 * provider assumes when nothing is sent. So a default is kept only where a value must be sent: at a required field.
 */
export interface SchemaUse {
  /** Whether a value of this schema must be sent. */
  readonly sendsDefault: boolean
}

const assumed = (description: Json | undefined, value: Json): string => {
  const said = `The provider's default is ${JSON.stringify(value)}.`
  return typeof description === "string" && description !== "" ? `${description.trimEnd()} ${said}` : said
}

/** A schema with every reference written out. Without `use`, it is that of an answer. */
export const inlineSchema = (document: JsonObject, value: Json | undefined, use?: SchemaUse): InlineSchema => {
  const cut = new Set<string>()
  let nodes = 0
  /** How many schemas were cut: such a schema allows everything. */
  let cuts = 0
  const cutOff = (why: string): JsonObject => {
    cut.add(why)
    cuts += 1
    return {}
  }

  const members = (schema: JsonObject, depth: number, seen: ReadonlySet<string>, sent: boolean): JsonObject => {
    const out: { [key: string]: Json } = {}
    const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : [])
    for (const [key, member] of Object.entries(schema)) {
      if (dropped.has(key) || key.startsWith("x-")) continue
      if (key === "default" && !sent) {
        cut.add("left out a default, which the provider assumes by itself")
        continue
      }
      if (lists.has(key) && Array.isArray(member)) {
        const before = cuts
        const parts = member.map((each: Json) => inline(each, depth + 1, seen, sent))
        // Beside a part that allows everything, none could be the only one that fits.
        setMember(out, key === "oneOf" && cuts > before && schema["anyOf"] === undefined ? "anyOf" : key, parts)
      } else if (maps.has(key) && isObject(member))
        setMember(
          out,
          key,
          Object.fromEntries(
            Object.entries(member).map(([name, each]) => [
              name,
              inline(each, depth + 1, seen, use === undefined || required.has(name))
            ])
          )
        )
      else if (singles.has(key) && isObject(member)) setMember(out, key, inline(member, depth + 1, seen, false))
      else {
        const bound = boundOf(schema, key, member)
        if (bound !== undefined) setMember(out, key, bound)
      }
    }
    if (schema["nullable"] === true && typeof out["type"] === "string") {
      out["type"] = [out["type"], "null"]
      if (Array.isArray(out["enum"]) && !out["enum"].includes(null)) out["enum"] = [...out["enum"], null]
    }
    if (schema["default"] !== undefined && !sent) out["description"] = assumed(out["description"], schema["default"])
    // Some documents write `example: null` beside every schema.
    const { example } = schema
    if (example !== undefined && out["examples"] === undefined && allowsType(out, example)) out["examples"] = [example]
    return out
  }

  const inline = (schema: Json, depth: number, seen: ReadonlySet<string>, sent: boolean): JsonObject => {
    nodes += 1
    if (depth > depthMax || nodes > nodesMax) return cutOff("cut a schema that is too deep or too large")
    if (!isObject(schema)) return {}
    const reference = schema["$ref"]
    if (typeof reference !== "string") return members(schema, depth, seen, sent)
    if (seen.has(reference)) return cutOff("cut a schema that contains itself")
    const target = pointedTo(document, reference)
    if (target === undefined) return cutOff("cut a reference that leads out of the document or nowhere")
    return inline(target, depth, new Set([...seen, reference]), sent)
  }

  return { schema: inline(value ?? {}, 0, new Set(), use?.sendsDefault ?? true), cut: Array.from(cut) }
}

/** Two schemas of one field: the value may be of either. */
const either = (a: Json, b: Json): Json => (JSON.stringify(a) === JSON.stringify(b) ? a : { anyOf: [a, b] })

/**
 * One object out of `allOf`, `anyOf` and `oneOf` of objects, so that its fields can be named. A field is required when
 * every alternative requires it. Other schemas stay as they are.
 */
export const flattened = (schema: JsonObject): JsonObject => {
  const partsOf = (key: string): ReadonlyArray<JsonObject> => {
    const parts = own(schema, key)
    return Array.isArray(parts) ? parts.filter(isObject).map(flattened) : []
  }
  const whole = partsOf("allOf")
  const alternatives = [partsOf("anyOf"), partsOf("oneOf")]
  if (whole.length + alternatives.flat().length === 0) return schema
  const isNamed = (part: JsonObject): boolean => isObject(part["properties"])
  // An alternative that is no object with named fields would be lost.
  if (!alternatives.flat().every((part) => isNamed(part) || part["required"] !== undefined)) return schema
  const { allOf: _all, anyOf: _any, oneOf: _one, ...rest } = schema
  const properties: { [key: string]: Json } = {}
  const required = new Set<Json>()
  for (const part of [rest, ...whole]) {
    if (isObject(part["properties"]))
      for (const [name, each] of Object.entries(part["properties"])) setMember(properties, name, each)
    if (Array.isArray(part["required"])) for (const name of part["required"]) required.add(name)
  }
  for (const parts of alternatives) {
    for (const part of parts)
      for (const [name, each] of Object.entries(isObject(part["properties"]) ? part["properties"] : {})) {
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

// Reads the schemas of an OpenAPI 3 document. Local references are followed, the JSON Schema dialect of 3.0 is turned
// into 2020-12, and schemas that contain themselves are cut.
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import { member as own, setMember } from "../../../domain/Members.js"

const depthMax = 8
const nodesMax = 600

/** The value that a local reference points to; undefined when there is none. */
const pointedTo = (document: JsonObject, reference: string): Json | undefined => {
  if (!reference.startsWith("#/")) return undefined
  let at: Json | undefined = document
  for (const part of reference.slice(2).split("/")) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")
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
   * The parts that were cut: a schema that contains itself, is too deep or too large, or a reference to another
   * document.
   */
  readonly cut: ReadonlyArray<string>
}

/** A schema with every reference written out. */
export const inlineSchema = (document: JsonObject, value: Json | undefined): InlineSchema => {
  const cut = new Set<string>()
  let nodes = 0

  const members = (schema: JsonObject, depth: number, seen: ReadonlySet<string>): JsonObject => {
    const out: { [key: string]: Json } = {}
    for (const [key, member] of Object.entries(schema)) {
      if (dropped.has(key) || key.startsWith("x-")) continue
      if (lists.has(key) && Array.isArray(member))
        setMember(
          out,
          key,
          member.map((each: Json) => inline(each, depth + 1, seen))
        )
      else if (maps.has(key) && isObject(member))
        setMember(
          out,
          key,
          Object.fromEntries(Object.entries(member).map(([name, each]) => [name, inline(each, depth + 1, seen)]))
        )
      else if (singles.has(key) && isObject(member)) setMember(out, key, inline(member, depth + 1, seen))
      else {
        const bound = boundOf(schema, key, member)
        if (bound !== undefined) setMember(out, key, bound)
      }
    }
    if (schema["nullable"] === true && typeof out["type"] === "string") {
      out["type"] = [out["type"], "null"]
      if (Array.isArray(out["enum"]) && !out["enum"].includes(null)) out["enum"] = [...out["enum"], null]
    }
    if (schema["example"] !== undefined && out["examples"] === undefined) out["examples"] = [schema["example"]]
    return out
  }

  const inline = (schema: Json, depth: number, seen: ReadonlySet<string>): JsonObject => {
    nodes += 1
    if (depth > depthMax || nodes > nodesMax) {
      cut.add("a schema that is too deep or too large")
      return {}
    }
    if (!isObject(schema)) return {}
    const reference = schema["$ref"]
    if (typeof reference !== "string") return members(schema, depth, seen)
    if (seen.has(reference)) {
      cut.add("a schema that contains itself")
      return {}
    }
    const target = pointedTo(document, reference)
    if (target === undefined) {
      cut.add("a reference that leads out of the document or nowhere")
      return {}
    }
    return inline(target, depth, new Set([...seen, reference]))
  }

  return { schema: inline(value ?? {}, 0, new Set()), cut: Array.from(cut) }
}

/** Merges an `allOf` of objects into one object, so that its fields can be named. Other schemas stay as they are. */
export const flattened = (schema: JsonObject): JsonObject => {
  const parts = schema["allOf"]
  if (!Array.isArray(parts)) return schema
  const { allOf: _, ...own } = schema
  const objects = [own, ...parts.filter(isObject).map(flattened)]
  const properties: { [key: string]: Json } = {}
  const required: Array<Json> = []
  for (const each of objects) {
    if (isObject(each["properties"])) Object.assign(properties, each["properties"])
    if (Array.isArray(each["required"])) required.push(...each["required"])
  }
  return Object.keys(properties).length === 0
    ? schema
    : {
        ...own,
        type: "object",
        properties,
        ...(required.length === 0 ? {} : { required: Array.from(new Set(required)) })
      }
}

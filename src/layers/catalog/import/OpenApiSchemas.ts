// Reads the schemas of an OpenAPI 3 document. Local references are followed, the JSON Schema dialect of 3.0 is turned
// into 2020-12, and schemas that contain themselves are cut.
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import { member as own, setMember } from "../../../domain/Members.js"
import { entriesOf, listOf, versionOf, withoutPercents } from "./OpenApiParts.js"
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

/** Keywords that restrict no value. */
export const annotations: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly"
])

/** A schema with what stands beside the reference to it. */
const withBeside = (schema: JsonObject, beside: JsonObject): JsonObject =>
  Object.keys(beside).every((key) => annotations.has(key))
    ? { ...schema, ...beside }
    : { ...beside, allOf: [...listOf(beside["allOf"]), schema] }

/** The schema, which also allows null. */
const orNull = (schema: JsonObject): JsonObject => {
  const { enum: values, type } = schema
  const allowed = Array.isArray(values) && !values.includes(null) ? { ...schema, enum: [...values, null] } : schema
  if (typeof type === "string") return { ...allowed, type: [type, "null"] }
  // OpenAPI 3.0.3 asks for a type beside `nullable`. Many documents write it beside `allOf` alone, and mean it.
  const said = Object.entries(allowed)
  return type === undefined && ["allOf", "anyOf", "oneOf"].some((key) => own(schema, key) !== undefined)
    ? {
        ...Object.fromEntries(said.filter(([key]) => annotations.has(key))),
        anyOf: [Object.fromEntries(said.filter(([key]) => !annotations.has(key))), { type: "null" }]
      }
    : allowed
}

/** The properties of an object, and of what it is combined of, that have this mark. */
const markedIn = (schema: JsonObject, mark: "readOnly" | "writeOnly"): ReadonlyArray<string> => [
  ...entriesOf(schema["properties"]).flatMap(([name, property]) =>
    isObject(property) && own(property, mark) === true ? [name] : []
  ),
  ...listOf(schema["allOf"]).flatMap((part) => (isObject(part) ? markedIn(part, mark) : []))
]

/** The schema, which needs none of these properties. */
const notNeeding = (schema: JsonObject, names: ReadonlySet<Json>): JsonObject => {
  const { allOf, required } = schema
  return {
    ...schema,
    ...(Array.isArray(required) ? { required: required.filter((name: Json) => !names.has(name)) } : {}),
    ...(Array.isArray(allOf)
      ? { allOf: allOf.map((each: Json) => (isObject(each) ? notNeeding(each, names) : each)) }
      : {})
  }
}

/** Where in a schema another one stands. */
interface At {
  readonly depth: number
  /** The references that led here. */
  readonly seen: ReadonlySet<string>
  /** Whether its default is sent. */
  readonly sent: boolean
  /** Whether it speaks of the whole value, which may be left out. */
  readonly isWhole: boolean
}

/** A schema with every reference written out. Without `use`, it is that of an answer. */
export const inlineSchema = (document: JsonObject, value: Json | undefined, use?: SchemaUse): InlineSchema => {
  const sendsWhole = use?.sendsDefault ?? true
  // OpenAPI 3.0 ignores what stands beside a reference.
  const hasBeside = !/^3(?:\.0|$)/.test(versionOf(document["openapi"]))
  // What only answers hold is not needed in an input, and the other way round.
  const elsewhere = use === undefined ? "writeOnly" : "readOnly"
  const cut = new Set<string>()
  let nodes = 0
  /** How many schemas were cut: such a schema allows everything. */
  let cuts = 0
  const cutOff = (why: string): JsonObject => {
    cut.add(why)
    cuts += 1
    return {}
  }

  const members = (schema: JsonObject, at: At): JsonObject => {
    const { isWhole, sent } = at
    const below = { ...at, depth: at.depth + 1 }
    const out: { [key: string]: Json } = {}
    const required = new Set(listOf(schema["required"]))
    // A field of what may be left out as a whole is not sent by itself.
    const sends = (name: string): boolean => use === undefined || (required.has(name) && (sendsWhole || !isWhole))
    for (const [key, member] of Object.entries(schema)) {
      if (dropped.has(key) || key.startsWith("x-")) continue
      if (key === "default" && !sent) {
        cut.add("left out a default, which the provider assumes by itself")
        continue
      }
      if (lists.has(key) && Array.isArray(member)) {
        const before = cuts
        const parts = member.map((each: Json) => inline(each, below))
        // Beside a part that allows everything, none could be the only one that fits.
        setMember(out, key === "oneOf" && cuts > before && schema["anyOf"] === undefined ? "anyOf" : key, parts)
      } else if (maps.has(key) && isObject(member))
        setMember(
          out,
          key,
          Object.fromEntries(
            Object.entries(member).map(([name, each]) => [
              name,
              inline(each, { ...below, sent: sends(name), isWhole: false })
            ])
          )
        )
      else if (singles.has(key) && isObject(member))
        setMember(out, key, inline(member, { ...below, sent: false, isWhole: false }))
      else {
        const bound = boundOf(schema, key, member)
        if (bound !== undefined) setMember(out, key, bound)
      }
    }
    if (schema["default"] !== undefined && !sent) out["description"] = assumed(out["description"], schema["default"])
    // Some documents write `example: null` beside every schema.
    const { example } = schema
    const names = new Set(markedIn(out, elsewhere))
    const needing = names.size === 0 ? out : notNeeding(out, names)
    const whole = schema["nullable"] === true ? orNull(needing) : needing
    return example !== undefined && whole["examples"] === undefined && allowsType(whole, example)
      ? { ...whole, examples: [example] }
      : whole
  }

  const inline = (schema: Json, at: At): JsonObject => {
    nodes += 1
    if (at.depth > depthMax || nodes > nodesMax) return cutOff("cut a schema that is too deep or too large")
    if (!isObject(schema)) return {}
    const { $ref: reference, $defs: _defs, ...beside } = schema
    if (typeof reference !== "string") return members(schema, at)
    if (at.seen.has(reference)) return cutOff("cut a schema that contains itself")
    const target = pointedTo(document, reference)
    if (target === undefined) return cutOff("cut a reference that leads out of the document or nowhere")
    const found = inline(target, { ...at, seen: new Set([...at.seen, reference]) })
    if (!hasBeside || Object.keys(beside).length === 0) return found
    const { description } = found
    return withBeside(found, members(description === undefined ? beside : { description, ...beside }, at))
  }

  const whole: At = { depth: 0, seen: new Set(), sent: sendsWhole, isWhole: true }
  return { schema: inline(value ?? {}, whole), cut: Array.from(cut) }
}

/** What the manifest of an operation says about its input: its fields, where each is sent, examples and defaults. */
import { isObject, type Json, type JsonObject } from "./Json.js"
import type { Operation } from "./Manifest.js"
import { takesFields } from "./manifest/Request.js"
import { member } from "./Members.js"
import type { SentIn } from "./OperationContract.js"

const requiredOf = ({ required }: JsonObject): ReadonlyArray<string> =>
  Array.isArray(required) ? required.filter((field: Json) => typeof field === "string") : []
export const requiredFields = ({ input }: Pick<Operation, "input">): ReadonlyArray<string> => requiredOf(input)

/** A schema with more choices than this is only partly shown. */
const setsMax = 24
const schemasIn = (list: Json | undefined): ReadonlyArray<JsonObject> =>
  Array.isArray(list) ? list.filter(isObject) : []

/**
 * The sets of fields of which an input needs one as a whole: `required`, with one choice of each `anyOf` and `oneOf`
 * that names fields in every choice, also below `allOf`. A schema without choices has one set.
 */
export const neededSets = (schema: JsonObject): ReadonlyArray<ReadonlyArray<string>> => {
  const choices = [schema["anyOf"], schema["oneOf"]]
    .map((list) => schemasIn(list).map(requiredOf))
    .filter((sets) => sets.length > 0 && sets.every((set) => set.length > 0))
  const parts = [...choices, ...schemasIn(schema["allOf"]).map(neededSets)]
  return parts.reduce<ReadonlyArray<ReadonlyArray<string>>>(
    (sets, part) => sets.flatMap((set) => part.map((more) => Array.from(new Set([...set, ...more])))).slice(0, setsMax),
    [requiredOf(schema)]
  )
}

/**
 * The fields that an input with the given ones still needs. Of several sets it is one that the shown example fills, so
 * that both speak of the same fields; else the one that lacks least.
 */
export const fieldsStillNeeded = (
  schema: JsonObject,
  given: ReadonlyArray<string>,
  shown: JsonObject = {}
): ReadonlyArray<string> => {
  const sets = neededSets(schema).map((set) => ({
    isShown: set.every((field) => member(shown, field) !== undefined),
    lacking: set.filter((field) => !given.includes(field))
  }))
  const [best] = sets.toSorted((a, b) => Number(b.isShown) - Number(a.isShown) || a.lacking.length - b.lacking.length)
  return best?.lacking ?? []
}
export const inputFields = (operation: Pick<Operation, "input">): ReadonlyArray<readonly [string, JsonObject]> => {
  const properties = operation.input["properties"]
  return isObject(properties)
    ? Object.entries(properties).map(([name, schema]) => [name, isObject(schema) ? schema : {}])
    : []
}

/** The fields that a schema names, also those below its choices. */
export const namesIn = (schema: JsonObject): ReadonlyArray<string> => {
  const { properties } = schema
  const choices = ["allOf", "anyOf", "oneOf"].flatMap((keyword) => schemasIn(member(schema, keyword)))
  return [...(isObject(properties) ? Object.keys(properties) : []), ...choices.flatMap(namesIn)]
}

/** Whether a key of an input is one that the manifest declares: only of others is it unknown what they do. */
export const isKnown = ({
  bindings,
  extras = [],
  input,
  path
}: Pick<Operation, "bindings" | "extras" | "input" | "path">): ((name: string) => boolean) => {
  const names = new Set([...namesIn(input), ...Object.keys(bindings), ...extras])
  return (name) => names.has(name) || path.includes(`{${name}}`)
}

const bodies: ReadonlySet<string> = new Set(["json", "form", "multipart"])

/**
 * Where one input field goes: to its binding, or without one into the path, the query of a GET or the body, under its
 * own name.
 */
export const bindingOf = (
  operation: Pick<Operation, "bindings" | "body" | "method" | "path">,
  field: string
): { readonly in: typeof SentIn.Type; readonly name: string } => {
  const { body } = operation
  const isBody =
    body !== undefined &&
    (body.as === "xml" ? body.template.includes(`{${field}}`) : "field" in body && body.field === field)
  if (isBody) return { in: "body", name: field }
  const bound = member(operation.bindings, field)
  if (bound !== undefined) return { in: bound.in, name: bound.name }
  if (operation.path.includes(`{${field}}`)) return { in: "path", name: field }
  if (operation.method === "GET" || !takesFields(body)) return { in: "query", name: field }
  return { in: Object.values(operation.bindings).find((each) => bodies.has(each.in))?.in ?? "json", name: field }
}

const exampleOf = (schema: JsonObject): Json => {
  const { const: fixed, default: preset, enum: choices, examples, type } = schema
  if (fixed !== undefined) return fixed
  if (Array.isArray(examples) && examples[0] !== undefined) return examples[0]
  if (preset !== undefined) return preset
  if (Array.isArray(choices) && choices[0] !== undefined) return choices[0]
  const kind = Array.isArray(type) ? type[0] : type
  if (kind === "integer" || kind === "number") return typeof schema["minimum"] === "number" ? schema["minimum"] : 1
  if (kind === "boolean") return true
  if (kind === "array") return isObject(schema["items"]) ? [exampleOf(schema["items"])] : []
  return kind === "object" ? {} : "text"
}

/**
 * The documented hit sample where there is one, with the required fields that it leaves to their defaults; else each
 * required field by its own example.
 */
export const exampleInput = (operation: Operation): JsonObject => {
  const sample = Object.values(operation.samples).find((each) => each.outcome === "hit")
  const schemas = new Map(inputFields(operation))
  const required = requiredFields(operation).map((field) => [field, schemas.get(field) ?? {}] as const)
  if (sample === undefined) return Object.fromEntries(required.map(([field, schema]) => [field, exampleOf(schema)]))
  const presets = required.flatMap(([field, { default: preset }]) => (preset === undefined ? [] : [[field, preset]]))
  return { ...Object.fromEntries(presets), ...sample.input }
}

/** An input as a run prices it: the defaults of the schema filled in, at every depth that the input has. */
export const withDefaults = (schema: JsonObject, input: JsonObject): JsonObject => {
  const properties = schema["properties"]
  if (!isObject(properties)) return input
  const filled = new Map(Object.entries(input))
  for (const [name, property] of Object.entries(properties)) {
    if (!isObject(property)) continue
    const given = filled.get(name)
    const preset = property["default"]
    if (given === undefined && preset !== undefined) filled.set(name, preset)
    else if (isObject(given)) filled.set(name, withDefaults(property, given))
  }
  return Object.fromEntries(filled)
}

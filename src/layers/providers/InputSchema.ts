/**
 * The check of an input against an operation's JSON Schema (2020-12) and its largest volume, with sentences that say
 * what would be right. A missing field is told apart, because a job then asks for it. Defaults of the schema are filled
 * in.
 */
import { Either } from "effect"
import { isObject, type Json, type JsonObject } from "../../domain/Json.js"
import { withNumbers } from "../../domain/LosslessJson.js"
import type { Endpoint, Operation } from "../../domain/Manifest.js"
import { member } from "../../domain/Members.js"
import { volumeExcess, volumeShortfall } from "../../domain/Pricing.js"
import type { InputProblem, PreparedInput } from "../../services/Providers.js"
import { memoByVersion } from "./MemoByVersion.js"
import { textsOf } from "./schemas/Assertions.js"
import type { OpenObject, Problem } from "./schemas/Checking.js"
import { checkFor, copied } from "./schemas/Schema.js"
import { checkVocabulary } from "./SchemaVocabulary.js"

export interface InputSchema {
  readonly check: (input: JsonObject) => PreparedInput
  /** The names of the schema's properties. */
  readonly properties: ReadonlySet<string>
  readonly required: ReadonlySet<string>
}

type Missing = Extract<InputProblem, { readonly _tag: "Missing" }>

/** The fields missing from the choice that lacks the fewest. The last of them also names the other choices. */
const lackingOfChoices = (
  choices: ReadonlyArray<ReadonlyArray<string>>,
  given: (field: string) => boolean
): ReadonlyArray<Missing> => {
  const [least = [], ...others] = choices
    .map((fields) => fields.filter((field) => !given(field)))
    .sort((a, b) => a.length - b.length)
  return least.map((field, at): Missing => ({
    _tag: "Missing",
    field,
    ...(at === least.length - 1 && others.length > 0 ? { instead: others } : {})
  }))
}

/**
 * What a schema requires (`required`, or `anyOf` and `oneOf` with `required` in each choice, also below `allOf`) and
 * the input does not have.
 */
const lacking = (schema: JsonObject, input: JsonObject): ReadonlyArray<Missing> => {
  const given = (field: string): boolean => member(input, field) !== undefined
  const ofChoices = [schema["anyOf"], schema["oneOf"]].flatMap((choices) => {
    if (!Array.isArray(choices)) return []
    const needs: ReadonlyArray<ReadonlyArray<string>> = choices.map((choice: Json) =>
      isObject(choice) ? textsOf(choice["required"]) : []
    )
    return needs.some((fields) => fields.length === 0) ? [] : lackingOfChoices(needs, given)
  })
  const all = schema["allOf"]
  const below = Array.isArray(all) ? all.flatMap((each: Json) => (isObject(each) ? lacking(each, input) : [])) : []
  return [...lackingOfChoices([textsOf(schema["required"])], given), ...ofChoices, ...below]
}

/** The fields that an input needs, in words: `name (or first_name and last_name)`. */
export const fieldsNeeded = (schema: JsonObject): ReadonlyArray<string> =>
  lacking(schema, {}).map(({ field, instead = [] }) =>
    instead.length === 0 ? field : `${field} (or ${instead.map((fields) => fields.join(" and ")).join(", or ")})`
  )

const volumeProblem = (operation: Operation, input: JsonObject): InputProblem | undefined => {
  const excess = volumeExcess(operation, input)
  if (excess === null) {
    const shortfall = volumeShortfall(operation, input)
    return shortfall === null
      ? undefined
      : { _tag: "Invalid", field: shortfall.field, message: `must be at least ${shortfall.min}` }
  }
  return {
    _tag: "Invalid",
    field: excess.field,
    message: excess.isList ? `must have at most ${excess.max} items` : `must be at most ${excess.max}`
  }
}

const isDefaultedWithin = (value: Json | undefined): boolean =>
  Array.isArray(value)
    ? value.some(isDefaultedWithin)
    : isObject(value) && Object.entries(value).some(([name, inner]) => name === "default" || isDefaultedWithin(inner))

/**
 * Whether a default may be filled in below the input's own members: those are shared with the request, and with the
 * other providers of a job.
 */
const isDefaultedBelow = (schema: JsonObject): boolean => {
  const { properties, ...others } = schema
  const own = isObject(properties) ? Object.values(properties) : []
  return (
    isDefaultedWithin(others) ||
    own.some(
      (property) =>
        isObject(property) &&
        Object.entries(property).some(([name, inner]) => name !== "default" && isDefaultedWithin(inner))
    )
  )
}

/** The same for a value below the input, where choices are left; empty where its schema has none. */
const lackingAt = (
  schema: Json | undefined,
  value: Json | undefined,
  [step, ...rest]: Problem["path"]
): ReadonlyArray<Missing> => {
  if (!isObject(schema) || value === undefined) return []
  if (step === undefined) {
    const missing = isObject(value) ? lacking(schema, value) : []
    return missing.some(({ instead }) => instead !== undefined) ? missing : []
  }
  if (Array.isArray(value)) return lackingAt(schema["items"], value[Number(step)], rest)
  const { properties } = schema
  return isObject(value) && isObject(properties)
    ? lackingAt(member(properties, String(step)), member(value, String(step)), rest)
    : []
}

const placedAt = (path: Problem["path"], { field, instead }: Missing): Missing => {
  const placed = (name: string) => [...path, name].join(".")
  return {
    _tag: "Missing",
    field: placed(field),
    ...(instead === undefined ? {} : { instead: instead.map((fields) => fields.map(placed)) })
  }
}

/** The sentence about a problem with a field; the field stands in front of it. */
const problemOf = ({ kind, message, path }: Problem): InputProblem => {
  const field = path.join(".")
  switch (kind) {
    case "missing":
      return { _tag: "Missing", field: field === "" ? message : `${field}.${message}` }
    case "invalid":
      return { _tag: "Invalid", field: field === "" ? "input" : field, message }
    case "spent":
      return {
        _tag: "Invalid",
        field: path.length === 0 ? "input" : String(path[0]),
        message: "takes more work to check than one input may: send fewer items or shorter texts"
      }
  }
}

/** Left: why the schema itself cannot be used. */
export const compileInputSchema = (operation: Operation): Either.Either<InputSchema, string> => {
  const schema = operation.input
  const [unusable] = checkVocabulary(schema, "values").problems
  if (unusable !== undefined) return Either.left(`${unusable.path} ${unusable.message}`)
  const validate = checkFor(schema)
  const copies = isDefaultedBelow(schema)
  const check = (input: JsonObject): PreparedInput => {
    const missing = lacking(schema, input)
    const own = copies ? copied(input) : input
    const candidate: OpenObject = isObject(own) ? { ...own } : {}
    // Defaults may still fill a required field, so the schema decides what is missing.
    const problem = validate(candidate)
    if (problem !== null) {
      if (problem.kind !== "spent" && missing.length > 0) return { _tag: "Rejected", problems: missing }
      const below = problem.kind === "missing" ? lackingAt(schema, candidate, problem.path) : []
      return {
        _tag: "Rejected",
        problems: below.length > 0 ? below.map((each) => placedAt(problem.path, each)) : [problemOf(problem)]
      }
    }
    const plain = withNumbers(candidate)
    const outside = isObject(plain) ? volumeProblem(operation, plain) : undefined
    return outside === undefined ? { _tag: "Accepted", input: candidate } : { _tag: "Rejected", problems: [outside] }
  }
  const properties = schema["properties"]
  return Either.right({
    check,
    required: new Set(textsOf(schema["required"])),
    properties: new Set(isObject(properties) ? Object.keys(properties) : [])
  })
}

export const inputSchemaFor: (endpoint: Endpoint) => Either.Either<InputSchema, string> = memoByVersion(
  ({ operation }) => compileInputSchema(operation)
)

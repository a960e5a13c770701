/**
 * The check of an input against an operation's JSON Schema (2020-12) and its largest volume, with sentences that say
 * what would be right. A missing field is told apart, because a job then asks for it. Defaults of the schema are filled
 * in.
 */
import { fullFormats } from "ajv-formats/dist/formats.js"
import { _, type ErrorObject, type Format } from "ajv"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Either } from "effect"
import { canonical, isObject, type Json, type JsonObject } from "../../domain/Json.js"
import { formatCharsMax } from "../../domain/Limits.js"
import { withExact, withNumbers } from "../../domain/LosslessJson.js"
import type { Endpoint, Operation } from "../../domain/Manifest.js"
import { member } from "../../domain/Members.js"
import { volumeExcess, volumeShortfall } from "../../domain/Pricing.js"
import type { InputProblem, PreparedInput } from "../../services/Providers.js"
import { linearPattern, refillPatternWork } from "./LinearPatterns.js"
import { memoByVersion } from "./MemoByVersion.js"
import { checkVocabulary } from "./SchemaVocabulary.js"

export interface InputSchema {
  readonly check: (input: JsonObject) => PreparedInput
  /** The names of the schema's properties. */
  readonly properties: ReadonlySet<string>
  readonly required: ReadonlySet<string>
}

/**
 * The library uses this engine for `pattern` and `patternProperties`. A pattern that the engine does not support was
 * refused before.
 */
const regExp = Object.assign(
  (pattern: string) => ({
    ...Either.getOrElse(linearPattern(pattern), () => ({ test: () => false })),
    // The library keeps compiled patterns by this name.
    toString: () => pattern
  }),
  { code: "linearPattern" }
)

const ajv = new Ajv2020({
  allErrors: false,
  strict: false,
  useDefaults: true,
  ownProperties: true,
  addUsedSchema: false,
  validateFormats: true,
  // It would write a line to standard error for each format that it does not know.
  logger: false,
  code: { regExp }
})

/** Texts of any length and kind, which mean nothing to a check. */
const freeFormats: ReadonlySet<string> = new Set(["binary", "byte", "password"])

/** How a format of the library looks at a text; undefined for formats of numbers. */
const looking = (format: unknown): ((text: string) => boolean) | undefined => {
  if (format instanceof RegExp) return (text) => format.test(text)
  if (typeof format === "function") return (text) => Reflect.apply(format, undefined, [text]) === true
  return typeof format === "object" && format !== null && "validate" in format && !("type" in format)
    ? looking(format.validate)
    : undefined
}

for (const [name, format] of Object.entries<Format>(fullFormats)) {
  const looks = looking(format)
  // Some of the library's formats take time in the square of the length.
  ajv.addFormat(
    name,
    freeFormats.has(name)
      ? true
      : looks === undefined
        ? format
        : (text: string) => text.length <= formatCharsMax && looks(text)
  )
}

// The library would compare each item with every other one.
ajv.removeKeyword("uniqueItems").addKeyword({
  keyword: "uniqueItems",
  type: "array",
  schemaType: "boolean",
  error: { message: "must not have the same item twice" },
  validate: (wanted: boolean, items: ReadonlyArray<Json>) =>
    !wanted || new Set(items.map(canonical)).size === items.length
})

// The library would compare each value with every allowed one. The key of a text is the text, so that it is not copied.
const keyOf = (value: Json): string => (typeof value === "string" ? `"${value}` : canonical(value))
ajv.removeKeyword("enum").addKeyword({
  keyword: "enum",
  schemaType: "array",
  error: {
    message: "must be equal to one of the allowed values",
    params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}`
  },
  compile: (allowed: ReadonlyArray<Json>) => {
    const keys = new Set(allowed.map(keyOf))
    return (value: Json) => keys.has(keyOf(value))
  }
})

const strings = (value: Json | undefined): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item: Json): item is string => typeof item === "string") : []

/** `/people/0/name` becomes `people.0.name`. */
const fieldOf = (error: ErrorObject): string =>
  error.instancePath.slice(1).replaceAll("/", ".").replaceAll("~1", "/").replaceAll("~0", "~")

const types: { readonly [type: string]: string } = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null"
}

const sentence = (error: ErrorObject): string => {
  const params: { readonly [name: string]: unknown } = error.params
  const limit = String(params["limit"])
  switch (error.keyword) {
    case "type": {
      const wanted = Array.isArray(params["type"]) ? params["type"].map(String) : String(params["type"]).split(",")
      return `must be ${wanted.map((type) => member(types, type) ?? type).join(" or ")}`
    }
    case "enum":
      return `must be one of: ${Array.isArray(params["allowedValues"]) ? params["allowedValues"].map((value) => JSON.stringify(value)).join(", ") : ""}`
    case "const":
      return `must be ${JSON.stringify(params["allowedValue"])}`
    case "minimum":
      return `must be at least ${limit}`
    case "maximum":
      return `must be at most ${limit}`
    case "exclusiveMinimum":
      return `must be more than ${limit}`
    case "exclusiveMaximum":
      return `must be less than ${limit}`
    case "minLength":
      return limit === "1" ? "must not be empty" : `must have at least ${limit} characters`
    case "maxLength":
      return `must have at most ${limit} characters`
    case "minItems":
      return `must have at least ${limit} items`
    case "maxItems":
      return `must have at most ${limit} items`
    case "pattern":
      return `must match the pattern ${String(params["pattern"])}`
    case "format":
      return `must be a valid ${String(params["format"])}`
    case "additionalProperties":
      return `must not have the field ${String(params["additionalProperty"])}`
    default:
      return error.message ?? "does not fit this operation"
  }
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
      isObject(choice) ? strings(choice["required"]) : []
    )
    return needs.some((fields) => fields.length === 0) ? [] : lackingOfChoices(needs, given)
  })
  const all = schema["allOf"]
  const below = Array.isArray(all) ? all.flatMap((each: Json) => (isObject(each) ? lacking(each, input) : [])) : []
  return [...lackingOfChoices([strings(schema["required"])], given), ...ofChoices, ...below]
}

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

const exactly = (candidate: JsonObject, input: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(candidate).map(([name, value]) => [name, withExact(value, member(input, name))]))

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

const copied = (value: Json): Json =>
  Array.isArray(value)
    ? value.map(copied)
    : isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copied(inner)]))
      : value

/** Left: why the schema itself cannot be used. */
export const compileInputSchema = (operation: Operation): Either.Either<InputSchema, string> => {
  const schema = operation.input
  const [problem] = checkVocabulary(schema).problems
  if (problem !== undefined) return Either.left(`${problem.path} ${problem.message}`)
  return Either.map(
    Either.try({
      try: () => {
        const validate = ajv.compile<JsonObject>(schema)
        // The compiled function stays usable. The library's own cache would keep every schema of every revision for
        // ever.
        ajv.removeSchema(schema)
        return validate
      },
      catch: (error) => (error instanceof Error ? error.message : String(error))
    }),
    (validate): InputSchema => {
      const required = strings(schema["required"])
      const copies = isDefaultedBelow(schema)
      const check = (input: JsonObject): PreparedInput => {
        const missing = lacking(schema, input)
        // The schema checks plain numbers; the request keeps every digit.
        const plain = withNumbers(input)
        const own = copies ? copied(plain) : plain
        const candidate: { [name: string]: Json } = isObject(own) ? { ...own } : {}
        // Defaults may still fill a required field, so the schema decides what is missing.
        refillPatternWork()
        const valid = validate(candidate)
        const [error] = validate.errors ?? []
        if (!valid && missing.length > 0) return { _tag: "Rejected", problems: missing }
        if (!valid && error !== undefined) {
          const field = fieldOf(error)
          const lacks = error.keyword === "required" ? String(error.params["missingProperty"]) : undefined
          const problem: InputProblem =
            lacks !== undefined
              ? { _tag: "Missing", field: field === "" ? lacks : `${field}.${lacks}` }
              : { _tag: "Invalid", field: field === "" ? "input" : field, message: sentence(error) }
          return { _tag: "Rejected", problems: [problem] }
        }
        const outside = volumeProblem(operation, candidate)
        return outside === undefined
          ? { _tag: "Accepted", input: plain === input ? candidate : exactly(candidate, input) }
          : { _tag: "Rejected", problems: [outside] }
      }
      const properties = schema["properties"]
      return {
        check,
        required: new Set(required),
        properties: new Set(isObject(properties) ? Object.keys(properties) : [])
      }
    }
  )
}

export const inputSchemaFor: (endpoint: Endpoint) => Either.Either<InputSchema, string> = memoByVersion(
  ({ operation }) => compileInputSchema(operation)
)

/**
 * Query parameters that several routes share, with their own texts for what is wrong with them. Every text is bounded
 * and free of control characters.
 */
import { Option, ParseResult, Schema, SchemaAST } from "effect"
import { exampleId, field } from "../domain/Described.js"
import { instantExpected, readInstant } from "../domain/Instant.js"
import { cursorCharsMax, pageRowsDefault, pageRowsMax } from "../domain/limits/Lists.js"
import { pathParameterCharsMax } from "../domain/limits/Requests.js"
import { time } from "./Fields.js"

/** A schema for one query parameter: reads text, refuses with `expected`, and is documented by `jsonSchema`. */
export const parameter = <A, I>(
  type: Schema.Schema<A, I>,
  options: {
    readonly expected: string
    readonly read: (raw: string) => A | undefined
    /** How the document writes an example, where that is not its text. */
    readonly write?: (value: A) => string
    readonly jsonSchema: object
  }
): Schema.Schema<A, string> =>
  Schema.transformOrFail(
    Schema.String.annotations({
      jsonSchema: options.jsonSchema,
      message: () => ({ message: `${options.expected}, given once`, override: true })
    }),
    Schema.typeSchema(type),
    {
      strict: true,
      decode: (raw, _, ast) => {
        const value = options.read(raw)
        return value === undefined
          ? ParseResult.fail(new ParseResult.Type(ast, raw, options.expected))
          : ParseResult.succeed(value)
      },
      encode: (value) => ParseResult.succeed(options.write?.(value) ?? String(value))
    }
  )

const digits = /^[0-9]+$/

/**
 * A whole number in a range; anything else is refused, not clamped. Without a maximum, what is beyond all amounts
 * counts as the largest.
 */
export const intParam = (minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): Schema.Schema<number, string> =>
  parameter(Schema.Int, {
    expected:
      maximum === Number.MAX_SAFE_INTEGER
        ? `must be a whole number of at least ${minimum}`
        : `must be a whole number from ${minimum} to ${maximum}`,
    read: (raw) => {
      if (!digits.test(raw)) return undefined
      const value = Math.min(Number(raw), Number.MAX_SAFE_INTEGER)
      return value >= minimum && value <= maximum ? value : undefined
    },
    jsonSchema: { type: "integer", minimum, ...(maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum }) }
  })

/** Also as Python writes it. */
export const readBoolean = (raw: string): boolean | undefined =>
  raw === "true" || raw === "True" ? true : raw === "false" || raw === "False" ? false : undefined

export const booleanParam: Schema.Schema<boolean, string> = parameter(Schema.Boolean, {
  expected: "must be true or false",
  read: readBoolean,
  jsonSchema: { type: "boolean" }
})

// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const control = /[\u0000-\u001f\u007f]/

export const textParam = (charsMax: number): Schema.Schema<string, string> =>
  parameter(Schema.String, {
    expected: `must have 1 to ${charsMax} characters, none of them control characters`,
    read: (raw) => (raw !== "" && raw.length <= charsMax && !control.test(raw) ? raw : undefined),
    jsonSchema: { type: "string", minLength: 1, maxLength: charsMax }
  })

/**
 * An id of one kind. What can be no such id is refused: an empty list would say that the thing is there, and has
 * nothing.
 */
export const idParam = <A extends string>(
  schema: Schema.Schema<A, string>,
  expected: string
): Schema.Schema<A, string> => {
  const read = Schema.decodeOption(schema)
  return parameter(Schema.typeSchema(schema), {
    expected,
    read: (raw) => Option.getOrUndefined(read(raw)),
    jsonSchema: { type: "string", ...Option.getOrUndefined(SchemaAST.getJSONSchemaAnnotation(schema.ast)) }
  })
}

export const choiceParam = <const Choices extends ReadonlyArray<string>>(
  ...choices: Choices
): Schema.Schema<Choices[number], string> => choiceParamIn((choice) => choice, ...choices)

/** The same, refused in the words in which a page offers the choices. */
export const choiceParamIn = <const Choices extends ReadonlyArray<string>>(
  wordOf: (choice: Choices[number]) => string,
  ...choices: Choices
): Schema.Schema<Choices[number], string> =>
  parameter<Choices[number], Choices[number]>(Schema.Literal(...choices), {
    expected: `must be one of ${choices.map(wordOf).join(", ")}`,
    read: (raw) => choices.find((choice) => choice === raw),
    jsonSchema: { type: "string", enum: choices }
  })

/** An instant in ISO 8601, as milliseconds since the epoch. */
export const instantParam: Schema.Schema<number, string> = parameter(Schema.Int, {
  expected: instantExpected,
  // A plus sign in a query that is not written as %2B arrives as a blank, which a time has nowhere.
  read: (raw) => readInstant(raw.replace(/ (?=\d\d:?\d\d$)/, "+")),
  write: time,
  jsonSchema: { type: "string", format: "date-time" }
})

export const optionalParam = <A>(schema: Schema.Schema<A, string>) => Schema.optionalWith(schema, { exact: true })

const exampleCursor = "ZXhhbXBsZQ.q7Yd1mW2xR0uT5vB8nK3pA"
const cursorMeaning = "Where the page begins: nextCursor of the page before, with the same filters"

/**
 * A cursor in any form, for a list with an error of its own for what is not one of its cursors. One that is given twice
 * is none.
 */
export const anyCursorParam: Schema.Schema<string, string | ReadonlyArray<string>> = field(
  Schema.transform(
    Schema.Union(Schema.String, Schema.Array(Schema.String)).annotations({
      jsonSchema: { type: "string", minLength: 1, maxLength: cursorCharsMax }
    }),
    Schema.String,
    { strict: true, decode: (raw) => (typeof raw === "string" ? raw : ""), encode: (cursor) => cursor }
  ),
  cursorMeaning,
  exampleCursor
)

/** A parameter that has a value when it is left out. */
export const paramOr = <A>(
  schema: Schema.Schema<A, string>,
  value: NoInfer<A>,
  description: string,
  example: NoInfer<A> = value
) =>
  Schema.optionalWith(schema, { exact: true, default: () => value }).annotations({ description, examples: [example] })

export const limitParam = (maximum: number, value: number) => paramOr(intParam(1, maximum), value, "Rows of a page")

export const cursorParam = (charsMax: number) => optionalParam(field(textParam(charsMax), cursorMeaning, exampleCursor))

/** `limit` and `cursor` of the lists that are newest first. */
export const pageParams = { limit: limitParam(pageRowsMax, pageRowsDefault), cursor: cursorParam(cursorCharsMax) }

/** The bounds of a list's time. */
export const timeParams = {
  from: optionalParam(field(instantParam, "Only what was made at this time or later", Date.UTC(2026, 5, 1))),
  to: optionalParam(field(instantParam, "Only what was made before this time", Date.UTC(2026, 6, 1)))
}

/** The bounds of a list's time, as services take them. */
export const spanOf = ({ from, to }: { readonly from?: number; readonly to?: number }) => ({
  ...(from === undefined ? {} : { fromMillis: from }),
  ...(to === undefined ? {} : { toMillis: to })
})

/** The id of a path, as the document shows it: the handler looks at it. */
export const pathId = (what: string, prefix: string) =>
  field(
    Schema.String.annotations({
      jsonSchema: { type: "string", minLength: 1, maxLength: pathParameterCharsMax }
    }),
    `The ${what}'s id; it begins with ${prefix}_`,
    exampleId(prefix)
  )

/** The ETag of an answer, for examples. */
export const exampleEtag = '"b7c1f0a29d3e4f56"'

/** A header that may be left out, as the document shows it: the handler looks at it. */
export const headerParam = (description: string, example: string, limits: object = {}) =>
  Schema.optionalWith(
    field(Schema.String.annotations({ jsonSchema: { type: "string", ...limits } }), description, example),
    { exact: true }
  )

/** All problems of a query are told at once. */
export const query = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct(fields).annotations({ parseOptions: { errors: "all" } })

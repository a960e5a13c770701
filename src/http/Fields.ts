/**
 * Schemas of fields that several bodies share. Each has an error message of its own, because the message that a schema
 * makes by itself repeats what the client sent.
 */
import { Option, ParseResult, Schema } from "effect"
import { directionSigns, notOnOneLine } from "../domain/Characters.js"
import { field, optional } from "../domain/Described.js"
import { instantExpected, readInstant } from "../domain/Instant.js"
import { labelCharsMax } from "../domain/limits/Access.js"
import { fieldUsdMax } from "../domain/limits/Workspaces.js"
import { fromUsd, Micros, microsPerUsd, paidFromUsd, toUsd } from "../domain/Micros.js"

export const says = (text: string) => ({ message: () => ({ message: text, override: true }) })

export { exampleId, exampleTime, field, flag, optional, text, textOrNull } from "../domain/Described.js"

/** A field of a request body that must be there, as the document explains it. What is said of a wrong value stays. */
export const asked = <A, I>(schema: Schema.Schema<A, I>, description: string, example: NoInfer<A>) =>
  Schema.propertySignature(schema).annotations({ description, examples: [example] })

/** The same of a field that may be left out. */
export const askedMaybe = <A, I>(schema: Schema.Schema<A, I>, description: string, example: NoInfer<A>) =>
  optional(schema).annotations({ description, examples: [example] })

/** The cursor of a list's answer. */
export const NextCursor = field(
  Schema.NullOr(Schema.String),
  "The cursor of the next page; null on the last page",
  null
)

const smallestUsd = (1 / microsPerUsd).toFixed(6)

const usdInput = (read: (usd: number) => Option.Option<Micros>): Schema.Schema<Micros, number> =>
  Schema.transformOrFail(
    Schema.JsonNumber.pipe(
      Schema.between(0, fieldUsdMax),
      Schema.annotations(says(`must be a number of dollars from 0 to ${fieldUsdMax}`))
    ),
    Schema.typeSchema(Micros),
    {
      strict: true,
      decode: (usd, _, ast) =>
        Option.match(
          Option.filter(read(usd), (micros) => micros > 0 || usd === 0),
          {
            onNone: () =>
              ParseResult.fail(new ParseResult.Type(ast, usd, `must be 0, or at least ${smallestUsd} dollars`)),
            onSome: ParseResult.succeed
          }
        ),
      encode: (micros) => ParseResult.succeed(toUsd(micros))
    }
  )

/** An amount of dollars in a request, as micros. One that is less than a micro is refused: it is not nothing. */
export const UsdInput = usdInput(fromUsd)
/** The same of an amount that somebody pays. */
export const PaidUsdInput = usdInput(paidFromUsd)

/**
 * An amount of dollars with the bounds of one field in its words. One outside of them that is an amount of dollars
 * still comes through: what decides about it may have more to say.
 */
export const usdWithin = (
  input: Schema.Schema<Micros, number>,
  minimum: Micros,
  maximum: Micros,
  expected: string
): Schema.Schema<Micros, number> =>
  input.annotations({
    ...says(expected),
    jsonSchema: { type: "number", minimum: toUsd(minimum), maximum: toUsd(maximum) }
  })

/** A field with a `jsonSchema` of its own loses its other description, so the `jsonSchema` repeats it. */
const described = (description: string | undefined) => (description === undefined ? {} : { description })

/** What is said of a value that is no such line. */
export const lineExpected = (charsMax: number): string => `must be text of 1 to ${charsMax} printable characters`

/** Text that can be stored and printed on one line. */
export const line = (charsMax: number, description?: string, signsRefused = "") =>
  Schema.String.pipe(
    Schema.pattern(new RegExp(`^[^${notOnOneLine}${signsRefused}]{1,${charsMax}}$`, "u")),
    Schema.annotations({
      ...says(lineExpected(charsMax)),
      jsonSchema: { type: "string", minLength: 1, maxLength: charsMax, ...described(description) }
    })
  )

/** What people call something, and decide by. */
export const label = line(labelCharsMax, undefined, directionSigns)

/** An instant in an answer. */
export const Time = Schema.String.annotations({ jsonSchema: { type: "string", format: "date-time" } })
export const time = (millis: number): string => new Date(millis).toISOString()
export const timeOrNull = (millis: number | null): string | null => (millis === null ? null : time(millis))

/** An instant in a request, as milliseconds since the epoch. */
export const Instant: Schema.Schema<number, string> = Schema.transformOrFail(
  Schema.String.annotations({ ...says(instantExpected), jsonSchema: { type: "string", format: "date-time" } }),
  Schema.Int,
  {
    strict: true,
    decode: (raw, _, ast) => {
      const millis = readInstant(raw)
      return millis === undefined
        ? ParseResult.fail(new ParseResult.Type(ast, raw, instantExpected))
        : ParseResult.succeed(millis)
    },
    encode: (millis) => ParseResult.succeed(time(millis))
  }
)

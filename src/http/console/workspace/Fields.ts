/** Fields of forms that several pages have. An empty field of a form is sent as an empty text. */
import { Either, ParseResult, Schema } from "effect"
import { variablesTextCharsMax } from "../../../domain/limits/Access.js"
import { readVariables, VariableValues, variablesText } from "../../../domain/Manifest.js"
import { Micros, SignedMicros, toUsd, typedAmount, typedUsd } from "../../../domain/Micros.js"

/** Null where nothing was typed. */
export const blankOr = <A>(schema: Schema.Schema<A, string>): Schema.Schema<A | null, string> =>
  Schema.transformOrFail(Schema.String, Schema.NullOr(Schema.typeSchema(schema)), {
    strict: true,
    decode: (raw, options) =>
      raw.trim() === "" ? ParseResult.succeed(null) : ParseResult.decode(schema)(raw.trim(), options),
    encode: (value, options) => (value === null ? ParseResult.succeed("") : ParseResult.encode(schema)(value, options))
  })

const typedMoney = <A extends number>(
  amount: Schema.Schema<A>,
  read: (text: string) => Either.Either<A, string>
): Schema.Schema<A, string> =>
  Schema.transformOrFail(Schema.String, amount, {
    strict: true,
    decode: (raw, _, ast) =>
      Either.match(read(raw), {
        onLeft: (problem) => ParseResult.fail(new ParseResult.Type(ast, raw, problem)),
        onRight: ParseResult.succeed
      }),
    encode: (micros) => ParseResult.succeed(String(toUsd(micros)))
  })

/** Dollars as a person writes them: `20`, `12.50`, `$5`. */
export const usdParam: Schema.Schema<Micros, string> = typedMoney(Schema.typeSchema(Micros), typedAmount)
/** The same, also below zero. */
export const signedUsdParam: Schema.Schema<number, string> = typedMoney(Schema.typeSchema(SignedMicros), typedUsd)

/** `shop=acme region=eu`. */
export const variablesParam: Schema.Schema<VariableValues, string> = Schema.transformOrFail(
  Schema.String.pipe(Schema.maxLength(variablesTextCharsMax)),
  VariableValues,
  {
    strict: true,
    decode: (raw, _, ast) => {
      const values = readVariables(raw)
      return values === null
        ? ParseResult.fail(new ParseResult.Type(ast, raw, "must be name=value, several with spaces between them"))
        : ParseResult.succeed(values)
    },
    encode: (values) => ParseResult.succeed(variablesText(values))
  }
)

/** Several boxes under one name: none is an empty list. */
export const manyOf = <A, I extends string>(choice: Schema.Schema<A, I>) =>
  Schema.optionalWith(
    Schema.Union(
      Schema.Array(choice),
      Schema.transform(choice, Schema.Tuple(Schema.typeSchema(choice)), {
        strict: true,
        decode: (one) => [one] as const,
        encode: ([one]) => one
      })
    ),
    { exact: true, default: () => [] }
  )

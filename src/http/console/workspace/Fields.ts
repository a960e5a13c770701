/** Fields of forms that several pages have. An empty field of a form is sent as an empty text. */
import { Option, ParseResult, Schema } from "effect"
import { fieldUsdMax } from "../../../domain/Limits.js"
import { fromUsd, type Micros } from "../../../domain/Micros.js"
import { parameter } from "../../Query.js"
import * as Money from "../../../domain/Micros.js"

/** Null where nothing was typed. */
export const blankOr = <A>(schema: Schema.Schema<A, string>): Schema.Schema<A | null, string> =>
  Schema.transformOrFail(Schema.String, Schema.NullOr(Schema.typeSchema(schema)), {
    strict: true,
    decode: (raw, options) =>
      raw.trim() === "" ? ParseResult.succeed(null) : ParseResult.decode(schema)(raw.trim(), options),
    encode: (value, options) => (value === null ? ParseResult.succeed("") : ParseResult.encode(schema)(value, options))
  })

/** Dollars as a person writes them: `20`, `12.50`, `$5`. */
export const usdParam: Schema.Schema<Micros, string> = parameter(Money.Micros, {
  expected: `must be an amount of dollars from 0 to ${fieldUsdMax}, such as 12.50`,
  read: (raw) => {
    const text = raw.trim().replace(/^\$/, "")
    if (!/^\d{1,9}(?:\.\d{1,6})?$/.test(text) || Number(text) > fieldUsdMax) return undefined
    return Option.getOrUndefined(fromUsd(Number(text)))
  },
  jsonSchema: { type: "string" }
})

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

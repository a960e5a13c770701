/** The small pieces that the Schemas of a manifest are made of. */
import { Schema } from "effect"

export { optional } from "../Described.js"

export const Text = Schema.NonEmptyTrimmedString
export const withDefault = <A, I>(schema: Schema.Schema<A, I>, value: () => NoInfer<A>) =>
  Schema.optionalWith(schema, { default: value, exact: true })
/** A JMESPath expression. The catalog loader compiles it, and refuses one that does not parse. */
export const Expression = Text.annotations({ identifier: "Expression" })

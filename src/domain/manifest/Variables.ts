/** The parts of an address that a connection or a platform key gives, as a manifest declares them. */
import { Schema } from "effect"
import { variableCharsMax } from "../limits/Access.js"
import { optional, Text } from "./Fields.js"

/**
 * A value may have letters, digits, `-`, `_`, `.` and `~`, neither begins nor ends with a dot, and matches the whole
 * `pattern`. So it stays one step of a path, and in a host it adds nothing but labels.
 */
export const VariableValue = Schema.String.pipe(
  Schema.maxLength(variableCharsMax),
  Schema.pattern(/^[A-Za-z0-9_~-]+(\.[A-Za-z0-9_~-]+)*$/)
)

const Variable = Schema.Struct({
  pattern: Text,
  description: Text,
  /** The first one stands in for a customer's value when samples are replayed. */
  examples: Schema.NonEmptyArray(VariableValue),
  /** What a connection without this variable uses; without a default it must give one. */
  default: optional(VariableValue)
})
type Variable = typeof Variable.Type

/** By name. `{name}` stands for the value in `baseUrl`, in the paths of operations and in the address of tokens. */
export const Variables = Schema.Record({
  key: Schema.String.pipe(Schema.pattern(/^[a-z][A-Za-z0-9_]*$/)),
  value: Variable
})
export type Variables = typeof Variables.Type

/** What a connection or a platform key gives, by name. Not a secret, but shown to its owner only. */
export const VariableValues = Schema.Record({ key: Schema.String, value: Schema.String })
export type VariableValues = typeof VariableValues.Type

/** As people read and type them: `shop=acme region=eu`. */
export const variablesText = (values: VariableValues): string =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join(" ")

/**
 * Null for a text that is not of the form `name=value`, and for a name that stands twice: nobody knows which value is
 * meant. A value has no blanks, so blanks are between pairs.
 */
export const readVariables = (text: string): VariableValues | null => {
  const pairs = text.split(/\s+/).filter((pair) => pair !== "")
  const named = pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)] as const)
  const sound =
    pairs.every((pair) => pair.indexOf("=") > 0) && new Set(named.map(([name]) => name)).size === pairs.length
  return sound ? Object.fromEntries(named) : null
}

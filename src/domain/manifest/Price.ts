/** What a call costs, as a manifest says it. */
import { Schema } from "effect"
import { Micros } from "../Micros.js"
import { Expression, optional, Text, withDefault } from "./Fields.js"

export const PriceBasis = Schema.Literal("per_call", "per_result", "free")
export type PriceBasis = typeof PriceBasis.Type
/** `micros` is the price of one call or of one result; 0 goes with `free`. */
export const Price = Schema.Struct({
  basis: PriceBasis,
  micros: Micros,
  /** A fixed part charged once per call beside the price per result. */
  perCallMicros: withDefault(Micros, () => Micros.make(0)),
  /**
   * The most that one call can cost, for a cost that is read from the answer, when neither of the two bases says it. A
   * price by input needs it: an input that costs more is refused.
   */
  maxMicros: optional(Micros),
  /**
   * The micros of one call or of one result for an input, where options or sizes change them: JMESPath over `{ input
   * }`. `micros` is then the price of a usual input, for lists and orders. The result is rounded up.
   */
  byInput: optional(Expression),
  source: optional(Text)
})
export type Price = typeof Price.Type
/** A price whose `micros` hold for the input at hand: nothing of it is left to work out. */
export type InputPrice = Omit<Price, "byInput"> & { readonly byInput?: never }

const Count = Schema.Int.pipe(Schema.positive())
/**
 * The input field whose number (or array length) decides how many results a call can return, and so what it can cost.
 */
export const Volume = Schema.Struct({ field: Text, default: Count, max: Count })
export type Volume = typeof Volume.Type

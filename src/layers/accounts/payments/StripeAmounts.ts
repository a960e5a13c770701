/** Between micros and the cents in which Stripe counts US dollars. */
import { Option, Schema } from "effect"
import { Micros, microsPerCent } from "../../../domain/Micros.js"

/** None for an amount that is not a whole number of cents: Stripe could not take exactly it. */
export const toCents = (micros: Micros): Option.Option<number> =>
  micros % microsPerCent === 0 ? Option.some(micros / microsPerCent) : Option.none()

/** None for an amount that is no amount of money. */
export const fromCents = (cents: number): Option.Option<Micros> => Schema.decodeOption(Micros)(cents * microsPerCent)

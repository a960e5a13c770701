/**
 * Money: integers of micros (millionths of a US dollar), never fractions, never floats in between.
 * Dollars appear only where the contract shows them to a client, and only through `toUsd` and `fromUsd`.
 */
import { Either, type Option, Schema } from "effect"
import { madeQuickly } from "./Brands.js"
import { fieldUsdMax } from "./limits/Workspaces.js"

/** A non-negative amount of money in micros. */
export const Micros = madeQuickly(
  Schema.Int.pipe(
    Schema.between(0, Number.MAX_SAFE_INTEGER),
    Schema.brand("Micros"),
    Schema.annotations({ identifier: "Micros", description: "Money in millionths of a US dollar" })
  ),
  (amount: number) => Number.isSafeInteger(amount) && amount >= 0
)
export type Micros = typeof Micros.Type

/** An amount with a sign, as ledger entries carry it. */
export const SignedMicros = Schema.Int.pipe(
  Schema.between(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  Schema.annotations({ identifier: "SignedMicros", description: "Signed money in millionths of a US dollar" })
)

/** For people who write an amount in micros. */
export const microsMeant = "micros are millionths of a dollar, so $0.004 is 4000"

export const zero: Micros = Micros.make(0)
export const microsPerUsd = 1_000_000
export const microsPerCent = microsPerUsd / 100

/** Micros as the contract's dollar numbers: 1250000 becomes 1.25. */
export const toUsd = (amount: number): number => amount / microsPerUsd

/** Micros as people write dollars, for texts only: 1250000 is `$1.25`, 500 is `$0.0005`. */
export const dollars = (micros: number): string => {
  const whole = Math.abs(micros)
  const fraction = String(whole % microsPerUsd)
    .padStart(6, "0")
    .replace(/0{1,4}$/, "")
  return `${micros < 0 ? "-" : ""}$${Math.floor(whole / microsPerUsd)}.${fraction}`
}

/** How far off a micro an amount may be that was meant as that micro: sums of floats are, by some 64 last digits. */
const floatNoise = (micros: number): number => micros * 2 ** -46

/** Whole micros of dollars, and whether a part of a micro was left out. */
const wholeMicros = (usd: number): { readonly micros: number; readonly partLeft: boolean } => {
  const micros = usd * microsPerUsd
  const nearest = Math.round(micros)
  const isWhole = Math.abs(micros - nearest) <= floatNoise(micros)
  return { micros: isWhole ? nearest : Math.floor(micros), partLeft: !isWhole }
}
const decodeMicros = Schema.decodeOption(Micros)

/**
 * Dollars as a client's number, in whole micros. A part of a micro is left out, so that a cap is never put above what
 * the client said. None for anything that is not a finite, non-negative amount.
 */
export const fromUsd = (usd: number): Option.Option<Micros> => decodeMicros(wholeMicros(usd).micros)

/**
 * The same of an amount that somebody pays, which has to be whole cents. An amount with a part of a micro is none, so
 * it does not become whole cents here, and is refused like any other part of a cent.
 */
export const paidFromUsd = (usd: number): Option.Option<Micros> => {
  const { micros, partLeft } = wholeMicros(usd)
  return decodeMicros(partLeft && micros > 0 && micros % microsPerCent === 0 ? micros + 1 : micros)
}

/**
 * Dollars as a person types them, in a form, an option or a setting: `12.50`, `$5`, ` -20 `, with at most six decimals.
 * They become micros digit by digit: nothing is rounded, so what a person typed is what the ledger says. For anything
 * else, what it must be.
 */
export const typedUsd = (text: string): Either.Either<number, string> => {
  const parts = /^(-?)\$?(\d+)(?:\.(\d{1,6}))?$/.exec(text.trim())
  if (parts === null) return Either.left("must be dollars with at most six decimals, such as 12.50")
  const [, sign, whole = "", fraction = ""] = parts
  // Beyond that not every micro is an exact number.
  if (whole.replace(/^0+/, "").length > 9) return Either.left(`must be below ${10 ** 9} dollars`)
  const micros = Number(whole) * microsPerUsd + Number(fraction.padEnd(6, "0"))
  return Either.right(sign === "-" ? 0 - micros : micros)
}
/** The same of an amount that is not negative, and at most what a field takes. */
export const typedAmount = (text: string): Either.Either<Micros, string> =>
  Either.flatMap(typedUsd(text), (micros) => {
    if (micros < 0) return Either.left("must not be negative")
    return micros > fieldUsdMax * microsPerUsd
      ? Either.left(`must be at most ${fieldUsdMax} dollars`)
      : Either.right(Micros.make(micros))
  })

export const add = (a: Micros, b: Micros): Micros => Micros.make(a + b)
export const min = (a: Micros, b: Micros): Micros => (a <= b ? a : b)
/** A sum beyond exact integers stays at the largest exact integer, which no balance covers. */
export const sum = (amounts: Iterable<Micros>): Micros => {
  let total = 0
  for (const amount of amounts) total += amount
  return Micros.make(Math.min(total, Number.MAX_SAFE_INTEGER))
}
/** `a - b`, never below zero. */
export const minus = (a: Micros, b: Micros): Micros => Micros.make(Math.max(0, a - b))

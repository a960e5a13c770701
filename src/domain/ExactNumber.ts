/**
 * Numbers of JSON that a JavaScript number would change: integers beyond 2^53, decimals of more than 17 digits,
 * exponents without end. Such a number is kept and passed on as it was written. Code that calculates with it uses
 * `toNumber`, the nearest JavaScript number.
 */
import { bodyNumberCharsMax } from "./limits/Requests.js"

/**
 * A number in its normal form: its digits without leading and trailing zeros, times ten to the power of the exponent.
 */
interface Decimal {
  readonly negative: boolean
  readonly digits: string
  readonly exponent: string
}

const shape = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/
/** What a JavaScript number calculates exactly. */
const shortExponent = 15

const trimmedExponent = (written: string): string => written.replace(/^\+/, "").replace(/^(-?)0+(?=\d)/, "$1")

const withoutZerosAround = (digits: string): { readonly kept: string; readonly behind: number } => {
  let start = 0
  let end = digits.length
  while (start < end && digits.charCodeAt(start) === 0x30) start++
  while (end > start && digits.charCodeAt(end - 1) === 0x30) end--
  return { kept: digits.slice(start, end), behind: digits.length - end }
}

const decimalOf = (literal: string): Decimal => {
  const [, sign = "", whole = "", fraction = "", written = "0"] = shape.exec(literal) ?? []
  const { behind, kept } = withoutZerosAround(whole + fraction)
  if (kept === "") return { negative: false, digits: "0", exponent: "0" }
  const exponent = trimmedExponent(written)
  const negative = sign === "-"
  const moved = behind - fraction.length
  if (exponent.length <= shortExponent) return { negative, digits: kept, exponent: String(Number(exponent) + moved) }
  // No number of a client is longer. One of a provider may be, and nothing calculates with it: it is compared as it is
  // written, because to read an exponent of a million digits would hold up the node.
  return exponent.length <= bodyNumberCharsMax
    ? { negative, digits: kept, exponent: String(BigInt(exponent) + BigInt(moved)) }
    : { negative, digits: `${whole}.${fraction}`, exponent: written }
}

const same = (one: Decimal, other: Decimal): boolean =>
  one.negative === other.negative && one.digits === other.digits && one.exponent === other.exponent

const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Whether a text is a number as JSON writes it. JavaScript takes more for numbers: blanks for 0, `0x10` for 16. */
export const isNumberText = (text: string): boolean => jsonNumber.test(text)

const plainDigits = /^-?\d+$/

/** Whether a JavaScript number holds the literal's value and would be written with the same digits. */
export const fitsNumber = (literal: string): boolean => {
  // A JavaScript number always holds fifteen digits, so the length alone is enough. Nearly all numbers end here.
  if (literal.length < 16 && !literal.includes("e") && !literal.includes("E")) return true
  const number = Number(literal)
  const written = String(number)
  if (written === literal) return true
  // A whole number that is written with other digits is another one. 100000000000000000000000 would go out as 1e+23,
  // which readers of integers refuse or round.
  return Number.isFinite(number) && !plainDigits.test(literal) && same(decimalOf(literal), decimalOf(written))
}

export class ExactNumber {
  /** Counts how often `JSON.stringify` met an exact number. The writer notices by it that a value holds some. */
  static met = 0
  /** What the writer puts before the digits, to find them again. */
  static mark = ""
  /** Makes it look like a number and not like an object, for example to JMESPath when it looks for members. */
  readonly [Symbol.toStringTag] = "Number"

  /** `literal` is a number as JSON writes it. */
  constructor(readonly literal: string) {}

  /** The nearest number, never infinite, and 0 only for 0. */
  toNumber(): number {
    const number = Number(this.literal)
    if (number === 0 && /[1-9]/.test(this.literal.replace(/[eE].*/, "")))
      return this.literal.startsWith("-") ? -Number.MIN_VALUE : Number.MIN_VALUE
    return Math.min(Number.MAX_VALUE, Math.max(-Number.MAX_VALUE, number))
  }

  /** Equal values give the same text. A JavaScript number in its shortest form gives that text too. */
  get canonical(): string {
    const number = Number(this.literal)
    const own = decimalOf(this.literal)
    if (Number.isFinite(number) && same(own, decimalOf(String(number)))) return JSON.stringify(number)
    return `${own.negative ? "-" : ""}${own.digits}e${own.exponent}`
  }

  toString(): string {
    return this.literal
  }

  /** Lets JavaScript calculate with it and compare it. */
  valueOf(): number {
    return this.toNumber()
  }

  toJSON(): string {
    ExactNumber.met++
    return ExactNumber.mark + this.literal
  }
}

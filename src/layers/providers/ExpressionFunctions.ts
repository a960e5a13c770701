/**
 * The functions of expressions that the library gets wrong, or that take it more time than the length of their text:
 * those of exact numbers, of white space, of replacing and of lengths.
 */
import { ExactNumber, fitsNumber, isNumberText } from "../../domain/ExactNumber.js"
import { writeJson } from "../../domain/LosslessJson.js"

const spaces = new Set(
  Array.from(
    " \t\n\r\f\v\u00a0\u0085\u1680\u2028\u2029\u202f\u205f\u3000\ufeff\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
  )
)

/** `trim`, `trim_left` and `trim_right`; the library's take the square of the length. */
const trimmed = (name: string, text: string, chars: string | undefined): string => {
  const cut = chars === undefined || chars === "" ? spaces : new Set(Array.from(chars))
  let from = 0
  let to = text.length
  if (name !== "trim_right") while (from < to && cut.has(text[from] ?? "")) from += 1
  if (name !== "trim_left") while (to > from && cut.has(text[to - 1] ?? "")) to -= 1
  return text.slice(from, to)
}

/** `replace` of at most so many places; the library's reads `$&` in the new text. */
const replaced = (text: string, sought: string, by: string, count: number): string => {
  const parts = text.split(sought)
  return (
    parts.slice(0, count + 1).join(by) + (parts.length > count + 1 ? sought + parts.slice(count + 1).join(sought) : "")
  )
}

/** In code points, without a list of them. */
const lengthOf = (text: string): number => {
  let pairs = 0
  for (let at = 0; at < text.length - 1; at += 1) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800 || (text.charCodeAt(at + 1) & 0xfc00) !== 0xdc00) continue
    pairs += 1
    at += 1
  }
  return text.length - pairs
}

export const numberOf = (value: unknown): unknown => (value instanceof ExactNumber ? value.toNumber() : value)

/** Two exact numbers are equal by their value. An expression cannot write one, so its numbers equal the nearest. */
export const sameNumber = (left: unknown, right: unknown): boolean =>
  left instanceof ExactNumber && right instanceof ExactNumber
    ? left.canonical === right.canonical
    : numberOf(left) === numberOf(right)

/** The largest or smallest of numbers, as it came. */
const extreme = (numbers: ReadonlyArray<unknown>, isBetter: (one: number, than: number) => boolean): unknown =>
  numbers.reduce((best, each) => (isBetter(Number(each), Number(best)) ? each : best))

/**
 * The functions whose result holds the digits of exact numbers, and `to_number`, where the library takes what is no
 * number of JSON. Undefined where the library's own are good enough.
 */
export const exactFunction = (name: string, [first, second]: ReadonlyArray<unknown>): unknown => {
  switch (name) {
    case "to_string":
      return typeof first === "object" && first !== null ? writeJson(first) : undefined
    case "to_number":
      if (typeof first !== "string") return undefined
      if (!isNumberText(first)) return null
      return fitsNumber(first) ? undefined : new ExactNumber(first)
    case "contains":
      return Array.isArray(first) && (typeof second === "number" || second instanceof ExactNumber)
        ? first.some((each) => sameNumber(each, second))
        : undefined
    case "max":
    case "min": {
      if (!Array.isArray(first) || !first.some((each) => each instanceof ExactNumber)) return undefined
      const isNumbers = first.every((each) => typeof each === "number" || each instanceof ExactNumber)
      return isNumbers ? extreme(first, name === "max" ? (a, b) => a > b : (a, b) => a < b) : undefined
    }
    default:
      return undefined
  }
}

/** Undefined when the library's own function, or its own error about wrong arguments, is good enough. */
export const ownFunction = (name: string, [first, second, third, fourth]: ReadonlyArray<unknown>): unknown => {
  if (typeof first !== "string") return undefined
  if (name === "trim" || name === "trim_left" || name === "trim_right")
    return second === undefined || typeof second === "string" ? trimmed(name, first, second) : undefined
  if (name === "length") return lengthOf(first)
  const isCount = typeof fourth === "number" && Number.isInteger(fourth) && fourth > 0
  return name === "replace" && typeof second === "string" && typeof third === "string" && isCount
    ? replaced(first, second, third, fourth)
    : undefined
}

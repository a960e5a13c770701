/**
 * Reads and writes JSON without losing a digit. All JSON of clients and providers is read and written here. It is about
 * as fast as `JSON.parse` and `JSON.stringify`: they do the work, unless a check of the text or of the value finds
 * numbers that they would change. This is our own code because the packages for it parse every text in JavaScript, and
 * handle the name `__proto__` and duplicate names wrongly.
 */
import { Either } from "effect"
import { ExactNumber, fitsNumber } from "./ExactNumber.js"
import { isObject, type Json } from "./Json.js"
import { endOfString } from "./JsonScanning.js"
import { member, setMember } from "./Members.js"

/**
 * Stands before the digits of an exact number while `JSON.stringify` writes it, or `JSON.parse` reads it, as a text.
 * Nobody outside can write such a text: it is new in each process and never leaves it.
 */
const mark = crypto.randomUUID().replaceAll("-", "").slice(0, 24)

/**
 * Finds where a number with sixteen digits, or with an exponent of three digits, begins. A number with fewer digits is
 * never changed. Matching the character before the number makes the search three times as fast. The search also matches
 * inside of strings, which are passed over.
 */
const suspicious = /[:,[\s-]\d(?:[\d.]{15}|[\d.]*[eE][+-]?\d{3})/g
/** A text that is only a number has no character before the number. */
const isNumber = /^\s*\d/

const minus = 0x2d
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
const isOfNumber = (code: number): boolean =>
  isDigit(code) || code === 0x2e || code === minus || code === 0x2b || code === 0x65 || code === 0x45

const endOfNumber = (text: string, start: number): number => {
  let at = start + 1
  while (at < text.length && isOfNumber(text.charCodeAt(at))) at++
  return at
}

const nextQuote = (text: string, start: number): number => {
  const found = text.indexOf('"', start)
  return found < 0 ? text.length : found
}

/** A text that is known to be JSON, with a marked text in place of each number that would be changed; null: none. */
const withMarks = (text: string): string | null => {
  let made = ""
  /** Up to here it is in `made`. */
  let from = 0
  /** Where the next string begins. */
  let string = nextQuote(text, 0)
  suspicious.lastIndex = 0
  for (let found = suspicious.exec(text); found !== null; found = suspicious.exec(text)) {
    const before = found.index
    let end = -1
    while (string < before && end < before) {
      end = endOfString(text, string)
      string = nextQuote(text, end + 1)
    }
    if (end > before) {
      suspicious.lastIndex = end + 1
      continue
    }
    const start = text.charCodeAt(before) === minus ? before : before + 1
    const behind = endOfNumber(text, start)
    const literal = text.slice(start, behind)
    suspicious.lastIndex = behind
    if (fitsNumber(literal)) continue
    made += `${text.slice(from, start)}"${mark}${literal}"`
    from = behind
  }
  return from === 0 ? null : made + text.slice(from)
}

/** JSON that was just parsed, and belongs to nobody yet. */
type Parsed = null | boolean | number | string | ExactNumber | Array<Parsed> | { [name: string]: Parsed }

const exactOf = (value: Parsed): ExactNumber | null =>
  typeof value === "string" && value.startsWith(mark) ? new ExactNumber(value.slice(mark.length)) : null

/** Puts the numbers in place of the marked texts, at any depth. */
const withoutMarks = (whole: Parsed): Json => {
  const left: Array<Parsed> = [whole]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next !== "object" || next === null || next instanceof ExactNumber) continue
    if (Array.isArray(next))
      for (let at = 0; at < next.length; at++) {
        const item = next[at] ?? null
        const exact = exactOf(item)
        if (exact !== null) next[at] = exact
        else if (typeof item === "object" && item !== null) left.push(item)
      }
    else
      for (const name of Object.keys(next)) {
        const inner = member(next, name) ?? null
        const exact = exactOf(inner)
        if (exact !== null) setMember(next, name, exact)
        else if (typeof inner === "object" && inner !== null) left.push(inner)
      }
  }
  return exactOf(whole) ?? whole
}

/** Left when the text is not JSON. */
export const readJson = (text: string): Either.Either<Json, "not JSON"> =>
  Either.try({
    try: (): Json => {
      const value: Json = JSON.parse(text)
      if (isNumber.test(text)) return fitsNumber(text.trim()) ? value : new ExactNumber(text.trim())
      const marked = withMarks(text)
      if (marked === null) return value
      const parsed: Parsed = JSON.parse(marked)
      return withoutMarks(parsed)
    },
    catch: () => "not JSON"
  })

const marked = new RegExp(`"${mark}([^"]*)"`, "g")

/**
 * Writes what `JSON.stringify` writes, with exact numbers as they were read. The value is JSON, or an object of our
 * code that contains JSON.
 */
export const writeJson = (value: Json | object): string => {
  const { mark: around, met: before } = ExactNumber
  ExactNumber.mark = mark
  try {
    const text = JSON.stringify(value)
    return ExactNumber.met === before ? text : text.replace(marked, "$1")
  } finally {
    // What is written may write something itself.
    ExactNumber.mark = around
  }
}

/**
 * The value with the nearest JavaScript number in place of each exact number, for code that calculates or compares. A
 * value without exact numbers is returned as it is.
 */
export const withNumbers = (value: Json): Json => {
  if (value instanceof ExactNumber) return value.toNumber()
  if (Array.isArray(value)) {
    let made: Array<Json> | undefined
    value.forEach((item: Json, index) => {
      const plain = withNumbers(item)
      if (plain !== item) (made ??= [...value])[index] = plain
    })
    return made ?? value
  }
  if (!isObject(value)) return value
  let made: { [name: string]: Json } | undefined
  for (const [name, each] of Object.entries(value)) {
    const plain = withNumbers(each)
    if (plain !== each) setMember((made ??= { ...value }), name, plain)
  }
  return made ?? value
}

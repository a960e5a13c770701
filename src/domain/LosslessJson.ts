/**
 * Reads and writes JSON without losing a digit. All JSON of clients and providers is read and written here. It is about
 * as fast as `JSON.parse` and `JSON.stringify`: they do the work, unless a check of the text or of the value finds
 * numbers that they would change. This is our own code because the packages for it parse every text in JavaScript, and
 * handle the name `__proto__` and duplicate names wrongly.
 */
import { Either } from "effect"
import { ExactNumber, fitsNumber } from "./ExactNumber.js"
import { isObject, type Json } from "./Json.js"
import { closesList, closesObject, colon, comma, endOfString, opensList, opensObject, quote } from "./JsonScanning.js"
import { setMember } from "./Members.js"

/**
 * Finds where a number with sixteen digits, or with an exponent of three digits, begins. A number with fewer digits is
 * never changed. Matching the character before the number makes the search three times as fast. The search also matches
 * inside of strings; the next check excludes those.
 */
const suspicious = /[:,[\s-]\d(?:[\d.]{15}|[\d.]*[eE][+-]?\d{3})/
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

/** Whether a text that is known to be JSON holds a number that would be changed. */
const holdsExact = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === minus || isDigit(code)) {
      const end = endOfNumber(text, at)
      if (end - at >= 4 && !fitsNumber(text.slice(at, end))) return true
      at = end - 1
    }
  }
  return false
}

type Open = { readonly list: Array<Json> } | { readonly members: { [name: string]: Json }; name: string | null }

/** Reads a text that is known to be JSON, of any depth. */
const build = (text: string): Json => {
  const around: Array<Open> = []
  let innermost: Open | undefined
  let whole: Json = null
  const add = (value: Json): void => {
    if (innermost === undefined) whole = value
    else if ("list" in innermost) innermost.list.push(value)
    else if (innermost.name !== null) {
      setMember(innermost.members, innermost.name, value)
      innermost.name = null
    }
  }
  const enter = (value: Json, open: Open): void => {
    add(value)
    if (innermost !== undefined) around.push(innermost)
    innermost = open
  }
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      const end = endOfString(text, at) + 1
      const raw = text.slice(at, end)
      const value: string = raw.includes("\\") ? String(JSON.parse(raw)) : raw.slice(1, -1)
      if (innermost !== undefined && "members" in innermost && innermost.name === null) innermost.name = value
      else add(value)
      at = end
    } else if (code === opensObject) {
      const members: { [name: string]: Json } = {}
      enter(members, { members, name: null })
      at++
    } else if (code === opensList) {
      const list: Array<Json> = []
      enter(list, { list })
      at++
    } else if (code === closesObject || code === closesList) {
      innermost = around.pop()
      at++
    } else if (code === minus || isDigit(code)) {
      const end = endOfNumber(text, at)
      const literal = text.slice(at, end)
      add(fitsNumber(literal) ? Number(literal) : new ExactNumber(literal))
      at = end
    } else if (code === comma || code === colon || code <= 0x20) {
      at++
    } else {
      add(code === 0x6e ? null : code === 0x74)
      at += code === 0x66 ? 5 : 4
    }
  }
  return whole
}

/** Left when the text is not JSON. */
export const readJson = (text: string): Either.Either<Json, "not JSON"> =>
  Either.try({
    try: (): Json => {
      const value: Json = JSON.parse(text)
      return (suspicious.test(text) || isNumber.test(text)) && holdsExact(text) ? build(text) : value
    },
    catch: () => "not JSON"
  })

/** Data may have a member of that name too. */
const writesItself = (value: object): boolean => "toJSON" in value && typeof value.toJSON === "function"

const exactText = (value: unknown): string | undefined => {
  if (value instanceof ExactNumber) return value.literal
  if (Array.isArray(value)) return `[${value.map((item: unknown) => exactText(item) ?? "null").join(",")}]`
  if (typeof value !== "object" || value === null || writesItself(value)) return JSON.stringify(value)
  const members = Object.entries(value).flatMap(([name, each]) => {
    const text = exactText(each)
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`]
  })
  return `{${members.join(",")}}`
}

/**
 * Writes what `JSON.stringify` writes, with exact numbers as they were read. The value is JSON, or an object of our
 * code that contains JSON.
 */
export const writeJson = (value: Json | object): string => {
  const before = ExactNumber.met
  const text = JSON.stringify(value)
  return ExactNumber.met === before ? text : (exactText(value) ?? "null")
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

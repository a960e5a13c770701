/**
 * Reads a large JSON text in steps of a few milliseconds: what `readJson` reads, for an answer of many megabytes. Every
 * part of a container is read by `readJson`; only where parts meet is read here. How many values a text may hold is
 * bounded, because small ones take many times the memory of their text.
 */
import { Either } from "effect"
import { isObject, type Json } from "./Json.js"
import {
  backslash,
  closesList,
  closesObject,
  comma,
  endOfString,
  isBlank,
  opensList,
  opensObject,
  quote
} from "./JsonScanning.js"
import { answerContainersMax, answerMembersMax, answerValuesMax, largeAnswerDepthMax } from "./limits/Calls.js"
import { readJson } from "./LosslessJson.js"
import { member, setMember } from "./Members.js"

export interface LargeJson {
  readonly value: Json
  /** How many lists and objects stand inside one another at most. */
  readonly depth: number
}

export type LargeJsonProblem = "not JSON" | "too many values" | "too deep"

/** A container that is read in parts. */
interface Open {
  readonly isList: boolean
  /** How many commas it has so far. */
  commas: number
  /** Where its text begins that no part holds yet. */
  from: number
  /** Undefined until its first part is read. */
  value: Array<Json> | { [name: string]: Json } | undefined
  /** Where the name of the member that is read begins and ends. */
  nameFrom: number
  nameTo: number
  /** A container in it was read in parts and has just ended: a comma or the end must follow. */
  isAfterPart: boolean
  /** The last part ended with a comma. */
  isAfterComma: boolean
}

/** Characters that are read at once. */
const portionChars = 65_536
/** Characters that are walked over in one step: where they are brackets, that takes as long as to read many more. */
const stepChars = 8_192

const notJson = Either.left("not JSON" as const)

const letterU = 0x75

function* afterBlanks(text: string, start: number, portion: number): Generator<void, number> {
  let at = start
  for (let next = start + portion; isBlank(text.charCodeAt(at)); at++) {
    if (at < next) continue
    next = at + portion
    yield
  }
  return at
}

/** Adds the part of a container that ends here. False when it is no JSON. */
const add = (open: Open, part: string): boolean => {
  const read = readJson(open.isList ? `[${part}]` : `{${part}}`)
  if (Either.isLeft(read)) return false
  const { right } = read
  if (open.value === undefined) open.value = open.isList ? [] : {}
  if (Array.isArray(open.value)) {
    if (!Array.isArray(right)) return false
    for (const item of right) open.value.push(item)
    return true
  }
  if (!isObject(right)) return false
  for (const name in right) setMember(open.value, name, member(right, name) ?? null)
  return true
}

/** The text is an object, a list or a string; others are small. */
export function* largeJsonSteps(
  text: string,
  portion = portionChars
): Generator<void, Either.Either<LargeJson, LargeJsonProblem>> {
  const start = yield* afterBlanks(text, 0, portion)
  return yield* text.charCodeAt(start) === quote ? stringSteps(text, start, portion) : containerSteps(text, portion)
}

/** A part of a string ends between two characters or escapes. */
function* stringSteps(
  text: string,
  start: number,
  portion: number
): Generator<void, Either.Either<LargeJson, LargeJsonProblem>> {
  let value = ""
  let from = start + 1
  for (let at = from; at < text.length;) {
    const code = text.charCodeAt(at)
    if (code === quote || at - from >= portion) {
      const part = readJson(`"${text.slice(from, at)}"`)
      if (Either.isLeft(part) || typeof part.right !== "string") return notJson
      value += part.right
      from = at
      yield
    }
    if (code === quote) {
      const end = yield* afterBlanks(text, at + 1, portion)
      return end === text.length ? Either.right({ value, depth: 0 }) : notJson
    }
    at += code !== backslash ? 1 : text.charCodeAt(at + 1) === letterU ? 6 : 2
  }
  return notJson
}

function* containerSteps(text: string, portion: number): Generator<void, Either.Either<LargeJson, LargeJsonProblem>> {
  const around: Array<Open> = []
  let innermost: Open | undefined
  let whole: Json | undefined
  let depth = 0
  let containers = 0
  let values = 0
  let readTo = 0

  /** Reads what stands before the container that begins at `at`, with a null in its place. */
  const readBefore = (parent: Open, at: number): boolean => {
    if (!add(parent, `${text.slice(parent.from, at)}null`)) return false
    parent.from = at
    parent.isAfterComma = false
    return true
  }

  for (let at = 0, next = stepChars; at < text.length; at++) {
    if (at >= next) {
      next = at + stepChars
      yield
    }
    const code = text.charCodeAt(at)
    if (isBlank(code)) continue
    if (whole !== undefined) return notJson
    if (innermost === undefined && code !== opensObject && code !== opensList) return notJson
    if (innermost?.isAfterPart === true && code !== comma && code !== closesObject && code !== closesList)
      return notJson
    if (code === quote) {
      const end = endOfString(text, at)
      if (end === text.length || innermost === undefined) return notJson
      innermost.nameFrom = at
      innermost.nameTo = end + 1
      at = end
    } else if (code === opensObject || code === opensList) {
      if (++containers > answerContainersMax) return Either.left("too many values")
      if (around.length === largeAnswerDepthMax) return Either.left("too deep")
      if (innermost !== undefined) around.push(innermost)
      innermost = {
        isList: code === opensList,
        commas: 0,
        from: at + 1,
        value: undefined,
        nameFrom: 0,
        nameTo: 0,
        isAfterPart: false,
        isAfterComma: false
      }
      depth = Math.max(depth, around.length + 1)
    } else if (code === comma && innermost !== undefined) {
      if (++values > answerValuesMax || (++innermost.commas >= answerMembersMax && !innermost.isList))
        return Either.left("too many values")
      if (innermost.isAfterPart) {
        innermost.isAfterPart = false
        innermost.isAfterComma = true
        innermost.from = at + 1
        readTo = at
      } else if (at - readTo >= portion) {
        const all = [...around, innermost]
        for (const [level, open] of all.entries()) {
          const child = all[level + 1]
          if (child !== undefined && child.value === undefined && !readBefore(open, child.from - 1)) return notJson
        }
        const part = text.slice(innermost.from, at)
        if (part.trim() === "" || !add(innermost, part)) return notJson
        innermost.from = at + 1
        innermost.isAfterComma = true
        readTo = at
      }
    } else if ((code === closesObject || code === closesList) && innermost !== undefined) {
      if (innermost.isList !== (code === closesList)) return notJson
      const ended: Open = innermost
      const parent = around.pop()
      if (ended.value !== undefined || parent === undefined) {
        const part = ended.isAfterPart ? "" : text.slice(ended.from, at)
        if (ended.isAfterComma && part.trim() === "") return notJson
        if (!ended.isAfterPart && !add(ended, part)) return notJson
        const value = ended.value ?? null
        if (parent === undefined) whole = value
        else if (Array.isArray(parent.value)) parent.value[parent.value.length - 1] = value
        else if (parent.value !== undefined) {
          const name = readJson(text.slice(parent.nameFrom, parent.nameTo))
          if (Either.isLeft(name) || typeof name.right !== "string") return notJson
          setMember(parent.value, name.right, value)
        }
        if (parent !== undefined) parent.isAfterPart = true
        readTo = at
      }
      innermost = parent
    }
  }
  return whole === undefined ? notJson : Either.right({ value: whole, depth })
}

/**
 * Reads a JSON text strictly: what it accepts means the same to every reader and can be stored. Refuses what
 * `JSON.parse` lets pass but readers disagree on or storage cannot hold: two members of one name, `__proto__`, NUL
 * characters, half surrogate pairs. How large and how deep a text may be is said in `BodyBudget.ts`, which comes first.
 */
import { Either } from "effect"
import { cutText } from "../domain/Characters.js"
import type { Json } from "../domain/Json.js"
import {
  closesList,
  closesObject,
  comma,
  endOfString,
  isBlank,
  lastBlank,
  opensList,
  opensObject,
  quote
} from "../domain/JsonScanning.js"
import { readJson } from "../domain/LosslessJson.js"

const unstorable = /\0|\p{Surrogate}/u

/** Walks a text that is already known to be JSON; null when nothing is wrong with it. */
const complaint = (text: string): string | null => {
  const names: Array<Set<string> | null> = []
  let expectsName = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === quote) {
      const end = endOfString(text, i)
      const raw = text.slice(i, end + 1)
      const escaped = raw.includes("\\")
      const value: string = escaped ? String(JSON.parse(raw)) : raw.slice(1, -1)
      if (escaped && unstorable.test(value)) return "holds a NUL character or half of a surrogate pair"
      if (expectsName) {
        const siblings = names[names.length - 1]
        if (value === "__proto__") return "has a member named __proto__"
        if (siblings?.has(value) === true) return `has the member ${cutText(value, 60)} twice`
        siblings?.add(value)
        expectsName = false
      }
      i = end
    } else if (code === opensObject || code === opensList) {
      names.push(code === opensObject ? new Set() : null)
      expectsName = code === opensObject
    } else if (code === closesObject || code === closesList) {
      names.pop()
      expectsName = false
    } else if (code === comma) {
      expectsName = names[names.length - 1] instanceof Set
    } else if (isBlank(code)) {
      i = lastBlank(text, i)
    }
  }
  return null
}

/** The value, or what is wrong with the text. */
export const parseStrict = (text: string): Either.Either<Json, string> =>
  readJson(text).pipe(
    Either.mapLeft(() => "is not valid JSON"),
    Either.flatMap((value) => {
      const wrong = complaint(text)
      return wrong === null ? Either.right(value) : Either.left(wrong)
    })
  )

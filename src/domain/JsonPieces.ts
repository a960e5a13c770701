/**
 * Writes a large JSON value in pieces of a bounded length, so that others are served between them: together they are
 * what `writeJson` writes. Every small part is written by `writeJson`; only what is large is taken apart here.
 */
import { ExactNumber } from "./ExactNumber.js"
import { isObject, type Json } from "./Json.js"
import { writeJson } from "./LosslessJson.js"
import { member } from "./Members.js"

/** About how many characters a piece has. */
const portionChars = 65_536

/** About how many characters of this budget are left when the value is written; less than nothing when it is larger. */
const leftAfter = (value: Json, budget: number): number => {
  if (typeof value === "string") return budget - value.length - 2
  if (Array.isArray(value)) {
    let left = budget - 2
    for (let at = 0; at < value.length && left >= 0; at += 1) left = leftAfter(value[at] ?? null, left - 1)
    return left
  }
  if (!isObject(value)) return budget - (value instanceof ExactNumber ? value.literal.length : 8)
  let left = budget - 2
  for (const name in value) {
    if (left < 0) break
    left = leftAfter(member(value, name) ?? null, left - name.length - 4)
  }
  return left
}

/** No piece ends inside of a character. */
const endOfPiece = (text: string, start: number, portion: number): number => {
  const end = start + portion
  const last = text.charCodeAt(end - 1)
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end + 1 : end
}

function* piecesOfText(text: string, portion: number): Generator<string, void> {
  yield '"'
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = endOfPiece(text, at, portion)
    yield writeJson(text.slice(at, end)).slice(1, -1)
  }
  yield '"'
}

/** Items that are small together are one piece. */
function* piecesOfList(list: ReadonlyArray<Json>, portion: number): Generator<string, void> {
  yield "["
  for (let at = 0; at < list.length;) {
    if (at > 0) yield ","
    let end = at
    for (let left = portion; end < list.length; end += 1) {
      left = leftAfter(list[end] ?? null, left - 1)
      if (left < 0) break
    }
    if (end > at) yield writeJson(list.slice(at, end)).slice(1, -1)
    else yield* jsonPieces(list[end++] ?? null, portion)
    at = end
  }
  yield "]"
}

function* piecesOfMembers(value: { readonly [name: string]: Json }, portion: number): Generator<string, void> {
  let before = "{"
  for (const name in value) {
    yield `${before}${writeJson(name)}:`
    yield* jsonPieces(member(value, name) ?? null, portion)
    before = ","
  }
  yield before === "{" ? "{}" : "}"
}

/** The pieces of the text of a value, in their order. */
export function* jsonPieces(value: Json, portion = portionChars): Generator<string, void> {
  if (leftAfter(value, portion) >= 0) yield writeJson(value)
  else if (typeof value === "string") yield* piecesOfText(value, portion)
  else if (Array.isArray(value)) yield* piecesOfList(value, portion)
  else if (isObject(value)) yield* piecesOfMembers(value, portion)
  else yield writeJson(value)
}

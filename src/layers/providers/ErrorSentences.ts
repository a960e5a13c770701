/**
 * Where the error answers of most services say in words what was wrong. An import looks for these names in a document
 * that describes them; a refused request quotes them where its operation has no rule of its own. Members that usually
 * hold no sentence, such as a code or a link, are not read.
 */
import { isObject, type Json } from "../../domain/Json.js"
import { member } from "../../domain/Members.js"

/** Names of members that hold a sentence, the most telling first. */
export const sentenceNames = [
  "message",
  "error_message",
  "errorMessage",
  "error_description",
  "detail",
  "description",
  "title"
]
/** Names of members that hold either a sentence or an object that has one. */
export const wrapperNames = ["error", "errors", "fault"]

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined

const sentenceOf = (value: Json | undefined): string | undefined =>
  isObject(value)
    ? sentenceNames.map((name) => textOf(member(value, name))).find((text) => text !== undefined)
    : undefined

/** The sentence in the body of an error answer. */
export const sentenceIn = (body: Json): string | undefined => {
  if (!isObject(body)) return undefined
  const own = sentenceOf(body)
  if (own !== undefined) return own
  for (const name of wrapperNames) {
    const inner = member(body, name)
    const first = Array.isArray(inner) ? inner[0] : inner
    const found = textOf(first) ?? sentenceOf(first)
    if (found !== undefined) return found
  }
  return undefined
}

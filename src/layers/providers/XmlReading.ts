/**
 * XML as data for the rules and output maps: elements are members by their name without prefix, repeated elements a
 * list, attributes members with `_` before their name, the text beside them the member `_`. An element of only text is
 * that text, without the white space around it; one of nothing is null. Every value is text, so no digit is lost.
 *
 * Nothing is fetched, and no entity of the document's own is replaced: a reference to one makes the document
 * unreadable. The work is bounded by `parsedBytesMax`, `xmlNodesMax` and `answerDepthMax`.
 */
import { Either } from "effect"
import { SaxesParser } from "saxes"
import type { Json } from "../../domain/Json.js"
import { answerDepthMax, xmlNodesMax } from "../../domain/limits/Calls.js"
import { member, setMember } from "../../domain/Members.js"
import { allSteps } from "../../services/Slices.js"

/** An element that is still open. */
interface Open {
  readonly name: string
  readonly members: { [name: string]: Json }
  hasMembers: boolean
  text: string
}

/** Characters that are read at a time. After a mistake, at most the rest of a portion is still looked at. */
const portion = 16_384

const localName = (name: string): string => name.slice(name.indexOf(":") + 1)
const isNamespace = (name: string): boolean => name === "xmlns" || name.startsWith("xmlns:")
/** Only the white space of XML: a no-break space is a character of the text. */
const trimmed = (text: string): string => {
  let from = 0
  let to = text.length
  while (from < to && isSpace(text.charCodeAt(from))) from += 1
  while (to > from && isSpace(text.charCodeAt(to - 1))) to -= 1
  return text.slice(from, to)
}
const isSpace = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

const add = (parent: Open, name: string, value: Json, isList: boolean): void => {
  const present = member(parent.members, name)
  parent.hasMembers = true
  if (present === undefined) setMember(parent.members, name, isList ? [value] : value)
  else if (Array.isArray(present)) present.push(value)
  else setMember(parent.members, name, [present, value])
}

const valueOf = ({ hasMembers, members, text }: Open): Json => {
  const words = trimmed(text)
  if (!hasMembers) return words === "" ? null : words
  if (words !== "") setMember(members, "_", words)
  return members
}

/** Reads it in steps of a few milliseconds. */
export function* xmlSteps(text: string, lists: ReadonlySet<string>): Generator<void, Either.Either<Json, string>> {
  const document: Open = { name: "", members: {}, hasMembers: false, text: "" }
  const open: Array<Open> = []
  let nodes = 0
  let problem: string | undefined
  const fail = (message: string): void => {
    problem ??= message
  }
  const parser = new SaxesParser()
  // The parser goes on after a mistake. What it tells from there on is not used.
  parser.on("error", ({ message }) => fail(`it is not well-formed (${message})`))
  parser.on("opentag", ({ attributes, name }) => {
    if (problem !== undefined) return
    const element: Open = { name: localName(name), members: {}, hasMembers: false, text: "" }
    const written = Object.entries(attributes)
    nodes += 1 + written.length
    if (nodes > xmlNodesMax) return fail(`it has more than ${xmlNodesMax} elements and attributes`)
    if (open.length >= answerDepthMax) return fail(`it is nested deeper than ${answerDepthMax} levels`)
    for (const [attribute, value] of written)
      if (!isNamespace(attribute)) add(element, `_${localName(attribute)}`, value, false)
    open.push(element)
  })
  const onText = (part: string): void => {
    const innermost = open.at(-1)
    if (problem === undefined && innermost !== undefined) innermost.text += part
  }
  parser.on("text", onText)
  parser.on("cdata", onText)
  parser.on("closetag", () => {
    if (problem !== undefined) return
    const element = open.pop()
    if (element !== undefined) add(open.at(-1) ?? document, element.name, valueOf(element), lists.has(element.name))
  })
  for (let at = 0; at < text.length && problem === undefined; at += portion) {
    parser.write(text.slice(at, at + portion))
    yield
  }
  if (problem === undefined) parser.close()
  return problem === undefined ? Either.right(document.members) : Either.left(problem)
}

/** `lists` are elements that are a list even where one stands alone. Left: why it is not readable. */
export const readXml = (text: string, lists: ReadonlySet<string>): Either.Either<Json, string> =>
  allSteps(xmlSteps(text, lists))

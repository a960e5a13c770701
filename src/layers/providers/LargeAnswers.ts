/**
 * Large answers are worked through in slices, so that no answer holds up the requests of others: keys are blotted out,
 * the digest is made, JSON, XML and CSV are read. What was read travels with the answer (`ReadAhead`); the rules then
 * find what they would have read themselves. Small answers never come here.
 */
import { Effect, Either } from "effect"
import { isBlank, opensList, opensObject, quote } from "../../domain/JsonScanning.js"
import type { Json } from "../../domain/Json.js"
import { largeJsonSteps } from "../../domain/JsonSlices.js"
import {
  answerContainersMax,
  answerDepthMax,
  answerMembersMax,
  answerValuesMax,
  largeAnswerDepthMax,
  parsedBytesMax
} from "../../domain/limits/Calls.js"
import { readJson } from "../../domain/LosslessJson.js"
import type { Parse } from "../../domain/manifest/Answers.js"
import { digestSteps } from "../node/DigestSteps.js"
import { runInSlices } from "../../services/Slices.js"
import { isJson, listsOf, notJson, type Reading, textKindOf, typeOf, unparsable, withoutMark } from "./AnswerReading.js"
import { textSteps } from "./AnswerText.js"
import type { Blot } from "./Blotting.js"
import { readCsvInSlices } from "./CsvReading.js"
import type { ReadAhead, WireAnswer } from "./Transport.js"
import { xmlSteps } from "./XmlReading.js"

/** Above this size, an answer is read in slices. XML and CSV take more time for each byte. */
const jsonBytesMin = 262_144
const parsedBytesMin = 32_768

export const isLarge = ({ bytes }: WireAnswer, parse: Parse | undefined): boolean =>
  bytes.length > (parse === undefined ? jsonBytesMin : parsedBytesMin)

/** How an answer may be read. `isGlanced`: also as that of an error or of a poll (`glance`), whatever its type. */
export interface MayBeRead extends Pick<Reading, "allowed" | "parse"> {
  readonly isGlanced: boolean
}

const problems = {
  "not JSON": notJson,
  "too many values": `The provider's answer holds more than ${answerContainersMax} lists and objects, ${answerValuesMax} values, or ${answerMembersMax} members in one object.`,
  "too deep": `The provider's answer is nested deeper than ${largeAnswerDepthMax} levels.`
} as const

/** Bytes that are looked at in one step. */
const portion = 131_072

/** The marks of UTF-8 and UTF-16, and the zeros of UTF-16, say nothing of what a text begins with. */
const marks: ReadonlySet<number> = new Set([0x00, 0xef, 0xbb, 0xbf, 0xfe, 0xff])

/** The first sign of a text that is no blank: some servers send blanks for as long as they work. */
function* firstSignSteps(bytes: Buffer): Generator<void, number | undefined> {
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (!isBlank(byte) && !marks.has(byte)) return byte
    if (at % portion === 0) yield
  }
  return undefined
}

/** With these, a number or a word of JSON begins. */
const beginsShort: ReadonlySet<number> = new Set(Buffer.from("-0123456789tfn"))

/** A number, or a word of JSON, is short: what is longer without its blanks is none. */
const shortJson = (text: string): Either.Either<{ readonly value: Json; readonly tooDeep: boolean }, string> => {
  const word = text.trim()
  return word.length > jsonBytesMin
    ? Either.left(notJson)
    : Either.mapBoth(readJson(word), { onLeft: () => notJson, onRight: (value) => ({ value, tooDeep: false }) })
}

const none: NonNullable<ReadAhead["json"]> = { note: null, read: Either.left(notJson) }

const jsonAhead = Effect.fnUntraced(function* ({ bytes, headers }: WireAnswer) {
  const sign = yield* runInSlices(() => firstSignSteps(bytes))
  const isContainer = sign === opensList || sign === opensObject || sign === quote
  if (!isContainer && !beginsShort.has(sign ?? 0)) return none
  const { note, text } = yield* runInSlices(() => textSteps(bytes, headers["content-type"], "json"))
  const plain = withoutMark(text)
  if (!isContainer) return { note, read: shortJson(plain) }
  const read = yield* runInSlices(() => largeJsonSteps(plain))
  return {
    note,
    read: Either.mapBoth(read, {
      onLeft: (problem) => problems[problem],
      onRight: ({ depth, value }) => ({ value, tooDeep: depth > answerDepthMax })
    })
  }
})

const parsedAhead = Effect.fnUntraced(function* (text: string, parse: Parse) {
  const plain = withoutMark(text)
  const read =
    parse.format === "csv"
      ? yield* readCsvInSlices(plain, parse)
      : yield* runInSlices(() => xmlSteps(plain, listsOf(parse)))
  return Either.mapLeft(read, (why) => unparsable(parse, why))
})

const readAhead = Effect.fnUntraced(function* (
  answer: WireAnswer,
  { allowed, isGlanced, parse }: MayBeRead
): Effect.fn.Return<ReadAhead> {
  const { bytes, headers } = answer
  const type = typeOf(answer, allowed)
  const json =
    bytes.length > jsonBytesMin && (isGlanced || isJson(type)) ? { json: yield* jsonAhead(answer) } : undefined
  const kind = isJson(type) ? undefined : textKindOf(type, parse)
  if (kind === undefined) return { ...json }
  const text = { kind, ...(yield* runInSlices(() => textSteps(bytes, headers["content-type"], kind))) }
  return parse === undefined || bytes.length > parsedBytesMax
    ? { ...json, text }
    : { ...json, text, parsed: yield* parsedAhead(text.text, parse) }
})

/** The answer without its keys, and read as far as its operation may need it. */
export const workedThrough = Effect.fnUntraced(function* (
  answer: WireAnswer,
  blot: Blot | null,
  asked: MayBeRead
): Effect.fn.Return<WireAnswer> {
  const blotted = blot === null ? answer : { ...answer, bytes: yield* runInSlices(() => blot.steps(answer.bytes)) }
  const digest = yield* runInSlices(() => digestSteps(blotted.bytes))
  return { ...blotted, ahead: { digest, ...(yield* readAhead(blotted, asked)) } }
})

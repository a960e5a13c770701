/**
 * Large answers are worked through in slices, so that no answer holds up the requests of others: keys are blotted out,
 * JSON, XML and CSV are read. What was read travels with the answer (`ReadAhead`); the rules then find what they would
 * have read themselves. Small answers never come here.
 */
import { Effect, Either } from "effect"
import {
  answerContainersMax,
  answerDepthMax,
  answerMembersMax,
  answerValuesMax,
  largeAnswerDepthMax,
  parsedBytesMax
} from "../../domain/limits/Calls.js"
import { largeJsonSteps } from "../../domain/JsonSlices.js"
import type { Parse } from "../../domain/manifest/Answers.js"
import { runInSlices } from "../../services/Slices.js"
import {
  decodeText,
  isJson,
  listsOf,
  mediaType,
  notJson,
  textKindOf,
  unparsable,
  withoutMark
} from "./AnswerReading.js"
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

/** What begins with more blanks than this is read at once. */
const headBytes = 256

const isReadInSlices = (text: string): boolean => /^[ \t\r\n]*["[{]/.test(text)

const problems = {
  "not JSON": notJson,
  "too many values": `The provider's answer holds more than ${answerContainersMax} lists and objects, ${answerValuesMax} values, or ${answerMembersMax} members in one object.`,
  "too deep": `The provider's answer is nested deeper than ${largeAnswerDepthMax} levels.`
} as const

const jsonAhead = Effect.fnUntraced(function* ({ bytes, headers }: WireAnswer) {
  // Other JSON is short, or none at all.
  const head = decodeText({ headers, bytes: bytes.subarray(0, headBytes) }, "json")
  if (!isReadInSlices(withoutMark(head.text))) return undefined
  const { note, text } = yield* runInSlices(() => textSteps(bytes, headers["content-type"], "json"))
  const plain = withoutMark(text)
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

const readAhead = Effect.fnUntraced(function* (answer: WireAnswer, parse: Parse | undefined) {
  const { bytes, headers } = answer
  const type = mediaType(headers["content-type"])
  const json = bytes.length > jsonBytesMin ? yield* jsonAhead(answer) : undefined
  if (json !== undefined) return { json } satisfies ReadAhead
  const kind = isJson(type) ? undefined : textKindOf(type, parse)
  if (kind === undefined) return {} satisfies ReadAhead
  const text = { kind, ...(yield* runInSlices(() => textSteps(bytes, headers["content-type"], kind))) }
  return parse === undefined || bytes.length > parsedBytesMax
    ? ({ text } satisfies ReadAhead)
    : ({ text, parsed: yield* parsedAhead(text.text, parse) } satisfies ReadAhead)
})

/** The answer without its keys, and read as far as its operation may need it. */
export const workedThrough = Effect.fnUntraced(function* (
  answer: WireAnswer,
  blot: Blot | null,
  parse: Parse | undefined
) {
  const blotted = blot === null ? answer : { ...answer, bytes: yield* runInSlices(() => blot.steps(answer.bytes)) }
  return { ...blotted, ahead: yield* readAhead(blotted, parse) }
})

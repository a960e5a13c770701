/**
 * Large answers are worked through in slices, so that no answer holds up the requests of others: keys are blotted out,
 * JSON, XML and CSV are read. What was read travels with the answer (`ReadAhead`); the rules then find what they would
 * have read themselves. Small answers never come here.
 */
import { Effect, Either } from "effect"
import {
  answerContainersMax,
  answerDepthMax,
  answerValuesMax,
  largeAnswerDepthMax,
  parsedBytesMax
} from "../../domain/Limits.js"
import { largeJsonSteps } from "../../domain/JsonSlices.js"
import type { Parse } from "../../domain/manifest/Answers.js"
import { nextEventLoopTurn, runInSlices } from "../node/LongWork.js"
import { decodeText, isJson, listsOf, mediaType, notJson, unparsable, withoutMark } from "./AnswerReading.js"
import type { Blot } from "./Blotting.js"
import { readCsvInSlices } from "./CsvReading.js"
import type { ReadAhead, WireAnswer } from "./Transport.js"
import { xmlSteps } from "./XmlReading.js"

/** Above this size, an answer is read in slices. XML and CSV take more time for each byte. */
const jsonBytesMin = 262_144
const parsedBytesMin = 32_768

export const isLarge = ({ bytes }: WireAnswer, parse: Parse | undefined): boolean =>
  bytes.length > (parse === undefined ? jsonBytesMin : parsedBytesMin)

const startsContainer = (text: string): boolean => /^[ \t\r\n]*[[{]/.test(text)

const problems = {
  "not JSON": notJson,
  "too many values": `The provider's answer holds more than ${answerContainersMax} lists and objects, or more than ${answerValuesMax} values.`,
  "too deep": `The provider's answer is nested deeper than ${largeAnswerDepthMax} levels.`
} as const

const jsonAhead = Effect.fnUntraced(function* ({ bytes, headers }: WireAnswer) {
  const { note, text } = decodeText(bytes, headers["content-type"], "json")
  yield* nextEventLoopTurn
  const plain = withoutMark(text)
  if (!startsContainer(plain)) return undefined
  const read = yield* runInSlices(() => largeJsonSteps(plain))
  return {
    note,
    read: Either.mapBoth(read, {
      onLeft: (problem) => problems[problem],
      onRight: ({ depth, value }) => ({ value, tooDeep: depth > answerDepthMax })
    })
  }
})

const parsedAhead = Effect.fnUntraced(function* ({ bytes, headers }: WireAnswer, parse: Parse) {
  const { text } = decodeText(bytes, headers["content-type"], parse.format === "xml" ? "xml" : "other")
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
  const isParsed = parse !== undefined && !isJson(type) && json === undefined && bytes.length <= parsedBytesMax
  return {
    ...(json === undefined ? {} : { json }),
    ...(isParsed ? { parsed: yield* parsedAhead(answer, parse) } : {})
  } satisfies ReadAhead
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

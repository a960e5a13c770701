/**
 * What an answer says beside its result: waiting times, words for an error message, costs and counts. Each is bounded,
 * and one that makes no sense is told apart from one that is absent.
 */
import { hash } from "node:crypto"
import { Either } from "effect"
import { isNumberText } from "../../domain/ExactNumber.js"
import { cutText, wellFormed } from "../../domain/Characters.js"
import type { Json } from "../../domain/Json.js"
import { withNumbers, writeJson } from "../../domain/LosslessJson.js"
import type { CostEvidence } from "../../domain/ProviderCall.js"
import { allSteps } from "../../services/Slices.js"
import { textSteps } from "./AnswerText.js"
import { type AnswerView, type Expression, read } from "./Expressions.js"
import type { WireAnswer } from "./Transport.js"

/** SHA-256 of the bytes of an answer, in hex. */
export const digestOf = ({ ahead, bytes }: Pick<WireAnswer, "ahead" | "bytes">): string =>
  ahead?.digest ?? hash("sha256", bytes)

const retryAfterSecondsMax = 3600

/** Seconds or an HTTP date, between 0 and an hour; undefined when there is none or it makes no sense. */
export const retryAfterSeconds = (header: string | undefined, nowMillis: number): number | undefined => {
  if (header === undefined) return undefined
  const text = header.trim()
  const seconds = /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : (Date.parse(text) - nowMillis) / 1000
  return Number.isNaN(seconds) ? undefined : Math.min(retryAfterSecondsMax, Math.max(0, Math.ceil(seconds)))
}

const messageCharactersMax = 300

/** What would break a line, or turn the words around it: control characters, white space, marks of direction. */
const unshown = /[\p{Cc}\s\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu

/** A provider's own words: one line, bounded, without control characters. */
export const quoted = (value: Json): string | undefined => {
  if (value === null || value === "") return undefined
  // The text is cut before it is searched, because it may be as long as the answer.
  const text = (typeof value === "string" ? value : writeJson(value)).slice(0, 10 * messageCharactersMax)
  return cutText(wellFormed(text.replace(unshown, " ").trim()), messageCharactersMax)
}

const saidCharactersMax = 500

/** The beginning of an answer, likewise, whatever kind it is of. */
export const beginningOf = ({ bytes, headers }: WireAnswer): string => {
  // No character takes more bytes than these.
  const head = bytes.subarray(0, 4 * saidCharactersMax)
  const { text } = allSteps(textSteps(head, headers["content-type"], "other"))
  return cutText(wellFormed(text.replace(unshown, " ").trim()), saidCharactersMax)
}

const anomalous = (text: string): string => cutText(wellFormed(text), 100)

export const costEvidence = (value: Json): CostEvidence => {
  if (value === null) return { _tag: "None" }
  const plain = withNumbers(value)
  const number =
    typeof plain === "number" ? plain : typeof plain === "string" && isNumberText(plain) ? Number(plain) : Number.NaN
  // A fraction of a micro is rounded; anything that is no plain amount must not be passed on as one.
  return number >= 0 && Math.round(number) <= Number.MAX_SAFE_INTEGER
    ? { _tag: "Reported", micros: Math.round(number) }
    : { _tag: "Anomaly", reported: anomalous(writeJson(value)) }
}

/**
 * The cost that an answer tells. An expression that fails on what the answer holds tells no amount, and the listed
 * price is not used instead; one that calculates with what the answer does not have tells nothing.
 */
export const costTold = (expression: Expression | undefined, view: AnswerView): CostEvidence =>
  expression === undefined
    ? { _tag: "None" }
    : Either.match(expression.evaluate(view), {
        onLeft: ({ isMissing, why }): CostEvidence =>
          isMissing ? { _tag: "None" } : { _tag: "Anomaly", reported: anomalous(`not calculable: ${why}`) },
        onRight: costEvidence
      })

/** How many results came; null where there is no rule for it, or the answer does not say it. */
export const countTold = (expression: Expression | undefined, view: AnswerView): number | null =>
  countOf(read(expression, view))

const countOf = (value: Json): number | null => {
  if (Array.isArray(value)) return value.length
  const count = typeof value === "string" ? (isNumberText(value) ? Number(value) : null) : withNumbers(value)
  return typeof count === "number" && Number.isInteger(count) && count >= 0 ? count : null
}

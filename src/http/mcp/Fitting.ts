/**
 * Keeps the answers of tools small enough for a language model: nothing above `toolAnswerBytesMax`. What is left out is
 * said, with the way to get it. Never changes what is stored or charged.
 */
import { Either } from "effect"
import { cutText } from "../../domain/Characters.js"
import { isObject, type Json } from "../../domain/Json.js"
import { toolAnswerBytesMax } from "../../domain/limits/AgentTools.js"
import { writeJson } from "../../domain/LosslessJson.js"
import { trim, type TrimmedArray } from "../../domain/Trim.js"

export const bytesOf = (value: Json | object): number => Buffer.byteLength(writeJson(value))

export const fits = (value: Json | object): boolean => bytesOf(value) <= toolAnswerBytesMax

const cutTexts = (value: Json, charsMax: number): Json => {
  if (typeof value === "string") return value.length <= charsMax ? value : `${cutText(value, charsMax)}…`
  if (Array.isArray(value)) return value.map((item) => cutTexts(item, charsMax))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cutTexts(inner, charsMax)]))
}

/** How much of a result is shown: items of each list, characters of each text. */
const steps = [
  { items: null, chars: 20_000 },
  { items: 100, chars: 8_000 },
  { items: 30, chars: 4_000 },
  { items: 10, chars: 2_000 },
  { items: 3, chars: 500 },
  { items: 1, chars: 200 }
] as const

interface Shortened {
  readonly value: Json
  /** Items that each list was cut to; null when none was. */
  readonly items: number | null
  readonly arrays: ReadonlyArray<TrimmedArray>
}

/** The most of a result that has so many bytes; null when not even its shape has. */
export const shortened = (result: Json, bytesMax: number): Shortened | null => {
  for (const { chars, items } of steps) {
    const kept = Either.getOrNull(trim(result, { fields: null, maxItems: items }))
    if (kept === null) return null
    const value = cutTexts(kept.value, chars)
    if (bytesOf(value) <= bytesMax) return { value, items, arrays: kept.arrays }
  }
  return null
}

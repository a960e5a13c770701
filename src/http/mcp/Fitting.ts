/**
 * Keeps the answers of tools small enough for a language model: nothing above `toolAnswerBytesMax`. What is left out is
 * said, with the way to get it. A try to shorten a result costs what it shows and not what there is: it ends where the
 * bytes do. Never changes what is stored or charged.
 */
import { Either } from "effect"
import { cutText } from "../../domain/Characters.js"
import { ExactNumber } from "../../domain/ExactNumber.js"
import { isObject, type Json, type JsonObject } from "../../domain/Json.js"
import { toolAnswerBytesMax } from "../../domain/limits/AgentTools.js"
import { writeJson } from "../../domain/LosslessJson.js"
import { member, setMember } from "../../domain/Members.js"
import { trim, type TrimmedArray } from "../../domain/Trim.js"
import { longestInner, longestList, longestOuter } from "./Lists.js"

export const bytesOf = (value: Json | object): number => Buffer.byteLength(writeJson(value))

/** What is left of so many bytes behind the JSON of a text; nothing is written that is longer anyway. */
const leftAfterText = (text: string, left: number): number =>
  text.length > left ? -1 : left - Buffer.byteLength(JSON.stringify(text))

const isRecord = (value: object): value is { readonly [name: string]: unknown } => !("toJSON" in value)

/** What is left of so many bytes behind the JSON of a value; less than nothing where it has more. */
const leftAfter = (value: unknown, left: number): number => {
  if (typeof value === "string") return leftAfterText(value, left)
  if (value instanceof ExactNumber) return left - value.literal.length
  if (Array.isArray(value)) {
    let rest = left - 2 - Math.max(0, value.length - 1)
    for (let at = 0; at < value.length && rest >= 0; at += 1) rest = leftAfter(value[at] ?? null, rest)
    return rest
  }
  if (typeof value !== "object" || value === null) return left - JSON.stringify(value).length
  // Data may have a member of that name.
  if (!isRecord(value)) return left - bytesOf(value)
  let rest = left - 2
  let members = 0
  for (const name of Object.keys(value)) {
    if (rest < 0) break
    const inner = member(value, name)
    if (inner === undefined) continue
    rest = leftAfter(inner, leftAfterText(name, rest) - (members === 0 ? 1 : 2))
    members += 1
  }
  return rest
}

export const fits = (value: Json | object): boolean => leftAfter(value, toolAnswerBytesMax) >= 0

/** How long texts may be, from the longest on, while at least so many items of each list have room beside them. */
const steps = [
  { chars: 20_000, items: 100 },
  { chars: 8_000, items: 30 },
  { chars: 4_000, items: 10 },
  { chars: 2_000, items: 3 },
  { chars: 500, items: 1 },
  { chars: 200, items: 1 }
] as const

/** The part of a result that is asked for. */
export interface Part {
  readonly maxItems: number | null
  readonly skipItems: number
}
export const everything: Part = { maxItems: null, skipItems: 0 }

export interface Shortened {
  readonly value: Json
  /** Items that each list was cut to; null when none was. */
  readonly items: number | null
  /** Whether items are left behind those that are shown: of a list that is in no other one, and of one that is. */
  readonly outerGoesOn: boolean
  readonly innerGoesOn: boolean
  /** Characters that each text was cut to; null when none was. */
  readonly chars: number | null
  readonly arrays: ReadonlyArray<TrimmedArray>
}

/** An object with more names than this keeps them until the end: to list them takes long. */
const namesKept = 1_000

type NamesOf = (value: JsonObject) => ReadonlyArray<string>

const makeNamesOf = (): NamesOf => {
  const kept = new Map<JsonObject, ReadonlyArray<string>>()
  return (value) => {
    const names = kept.get(value) ?? Object.keys(value)
    if (names.length > namesKept) kept.set(value, names)
    return names
  }
}

/** One try: how much of everything is shown, and how many bytes are left for it. */
interface Try {
  readonly items: number
  /** Characters of each text. */
  readonly chars: number
  readonly namesOf: NamesOf
  left: number
  /** Whether a text was longer. */
  endsTexts: boolean
}

/** What is shown of a value. It means nothing when no bytes are left. */
const tried = (value: Json, skipItems: number, one: Try): Json => {
  if (typeof value === "string") {
    const isLonger = value.length > one.chars
    // Without its texts a value shows the least that it can.
    const text = !isLonger ? value : one.chars === 0 ? "" : `${cutText(value, one.chars)}…`
    one.endsTexts ||= isLonger
    one.left = leftAfterText(text, one.left)
    return text
  }
  if (Array.isArray(value)) {
    const shown: Array<Json> = []
    one.left -= 2
    const end = Math.min(value.length, skipItems + one.items)
    for (let at = skipItems; at < end && one.left >= 0; at += 1) {
      if (at > skipItems) one.left -= 1
      shown.push(tried(value[at] ?? null, 0, one))
    }
    return shown
  }
  if (!isObject(value)) {
    one.left = leftAfter(value, one.left)
    return value
  }
  const shown: { [name: string]: Json } = {}
  one.left -= 2
  for (const [at, name] of one.namesOf(value).entries()) {
    one.left = leftAfterText(name, one.left) - (at === 0 ? 1 : 2)
    if (one.left < 0) break
    setMember(shown, name, tried(member(value, name) ?? null, skipItems, one))
  }
  return shown
}

/** The most of a part of a result that has so many bytes; null when not even its shape has. */
export function* shortened(
  result: Json,
  { maxItems, skipItems }: Part,
  bytesMax: number
): Generator<void, Shortened | null> {
  const namesOf = makeNamesOf()
  const shownWith = (items: number, chars: number) => {
    const one: Try = { items, chars, namesOf, left: bytesMax, endsTexts: false }
    const value = tried(result, skipItems, one)
    return one.left < 0 ? null : { value, chars: one.endsTexts ? chars : null }
  }
  // Every step shows at least this.
  const least = shownWith(1, 0)
  yield
  if (least === null) return null
  const longest = Math.max(1, Math.min(maxItems ?? Infinity, yield* longestList(result)))
  for (const { chars, items: fewest } of steps) {
    let items = Math.min(fewest, longest)
    let best = shownWith(items, chars)
    yield
    if (best === null) continue
    for (let more = items; more > 0 && items < longest;) {
      const next = shownWith(Math.min(items + more, longest), chars)
      yield
      if (next === null) more = Math.floor(more / 2)
      else {
        best = next
        items = Math.min(items + more, longest)
        more *= 2
      }
    }
    const kept = yield* trim(result, { fields: null, maxItems: items, skipItems })
    const arrays = Either.match(kept, { onLeft: () => [], onRight: (all) => all.arrays })
    return {
      ...best,
      items: arrays.length === 0 ? null : items,
      outerGoesOn: (yield* longestOuter(result)) > skipItems + items,
      innerGoesOn: (yield* longestInner(result, skipItems, items)) > items,
      arrays
    }
  }
  return null
}

/** Shortening a result with every try in full, and everything at once. `http/mcp/Fitting.ts` answers the same. */
import { Either } from "effect"
import { cutText } from "../../../src/domain/Characters.js"
import { isObject, type Json } from "../../../src/domain/Json.js"
import { writeJson } from "../../../src/domain/LosslessJson.js"
import type { Part, Shortened } from "../../../src/http/mcp/Fitting.js"
import { plainTrim } from "../../domain/plainTrim.js"

const bytesOf = (value: Json | object): number => Buffer.byteLength(writeJson(value))

const cutTexts = (value: Json, charsMax: number): Json => {
  if (typeof value === "string") return value.length <= charsMax ? value : `${cutText(value, charsMax)}…`
  if (Array.isArray(value)) return value.map((item) => cutTexts(item, charsMax))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, cutTexts(inner, charsMax)]))
}

const hasLonger = (value: Json, chars: number): boolean => {
  if (typeof value === "string") return value.length > chars
  if (Array.isArray(value)) return value.some((item) => hasLonger(item, chars))
  return isObject(value) && Object.values(value).some((inner) => hasLonger(inner, chars))
}

const longestList = (value: Json): number => {
  if (Array.isArray(value))
    return value.reduce<number>((longest, item) => Math.max(longest, longestList(item)), value.length)
  if (!isObject(value)) return 0
  return Object.values(value).reduce<number>((longest, inner) => Math.max(longest, longestList(inner)), 0)
}

const longer = (one: number, other: number): number => Math.max(one, other)

/** Of the lists that are in no other one, which `skipItems` reads on: how many items the longest has. */
export const plainLongestOuter = (value: Json): number => {
  if (Array.isArray(value)) return value.length
  return isObject(value) ? Object.values(value).map(plainLongestOuter).reduce(longer, 0) : 0
}

/** The same of the lists that are inside those items of the others that are shown. */
const longestInner = (value: Json, skipItems: number, items: number): number => {
  if (Array.isArray(value))
    return value
      .slice(skipItems, skipItems + items)
      .map(longestList)
      .reduce(longer, 0)
  if (!isObject(value)) return 0
  return Object.values(value)
    .map((inner) => longestInner(inner, skipItems, items))
    .reduce(longer, 0)
}

/** How long texts may be, from the longest on, while at least so many items of each list have room beside them. */
const steps = [
  { chars: 20_000, items: 100 },
  { chars: 8_000, items: 30 },
  { chars: 4_000, items: 10 },
  { chars: 2_000, items: 3 },
  { chars: 500, items: 1 },
  { chars: 200, items: 1 }
] as const

/** The most of a part of a result that has so many bytes; null when not even its shape has. */
export const plainShortened = (result: Json, { maxItems, skipItems }: Part, bytesMax: number): Shortened | null => {
  const longest = Math.max(1, Math.min(maxItems ?? Infinity, longestList(result)))
  const shownWith = (items: number, chars: number): Shortened | null => {
    const kept = Either.getOrNull(plainTrim(result, { fields: null, maxItems: items, skipItems }))
    if (kept === null) return null
    const value = cutTexts(kept.value, chars)
    if (bytesOf(value) > bytesMax) return null
    const { arrays } = kept
    return {
      value,
      items: arrays.length === 0 ? null : items,
      outerGoesOn: plainLongestOuter(result) > skipItems + items,
      innerGoesOn: longestInner(result, skipItems, items) > items,
      chars: hasLonger(kept.value, chars) ? chars : null,
      arrays
    }
  }
  for (const { chars, items: least } of steps) {
    let shown = Math.min(least, longest)
    let best = shownWith(shown, chars)
    if (best === null) continue
    // Each try costs about as much as what it shows, however long the list is.
    for (let more = shown; more > 0 && shown < longest;) {
      const items = Math.min(shown + more, longest)
      const next = shownWith(items, chars)
      if (next === null) more = Math.floor(more / 2)
      else {
        best = next
        shown = items
        more *= 2
      }
    }
    return best
  }
  return null
}

interface Wide {
  readonly path: string
  readonly names: ReadonlyArray<string>
}

/** The object with the most members, which is why a result is too wide to show, and where it stands. */
export const plainWidest = (value: Json, path = ""): Wide => {
  const none: Wide = { path, names: [] }
  if (Array.isArray(value)) return value.map((item) => plainWidest(item, path)).reduce(wider, none)
  if (!isObject(value)) return none
  return Object.entries(value)
    .map(([name, inner]) => plainWidest(inner, path === "" ? name : `${path}.${name}`))
    .reduce(wider, { path, names: Object.keys(value) })
}
const wider = (one: Wide, other: Wide): Wide => (other.names.length > one.names.length ? other : one)

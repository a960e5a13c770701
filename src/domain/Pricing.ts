/**
 * The most that one call of an operation can cost with a given input. This is the amount to hold (contract: "Run
 * hold"). Runs, quotes, comparisons and contracts all use this one formula. It uses the largest sign of volume anywhere
 * in the input: the declared volume field, well-known limits and page sizes, and lists. It walks over the input once,
 * at any depth. A price by input (`price.byInput`) has to be worked out before: `layers/providers/PriceByInput.ts` does
 * it, and no other price fits the types here.
 */
import { ExactNumber } from "./ExactNumber.js"
import { isObject, type Json, type JsonObject } from "./Json.js"
import type { InputPrice, Operation } from "./Manifest.js"
import { member } from "./Members.js"
import { Micros } from "./Micros.js"

/** Names under which providers take the number of results. They are compared without case, `_` and `-`. */
const limits: ReadonlySet<string> = new Set([
  "limit",
  "size",
  "pagesize",
  "perpage",
  "maxresults",
  "numresults",
  "num",
  "count",
  "resultsperpage",
  "rows",
  "take",
  "maxitems",
  "first"
])
/** A longer name counts as none of these, even if it is only longer by its `_` and `-`. */
const limitCharsMax = 40

const isLimit = (name: string): boolean =>
  name.length <= limitCharsMax && limits.has(name.toLowerCase().replace(/[_-]/g, ""))

const at = (input: Json | undefined, path: ReadonlyArray<string>): Json | undefined =>
  path.reduce<Json | undefined>((value, step) => (isObject(value) ? member(value, step) : undefined), input)

/** A number, or the number that a text says. Beyond all numbers it is infinite. */
const numberIn = (value: Json | undefined): number | undefined => {
  const number =
    value instanceof ExactNumber
      ? value.toNumber()
      : typeof value === "string" && value.trim() !== ""
        ? Number(value)
        : value
  return typeof number === "number" && !Number.isNaN(number) ? number : undefined
}

/** A number as above, or the length of a list; 0 for anything else. */
const signal = (value: Json | undefined): number => {
  if (Array.isArray(value)) return value.length
  const number = numberIn(value) ?? 0
  return number > 0 ? Math.ceil(number) : 0
}

const largestSignal = (input: JsonObject): number => {
  let largest = 0
  const pending: Array<Json> = [input]
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (Array.isArray(value)) {
      largest = Math.max(largest, value.length)
      for (const item of value) if (typeof item === "object" && item !== null) pending.push(item)
    } else if (isObject(value)) {
      for (const [name, inner] of Object.entries(value)) {
        if (isLimit(name)) largest = Math.max(largest, signal(inner))
        if (typeof inner === "object" && inner !== null) pending.push(inner)
      }
    }
  }
  return largest
}

/** What the declared volume field asks for. Where it is left out: the number that the provider then returns. */
const declaredVolume = ({ volume }: Pick<Operation, "volume">, input: JsonObject): number =>
  volume === undefined ? 0 : signal(at(input, volume.field.split("."))) || volume.default

const atMost = ({ volume }: Pick<Operation, "volume">, results: number): number =>
  Math.min(results, volume?.max ?? Number.MAX_SAFE_INTEGER)

/** How many results one call can return: 0 when nothing in the input or the contract says it. */
export const volumeOf = (operation: Pick<Operation, "volume">, input: JsonObject): number =>
  atMost(operation, Math.max(declaredVolume(operation, input), largestSignal(input)))

/** How many results a run is to deliver: what its volume field asks for. Other volume fields only raise the hold. */
export const wantedResults = (operation: Pick<Operation, "volume">, input: JsonObject): number =>
  atMost(operation, declaredVolume(operation, input))

/** The pages for which a call can be billed: 1 where it is billed once. */
export const billedPages = (operation: Pick<Operation, "pages" | "volume">, input: JsonObject): number =>
  operation.pages === undefined ? 1 : pagesFor(operation, volumeOf(operation, input))

const pagesFor = ({ pages }: Pick<Operation, "pages">, results: number): number =>
  pages === undefined || pages.billed === "call" ? 1 : Math.ceil(Math.max(1, results) / pages.size)

interface VolumeExcess {
  readonly field: string
  readonly max: number
  /** True when the field holds a list that is too long, false when it holds a number that is too large. */
  readonly isList: boolean
}

/**
 * A declared volume above its maximum. It is refused and not cut, because the client would get less than it asked for.
 */
export const volumeExcess = (operation: Pick<Operation, "volume">, input: JsonObject): VolumeExcess | null => {
  const { volume } = operation
  if (volume === undefined) return null
  const value = at(input, volume.field.split("."))
  return signal(value) > volume.max ? { field: volume.field, max: volume.max, isList: Array.isArray(value) } : null
}

/** The least that the field's own schema allows; undefined when it names none. */
const leastBySchema = (schema: JsonObject, path: ReadonlyArray<string>): Json | undefined =>
  at(schema, [...path.flatMap((step) => ["properties", step]), "minimum"])

/**
 * A declared volume below 1: the provider would get it, and the hold would be that of the default. Many providers take
 * 0 or -1 for "all". It is refused; 0 passes where the field's schema has a `minimum` of 0.
 */
export const volumeShortfall = (
  { input: schema, volume }: Pick<Operation, "input" | "volume">,
  input: JsonObject
): { readonly field: string; readonly min: 0 | 1 } | null => {
  if (volume === undefined) return null
  const path = volume.field.split(".")
  const number = numberIn(at(input, path))
  if (number === undefined || number > 0) return null
  const min = leastBySchema(schema, path) === 0 ? 0 : 1
  return number < min ? { field: volume.field, min } : null
}

/** What is priced: an operation's price as it is for the input at hand, and its volume. */
export interface Priced extends Pick<Operation, "pages" | "volume"> {
  readonly price: InputPrice
}

const bounded = (micros: number): Micros => Micros.make(Math.min(Number.MAX_SAFE_INTEGER, micros))

/** The most that a page of so many results, or a call without pages, can cost. */
export const mostOf = ({ basis, maxMicros, micros, perCallMicros }: InputPrice, results: number): number =>
  Math.max(basis === "free" ? 0 : perCallMicros + micros * (basis === "per_result" ? results : 1), maxMicros ?? 0)

/** All pages but the last one are full. A page may cost its own maximum, whatever the others cost. */
const priceFor = (price: InputPrice, results: number, pages: number, size: number): Micros => {
  const full = pages - 1
  const last = Math.max(1, results - full * size)
  return bounded((full === 0 ? 0 : mostOf(price, size) * full) + mostOf(price, last))
}

export const maxPrice = (operation: Priced, input: JsonObject): Micros =>
  priceFor(
    operation.price,
    operation.price.basis === "per_result" ? volumeOf(operation, input) : 1,
    billedPages(operation, input),
    operation.pages?.size ?? 1
  )

/** The most that any accepted input can cost. A price by input is bounded by its declared maximum alone. */
export const dearestPrice = (operation: Pick<Operation, "pages" | "price" | "volume">): Micros => {
  const { price, volume } = operation
  const { byInput, ...listed } = price
  const pages = pagesFor(operation, volume?.max ?? 1)
  return byInput === undefined
    ? priceFor(listed, volume?.max ?? 1, pages, operation.pages?.size ?? 1)
    : bounded((price.maxMicros ?? Infinity) * pages)
}

/**
 * The most that one call of an operation can cost with a given input: what has to be held for it (contract: "Run hold").
 * Sized from the largest volume signal in the input: the declared volume field, well-known limits and page sizes, and arrays.
 */
import { isObject, type Json, type JsonObject } from "./Json.js"
import type { Operation } from "./Manifest.js"
import { Micros } from "./Micros.js"

/** Names under which providers take the number of results; compared without case, `_` and `-`. */
const limits: ReadonlySet<string> = new Set([
  "limit", "size", "pagesize", "perpage", "maxresults", "numresults", "num", "count", "resultsperpage", "rows", "take", "maxitems", "first"
])

const plain = (name: string): string => name.toLowerCase().replace(/[_-]/g, "")

const at = (input: Json | undefined, path: ReadonlyArray<string>): Json | undefined => {
  const [head, ...rest] = path
  return head === undefined ? input : at(isObject(input ?? null) && isObject(input) ? input[head] : undefined, rest)
}

const signal = (value: Json | undefined): number => {
  if (Array.isArray(value)) return value.length
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value
  return typeof number === "number" && Number.isFinite(number) && number > 0 ? Math.ceil(number) : 0
}

/** How many results one call can return: 0 when nothing in the input or the contract says it. */
export const volumeOf = (operation: Pick<Operation, "volume">, input: JsonObject): number => {
  const { volume } = operation
  const declared = volume === undefined ? 0 : signal(at(input, volume.field.split(".")))
  const named = Object.entries(input).map(([name, value]) => (limits.has(plain(name)) || Array.isArray(value) ? signal(value) : 0))
  // What the provider returns when its own field is left out, whatever else the input says.
  const preset = volume !== undefined && declared === 0 ? volume.default : declared
  return Math.min(Math.max(preset, ...named), volume?.max ?? Number.POSITIVE_INFINITY)
}

/** A declared volume above its maximum, which is refused rather than cut: the client would get less than it asked for. */
export const volumeExcess = (operation: Pick<Operation, "volume">, input: JsonObject): { readonly field: string; readonly max: number } | null => {
  const { volume } = operation
  return volume !== undefined && signal(at(input, volume.field.split("."))) > volume.max ? { field: volume.field, max: volume.max } : null
}

export const maxPrice = (operation: Pick<Operation, "price" | "volume">, input: JsonObject): Micros => {
  const { price } = operation
  const units = price.basis === "per_result" ? Math.max(1, volumeOf(operation, input)) : 1
  const listed = price.basis === "free" ? 0 : price.perCallMicros + price.micros * units
  return Micros.make(Math.min(Number.MAX_SAFE_INTEGER, Math.max(listed, price.maxMicros ?? 0)))
}

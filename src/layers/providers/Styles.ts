/**
 * How a value of several parts is written as parameters: one implementation for queries, forms and multipart bodies.
 * Gives names and values that are not encoded yet. Null and what is empty send nothing.
 */
import { isObject, type Json } from "../../domain/Json.js"
import type { Binding } from "../../domain/Manifest.js"
import { asText } from "./Transforms.js"

type Pair = readonly [name: string, value: Json]

const joined = (name: string, value: Json, between: string): ReadonlyArray<Pair> => {
  const items: ReadonlyArray<Json> = Array.isArray(value)
    ? value
    : isObject(value)
      ? Object.entries(value).flat()
      : [value]
  return items.length === 0 ? [] : [[name, items.map(asText).join(between)]]
}

/** Members by their names and items by `itemName`, at any depth. `isWhole` says what is not taken apart. */
const nested = (
  name: string,
  value: Json,
  itemName: (at: number) => string,
  isWhole: (value: Json) => boolean
): ReadonlyArray<Pair> => {
  if (value === null) return []
  if (isWhole(value)) return [[name, value]]
  if (Array.isArray(value))
    return value.flatMap((item: Json, at) => nested(`${name}[${itemName(at)}]`, item, itemName, isWhole))
  return isObject(value)
    ? Object.entries(value).flatMap(([key, each]) => nested(`${name}[${key}]`, each, itemName, isWhole))
    : [[name, value]]
}

/** `isWhole` tells the values that are one part although they are objects, such as a file. */
export const pairsOf = (
  { name, style }: Pick<Binding, "name" | "style">,
  value: Json,
  isWhole: (value: Json) => boolean = () => false
): ReadonlyArray<Pair> => {
  switch (style) {
    case "single":
    case "segments":
      return [[name, value]]
    case "repeat":
      return Array.isArray(value) ? value.map((item: Json): Pair => [name, item]) : [[name, value]]
    case "comma":
      return joined(name, value, ",")
    case "pipe":
      return joined(name, value, "|")
    case "space":
      return joined(name, value, " ")
    case "brackets":
      return nested(name, value, () => "", isWhole)
    case "deepObject":
      return nested(name, value, String, isWhole)
    case "spread":
      return isObject(value)
        ? Object.entries(value).flatMap(([key, each]): ReadonlyArray<Pair> =>
            each === null ? [] : [[name.replace("*", () => key), each]]
          )
        : []
  }
}

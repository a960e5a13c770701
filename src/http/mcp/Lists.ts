/**
 * What a reader of a shortened result is told about the whole of it: how long its lists are, and which object is too
 * wide. All of a result is looked at, in short steps.
 */
import { isObject, type Json } from "../../domain/Json.js"
import { member } from "../../domain/Members.js"

type List = ReadonlyArray<Json>

/** Values between two steps. */
export const valuesPerStep = 256

/** Shows each list of a value, or only those that are in no other one. */
export function* eachList(value: Json, which: "all" | "outer", see: (list: List) => void): Generator<void> {
  const left: Array<Json> = [value]
  let values = 0
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if ((values += 1) % valuesPerStep === 0) yield
    if (Array.isArray(next)) {
      see(next)
      if (which === "outer") continue
      for (const item of next) {
        if ((values += 1) % valuesPerStep === 0) yield
        if (typeof item === "object" && item !== null) left.push(item)
      }
    } else if (isObject(next))
      for (const name of Object.keys(next)) {
        if ((values += 1) % valuesPerStep === 0) yield
        const inner = member(next, name)
        if (typeof inner === "object" && inner !== null) left.push(inner)
      }
  }
}

export function* longestList(value: Json): Generator<void, number> {
  let longest = 0
  yield* eachList(value, "all", (list) => (longest = Math.max(longest, list.length)))
  return longest
}

/** Of the lists that are in no other one, which `skipItems` reads on: how many items the longest has. */
export function* longestOuter(value: Json): Generator<void, number> {
  let longest = 0
  yield* eachList(value, "outer", (list) => (longest = Math.max(longest, list.length)))
  return longest
}

/** The same of the lists that are inside those items of the others that are shown. */
export function* longestInner(value: Json, skipItems: number, items: number): Generator<void, number> {
  const outer: Array<List> = []
  yield* eachList(value, "outer", (list) => outer.push(list))
  let longest = 0
  for (const list of outer) {
    const shown = list.slice(skipItems, skipItems + items)
    yield* eachList(shown, "all", (inner) => (longest = Math.max(longest, inner === shown ? 0 : inner.length)))
    yield
  }
  return longest
}

interface Wide {
  readonly path: string
  readonly names: ReadonlyArray<string>
}

/** The place of a value: its own name, below those of another place. */
interface Place {
  readonly above: Place | null
  readonly name: string
}

/** The object with the most names so far, and its place. */
interface Widest {
  place: Place | null
  names: ReadonlyArray<string>
  values: number
}

function* seek(value: Json, place: Place | null, found: Widest): Generator<void> {
  if (Array.isArray(value)) {
    for (const item of value) {
      if ((found.values += 1) % valuesPerStep === 0) yield
      if (typeof item === "object" && item !== null) yield* seek(item, place, found)
    }
    return
  }
  if (!isObject(value)) return
  const names = Object.keys(value)
  if (names.length > found.names.length) {
    found.names = names
    found.place = place
  }
  for (const name of names) {
    if ((found.values += 1) % valuesPerStep === 0) yield
    const inner = member(value, name)
    if (typeof inner === "object" && inner !== null) yield* seek(inner, { above: place, name }, found)
  }
}

const pathOf = (place: Place | null): string => {
  if (place === null) return ""
  const above = pathOf(place.above)
  return above === "" ? place.name : `${above}.${place.name}`
}

/** The object with the most members, which is why a result is too wide to show, and where it stands. */
export function* widest(value: Json): Generator<void, Wide> {
  const found: Widest = { place: null, names: [], values: 0 }
  yield* seek(value, null, found)
  return { path: pathOf(found.place), names: found.names }
}

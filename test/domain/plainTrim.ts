/**
 * Trimming a result as it is told in one sentence: everything is copied, at once, however much it is. `domain/Trim.ts`
 * answers the same in short steps.
 */
import { Either } from "effect"
import { isObject, type Json } from "../../src/domain/Json.js"
import type { NoSuchPath, Trimmed, TrimmedArray, TrimRequest } from "../../src/domain/Trim.js"

/** Where paths go on: all paths in one tree, so that one walk serves them all. */
interface Branch {
  /** A path ends here: everything below is kept. */
  ends: boolean
  /** The walk has been here. */
  reached: boolean
  readonly children: Map<string, Branch>
}

const branch = (): Branch => ({ ends: false, reached: false, children: new Map() })

/** The branch at the end of a path, made with all that leads to it. */
const grow = (root: Branch, names: ReadonlyArray<string>): Branch => {
  let at = root
  for (const name of names) {
    const next = at.children.get(name) ?? branch()
    at.children.set(name, next)
    at = next
  }
  at.ends = true
  return at
}

/**
 * What the paths name in a value; undefined where none leads anywhere. An object in an array stays in its place, empty
 * if need be; an item that has no members is not what a longer path names, and goes. Below the end of a path the walk
 * goes on for longer ones, to see whether they lead somewhere.
 */
const keep = (value: Json, at: Branch): Json | undefined => {
  const kept = at.children.size === 0 ? undefined : keepBelow(value, at)
  if (at.ends) {
    at.reached = true
    return value
  }
  return kept
}

const keepBelow = (value: Json, at: Branch): Json | undefined => {
  if (Array.isArray(value)) {
    const kept = value.map((item) => keepItem(item, at))
    return kept.some(({ named }) => named) ? kept.flatMap(({ item }) => (item === undefined ? [] : [item])) : undefined
  }
  if (!isObject(value)) return undefined
  const members: Array<readonly [string, Json]> = []
  for (const [name, member] of Object.entries(value)) {
    const child = at.children.get(name)
    const kept = child === undefined ? undefined : keep(member, child)
    if (kept !== undefined) members.push([name, kept])
  }
  return members.length === 0 ? undefined : Object.fromEntries(members)
}

/** What stays of an item of an array, and whether a path leads into it. */
const keepItem = (item: Json, at: Branch): { readonly item: Json | undefined; readonly named: boolean } => {
  const kept = keepBelow(item, at)
  if (kept !== undefined) return { item: kept, named: true }
  return { item: Array.isArray(item) ? [] : isObject(item) ? {} : undefined, named: false }
}

/**
 * The arrays at one path, and what is below it. The text of a path is made only for arrays that lost items: it grows
 * with the depth.
 */
interface Level {
  kept: number
  total: number
  /** Arrays that are items of the arrays here. */
  nested: Level | null
  readonly members: Map<string, Level>
}

const level = (): Level => ({ kept: 0, total: 0, nested: null, members: new Map() })

const cut = (value: Json, maxItems: number, skipItems: number, at: Level): Json => {
  if (Array.isArray(value)) {
    const kept = value.length > maxItems || skipItems > 0 ? value.slice(skipItems, skipItems + maxItems) : value
    at.kept += kept.length
    at.total += value.length
    return kept.map((item) => cut(item, maxItems, 0, Array.isArray(item) ? (at.nested ??= level()) : at))
  }
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const below = at.members.get(name) ?? level()
      at.members.set(name, below)
      return [name, cut(member, maxItems, skipItems, below)]
    })
  )
}

const shortened = (at: Level, path: string): ReadonlyArray<TrimmedArray> => [
  ...(at.kept < at.total ? [{ path: path === "" ? "$" : path, kept: at.kept, total: at.total }] : []),
  ...(at.nested === null ? [] : shortened(at.nested, `${path === "" ? "$" : path}[]`)),
  ...[...at.members].flatMap(([name, below]) => shortened(below, path === "" ? name : `${path}.${name}`))
]

export const plainTrim = (given: Json, request: TrimRequest): Either.Either<Trimmed, NoSuchPath> => {
  const kept = request.fields === null ? Either.right(given) : pick(given, request.fields)
  if (Either.isLeft(kept)) return Either.left(kept.left)
  const { maxItems, skipItems = 0 } = request
  if (maxItems === null && skipItems === 0) return Either.right({ value: kept.right, truncated: false, arrays: [] })
  const root = level()
  const value = cut(kept.right, maxItems ?? Infinity, skipItems, root)
  const arrays = shortened(root, "")
  return Either.right({ value, truncated: arrays.length > 0, arrays })
}

const pick = (value: Json, fields: ReadonlyArray<string>): Either.Either<Json, NoSuchPath> => {
  const root = branch()
  const ends = fields.map((field) => ({ field, end: grow(root, field.split(".")) }))
  const kept = keep(value, root)
  const missing = ends.find(({ end }) => !end.reached)
  return missing === undefined ? Either.right(kept ?? value) : Either.left({ _tag: "NoSuchPath", path: missing.field })
}

/**
 * Shrinks a result for reading: keeps only some dotted paths, and at most so many items of every array (contract: "GET
 * /v1/runs/{runId}", `fields` and `max_items`). The tools of agents also skip items. Arrays are walked per element and
 * leave no trace in a path. Each value is looked at once, however many paths there are, and only what loses something
 * is copied. A result may be large: the work is a generator of short steps, between which others are served. Never
 * changes what is stored or charged.
 */
import { Either } from "effect"
import { isObject, type Json, type JsonObject } from "./Json.js"
import { member, setMember } from "./Members.js"

export interface TrimRequest {
  readonly fields: ReadonlyArray<string> | null
  readonly maxItems: number | null
  /** So many first items go, of each array that is in no other one: a reader goes on where it was. */
  readonly skipItems?: number
}

/**
 * Over all arrays at one path: how many items were kept of how many. The result itself is `$`. An array that is
 * directly an item of another one is `[]` further down: `rows` holds the rows, `rows[]` what stands in each, and
 * `rows[].cells` is a member of an item of those.
 */
export interface TrimmedArray {
  readonly path: string
  readonly kept: number
  readonly total: number
}

export interface Trimmed {
  readonly value: Json
  readonly truncated: boolean
  /** Only the arrays that lost items; without those for whose paths there is no room (`arraysCharsMax`). */
  readonly arrays: ReadonlyArray<TrimmedArray>
}

/**
 * What the list of arrays takes at most, in characters: one name of a result can stand in the paths of all its arrays,
 * and these together can be a thousand times as long as the result.
 */
const arraysCharsMax = 1_048_576
/** About what is written of an array beside its path. */
const arrayChars = 40

/** A path that is in no part of the result. */
export interface NoSuchPath {
  readonly _tag: "NoSuchPath"
  readonly path: string
}

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

/** Values between two steps. */
const valuesPerStep = 128

/** What a walk has seen so far. */
interface Walk {
  values: number
  /** Whether a list has lost items. */
  lost: boolean
}

const isStep = (walk: Walk): boolean => (walk.values += 1) % valuesPerStep === 0

const holdsMore = (value: Json): value is JsonObject | ReadonlyArray<Json> => Array.isArray(value) || isObject(value)

/**
 * What the paths name in a value; undefined where none leads anywhere. An object in an array stays in its place, empty
 * if need be; an item that has no members is not what a longer path names, and goes. Below the end of a path the walk
 * goes on for longer ones, to see whether they lead somewhere.
 */
function* keep(value: Json, at: Branch, walk: Walk): Generator<void, Json | undefined> {
  const kept = at.children.size === 0 || !holdsMore(value) ? undefined : yield* keepBelow(value, at, walk)
  if (at.ends) {
    at.reached = true
    return value
  }
  return kept
}

function* keepBelow(value: Json, at: Branch, walk: Walk): Generator<void, Json | undefined> {
  if (Array.isArray(value)) return yield* keepItems(value, at, walk)
  if (!isObject(value)) return undefined
  let made: { [name: string]: Json } | undefined
  for (const name of Object.keys(value)) {
    if (isStep(walk)) yield
    const child = at.children.get(name)
    if (child === undefined) continue
    const kept = yield* keep(member(value, name) ?? null, child, walk)
    if (kept !== undefined) setMember((made ??= {}), name, kept)
  }
  return made
}

function* keepItems(list: ReadonlyArray<Json>, at: Branch, walk: Walk): Generator<void, Json | undefined> {
  const made: Array<Json> = []
  /** Whether a path leads into an item. */
  let isNamed = false
  for (const item of list) {
    if (isStep(walk)) yield
    if (!holdsMore(item)) continue
    const kept = yield* keepBelow(item, at, walk)
    isNamed ||= kept !== undefined
    made.push(kept ?? (Array.isArray(item) ? [] : {}))
  }
  return isNamed ? made : undefined
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
  /** By the name, in the order in which the names were met; null where nothing at a name holds more. */
  members: Map<string, Level | null> | null
}

const level = (): Level => ({ kept: 0, total: 0, nested: null, members: null })

function* cut(value: Json, maxItems: number, skipItems: number, at: Level, walk: Walk): Generator<void, Json> {
  if (Array.isArray(value)) return yield* cutItems(value, maxItems, skipItems, at, walk)
  return isObject(value) ? yield* cutMembers(value, maxItems, skipItems, at, walk) : value
}

function* cutItems(
  list: ReadonlyArray<Json>,
  maxItems: number,
  skipItems: number,
  at: Level,
  walk: Walk
): Generator<void, Json> {
  const kept = list.length > maxItems || skipItems > 0 ? list.slice(skipItems, skipItems + maxItems) : list
  at.kept += kept.length
  at.total += list.length
  walk.lost ||= kept.length < list.length
  let made: Array<Json> | undefined
  for (let index = 0; index < kept.length; index += 1) {
    if (isStep(walk)) yield
    const item = kept[index] ?? null
    if (!holdsMore(item)) continue
    const shorter = yield* cut(item, maxItems, 0, Array.isArray(item) ? (at.nested ??= level()) : at, walk)
    if (shorter !== item) (made ??= [...kept])[index] = shorter
  }
  return made ?? kept
}

function* cutMembers(
  value: JsonObject,
  maxItems: number,
  skipItems: number,
  at: Level,
  walk: Walk
): Generator<void, Json> {
  const names = Object.keys(value)
  const levels = (at.members ??= new Map())
  let made: { [name: string]: Json } | undefined
  for (const [index, name] of names.entries()) {
    if (isStep(walk)) yield
    const inner = member(value, name) ?? null
    const below = levels.get(name) ?? (holdsMore(inner) ? level() : null)
    levels.set(name, below)
    const shorter = below === null ? inner : yield* cut(inner, maxItems, skipItems, below, walk)
    if (made === undefined && shorter !== inner) made = yield* firstMembers(value, names, index, walk)
    if (made !== undefined) setMember(made, name, shorter)
  }
  return made ?? value
}

/** A copy of the members before this one. An object with many names is not copied at once: that takes long. */
function* firstMembers(
  value: JsonObject,
  names: ReadonlyArray<string>,
  end: number,
  walk: Walk
): Generator<void, { [name: string]: Json }> {
  const made: { [name: string]: Json } = {}
  for (let index = 0; index < end; index += 1) {
    if (isStep(walk)) yield
    const name = names[index] ?? ""
    setMember(made, name, member(value, name) ?? null)
  }
  return made
}

interface Listed {
  readonly arrays: Array<TrimmedArray>
  /** For further ones. */
  charsLeft: number
}

function* collect(at: Level, path: string, listed: Listed, walk: Walk): Generator<void> {
  if (at.kept < at.total && path.length + arrayChars <= listed.charsLeft) {
    listed.arrays.push({ path: path === "" ? "$" : path, kept: at.kept, total: at.total })
    listed.charsLeft -= path.length + arrayChars
  }
  if (at.nested !== null) yield* collect(at.nested, `${path === "" ? "$" : path}[]`, listed, walk)
  for (const [name, below] of at.members ?? []) {
    if (isStep(walk)) yield
    if (below !== null) yield* collect(below, path === "" ? name : `${path}.${name}`, listed, walk)
  }
}

export function* trim(
  given: Json,
  { fields, maxItems, skipItems = 0 }: TrimRequest
): Generator<void, Either.Either<Trimmed, NoSuchPath>> {
  const walk: Walk = { values: 0, lost: false }
  const kept = fields === null ? Either.right(given) : yield* pick(given, fields, walk)
  if (Either.isLeft(kept)) return Either.left(kept.left)
  const root = level()
  const value =
    maxItems === null && skipItems === 0
      ? kept.right
      : yield* cut(kept.right, maxItems ?? Infinity, skipItems, root, walk)
  const listed: Listed = { arrays: [], charsLeft: arraysCharsMax }
  if (walk.lost) yield* collect(root, "", listed, walk)
  return Either.right({ value, truncated: walk.lost, arrays: listed.arrays })
}

function* pick(
  value: Json,
  fields: ReadonlyArray<string>,
  walk: Walk
): Generator<void, Either.Either<Json, NoSuchPath>> {
  const root = branch()
  const ends = fields.map((field) => ({ field, end: grow(root, field.split(".")) }))
  const kept = yield* keep(value, root, walk)
  const missing = ends.find(({ end }) => !end.reached)
  return missing === undefined ? Either.right(kept ?? value) : Either.left({ _tag: "NoSuchPath", path: missing.field })
}

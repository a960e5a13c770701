/**
 * Shrinks a result for reading: keeps only some dotted paths, and at most so many items of every array (contract: "GET /v1/runs/{runId}",
 * `fields` and `max_items`). Arrays are walked per element and leave no trace in a path. Never changes what is stored or charged.
 */
import { Either } from "effect"
import { isObject, type Json } from "./Json.js"

export interface TrimRequest {
  readonly fields: ReadonlyArray<string> | null
  readonly maxItems: number | null
}

/** Over all arrays at one path: how many items were kept of how many. The result itself is `$`. */
export interface TrimmedArray {
  readonly path: string
  readonly kept: number
  readonly total: number
}

export interface Trimmed {
  readonly value: Json
  readonly truncated: boolean
  /** Only the arrays that lost items. */
  readonly arrays: ReadonlyArray<TrimmedArray>
}

/** A path that is in no part of the result. */
export interface NoSuchPath {
  readonly _tag: "NoSuchPath"
  readonly path: string
}

type Tree = { readonly leaf: boolean; readonly children: ReadonlyMap<string, Tree> }

/** One tree of all paths; a path that ends in the middle of another keeps everything below it. */
const treeOf = (paths: ReadonlyArray<ReadonlyArray<string>>): Tree => {
  const groups = new Map<string, Array<ReadonlyArray<string>>>()
  for (const [head, ...tail] of paths) if (head !== undefined) groups.set(head, [...groups.get(head) ?? [], tail])
  return { leaf: paths.some((path) => path.length === 0), children: new Map([...groups].map(([name, tails]) => [name, treeOf(tails)])) }
}

const has = (value: { readonly [key: string]: Json }, name: string): boolean => Object.hasOwn(value, name)

const keep = (value: Json, tree: Tree): Json => {
  if (tree.leaf) return value
  if (Array.isArray(value)) return value.map((item) => keep(item, tree))
  if (!isObject(value)) return value
  const kept: { [key: string]: Json } = {}
  for (const [name, child] of tree.children) {
    const member = value[name]
    if (has(value, name) && member !== undefined && reaches(member, child)) kept[name] = keep(member, child)
  }
  return kept
}

/** Whether at least one path of the tree leads somewhere in the value. */
const reaches = (value: Json, tree: Tree): boolean => {
  if (tree.leaf) return true
  if (Array.isArray(value)) return value.some((item) => reaches(item, tree))
  if (!isObject(value)) return false
  return [...tree.children].some(([name, child]) => {
    const member = value[name]
    return has(value, name) && member !== undefined && reaches(member, child)
  })
}

const cut = (value: Json, maxItems: number, path: string, seen: Map<string, { kept: number; total: number }>): Json => {
  if (Array.isArray(value)) {
    const kept = value.slice(0, maxItems).map((item) => cut(item, maxItems, path, seen))
    const sums = seen.get(path) ?? { kept: 0, total: 0 }
    seen.set(path, { kept: sums.kept + kept.length, total: sums.total + value.length })
    return kept
  }
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, cut(member, maxItems, path === "$" ? name : `${path}.${name}`, seen)]))
}

export const trim = (value: Json, request: TrimRequest): Either.Either<Trimmed, NoSuchPath> => {
  const paths = request.fields?.map((field) => ({ field, names: field.split(".") })) ?? []
  const missing = paths.find(({ names }) => !reaches(value, treeOf([names])))
  if (missing !== undefined) return Either.left({ _tag: "NoSuchPath", path: missing.field })
  const kept = request.fields === null ? value : keep(value, treeOf(paths.map(({ names }) => names)))
  if (request.maxItems === null) return Either.right({ value: kept, truncated: false, arrays: [] })
  const seen = new Map<string, { kept: number; total: number }>()
  const shortened = cut(kept, request.maxItems, "$", seen)
  const arrays = [...seen].flatMap(([path, sums]) => (sums.kept < sums.total ? [{ path, ...sums }] : []))
  return Either.right({ value: shortened, truncated: arrays.length > 0, arrays })
}

// Reads an OpenAPI 3 document for the measure of imports. It shares no code with the import: it follows references
// where they stand, across files, instead of putting the files together.
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parse } from "yaml"

export type Value = string | number | boolean | null | ReadonlyArray<Value> | Members
export interface Members {
  readonly [name: string]: Value
}

export const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)
export const membersOf = (value: Value | undefined): Members => (isMembers(value) ? value : {})
export const itemsOf = (value: Value | undefined): ReadonlyArray<Value> => (Array.isArray(value) ? value : [])
export const textOf = (value: Value | undefined): string => (typeof value === "string" ? value : "")

const files = new Map<string, Value>()
const read = (file: string): Value => {
  const known = files.get(file)
  if (known !== undefined) return known
  const text = readFileSync(file, "utf8")
  const value: Value = file.endsWith(".json") ? JSON.parse(text) : parse(text, { maxAliasCount: -1, uniqueKeys: false })
  files.set(file, value)
  return value
}

/** A part of a document, and the file that its references start from. */
export interface Node {
  readonly file: string
  readonly at: Members
}

const pointed = (value: Value, pointer: string): Value | undefined =>
  pointer
    .split("/")
    .slice(1)
    .reduce<Value | undefined>((at, raw) => {
      const name = decodeURIComponent(raw).replaceAll("~1", "/").replaceAll("~0", "~")
      return Array.isArray(at) ? at[Number(name)] : membersOf(at)[name]
    }, value)

/** The part that stands here, or where its references lead. */
export const node = (file: string, value: Value | undefined): Node => {
  let at = { file, value }
  for (let hops = 0; hops < 20; hops += 1) {
    const reference = membersOf(at.value)["$ref"]
    if (typeof reference !== "string") return { file: at.file, at: membersOf(at.value) }
    const [name = "", pointer = ""] = reference.split("#")
    const target = name === "" ? at.file : join(dirname(at.file), name)
    at = { file: target, value: pointer === "" ? read(target) : pointed(read(target), pointer) }
  }
  throw new Error(`${file} has references in a circle`)
}

export const inside = ({ at, file }: Node, name: string): Node => node(file, at[name])
export const opened = (file: string): Node => node(file, read(file))

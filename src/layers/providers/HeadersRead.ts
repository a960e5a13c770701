/**
 * Which headers of an answer count for an operation: those that its expressions read, and those that the engine reads
 * by itself. A sample of a call keeps them, so that the check can replay it. Not used in the path of a run.
 */
import { jmespath } from "@jmespath-community/jmespath"
import { Either } from "effect"
import { isRecord } from "effect/Predicate"
import type { Operation } from "../../domain/Manifest.js"
import { compileRules } from "./CompiledRules.js"

export interface HeadersRead {
  /** Whether an expression of the operation reads the header. */
  readonly byRules: (name: string) => boolean
  /** Whether an expression or the engine itself reads it. */
  readonly byAnyone: (name: string) => boolean
}

/** Read from any answer, whatever the rules say. */
const byEngine: ReadonlySet<string> = new Set([
  "content-type",
  "content-disposition",
  "location",
  "link",
  "retry-after"
])

/** They describe the bytes of one transfer. A replay writes its own. */
const ofTransfer: ReadonlySet<string> = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "transfer-encoding"
])
/** Nobody needs them who reads all headers, and they hold secrets. */
const cookies: ReadonlySet<string> = new Set(["set-cookie", "set-cookie2"])

/** The names of headers in an expression. `all`: it reads them as a whole. */
interface Names {
  readonly names: Set<string>
  all: boolean
}

const isField = (node: unknown): node is { readonly name: string } =>
  isRecord(node) && node["type"] === "Field" && typeof node["name"] === "string"

/** `headers`, also as `@.headers` or `$.headers`. */
const isHeaders = (node: unknown): boolean =>
  isRecord(node) && node["type"] === "Subexpression"
    ? isHeaders(node["right"])
    : isField(node) && node.name === "headers"

const collect = (node: unknown, into: Names): void => {
  if (Array.isArray(node)) return node.forEach((each) => collect(each, into))
  if (!isRecord(node)) return
  if (isHeaders(node)) {
    into.all = true
    return
  }
  const { left, right } = node
  if (node["type"] !== "Subexpression" || !isHeaders(left))
    return Object.values(node).forEach((each) => collect(each, into))
  if (isField(right)) into.names.add(right.name)
  else into.all = true
}

/** The expressions among the rules of an operation. */
const sourcesIn = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value)
    ? value.flatMap(sourcesIn)
    : isRecord(value)
      ? typeof value["source"] === "string"
        ? [value["source"]]
        : Object.values(value).flatMap(sourcesIn)
      : []

export const headersReadBy = (operation: Operation): HeadersRead => {
  const found: Names = { names: new Set(), all: false }
  // An operation whose expressions do not parse is refused when its manifest is read.
  const rules = Either.getOrElse(compileRules(operation), () => null)
  for (const source of sourcesIn(rules)) collect(jmespath.compile(source), found)
  const byRules = (name: string) =>
    !ofTransfer.has(name) && (found.names.has(name) || (found.all && !cookies.has(name)))
  return { byRules, byAnyone: (name) => byRules(name) || byEngine.has(name) }
}

/**
 * The pages of an answer as plain data: which list a page brings, which request asks for the page after it, and what
 * all pages are together. Nothing here sends anything.
 */
import { Either } from "effect"
import { isWellFormed } from "../../domain/Characters.js"
import { isObject, type Json, type JsonObject } from "../../domain/Json.js"
import { pageCursorCharsMax, pageStartMax } from "../../domain/limits/Calls.js"
import { withNumbers, writeJson } from "../../domain/LosslessJson.js"
import type { Endpoint, PageRules, Volume } from "../../domain/Manifest.js"
import { member } from "../../domain/Members.js"
import type { CompiledRules } from "./CompiledRules.js"
import { type AnswerView, holds, read } from "./Expressions.js"
import { type ToldAddress, toldAddress } from "./FollowUps.js"

type Steps = ReadonlyArray<string>

const stepsOf = (path: string): Steps => path.split(".").slice(1)

const at = (body: Json, steps: Steps): Json | undefined =>
  steps.reduce<Json | undefined>((value, step) => (isObject(value) ? member(value, step) : undefined), body)

/**
 * The results of a page. Null when it has no list: it may say anything then, also that it is none. A member that is
 * null is an empty list, as some languages write it.
 */
export const listOf = ({ items }: PageRules, body: Json): ReadonlyArray<Json> | null => {
  const found = at(body, stepsOf(items))
  return found === null && body !== null ? [] : Array.isArray(found) ? found : null
}

/** Whether a page has its list, and nothing in it. */
export const isEmptyList = ({ items }: PageRules, body: Json): boolean => {
  const found = at(body, stepsOf(items))
  return Array.isArray(found) && found.length === 0
}

/** `body` with this value at a place that it has; undefined removes the member. A level that is no object stays. */
const placed = (body: Json, [step, ...rest]: Steps, value: Json | undefined): Json => {
  if (step === undefined) return value ?? null
  if (!isObject(body)) return body
  const others = Object.entries(body)
  if (!Object.hasOwn(body, step))
    return value === undefined || rest.length > 0 ? body : Object.fromEntries([...others, [step, value]])
  const inner = rest.length === 0 ? value : placed(member(body, step) ?? null, rest, value)
  return Object.fromEntries(
    others.flatMap(([name, each]) => (name !== step ? [[name, each]] : inner === undefined ? [] : [[name, inner]]))
  )
}

const plainPath = /^body(\.[A-Za-z_]\w*)+$/

/** The members that say how to go on, where the manifest names them by a plain path. */
const goingOn = ({ more, next }: PageRules): ReadonlyArray<Steps> =>
  [more, next.by === "cursor" ? next.cursor : next.by === "url" ? next.url : undefined].flatMap((path) =>
    path !== undefined && plainPath.test(path) ? [stepsOf(path)] : []
  )

/**
 * The answer that the provider would have given at once: the first page with all results in its list. What says how to
 * go on is that of the last page, so that a client can.
 */
export const wholeOf = (rules: PageRules, first: Json, last: Json, items: ReadonlyArray<Json>): Json =>
  placed(
    goingOn(rules).reduce<Json>((body, steps) => placed(body, steps, at(last, steps)), first),
    stepsOf(rules.items),
    items
  )

/** The input of a request for a page of this size. */
export const sizedInput = (rules: PageRules, { field }: Volume, input: JsonObject, size: number): JsonObject =>
  rules.sendSize
    ? { ...input, [field]: size }
    : Object.fromEntries(Object.entries(input).filter(([name]) => name !== field))

/** Where the reading stands after a page. */
export interface ReadSoFar {
  readonly input: JsonObject
  /** How many pages were read, and how many results they brought. */
  readonly pages: number
  readonly results: number
  /** The results of the last page, and how many it was asked for. */
  readonly brought: number
  readonly asked: number
}

export type NextPage =
  /** The provider has no more. */
  | { readonly _tag: "End" }
  | { readonly _tag: "Field"; readonly field: string; readonly value: Json; readonly key: string }
  | { readonly _tag: "Told"; readonly address: ToldAddress; readonly key: string }
  /** There is more, and it cannot be asked for. */
  | { readonly _tag: "Unusable"; readonly why: string }

const end: NextPage = { _tag: "End" }

const isNone = (value: Json): boolean => value === null || value === false || value === ""

const holdsHalfCharacter = (value: Json): boolean => {
  if (typeof value === "string") return !isWellFormed(value)
  if (Array.isArray(value)) return value.some(holdsHalfCharacter)
  return (
    isObject(value) && Object.entries(value).some(([name, each]) => !isWellFormed(name) || holdsHalfCharacter(each))
  )
}

const field = (name: string, value: Json): NextPage => {
  const key = writeJson(value)
  if (holdsHalfCharacter(value)) return { _tag: "Unusable", why: "its cursor holds half a character" }
  return key.length > pageCursorCharsMax
    ? { _tag: "Unusable", why: `its cursor is longer than ${pageCursorCharsMax} characters` }
    : { _tag: "Field", field: name, value, key }
}

/** The address of `rel="next"` in a `Link` header (RFC 8288). */
const nextLink = (header: string | undefined): string | null => {
  const links = (header ?? "").matchAll(/<([^<>]*)>((?:\s*;\s*[\w*-]+(?:\s*=\s*(?:"[^"]*"|[^\s";,]*))?)*)/g)
  for (const [, address = "", parameters = ""] of links) {
    const rel = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s";,]+))/i.exec(parameters)
    if ((rel?.[1] ?? rel?.[2] ?? "").toLowerCase().split(/\s+/).includes("next")) return address
  }
  return null
}

const pageNamedBy = (value: Json, base: string): NextPage =>
  isNone(value)
    ? end
    : Either.match(toldAddress(value, base), {
        onLeft: (problem): NextPage => ({ _tag: "Unusable", why: `the provider ${problem}` }),
        onRight: (address): NextPage => ({ _tag: "Told", address, key: `${address.origin}${address.path}` })
      })

/** Where the input starts, or else the first page or result. Null when it cannot be counted from there. */
const countedFrom = (input: JsonObject, name: string, first: number): number | null => {
  const given = withNumbers(member(input, name) ?? null)
  if (given === null || (typeof given === "string" && given.trim() === "")) return first
  const number = typeof given === "number" || typeof given === "string" ? Number(given) : Number.NaN
  return Number.isSafeInteger(number) && Math.abs(number) <= pageStartMax ? number : null
}

/** The field of an input from whose page or offset cannot be counted on; null when it can be. */
export const uncountableField = ({ next }: PageRules, input: JsonObject): string | null =>
  (next.by === "page" || next.by === "offset") && countedFrom(input, next.field, next.first) === null
    ? next.field
    : null

/** Inputs that cannot be counted on were refused before the first page. */
const startOf = (input: JsonObject, name: string, first: number): number => countedFrom(input, name, first) ?? first

/** What asks for the page after the one of `view`. `base` is the address that told addresses may be relative to. */
export const nextPage = (
  { operation: { pages } }: Endpoint,
  rules: CompiledRules,
  view: AnswerView,
  { asked, brought, input, pages: count, results }: ReadSoFar,
  base: string
): NextPage => {
  if (pages === undefined || brought === 0) return end
  const { more, next } = pages
  if (more !== undefined && !holds(rules.morePages, view)) return end
  const isShort = more === undefined && brought < asked
  switch (next.by) {
    case "cursor": {
      const cursor = read(rules.nextCursor, view)
      return isNone(cursor) ? end : field(next.field, cursor)
    }
    case "page":
      return isShort ? end : field(next.field, startOf(input, next.field, next.first) + count)
    case "offset":
      return isShort ? end : field(next.field, startOf(input, next.field, next.first) + results)
    case "url":
      return pageNamedBy(read(rules.nextUrl, view), base)
    case "link":
      return pageNamedBy(nextLink(view.headers["link"]), base)
  }
}

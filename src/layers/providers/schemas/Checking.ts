/**
 * What the check of a value against a schema is made of: the functions that a schema becomes, the problem that they
 * find, the work that one check may take, and what is known to be covered for `unevaluatedProperties` and
 * `unevaluatedItems`.
 */
import type { Json } from "../../../domain/Json.js"
import { schemaWorkMax } from "../../../domain/limits/Calls.js"
import { isPatternWorkSpent, refillPatternWork } from "../LinearPatterns.js"

/** Where in the value: names of members and positions in lists, from the outside in. */
export type Path = ReadonlyArray<string | number>

export interface Problem {
  /** `spent`: the work was used up, and the value was not checked to its end. */
  readonly kind: "missing" | "invalid" | "spent"
  readonly path: Path
  /** What would be right, without the name of the field; the name of the missing member for `missing`. */
  readonly message: string
}

/** The work that is left for one check. The steps of patterns are counted apart (`LinearPatterns.ts`). */
export interface Work {
  left: number
  /** The names of the objects that were looked at: of a large object, listing them is most of the work. */
  readonly names: Map<OpenObject, ReadonlyArray<string>>
}

export const freshWork = (): Work => {
  refillPatternWork()
  return { left: schemaWorkMax, names: new Map() }
}

/** Whether the check has to end. Every function that goes on after a problem asks this first. */
export const isSpent = (work: Work): boolean => work.left < 0 || isPatternWorkSpent()

export const spent: Problem = { kind: "spent", path: [], message: "" }

/** Takes so much of the work. True when there was not enough. */
export const spends = (work: Work, units: number): boolean => {
  work.left -= units
  return work.left < 0
}

/** To look at a name of an object is a part of a step. */
export const namesPerStep = 4

/** The names of an object's members; undefined when there was not enough work left to look at them. */
export const namesIn = (object: OpenObject, work: Work): ReadonlyArray<string> | undefined => {
  const known = work.names.get(object)
  const names = known ?? Object.keys(object)
  if (known === undefined) work.names.set(object, names)
  return spends(work, names.length / namesPerStep) ? undefined : names
}

/** A problem with the value itself; its message is made once. */
export const problemWith = (message: string): Problem => ({ kind: "invalid", path: [], message })

/** The problem of a member, as a problem of what holds it. */
export const within = (step: string | number, problem: Problem): Problem => ({
  ...problem,
  path: [step, ...problem.path]
})

/** Which members and items a schema and those that apply to the same value have looked at. */
export interface Covered {
  readonly names: Set<string>
  allNames: boolean
  /** So many items from the first on. */
  items: number
  /** The positions of other items: those that `contains` found. */
  readonly found: Set<number>
}

export const nothingCovered = (): Covered => ({ names: new Set(), allNames: false, items: 0, found: new Set() })

export const cover = (into: Covered, from: Covered): void => {
  for (const name of from.names) into.names.add(name)
  into.allNames ||= from.allNames
  into.items = Math.max(into.items, from.items)
  for (const at of from.found) into.found.add(at)
}

/** An object whose members may be set, which defaults are. */
export type OpenObject = { [name: string]: Json }

/** null when the value fits; otherwise the first problem. `covered` is there when a schema above asks for it. */
export type Check<A extends Json = Json> = (value: A, work: Work, covered: Covered | undefined) => Problem | null

/** How a schema below another one becomes a check; null when everything fits it. */
export interface Compiler {
  /**
   * What the schema is of. In an answer, formats are not looked at, which is what JSON Schema says of them, and a name
   * that the schema does not have stands as `*` in a path.
   */
  readonly subject: "input" | "answer"
  readonly compile: (schema: Json | undefined) => Check | null
  /** The same for schemas that only choose or count: they fill in no defaults. */
  readonly compileChoice: (schema: Json | undefined) => Check | null
  readonly fillsDefaults: boolean
}

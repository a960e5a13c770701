/**
 * Keywords that apply other schemas to the same value (`anyOf`, `if`, …). A problem below one of them is told with its
 * place. Where one of several choices would do, the problem of the first choice is told.
 */
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import {
  type Check,
  type Compiler,
  cover,
  type Covered,
  isSpent,
  nothingCovered,
  type Problem,
  problemWith,
  spends,
  spent,
  type Work
} from "./Checking.js"

/** How a keyword becomes a check; null when it says nothing. */
export type Applicator<A extends Json> = (wanted: Json, schema: JsonObject, compiler: Compiler) => Check<A> | null

export const listOf = (value: Json): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])
export const membersOf = (value: Json | undefined): ReadonlyArray<[string, Json]> =>
  isObject(value) ? Object.entries(value) : []

/** Applies a schema to the same value. What it covers counts only when the value fits. */
export const applied = (check: Check | null, value: Json, work: Work, covered: Covered | undefined): Problem | null => {
  if (check === null) return null
  if (covered === undefined) return check(value, work, undefined)
  const own = nothingCovered()
  const problem = check(value, work, own)
  if (problem === null && !spends(work, own.names.size + own.found.size)) cover(covered, own)
  return problem
}

const not: Applicator<Json> = (wanted, _schema, { compileChoice }) => {
  const check = compileChoice(wanted)
  const problem = problemWith("must NOT be valid")
  return (value, work) => {
    const found = check === null ? null : check(value, work, undefined)
    if (found === null) return problem
    return isSpent(work) ? found : null
  }
}

/**
 * The problem to tell where no choice fits: that of the first choice. Of an answer, it is the one that lies deepest,
 * because the first choice is often that there is nothing.
 */
const toldOf = (subject: Compiler["subject"], first: Problem | null, next: Problem | null): Problem | null =>
  first === null || (subject === "answer" && next !== null && next.path.length > first.path.length) ? next : first

const anyOf: Applicator<Json> = (wanted, _schema, { compileChoice, subject }) => {
  const choices = listOf(wanted).map(compileChoice)
  return (value, work, covered) => {
    let first: Problem | null = null
    let fits = false
    for (const choice of choices) {
      const problem = applied(choice, value, work, covered)
      if (problem === null) {
        fits = true
        // Each choice that fits says what it covers.
        if (covered === undefined) return null
      } else if (isSpent(work)) return problem
      first = toldOf(subject, first, problem)
    }
    return fits ? null : first
  }
}

const oneOf: Applicator<Json> = (wanted, _schema, { compileChoice, subject }) => {
  const choices = listOf(wanted).map(compileChoice)
  const tooMany = problemWith("must match exactly one schema in oneOf")
  return (value, work, covered) => {
    let first: Problem | null = null
    let fits = false
    for (const choice of choices) {
      const problem = applied(choice, value, work, covered)
      if (problem === null && fits) return first ?? tooMany
      if (problem === null) fits = true
      else if (isSpent(work)) return problem
      first = toldOf(subject, first, problem)
    }
    return fits ? null : first
  }
}

const allOf: Applicator<Json> = (wanted, _schema, { compile }) => {
  const parts = listOf(wanted).flatMap((part) => compile(part) ?? [])
  return (value, work, covered) => {
    for (const part of parts) {
      const problem = part(value, work, covered)
      if (problem !== null) return problem
    }
    return null
  }
}

const conditional: Applicator<Json> = (wanted, schema, { compile, compileChoice }) => {
  const condition = compileChoice(wanted)
  const then = compile(schema["then"])
  const otherwise = compile(schema["else"])
  const decides = then !== null || otherwise !== null
  return (value, work, covered) => {
    // Without a consequence, the condition still covers what it looks at.
    if (!decides && covered === undefined) return null
    const problem = applied(condition, value, work, covered)
    if (isSpent(work)) return problem ?? spent
    return applied(problem === null ? then : otherwise, value, work, covered)
  }
}

export const ofAnyValue: ReadonlyArray<readonly [keyword: string, applicator: Applicator<Json>]> = [
  ["not", not],
  ["anyOf", anyOf],
  ["oneOf", oneOf],
  ["allOf", allOf],
  ["if", conditional]
]

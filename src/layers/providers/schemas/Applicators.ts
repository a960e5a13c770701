/**
 * Keywords that apply other schemas: to the same value (`anyOf`, `if`, …), to items, to members. A problem below one of
 * them is told with its place. Where one of several choices would do, the problem of the first choice is told.
 */
import { Either } from "effect"
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import { member } from "../../../domain/Members.js"
import { linearPattern } from "../LinearPatterns.js"
import {
  type Check,
  type Compiler,
  cover,
  type Covered,
  isSpent,
  namesIn,
  namesPerStep,
  nothingCovered,
  type OpenObject,
  type Problem,
  problemWith,
  spends,
  spent,
  within,
  type Work
} from "./Checking.js"

/** How a keyword becomes a check; null when it says nothing. */
export type Applicator<A extends Json> = (wanted: Json, schema: JsonObject, compiler: Compiler) => Check<A> | null

const listOf = (value: Json): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])
const membersOf = (value: Json | undefined): ReadonlyArray<[string, Json]> =>
  isObject(value) ? Object.entries(value) : []

/** Applies a schema to the same value. What it covers counts only when the value fits. */
const applied = (check: Check | null, value: Json, work: Work, covered: Covered | undefined): Problem | null => {
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

type Items = ReadonlyArray<Json>

const checkItems = (
  items: Items,
  from: number,
  work: Work,
  checkOf: (at: number) => Check | null | undefined
): Problem | null => {
  for (let at = from; at < items.length; at += 1) {
    const item = items[at]
    const problem = item === undefined ? null : (checkOf(at)?.(item, work, undefined) ?? null)
    if (problem !== null) return within(at, problem)
  }
  return null
}

/** The check of all items from one on. A schema that is `false` says that there are none. */
const checkRest = (
  items: Items,
  from: number,
  work: Work,
  { check, wanted }: { readonly check: Check | null; readonly wanted: Json }
): Problem | null => {
  if (check === null || items.length <= from) return null
  return wanted === false
    ? problemWith(`must NOT have more than ${from} items`)
    : checkItems(items, from, work, () => check)
}

const prefixItems: Applicator<Items> = (wanted, _schema, { compile }) => {
  const parts = listOf(wanted).map(compile)
  return (items, work, covered) => {
    if (covered !== undefined) covered.items = Math.max(covered.items, parts.length)
    return checkItems(items.slice(0, parts.length), 0, work, (at) => parts[at])
  }
}

const items: Applicator<Items> = (wanted, schema, { compile }) => {
  const prefix = schema["prefixItems"]
  const check = compile(wanted)
  return (value, work, covered) => {
    if (covered !== undefined) covered.items = Infinity
    if (Array.isArray(prefix)) return checkRest(value, prefix.length, work, { check, wanted })
    return check === null ? null : checkItems(value, 0, work, () => check)
  }
}

const countOf = (value: Json | undefined): number | undefined => (typeof value === "number" ? value : undefined)

const contains: Applicator<Items> = (wanted, schema, { compileChoice, fillsDefaults }) => {
  const min = countOf(schema["minContains"]) ?? 1
  const max = countOf(schema["maxContains"])
  const asks = max !== undefined || min > 0
  const check = compileChoice(wanted)
  const problem = problemWith(
    max === undefined
      ? `must contain at least ${min} valid item(s)`
      : `must contain at least ${min} and no more than ${max} valid item(s)`
  )
  return (value, work, covered) => {
    if (covered === undefined && !asks) return null
    if (covered !== undefined && check === null) covered.items = Infinity
    let count = 0
    let first: Problem | null = null
    for (const [at, item] of value.entries()) {
      const found = check === null ? null : check(item, work, undefined)
      if (found !== null && isSpent(work)) return within(at, found)
      if (found === null) {
        count += 1
        if (check !== null) covered?.found.add(at)
      }
      // Inside of a choice, the first item that does not fit says why.
      else if (!fillsDefaults) first ??= within(at, found)
      if (covered === undefined && (max === undefined ? count >= min : count > max)) break
    }
    return count >= min && count <= (max ?? Infinity) ? null : (first ?? problem)
  }
}

const unevaluatedItems: Applicator<Items> = (wanted, _schema, { compile }) => {
  const check = compile(wanted)
  return (value, work, covered) => {
    const from = covered?.items ?? 0
    const found = covered?.found
    if (covered !== undefined) covered.items = Infinity
    if (found === undefined || found.size === 0) return checkRest(value, from, work, { check, wanted })
    if (spends(work, value.length / namesPerStep)) return spent
    return checkItems(value, from, work, (at) => (found.has(at) ? null : check))
  }
}

export const ofItems: ReadonlyArray<readonly [keyword: string, applicator: Applicator<Items>]> = [
  ["prefixItems", prefixItems],
  ["items", items],
  ["contains", contains],
  ["unevaluatedItems", unevaluatedItems]
]

const propertyNames: Applicator<OpenObject> = (wanted, _schema, { compileChoice }) => {
  const check = compileChoice(wanted)
  if (check === null) return null
  return (object, work) => {
    const names = namesIn(object, work)
    if (names === undefined) return spent
    for (const name of names) {
      const problem = check(name, work, undefined)
      if (problem !== null) return problem
    }
    return null
  }
}

const namePatterns = (value: Json | undefined) =>
  membersOf(value).flatMap(([pattern, schema]) =>
    Either.match(linearPattern(pattern), { onLeft: () => [], onRight: ({ test }) => [{ test, schema }] })
  )

/** A name of a member that the schema does not have. */
const shownIn = (subject: Compiler["subject"], name: string): string => (subject === "answer" ? "*" : name)

/** What a schema says of a member; `false` says that there is none of this name. */
const ofMember = (
  wanted: Json,
  check: Check | null,
  refusal: (name: string) => string,
  subject: Compiler["subject"]
) => {
  if (check === null) return null
  return (name: string, value: Json, work: Work): Problem | null => {
    if (wanted === false) return problemWith(refusal(name))
    const problem = check(value, work, undefined)
    return problem === null ? null : within(shownIn(subject, name), problem)
  }
}

const additionalProperties: Applicator<OpenObject> = (wanted, schema, { compile, subject }) => {
  const properties = schema["properties"]
  const named = isObject(properties) ? properties : {}
  const patterns = namePatterns(schema["patternProperties"])
  const refusal = (name: string): string =>
    subject === "answer" ? "must not have a field that is not documented" : `must not have the field ${name}`
  const check = ofMember(wanted, compile(wanted), refusal, subject)
  return (object, work, covered) => {
    if (covered !== undefined) covered.allNames = true
    if (check === null) return null
    const names = namesIn(object, work)
    if (names === undefined) return spent
    for (const name of names) {
      if (Object.hasOwn(named, name) || patterns.some(({ test }) => test(name))) continue
      if (isSpent(work)) return spent
      const value = member(object, name)
      const problem = value === undefined ? null : check(name, value, work)
      if (problem !== null) return problem
    }
    return null
  }
}

const properties: Applicator<OpenObject> = (wanted, _schema, { compile }) => {
  const all = membersOf(wanted)
  const checked = all.flatMap(([name, schema]) => {
    const check = compile(schema)
    return check === null ? [] : [{ name, check }]
  })
  return (object, work, covered) => {
    if (covered !== undefined) for (const [name] of all) covered.names.add(name)
    for (const { check, name } of checked) {
      const value = member(object, name)
      if (value === undefined) continue
      const problem = check(value, work, undefined)
      if (problem !== null) return within(name, problem)
    }
    return null
  }
}

const patternProperties: Applicator<OpenObject> = (wanted, _schema, { compile, subject }) => {
  const patterns = namePatterns(wanted).map(({ schema, test }) => ({ test, check: compile(schema) }))
  return (object, work, covered) => {
    for (const { check, test } of patterns) {
      if (check === null && covered === undefined) continue
      const names = namesIn(object, work)
      if (names === undefined) return spent
      for (const name of names) {
        const matches = test(name)
        if (isSpent(work)) return spent
        if (!matches) continue
        covered?.names.add(name)
        const value = member(object, name)
        const problem = check === null || value === undefined ? null : check(value, work, undefined)
        if (problem !== null) return within(shownIn(subject, name), problem)
      }
    }
    return null
  }
}

const dependentSchemas: Applicator<OpenObject> = (wanted, _schema, { compile }) => {
  const dependent = membersOf(wanted).map(([name, schema]) => ({ name, check: compile(schema) }))
  return (object, work, covered) => {
    for (const { check, name } of dependent) {
      const problem = member(object, name) === undefined ? null : applied(check, object, work, covered)
      if (problem !== null) return problem
    }
    return null
  }
}

const unevaluatedProperties: Applicator<OpenObject> = (wanted, _schema, { compile, subject }) => {
  const check = ofMember(wanted, compile(wanted), () => "must NOT have unevaluated properties", subject)
  return (object, work, covered) => {
    if (covered?.allNames === true) return null
    if (check !== null) {
      const names = namesIn(object, work)
      if (names === undefined) return spent
      for (const name of names) {
        const value = covered?.names.has(name) === true ? undefined : member(object, name)
        const problem = value === undefined ? null : check(name, value, work)
        if (problem !== null) return problem
      }
    }
    if (covered !== undefined) covered.allNames = true
    return null
  }
}

export const beforeDependentNames: ReadonlyArray<readonly [keyword: string, applicator: Applicator<OpenObject>]> = [
  ["propertyNames", propertyNames],
  ["additionalProperties", additionalProperties],
  ["properties", properties],
  ["patternProperties", patternProperties]
]
export const afterDependentNames: ReadonlyArray<readonly [keyword: string, applicator: Applicator<OpenObject>]> = [
  ["dependentSchemas", dependentSchemas],
  ["unevaluatedProperties", unevaluatedProperties]
]

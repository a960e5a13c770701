/** Keywords that apply other schemas to the members of an object. */
import { Either } from "effect"
import { isObject, type Json } from "../../../domain/Json.js"
import { member } from "../../../domain/Members.js"
import { linearPattern } from "../LinearPatterns.js"
import {
  type Check,
  type Compiler,
  isSpent,
  namesIn,
  type OpenObject,
  type Problem,
  problemWith,
  spent,
  within,
  type Work
} from "./Checking.js"
import { type Applicator, applied, membersOf } from "./Applicators.js"

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

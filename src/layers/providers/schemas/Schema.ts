/**
 * From a JSON Schema (2020-12, the keywords of `SchemaVocabulary.ts`) to a check of values, in a time that grows with
 * the size of the schema. A check finds the first problem, fills in defaults, and ends when it has taken as much work
 * as one may (`schemaWorkMax`), whatever schema and value are. A library that writes code for each schema can do
 * neither: it takes seconds and hundreds of megabytes for some thousand properties, and nothing ends what it wrote.
 * A number too long for JavaScript is compared by its digits (`const`, `enum`, `uniqueItems`), and by its nearest
 * JavaScript number otherwise. Whether the keywords have values of the right kind, `SchemaVocabulary.ts`
 * finds out; here a keyword with a wrong value says nothing.
 */
import { ExactNumber } from "../../../domain/ExactNumber.js"
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import { member, setMember } from "../../../domain/Members.js"
import { type Applicator, ofAnyValue } from "./Applicators.js"
import { afterDependentNames, beforeDependentNames } from "./MemberApplicators.js"
import { ofItems } from "./ItemApplicators.js"
import {
  type Assertion,
  checkConst,
  checkEnum,
  ofDependentNames,
  ofDistinctItems,
  ofListLengths,
  ofMembers,
  ofNumbers,
  ofTexts,
  textsOf
} from "./Assertions.js"
import {
  type Check,
  type Compiler,
  cover,
  freshWork,
  isSpent,
  namesPerStep,
  nothingCovered,
  type OpenObject,
  type Problem,
  problemWith,
  spends,
  spent,
  type Work
} from "./Checking.js"

/** The kinds of values that have keywords of their own, in the order in which these are checked. */
const kinds = ["number", "string", "array", "object"] as const
type Kind = (typeof kinds)[number]

const kindOf = (value: Json): Kind | undefined => {
  switch (typeof value) {
    case "number":
      return Number.isFinite(value) ? "number" : undefined
    case "string":
      return "string"
    case "object":
      if (value instanceof ExactNumber) return "number"
      return Array.isArray(value) ? "array" : value === null ? undefined : "object"
    default:
      return undefined
  }
}

const typeNames: { readonly [type: string]: string } = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null"
}

const isOfType = (value: Json, type: string): boolean => {
  switch (type) {
    case "integer":
      return Number.isInteger(value instanceof ExactNumber ? value.toNumber() : value)
    case "null":
      return value === null
    case "boolean":
      return typeof value === "boolean"
    default:
      return kindOf(value) === type
  }
}

const isOpen = (value: Json): value is OpenObject => isObject(value)

const typesOf = (schema: JsonObject): ReadonlyArray<string> => {
  const type = schema["type"]
  const all: ReadonlyArray<Json> = Array.isArray(type) ? type : [type ?? null]
  return all.filter((each): each is string => typeof each === "string")
}

/** A copy that shares nothing. */
export const copied = (value: Json): Json =>
  Array.isArray(value)
    ? value.map(copied)
    : isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, copied(inner)]))
      : value

type Rule<A extends Json> = readonly [keyword: string, rule: Applicator<A> | Assertion<A>]

const forLists: ReadonlyArray<Rule<ReadonlyArray<Json>>> = [
  ...ofListLengths,
  ...ofItems,
  ["uniqueItems", ofDistinctItems]
]
const forObjects: ReadonlyArray<Rule<OpenObject>> = [
  ...ofMembers,
  ...beforeDependentNames,
  ["dependentRequired", ofDependentNames],
  ...afterDependentNames
]
const forAll: ReadonlyArray<Rule<Json>> = [["const", checkConst], ...ofAnyValue, ["enum", checkEnum]]

/** Which values a keyword is about. */
const about = new Map<string, Set<Kind | "all">>()
const tables: ReadonlyArray<readonly [Kind | "all", ReadonlyArray<readonly [keyword: string, ...rest: unknown[]]>]> = [
  ["all", forAll],
  ["number", ofNumbers],
  ["string", ofTexts],
  ["array", [...forLists, ["minContains"], ["maxContains"]]],
  ["object", forObjects]
]
for (const [kind, rules] of tables)
  for (const [keyword] of rules) about.set(keyword, (about.get(keyword) ?? new Set<Kind | "all">()).add(kind))

/** The kinds of values that a schema has keywords for. Most schemas have few, and only those are looked at further. */
const concerned = (schema: JsonObject): ReadonlySet<Kind | "all"> => {
  const found = new Set<Kind | "all">()
  for (const keyword of Object.keys(schema)) for (const kind of about.get(keyword) ?? []) found.add(kind)
  return found
}

const checksOf = <A extends Json>(
  rules: ReadonlyArray<Rule<A>>,
  schema: JsonObject,
  compiler: Compiler
): ReadonlyArray<Check<A>> =>
  rules.flatMap(([keyword, rule]) => {
    const wanted = member(schema, keyword)
    return wanted === undefined || (keyword === "format" && compiler.subject === "answer")
      ? []
      : (rule(wanted, schema, compiler) ?? [])
  })

/** Sets what the object lacks and the schema has a default for. */
const filling = (schema: JsonObject): ((object: OpenObject, work: Work) => void) | null => {
  const properties = schema["properties"]
  const defaults = Object.entries(isObject(properties) ? properties : {}).flatMap(([name, property]) => {
    const value = isObject(property) ? property["default"] : undefined
    return value === undefined ? [] : [{ name, value }]
  })
  if (defaults.length === 0) return null
  return (object, work) => {
    work.names.delete(object)
    for (const { name, value } of defaults)
      if (member(object, name) === undefined) setMember(object, name, copied(value))
  }
}

/** How many steps a schema takes by itself, without those below it. */
const stepsOf = (schema: JsonObject): number => {
  const sizes = [schema["properties"], schema["dependentRequired"], schema["dependentSchemas"]].map((members) =>
    isObject(members) ? Object.keys(members).length : 0
  )
  const names = sizes.reduce((sum, size) => sum + size, textsOf(schema["required"]).length)
  return 1 + Object.keys(schema).length + Math.ceil(names / namesPerStep)
}

const firstOf = <A extends Json>(
  checks: ReadonlyArray<Check<A>>,
  ...[value, work, covered]: Parameters<Check<A>>
): Problem | null => {
  for (const check of checks) {
    const problem = check(value, work, covered)
    if (problem !== null) return problem
  }
  return null
}

const falseSchema = problemWith("boolean schema is false")

/** A schema becomes a check when the first value meets it: of a large schema, most values use a few parts. */
const compiled = (
  schema: Json | undefined,
  subject: Compiler["subject"],
  fillsDefaults = subject === "input"
): Check | null => {
  if (schema === false) return (_value, work) => (spends(work, 1) ? spent : falseSchema)
  if (!isObject(schema)) return null
  const of = concerned(schema)
  if (of.size === 0 && schema["type"] === undefined) return null
  let made: Check | undefined
  return (value, work, covered) => (made ??= checkOf(schema, of, { subject, fillsDefaults }))(value, work, covered)
}

const checkOf = (
  schema: JsonObject,
  of: ReadonlySet<Kind | "all">,
  { fillsDefaults, subject }: Pick<Compiler, "fillsDefaults" | "subject">
): Check => {
  const compileChoice = (inner: Json | undefined): Check | null => compiled(inner, subject, false)
  const compiler: Compiler = {
    subject,
    fillsDefaults,
    compileChoice,
    compile: fillsDefaults ? (inner) => compiled(inner, subject) : compileChoice
  }
  const types = typesOf(schema)
  const wrongType = problemWith(`must be ${types.map((type) => member(typeNames, type) ?? type).join(" or ")}`)
  const all = of.has("all") ? checksOf(forAll, schema, compiler) : []
  const ofNumber = of.has("number") ? checksOf(ofNumbers, schema, compiler) : []
  const ofText = of.has("string") ? checksOf(ofTexts, schema, compiler) : []
  const ofList = of.has("array") ? checksOf(forLists, schema, compiler) : []
  const ofObject = of.has("object") ? checksOf(forObjects, schema, compiler) : []
  const fill = fillsDefaults ? filling(schema) : null
  const steps = stepsOf(schema)
  const isCovering = "unevaluatedProperties" in schema || "unevaluatedItems" in schema

  // The type of a schema with keywords for it is looked at together with them, and so after those for all values.
  const [only] = types
  const late = types.length === 1 ? kinds.findIndex((kind) => kind === only && of.has(kind)) : -1

  return (value, work, given) => {
    if (spends(work, steps)) return spent
    if (late < 0 && types.length > 0 && !types.some((type) => isOfType(value, type))) return wrongType
    const covered = isCovering ? nothingCovered() : given
    const general = firstOf(all, value, work, covered)
    if (general !== null) return general
    const kind = kindOf(value)
    const isWrong = late >= 0 && kind !== kinds[late]
    if (isWrong && (kind === undefined || late < kinds.indexOf(kind))) return wrongType
    let problem: Problem | null = null
    if (typeof value === "number") problem = kind === undefined ? null : firstOf(ofNumber, value, work, covered)
    else if (value instanceof ExactNumber) problem = firstOf(ofNumber, value.toNumber(), work, covered)
    else if (typeof value === "string") problem = firstOf(ofText, value, work, covered)
    else if (Array.isArray(value)) problem = firstOf<ReadonlyArray<Json>>(ofList, value, work, covered)
    else if (isOpen(value)) {
      fill?.(value, work)
      problem = firstOf(ofObject, value, work, covered)
    }
    if (problem !== null) return problem
    if (given !== undefined && covered !== undefined && covered !== given) cover(given, covered)
    return isWrong ? wrongType : null
  }
}

const bounded =
  <A extends Json>(check: Check | null) =>
  (value: A): Problem | null => {
    const work = freshWork()
    const problem = check === null ? null : check(value, work, undefined)
    return problem !== null && isSpent(work) ? { ...problem, kind: "spent" } : problem
  }

/** The check of an input: null when it fits, otherwise the first problem. Defaults are set in the value itself. */
export const checkFor = (schema: JsonObject): ((value: OpenObject) => Problem | null) =>
  bounded(compiled(schema, "input"))

/** The check of an answer: null when it fits, otherwise the first problem. The value stays as it is. */
export const answerCheckFor = (schema: JsonObject): ((value: Json) => Problem | null) =>
  bounded(compiled(schema, "answer"))

/**
 * Keywords that say something about one value and apply no other schema. Each becomes a check, with its message made
 * once. The keywords stand in the order in which they are checked, because the first problem is told.
 */
import { Either } from "effect"
import { canonical, isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import { member } from "../../../domain/Members.js"
import { linearPattern } from "../LinearPatterns.js"
import { type Check, isSpent, namesIn, type OpenObject, type Problem, problemWith, spends, spent } from "./Checking.js"
import { formatNamed } from "./Formats.js"

/** A text counts as many characters of work as one step. */
const charsPerStep = 16

/** The same for values that are equal, however long their numbers are. */
const keyOf = (value: Json): string =>
  typeof value === "string" ? `"${value}` : typeof value === "number" ? String(value) : canonical(value)

/** A check of whether a value is one of those allowed. */
const isOneOf = (allowed: ReadonlyArray<Json>, message: () => string): Check => {
  const texts = new Set(allowed.filter((value) => typeof value === "string"))
  const keys = new Set(allowed.map(keyOf))
  let problem: Problem | undefined
  return (value, work) => {
    if (typeof value === "string") {
      if (spends(work, value.length / charsPerStep)) return spent
      if (texts.has(value)) return null
    } else {
      const key = keyOf(value)
      if (spends(work, key.length / charsPerStep)) return spent
      if (keys.has(key)) return null
    }
    return (problem ??= problemWith(message()))
  }
}

export const checkConst = (wanted: Json): Check => isOneOf([wanted], () => `must be ${JSON.stringify(wanted)}`)

export const checkEnum = (allowed: Json): Check | null =>
  Array.isArray(allowed)
    ? isOneOf(allowed, () => `must be one of: ${allowed.map((value: Json) => JSON.stringify(value)).join(", ")}`)
    : null

const when = <A extends Json>(fits: (value: A) => boolean, message: string): Check<A> => {
  const problem = problemWith(message)
  return (value) => (fits(value) ? null : problem)
}

/** How a keyword with a value becomes a check; null when it says nothing. */
export type Assertion<A extends Json> = (wanted: Json, schema: JsonObject) => Check<A> | null

const limited =
  <A extends Json>(fits: (value: A, limit: number) => boolean, message: (limit: number) => string): Assertion<A> =>
  (limit) =>
    typeof limit === "number" ? when((value) => fits(value, limit), message(limit)) : null

/** The digits of a number and the power of ten that they are times of. */
const decimalOf = (number: number): { readonly digits: bigint; readonly exponent: number } => {
  const [mantissa = "0", exponent = "0"] = String(number).split("e")
  const [whole = "0", fraction = ""] = mantissa.split(".")
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

/** As people calculate: 19.99 is a multiple of 0.01, which the quotient of JavaScript (1998.9999999999998) denies. */
const isMultiple = (value: number, step: number): boolean => {
  if (step === 0) return false
  if (Number.isInteger(step) && Number.isInteger(value)) return value % step === 0
  const one = decimalOf(value)
  const other = decimalOf(step)
  const exponent = Math.min(one.exponent, other.exponent)
  const scaled = ({ digits, exponent: own }: typeof one): bigint => digits * 10n ** BigInt(own - exponent)
  return scaled(one) % scaled(other) === 0n
}

export const ofNumbers: ReadonlyArray<readonly [keyword: string, assertion: Assertion<number>]> = [
  [
    "maximum",
    limited(
      (value, limit) => value <= limit,
      (limit) => `must be at most ${limit}`
    )
  ],
  [
    "minimum",
    limited(
      (value, limit) => value >= limit,
      (limit) => `must be at least ${limit}`
    )
  ],
  [
    "exclusiveMaximum",
    limited(
      (value, limit) => value < limit,
      (limit) => `must be less than ${limit}`
    )
  ],
  [
    "exclusiveMinimum",
    limited(
      (value, limit) => value > limit,
      (limit) => `must be more than ${limit}`
    )
  ],
  ["multipleOf", limited(isMultiple, (step) => `must be multiple of ${step}`)],
  [
    "format",
    (name) => {
      const format = typeof name === "string" ? formatNamed(name) : undefined
      return format?.of === "number" ? when(format.fits, `must be a valid ${String(name)}`) : null
    }
  ]
]

/** Whether a text has at least so many characters; pairs of surrogates are one. It stops as soon as that is known. */
const hasCharacters = (text: string, count: number): boolean => {
  if (text.length < count) return false
  if (text.length >= 2 * count) return true
  let characters = 0
  for (const _character of text) if ((characters += 1) >= count) return true
  return characters >= count
}

const longText = (fits: (text: string, limit: number) => boolean, message: (limit: number) => string) =>
  ((limit) => {
    if (typeof limit !== "number") return null
    const problem = problemWith(message(limit))
    return (text, work) => {
      if (spends(work, text.length / charsPerStep)) return spent
      return fits(text, limit) ? null : problem
    }
  }) satisfies Assertion<string>

export const ofTexts: ReadonlyArray<readonly [keyword: string, assertion: Assertion<string>]> = [
  [
    "maxLength",
    longText(
      (text, limit) => text.length <= limit || !hasCharacters(text, limit + 1),
      (limit) => `must have at most ${limit} characters`
    )
  ],
  [
    "minLength",
    longText(hasCharacters, (limit) => (limit === 1 ? "must not be empty" : `must have at least ${limit} characters`))
  ],
  [
    "pattern",
    (pattern) => {
      const linear = typeof pattern === "string" ? Either.getOrUndefined(linearPattern(pattern)) : undefined
      if (linear === undefined) return null
      const problem = problemWith(`must match the pattern ${String(pattern)}`)
      return (text, work) => (linear.test(text) ? null : isSpent(work) ? spent : problem)
    }
  ],
  [
    "format",
    (name) => {
      const format = typeof name === "string" ? formatNamed(name) : undefined
      if (format?.of !== "string") return null
      const problem = problemWith(`must be a valid ${String(name)}`)
      return (text, work) => (spends(work, text.length) ? spent : format.fits(text) ? null : problem)
    }
  ]
]

export const ofListLengths: ReadonlyArray<readonly [keyword: string, assertion: Assertion<ReadonlyArray<Json>>]> = [
  [
    "maxItems",
    limited(
      (items, limit) => items.length <= limit,
      (limit) => `must have at most ${limit} items`
    )
  ],
  [
    "minItems",
    limited(
      (items, limit) => items.length >= limit,
      (limit) => `must have at least ${limit} items`
    )
  ]
]

export const ofDistinctItems: Assertion<ReadonlyArray<Json>> = (wanted) => {
  if (wanted !== true) return null
  const problem = problemWith("must not have the same item twice")
  return (items, work) => {
    const keys = new Set<string>()
    for (const item of items) {
      const key = keyOf(item)
      if (spends(work, 1 + key.length / charsPerStep)) return spent
      keys.add(key)
    }
    return keys.size === items.length ? null : problem
  }
}

export const textsOf = (value: Json | undefined): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((item: Json): item is string => typeof item === "string") : []

const firstLacking = (object: JsonObject, names: ReadonlyArray<string>): string | undefined =>
  names.find((name) => member(object, name) === undefined)

const counted = (fits: (count: number, limit: number) => boolean, message: (limit: number) => string) =>
  ((limit) => {
    if (typeof limit !== "number") return null
    const problem = problemWith(message(limit))
    return (object, work) => {
      const names = namesIn(object, work)
      return names === undefined ? spent : fits(names.length, limit) ? null : problem
    }
  }) satisfies Assertion<OpenObject>

export const ofMembers: ReadonlyArray<readonly [keyword: string, assertion: Assertion<OpenObject>]> = [
  [
    "maxProperties",
    counted(
      (count, limit) => count <= limit,
      (limit) => `must NOT have more than ${limit} properties`
    )
  ],
  [
    "minProperties",
    counted(
      (count, limit) => count >= limit,
      (limit) => `must NOT have fewer than ${limit} properties`
    )
  ],
  [
    "required",
    (wanted) => {
      const names = textsOf(wanted)
      if (names.length === 0) return null
      return (object) => {
        const lacking = firstLacking(object, names)
        return lacking === undefined ? null : { kind: "missing", path: [], message: lacking }
      }
    }
  ]
]

export const ofDependentNames: Assertion<OpenObject> = (wanted) => {
  if (!isObject(wanted)) return null
  const needs = Object.entries(wanted).map(([name, names]) => ({
    name,
    names: textsOf(names),
    problem: problemWith(
      `must have ${textsOf(names).length === 1 ? "property" : "properties"} ${textsOf(names).join(", ")} when property ${name} is present`
    )
  }))
  return (object) =>
    needs.find(({ name, names }) => member(object, name) !== undefined && firstLacking(object, names) !== undefined)
      ?.problem ?? null
}

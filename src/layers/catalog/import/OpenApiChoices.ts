/**
 * What a body says of its fields together. An import takes the fields of all alternatives as one set; which of them go
 * together stays where the alternatives say it with `required`, and is reported where they say more.
 */
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import { member } from "../../../domain/Members.js"
import type { FieldChoice } from "./ImportedInput.js"
import { listOf, textOf } from "./OpenApiParts.js"
import { alternativesIn, flattened } from "./OpenApiCombined.js"

/** Keywords that speak of several fields at once, and that an import does not keep. */
const ofSeveral = [
  "not",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
  "minProperties",
  "maxProperties",
  "patternProperties",
  "propertyNames"
]
/** What an alternative may hold that says nothing beside the fields that it needs. */
const saysNothing: ReadonlySet<string> = new Set(["type", "required", "title", "description", "examples"])

export interface Together {
  readonly choices: ReadonlyArray<FieldChoice>
  /** What is not kept, in words. */
  readonly lost: ReadonlyArray<string>
}

const requiredOf = (schema: JsonObject): ReadonlyArray<string> => listOf(flattened(schema)["required"]).map(textOf)

const lostAlternatives =
  "took the fields of several alternatives of the body as one set, and left out what else tells these apart"

/** What the alternatives under one keyword say. */
const ofAlternatives = (parts: ReadonlyArray<JsonObject>, isOne: boolean, needed: ReadonlySet<string>): Together => {
  const [only, ...others] = parts
  if (only === undefined) return { choices: [], lost: [] }
  if (others.length === 0) return togetherOf(only)
  const sets = parts.map((part) => requiredOf(part).filter((name) => !needed.has(name)))
  const isPlain = parts.every((part) => Object.keys(part).every((key) => saysNothing.has(key)))
  const isWhole = sets.every((names) => names.length > 0)
  // An alternative that needs no field leaves nothing to be chosen, but beside `oneOf` it still excludes the others.
  return {
    choices: isWhole ? [{ sets, isExclusive: isOne && isPlain }] : [],
    lost: isPlain && (isWhole || !isOne) ? [] : [lostAlternatives]
  }
}

/** `schema`: of a body, with its references written out. */
export const togetherOf = (schema: JsonObject): Together => {
  const needed = new Set(requiredOf(schema))
  const all = [
    ofAlternatives(alternativesIn(schema, "anyOf"), false, needed),
    ofAlternatives(alternativesIn(schema, "oneOf"), true, needed),
    ...listOf(member(schema, "allOf")).filter(isObject).map(togetherOf)
  ]
  return {
    choices: all.flatMap(({ choices }) => choices),
    lost: [
      ...ofSeveral.flatMap((key) =>
        member(schema, key) === undefined ? [] : [`left out the keyword ${key} of the body`]
      ),
      ...all.flatMap(({ lost }) => lost)
    ]
  }
}

/**
 * The choices among fields that can be sent. A set with a field that was left out cannot be had as a whole; a name that
 * is no field, such as one that only answers have, is not needed.
 */
export const choicesAmong = (
  choices: ReadonlyArray<FieldChoice>,
  fields: ReadonlySet<string>,
  leftOut: ReadonlySet<Json>
): ReadonlyArray<FieldChoice> =>
  choices.flatMap(({ isExclusive, sets }) => {
    const possible = sets.filter((names) => !names.some((name) => leftOut.has(name)))
    const kept = possible.map((names) => names.filter((name) => fields.has(name)))
    const isSame = kept.every((names, at) => names.length === possible[at]?.length)
    return kept.length === 0 || kept.some((names) => names.length === 0)
      ? []
      : [{ sets: kept, isExclusive: isExclusive && isSame }]
  })

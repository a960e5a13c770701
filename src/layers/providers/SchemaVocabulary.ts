/**
 * Which JSON Schemas an operation's input may have: the keywords of 2020-12 that say something about one value,
 * patterns that match without backtracking, no references. So a check is as long as the schema times the input, and no
 * keyword of some library's own (`$async`) changes what a check is. Pure.
 */
import { Either } from "effect"
import { isObject, type Json, type JsonObject } from "../../domain/Json.js"
import {
  schemaChoicesMax,
  schemaDepthMax,
  schemaNodesMax,
  schemaPatternsSizeMax
} from "../../domain/limits/Manifests.js"
import { setMember } from "../../domain/Members.js"
import { linearPattern } from "./LinearPatterns.js"
import { keywordProblem } from "./schemas/KeywordValues.js"
import type { PlanProblem } from "./RequestPlan.js"

const annotations = [
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "$comment",
  "contentEncoding",
  "contentMediaType"
]
const assertions = [
  "type",
  "enum",
  "const",
  "multipleOf",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "format",
  "maxItems",
  "minItems",
  "uniqueItems",
  "maxContains",
  "minContains",
  "maxProperties",
  "minProperties",
  "required",
  "dependentRequired"
]
const plain: ReadonlySet<string> = new Set([...annotations, ...assertions])
const lists: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf", "prefixItems"])
const maps: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas"])
const singles: ReadonlySet<string> = new Set([
  "items",
  "additionalProperties",
  "unevaluatedItems",
  "unevaluatedProperties",
  "not",
  "if",
  "then",
  "else",
  "contains",
  "propertyNames"
])
const references: ReadonlySet<string> = new Set(["$ref", "$dynamicRef", "$recursiveRef", "$defs", "definitions"])
const dialect = "https://json-schema.org/draft/2020-12/schema"

/** To read even the shortest pattern takes time. */
const patternSizeMin = 20

export interface CheckedVocabulary {
  /** The schema without what cannot be used. */
  readonly schema: JsonObject
  /** What cannot be used; paths start under the schema. */
  readonly problems: ReadonlyArray<PlanProblem>
}

/** `keywords`: which there are. `values`: also whether each has a value of the right kind. */
export const checkVocabulary = (schema: JsonObject, what: "keywords" | "values" = "keywords"): CheckedVocabulary => {
  const problems: Array<PlanProblem> = []
  let nodes = 0
  const refuse = (path: string, message: string): void => void problems.push({ path, message })
  let patternsSize = 0
  const isUsable = (path: string, pattern: Json): boolean => {
    if (typeof pattern !== "string") return true
    if (patternsSize > schemaPatternsSizeMax) return false
    const compiled = linearPattern(pattern)
    if (Either.isLeft(compiled)) {
      refuse(path, compiled.left)
      return false
    }
    patternsSize += Math.max(patternSizeMin, compiled.right.size)
    if (patternsSize <= schemaPatternsSizeMax) return true
    refuse(path, "is one of too many patterns: leave out those that the provider checks itself")
    return false
  }

  const checked = (value: Json, path: string, depth: number): Json => {
    if (!isObject(value)) return value
    nodes += 1
    if (depth > schemaDepthMax || nodes > schemaNodesMax) {
      if (nodes === schemaNodesMax + 1 || depth === schemaDepthMax + 1)
        refuse(path, "is nested too deep, or one of too many schemas")
      return {}
    }
    const under = (key: string): string => (path === "" ? key : `${path}.${key}`)
    const kept: { [key: string]: Json } = {}
    for (const [key, member] of Object.entries(value)) {
      const place = under(key)
      const wrong = what === "values" ? keywordProblem(key, member) : null
      if (wrong !== null) refuse(place, wrong)
      else if (lists.has(key) && Array.isArray(member) && member.length > schemaChoicesMax)
        refuse(place, `has more than ${schemaChoicesMax} schemas`)
      else if (lists.has(key) && Array.isArray(member))
        setMember(
          kept,
          key,
          member.map((each: Json, at) => checked(each, `${place}.${at}`, depth + 1))
        )
      else if (maps.has(key) && isObject(member)) {
        const members: { [key: string]: Json } = {}
        for (const [name, each] of Object.entries(member)) {
          if (key !== "patternProperties" || isUsable(`${place}.${name}`, name))
            setMember(members, name, checked(each, `${place}.${name}`, depth + 1))
        }
        setMember(kept, key, members)
      } else if (singles.has(key)) setMember(kept, key, checked(member, place, depth + 1))
      else if (key === "pattern") {
        if (isUsable(place, member)) setMember(kept, key, member)
      } else if (plain.has(key) || (key === "$schema" && member === dialect && depth === 0))
        setMember(kept, key, member)
      else if (references.has(key)) refuse(place, "cannot be used: schemas are written out where they apply")
      else refuse(place, "is no keyword of JSON Schema 2020-12 that can be used here")
    }
    return kept
  }

  const kept = checked(schema, "", 0)
  return { schema: isObject(kept) ? kept : {}, problems }
}

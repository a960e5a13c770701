/** Warns of what an operation says of its method, its volume and its misses that can hardly be meant. */
import { Either } from "effect"
import { isObject, type Json, type JsonObject } from "../../domain/Json.js"
import type { Operation } from "../../domain/Manifest.js"
import { member } from "../../domain/Members.js"
import { counted } from "../../domain/Counted.js"
import { withDefaults } from "../../domain/OperationInput.js"
import { countTold } from "../providers/AnswerEvidence.js"
import { listOf } from "../providers/PageSteps.js"
import { compile, holds } from "../providers/Expressions.js"
import { readsOneOf } from "../providers/NamesRead.js"
import type { OperationProblem } from "./Soundness.js"

/** Rules for failures are asked first. One that reads the status alone is decided without an answer. */
const ofMissStatuses = ({ response: { errors, missStatuses } }: Operation): ReadonlyArray<OperationProblem> =>
  errors.flatMap(({ when }, index) => {
    const rule = Either.getOrUndefined(compile(when))
    if (rule === undefined || readsOneOf(when, ["headers", "body", "input"])) return []
    const hidden = missStatuses.filter((status) => holds(rule, { status, headers: {}, body: null, input: {} }))
    return hidden.length === 0
      ? []
      : [
          {
            path: `response.errors.${index}.when`,
            message: `holds for every ${hidden.join(" and ")}, so missStatuses never makes a miss of it: leave it out here`
          }
        ]
  })

const ofEffect = ({ effect, method }: Operation): ReadonlyArray<OperationProblem> =>
  effect === "read_only" && (method === "PUT" || method === "PATCH" || method === "DELETE")
    ? [
        {
          path: "effect",
          message: `is read_only, so that ${method} may be sent again and in place of other operations: write effect: effectful, and repeatable: false unless a second call does no harm`
        }
      ]
    : []

/** The schema of a field, whose name may be a path. */
const schemaAt = (input: JsonObject, field: string): JsonObject | null =>
  field.split(".").reduce<JsonObject | null>((schema, name) => {
    const properties = schema === null ? undefined : member(schema, "properties")
    const inner = isObject(properties) ? member(properties, name) : undefined
    return isObject(inner) ? inner : null
  }, input)

const listed = (value: Json | undefined): ReadonlyArray<Json> =>
  Array.isArray(value) ? value : value === undefined ? [] : [value]

const counting: ReadonlySet<Json> = new Set(["integer", "number", "array"])

/** A text may be that of a number, where its schema shows or demands one. */
const mayCount = (schema: JsonObject, types: ReadonlyArray<Json>): boolean =>
  types.length === 0 ||
  types.some((type) => counting.has(type)) ||
  (types.includes("string") &&
    (schema["pattern"] !== undefined ||
      ["default", "examples", "enum", "const"].some((keyword) =>
        listed(member(schema, keyword)).some((value) => typeof value === "string" && /^\d+$/.test(value))
      )))

const ofVolume = ({ input, volume }: Operation): ReadonlyArray<OperationProblem> => {
  const schema = volume === undefined ? null : schemaAt(input, volume.field)
  if (volume === undefined || schema === null) return []
  const { field, max } = volume
  const types = listed(schema["type"])
  if (!mayCount(schema, types)) {
    const kind = types.includes("string") ? "text" : String(types[0])
    return [
      {
        path: "volume.field",
        message: `${field} is ${kind}, of which no number of results can be read: name a number or a list`
      }
    ]
  }
  const most = types.includes("array") ? schema["maxItems"] : schema["maximum"]
  return typeof most === "number" && most < max
    ? [{ path: "volume.max", message: `is ${max}, and the schema of ${field} allows at most ${most}` }]
    : []
}

/** A total of all pages, where a sample of one page shows that it is another number than that of the results. */
const ofCount = ({ input, pages, response, samples }: Operation): ReadonlyArray<OperationProblem> => {
  const { parse, resultCount } = response
  const rule = resultCount === undefined ? undefined : Either.getOrUndefined(compile(resultCount, { counts: true }))
  if (rule === undefined || pages === undefined || parse !== undefined) return []
  return Object.entries(samples).flatMap(([name, sample]) => {
    if (sample.pages !== undefined || (sample.outcome !== "hit" && sample.outcome !== "weak")) return []
    const { body, headers, status } = sample
    const toldCount = countTold(rule, { status, headers, body, input: withDefaults(input, sample.input) })
    const results = listOf(pages, body)?.length
    return toldCount === null || results === undefined || toldCount === results
      ? []
      : [
          {
            path: "response.resultCount",
            message: `tells ${toldCount} in samples.${name}, where pages.items has ${counted(results, "result")}: count what the list holds`
          }
        ]
  })
}

export const likelyRules = (operation: Operation): ReadonlyArray<OperationProblem> => [
  ...ofMissStatuses(operation),
  ...ofEffect(operation),
  ...ofVolume(operation),
  ...ofCount(operation)
]

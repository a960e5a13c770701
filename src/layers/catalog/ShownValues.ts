/**
 * The defaults and examples that a schema of an input shows, and why one does not fit the schema beside which it
 * stands. They are checked as an input is, with the defaults inside of them filled in. A default that does not fit is
 * filled in all the same, and refuses every input without the field; an example leads to a refused run.
 */
import { isObject, type Json, type JsonObject } from "../../domain/Json.js"
import { checkFor, copied } from "../providers/schemas/Schema.js"
import type { OperationProblem } from "./Soundness.js"

type Shown = (schema: JsonObject) => ReadonlyArray<readonly [place: string, value: Json]>

const defaults: Shown = ({ default: preset }) => (preset === undefined ? [] : [["default", preset]])
const examples: Shown = ({ examples: list }) =>
  Array.isArray(list) ? list.map((value: Json, at) => [`examples.${at}`, value] as const) : []

/** The schemas below one whose defaults are filled in too, with their places. */
const below = ({ additionalProperties, allOf, items, properties }: JsonObject) => {
  const named = Object.entries(isObject(properties) ? properties : {}).map(
    ([name, schema]) => [`properties.${name}`, schema] as const
  )
  const parts = Array.isArray(allOf) ? allOf.map((schema: Json, at) => [`allOf.${at}`, schema] as const) : []
  return [
    ...named,
    ...parts,
    ["items", items] as const,
    ["additionalProperties", additionalProperties] as const
  ].flatMap(([place, schema]) => (isObject(schema) ? [[place, schema] as const] : []))
}

const misfitsIn = (schema: JsonObject, path: string, shown: Shown): ReadonlyArray<OperationProblem> => {
  const values = shown(schema)
  const check = values.length === 0 ? null : checkFor({ properties: { value: schema } })
  return [
    ...values.flatMap(([place, value]) => {
      const problem = check?.({ value: copied(value) }) ?? null
      if (problem === null || problem.kind === "spent") return []
      const at = problem.path.slice(1).join(".")
      return [
        { path: `${path}.${place}`, message: `does not fit its schema: ${at === "" ? "" : `${at} `}${problem.message}` }
      ]
    }),
    ...below(schema).flatMap(([place, inner]) => misfitsIn(inner, `${path}.${place}`, shown))
  ]
}

/** Defaults of an input, at every depth, that do not fit. */
export const wrongDefaults = (input: JsonObject): ReadonlyArray<OperationProblem> => misfitsIn(input, "input", defaults)

/** The same for examples. */
export const wrongExamples = (input: JsonObject): ReadonlyArray<OperationProblem> => misfitsIn(input, "input", examples)

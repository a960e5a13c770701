/**
 * The defaults and examples that a schema of an input shows, and why one does not fit the schema beside which it
 * stands. A default that does not fit is never filled in, and an example that does not fit leads to a refused run.
 */
import { isObject, type Json, type JsonObject } from "../../domain/Json.js"
import { answerCheckFor } from "../providers/schemas/Schema.js"
import type { OperationProblem } from "./Soundness.js"

type Shown = (schema: JsonObject) => ReadonlyArray<readonly [place: string, value: Json]>

const defaults: Shown = ({ default: preset }) => (preset === undefined ? [] : [["default", preset]])
const examples: Shown = ({ examples: list }) =>
  Array.isArray(list) ? list.map((value: Json, at) => [`examples.${at}`, value] as const) : []

const misfitsIn = (schema: JsonObject, path: string, shown: Shown): ReadonlyArray<OperationProblem> => {
  const { properties } = schema
  const values = shown(schema)
  const check = values.length === 0 ? null : answerCheckFor(schema)
  return [
    ...values.flatMap(([place, value]) => {
      const problem = check?.(value) ?? null
      if (problem === null || problem.kind === "spent") return []
      const at = problem.path.length === 0 ? "" : `${problem.path.join(".")} `
      return [{ path: `${path}.${place}`, message: `does not fit its schema: ${at}${problem.message}` }]
    }),
    ...Object.entries(isObject(properties) ? properties : {}).flatMap(([name, property]) =>
      isObject(property) ? misfitsIn(property, `${path}.properties.${name}`, shown) : []
    )
  ]
}

/** Defaults of an input, at every depth, that do not fit. */
export const wrongDefaults = (input: JsonObject): ReadonlyArray<OperationProblem> => misfitsIn(input, "input", defaults)

/** The same for examples. */
export const wrongExamples = (input: JsonObject): ReadonlyArray<OperationProblem> => misfitsIn(input, "input", examples)

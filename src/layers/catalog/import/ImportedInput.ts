/** The schema of the input of an imported operation: its fields under their own names, and which of them it needs. */
import type { JsonObject } from "../../../domain/Json.js"
import { type CheckedVocabulary, checkVocabulary } from "../../providers/SchemaVocabulary.js"
import type { ImportedField, ImportedOperation } from "./ImportedOperation.js"

/** Of these sets of fields of a body, an input needs one as a whole. */
export interface FieldChoice {
  readonly sets: ReadonlyArray<ReadonlyArray<string>>
  /** Whether it must not have two of them. */
  readonly isExclusive: boolean
}

type NamedField = readonly [name: string, field: ImportedField]

/**
 * When fields in several places have the same name, the place is put before the name. Other fields keep their names.
 */
export const namedFields = (fields: ReadonlyArray<ImportedField>): ReadonlyArray<NamedField> => {
  const taken = new Set<string>()
  return fields.map((field) => {
    let name = field.name
    for (let n = 2; taken.has(name); n += 1)
      name = n === 2 ? `${field.place ?? "input"}_${field.name}` : `${field.place ?? "input"}_${field.name}_${n}`
    taken.add(name)
    return [name, field]
  })
}

/** None where a field of it was left out, such as all of the body of a GET. */
const choicesOf = (
  choices: ReadonlyArray<FieldChoice>,
  named: ReadonlyArray<NamedField>
): ReadonlyArray<JsonObject> => {
  const inBody = new Map(
    named.flatMap(([name, { name: sent, place }]) =>
      place === "json" || place === "form" || place === "multipart" ? [[sent, name] as const] : []
    )
  )
  return choices.flatMap(({ isExclusive, sets }) =>
    sets.every((names) => names.every((name) => inBody.has(name)))
      ? [
          {
            [isExclusive ? "oneOf" : "anyOf"]: sets.map((names) => ({
              required: names.map((name) => inBody.get(name) ?? name)
            }))
          }
        ]
      : []
  )
}

/** With what such a schema may not say taken out. */
export const inputOf = (
  named: ReadonlyArray<NamedField>,
  { choices = [], free }: Pick<ImportedOperation, "choices" | "free">
): CheckedVocabulary => {
  const needed = choicesOf(choices, named)
  return checkVocabulary(
    {
      type: "object",
      properties: Object.fromEntries(named.map(([name, { schema }]) => [name, schema])),
      required: named.filter(([, { required }]) => required).map(([name]) => name),
      ...(needed.length > 1 ? { allOf: needed } : needed[0]),
      ...(free === undefined ? {} : { additionalProperties: free })
    },
    "values"
  )
}

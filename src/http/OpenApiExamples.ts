/**
 * Examples of whole bodies and answers for the OpenAPI document, put together from the examples that stand at the
 * fields. A schema that has an example of its own gives that.
 */
import { isObject, type Json, type JsonObject } from "../domain/Json.js"
import { member } from "../domain/Members.js"

export type Examples = (schema: Json | undefined) => Json | undefined

const first = (values: Json | undefined): Json | undefined => (Array.isArray(values) ? values[0] : undefined)

/** With `required` an object shows the fields that are always there, with `all` every field. */
export const examplesOf = (components: JsonObject, fields: "all" | "required"): Examples => {
  const exampleOf = (schema: Json | undefined, within: ReadonlyArray<string>): Json | undefined => {
    if (!isObject(schema)) return undefined
    const own = first(schema["examples"]) ?? schema["const"] ?? first(schema["enum"])
    if (own !== undefined) return own
    const { $ref } = schema
    if (typeof $ref === "string") {
      const name = $ref.slice($ref.lastIndexOf("/") + 1)
      return within.includes(name) ? undefined : exampleOf(member(components, name), [...within, name])
    }
    const choices = schema["anyOf"] ?? schema["oneOf"]
    if (Array.isArray(choices)) {
      const found = choices.map((choice) => exampleOf(choice, within)).find((example) => example !== undefined)
      return found ?? (choices.some((choice) => member(choice, "type") === "null") ? null : undefined)
    }
    if (schema["type"] === "array") {
      const item = exampleOf(schema["items"], within)
      return item === undefined ? [] : [item]
    }
    const properties = schema["properties"]
    if (!isObject(properties)) return undefined
    const required = schema["required"]
    return Object.fromEntries(
      Object.entries(properties).flatMap(([name, property]) => {
        if (fields === "required" && !(Array.isArray(required) && required.includes(name))) return []
        const example = exampleOf(property, within)
        return example === undefined ? [] : [[name, example]]
      })
    )
  }
  return (schema) => exampleOf(schema, [])
}

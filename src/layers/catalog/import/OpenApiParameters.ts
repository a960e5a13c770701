/**
 * The fields of an operation that go into its path, query or headers. A parameter that cannot be written as its
 * document says is left out and reported; when it is required, the operation is left out.
 */
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import type { ImportedField } from "./ImportedOperation.js"
import { flattened } from "./OpenApiCombined.js"
import { exampleBeside, withExample } from "./OpenApiExamples.js"
import { member } from "../../../domain/Members.js"
import { entriesOf, listOf, textOf } from "./OpenApiParts.js"
import type { Reading } from "./OpenApiReading.js"
import { inPath, inQuery, saidOf, typesOf } from "./OpenApiStyles.js"

/** Left out: why. */
export interface LeftOut {
  readonly leftOut: string
  readonly required: boolean
}

const jsonType = /^application\/(?:[a-z0-9.+-]*\+)?json\b/i

const contentOf = (parameter: JsonObject): readonly [string, Json] | undefined => entriesOf(parameter["content"])[0]

/** An object in a query is spread over one name for each of its properties. */
const spread = (name: string, schema: JsonObject, required: boolean): ReadonlyArray<ImportedField> | LeftOut => {
  const { examples, properties: members, required: needed } = flattened(schema)
  const properties = entriesOf(members)
  if (properties.length === 0) return { leftOut: `an object of free names in the query (${name})`, required }
  const wanted = new Set(listOf(needed))
  const [example] = listOf(examples)
  const fields: Array<ImportedField> = []
  for (const [property, value] of properties) {
    const propertySchema = isObject(value) ? value : {}
    const style = inQuery(propertySchema, saidOf({}, "query"))
    if (typeof style === "string") return { leftOut: style, required }
    fields.push({
      name: property,
      place: "query",
      required: required && wanted.has(property),
      schema: withExample(propertySchema, isObject(example) ? member(example, property) : undefined),
      ...style
    })
  }
  return fields
}

export const parameterFields = (
  { document, schemaIn }: Reading,
  id: string,
  parameter: JsonObject
): ReadonlyArray<ImportedField> | LeftOut => {
  const place = textOf(parameter["in"])
  const name = textOf(parameter["name"])
  const required = parameter["required"] === true || place === "path"
  const leftOut = (what: string): LeftOut => ({ leftOut: what, required })
  if (place !== "path" && place !== "query" && place !== "header")
    return leftOut(`a parameter in ${place || "no place"}`)
  const content = contentOf(parameter)
  const media = content !== undefined && isObject(content[1]) ? content[1] : {}
  const described = content === undefined ? parameter : media
  const found = schemaIn(id, described["schema"] ?? { type: "string" }, { sendsDefault: required })
  const description = textOf(parameter["description"])
  const worded = description === "" || found["description"] !== undefined ? found : { ...found, description }
  const schema = withExample(worded, exampleBeside(document, described))
  if (content !== undefined)
    return jsonType.test(content[0])
      ? [{ name, place, required, schema, transform: ["json"] }]
      : leftOut(`a parameter that is a document of the kind ${content[0]}`)
  const said = saidOf(parameter, place)
  if (place === "query") {
    const types = new Set(typesOf(schema))
    // A null is not written in a query.
    types.delete("null")
    if (types.has("object") && types.size === 1 && said.style === "form" && said.explode)
      return spread(name, schema, required)
  }
  const style = place === "query" ? inQuery(schema, said) : inPath(schema, said)
  if (typeof style === "string") return leftOut(`${style} in the ${place}`)
  return [
    {
      name,
      place,
      required,
      schema,
      ...style,
      // GitHub's documents say so of values that keep their slashes.
      ...(place === "path" && parameter["x-multi-segment"] === true ? { style: "segments" as const } : {})
    }
  ]
}

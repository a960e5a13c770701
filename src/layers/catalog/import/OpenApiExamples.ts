/**
 * The example that a document gives of a parameter or a body beside its schema. It stands before that of the schema
 * (OpenAPI 3.1, "Parameter Object" and "Media Type Object"). One whose type the schema does not allow is left out,
 * because the operation would refuse its own example.
 */
import type { Json, JsonObject } from "../../../domain/Json.js"
import { entriesOf } from "./OpenApiParts.js"
import { resolved } from "./OpenApiSchemas.js"
import { allowsType } from "./OpenApiStyles.js"

/** The only example, or the first of several, of a parameter or of a media type. */
export const exampleBeside = (document: JsonObject, described: JsonObject): Json | undefined => {
  const [first] = entriesOf(described["examples"])
  return described["example"] ?? (first === undefined ? undefined : resolved(document, first[1])?.["value"])
}

/** The schema with this example in the place of its own. */
export const withExample = (schema: JsonObject, example: Json | undefined): JsonObject =>
  example === undefined || !allowsType(schema, example) ? schema : { ...schema, examples: [example] }

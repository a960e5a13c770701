/**
 * What the interface says of its fields: what each one means, with an example. The OpenAPI document and the reference
 * show both. Nothing here changes how a value is read or written.
 */
import { Option, Schema, SchemaAST } from "effect"

/** An id of this kind, for examples. */
export const exampleId = (prefix: string): string => `${prefix}_01jz3w8m5q0000000000000000`

/** A moment, for examples. */
export const exampleTime = "2026-06-15T12:00:00.000Z"

/** A number of an answer from 0, with its range for the document. The number is not checked: it comes from us. */
export const upTo = (maximum: number) =>
  Schema.Number.annotations({ jsonSchema: { type: "number", minimum: 0, maximum } })

/**
 * A field of an answer, or a parameter. For fields of request bodies there is `asked` in `http/Fields.ts`: this one
 * would change what is said of a wrong value.
 */
export const field = <A, I, R>(
  schema: Schema.Schema<A, I, R>,
  description: string,
  example: NoInfer<A>
): Schema.Schema<A, I, R> => {
  const jsonSchema = Option.getOrUndefined(SchemaAST.getJSONSchemaAnnotation(schema.ast))
  const annotations = { description, examples: [example] } as const
  // A schema that brings its own JSON Schema is shown by that alone.
  return schema.annotations(
    jsonSchema === undefined || !("type" in jsonSchema)
      ? annotations
      : { ...annotations, jsonSchema: { ...jsonSchema, ...annotations } }
  )
}

/** A field that may be left out. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })
export const text = (description: string, example: string) => field(Schema.String, description, example)
export const textOrNull = (description: string, example: string | null) =>
  field(Schema.NullOr(Schema.String), description, example)
export const texts = (description: string, example: ReadonlyArray<string>) =>
  field(Schema.Array(Schema.String), description, example)
export const flag = (description: string, example: boolean) => field(Schema.Boolean, description, example)
export const count = (description: string, example: number) => field(Schema.NonNegativeInt, description, example)

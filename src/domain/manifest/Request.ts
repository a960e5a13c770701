/** Where the fields of an input go in a request, as a manifest says it. */
import { Schema } from "effect"
import { Json } from "../Json.js"
import { Text, withDefault } from "./Fields.js"

export const Place = Schema.Literal("path", "query", "header", "json", "form", "multipart")
export type Place = typeof Place.Type

/** Simple value transforms, applied in order before a value is placed. */
export const Transform = Schema.Literal(
  "trim",
  "lowercase",
  "uppercase",
  "string",
  "number",
  "boolean",
  "csv",
  "json",
  "digits",
  "e164",
  "hostname"
)
export type Transform = typeof Transform.Type

/** Where one input field goes. `name` may be dotted for JSON bodies (`person.first_name`). */
export const Binding = Schema.Struct({
  in: Place,
  name: Text,
  transform: withDefault(Schema.Array(Transform), () => []),
  /**
   * For arrays in a query or form: `repeat` sends the name once per item, `single` joins them with commas. In a path,
   * `segments` keeps the slashes of the value (`owner/repository`).
   */
  style: withDefault(Schema.Literal("single", "repeat", "segments"), () => "single" as const)
})
export type Binding = typeof Binding.Type

/** A value that is sent with every call, with any input. */
export const FixedValue = Schema.Struct({ in: Place, name: Text, value: Json })

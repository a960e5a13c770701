/** Where the fields of an input go in a request, as a manifest says it. */
import { Schema } from "effect"
import { Json } from "../Json.js"
import { answerBytesDefault, answerBytesMax } from "../limits/Calls.js"
import { optional, Text, withDefault } from "./Fields.js"

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

/**
 * How a list or an object is written in a query, form or multipart body:
 *
 * - `single`: lists joined with commas, objects as JSON.
 * - `repeat`: the name once for each item.
 * - `comma`, `pipe`, `space`: items, or names and values of an object, joined by this sign.
 * - `brackets`: `name[key]` for members and `name[]` for items, at any depth.
 * - `deepObject`: `name[key]` for members and `name[0]` for items, at any depth.
 * - `spread`: the members of an object under names of their own; its key stands for the `*` of the name
 *   (`metadata[*]`). Also for headers (`x-amz-meta-*`).
 * - `segments`: in a path, keeps the slashes of the value (`owner/repository`).
 */
const Style = Schema.Literal(
  "single",
  "repeat",
  "comma",
  "pipe",
  "space",
  "brackets",
  "deepObject",
  "spread",
  "segments"
)
type Style = typeof Style.Type

const MediaType = Schema.String.pipe(Schema.pattern(/^[\w.+-]+\/[\w.+-]+(; ?[\w-]+=[\w"-]+)*$/))

/** Where one input field goes. `name` may be dotted for JSON bodies (`person.first_name`). */
export const Binding = Schema.Struct({
  in: Place,
  name: Text,
  transform: withDefault(Schema.Array(Transform), () => []),
  /** How a list or an object is written. In a JSON body it is written as JSON. */
  style: withDefault(Style, () => "single" as const),
  /** The media type of its part of a multipart body. A file that has a type of its own keeps it. */
  contentType: optional(MediaType)
})
export type Binding = typeof Binding.Type

/** A value that is sent with every call, with any input. */
export const FixedValue = Schema.Struct({ in: Place, name: Text, value: Json })

/** A body that is no set of fields, or one that may be left out. Fields that it does not take go to the query. */
export const Body = Schema.Union(
  /** The value of one field as JSON: a list, a text, anything. */
  Schema.Struct({ as: Schema.Literal("json"), field: Text }),
  /** A list whose only item is the object of the fields that go to JSON. */
  Schema.Struct({ as: Schema.Literal("list") }),
  /** No body, not even an empty object. */
  Schema.Struct({ as: Schema.Literal("none") }),
  /** The fields as usual, and no body when no field of it is given: a body that the provider lets be left out. */
  Schema.Struct({ as: Schema.Literal("fields") }),
  /** The text of one field, in UTF-8: plain text, XML, CSV. */
  Schema.Struct({
    as: Schema.Literal("text"),
    field: Text,
    contentType: withDefault(MediaType, () => "text/plain; charset=utf-8")
  }),
  /** The bytes of one field: base64, or a file `{ base64, contentType? }`, whose type then goes before this one. */
  Schema.Struct({
    as: Schema.Literal("bytes"),
    field: Text,
    contentType: withDefault(MediaType, () => "application/octet-stream")
  }),
  /** An XML document in which `{field}` is the value of a field, escaped; nothing for a field that is not given. */
  Schema.Struct({
    as: Schema.Literal("xml"),
    template: Text,
    contentType: withDefault(MediaType, () => "application/xml; charset=utf-8")
  })
)
export type Body = typeof Body.Type
/** Whether the fields of the input go into the body as they do without `body`. */
export const takesFields = (body: Body | undefined): boolean =>
  body === undefined || body.as === "list" || body.as === "fields"

/** A media type such as `image/png`, all of a kind (`image/*`), or all. */
export const MediaRange = Schema.String.pipe(
  Schema.pattern(/^(?:\*\/\*|[\w.+!#$&^-]+\/(?:[\w.+!#$&^-]+|\*))$/, {
    message: () => "must be a media type without parameters such as application/json, or a kind such as image/*"
  })
)

/** A field whose value may name a file that a run of the workspace returned: `{ media: <its downloadPath> }`. */
export const FileRule = Schema.Struct({
  /** What the file may be; anything without it. */
  types: optional(Schema.NonEmptyArray(MediaRange)),
  /** Of all files of the field together. */
  maxBytes: withDefault(Schema.Int.pipe(Schema.between(1, answerBytesMax)), () => answerBytesDefault)
})
export type FileRule = typeof FileRule.Type

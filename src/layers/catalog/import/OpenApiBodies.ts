/**
 * The body of an operation: the fields that it is made of, and the media type that is sent. What cannot be written as
 * its document says is left out and reported; when it is required, the operation is left out.
 */
import { isObject, type Json, type JsonObject } from "../../../domain/Json.js"
import { member, setMember } from "../../../domain/Members.js"
import type { Body } from "../../../domain/Manifest.js"
import type { FieldChoice } from "./ImportedInput.js"
import type { ImportedField } from "./ImportedOperation.js"
import { choicesAmong, togetherOf } from "./OpenApiChoices.js"
import { exampleBeside, withExample } from "./OpenApiExamples.js"
import { entriesOf, listOf, textOf, unreadable } from "./OpenApiParts.js"
import type { Reading } from "./OpenApiReading.js"
import { flattened } from "./OpenApiCombined.js"
import { inlineSchema, resolved } from "./OpenApiSchemas.js"
import { inQuery, saidOf, styleOfList, typesOf } from "./OpenApiStyles.js"

export interface ImportedBody {
  readonly fields: ReadonlyArray<ImportedField>
  /** How a body that is no object of fields is sent. */
  readonly body?: Body
  /** Where fields of any name go, when the body is an object of free names. */
  readonly free?: JsonObject
  /** Which fields it needs, where it may choose among them. */
  readonly choices?: ReadonlyArray<FieldChoice>
  /** Sent instead of the usual media type of its place. */
  readonly contentType?: string
}

const none: ImportedBody = { fields: [] }

type BodyPlace = "json" | "form" | "multipart"
const kinds: ReadonlyArray<readonly [BodyPlace, RegExp, string]> = [
  ["json", /^application\/(?:[a-z0-9.+-]*\+)?json\b/i, "application/json"],
  ["form", /^application\/x-www-form-urlencoded\b/i, "application/x-www-form-urlencoded"],
  ["multipart", /^multipart\/form-data\b/i, "multipart/form-data"]
]

export const isJsonType = (type: string): boolean => kinds[0]?.[1].test(type) === true

const isFile = (schema: JsonObject): boolean =>
  schema["format"] === "binary" ||
  (textOf(schema["contentMediaType"]) !== "" && schema["contentEncoding"] === undefined && schema["type"] === "string")

/** The media types that a file may have. `contentType` is the type of a file that names none. */
interface FileTypes {
  readonly types?: ReadonlyArray<string>
  readonly contentType?: string
}

/** A media type, or all of a kind, such as `image/*`. */
const mediaRange = /^[\w.+-]+\/(?:[\w.+-]+|\*)$/
/** Bytes of any kind are no type. */
const anyBytes = /^\*|^application\/(?:octet-stream|\*)$/

/** What a document says of the type of a file. */
const fileTypes = (said: ReadonlyArray<string>): FileTypes => {
  const [first] = said
  if (first === undefined || said.some((type) => !mediaRange.test(type) || anyBytes.test(type))) return {}
  return { types: said, ...(said.length > 1 || first.endsWith("/*") ? {} : { contentType: first }) }
}

/**
 * What a file is in the input of an operation: its content, or the path of one that an earlier run returned. Where the
 * provider takes several types, the content needs one of them.
 */
export const fileSchema = (schema: JsonObject, { contentType, types }: FileTypes = {}): JsonObject => ({
  type: "object",
  anyOf: [
    { required: types === undefined || contentType !== undefined ? ["base64"] : ["base64", "contentType"] },
    { required: ["media"] }
  ],
  properties: {
    base64: { type: "string", description: "The content of the file, as base64." },
    media: { type: "string", description: "Instead of base64: the downloadPath of a result of an earlier run." },
    filename: { type: "string" },
    contentType: {
      type: "string",
      ...(types === undefined || types.some((type) => type.endsWith("/*")) ? {} : { enum: types })
    }
  },
  ...(textOf(schema["description"]) === "" ? {} : { description: textOf(schema["description"]) })
})

type Property = Omit<ImportedField, "name" | "required" | "place"> | string

const inForm = (schema: JsonObject, encoding: JsonObject): Property => {
  const { collectionFormat, ...rest } = schema
  const format = textOf(collectionFormat)
  const said = saidOf(format === "" ? encoding : styleOfList(format), "form")
  const isStyled = encoding["style"] !== undefined || encoding["explode"] !== undefined
  const types = typesOf(rest)
  // OpenAPI 3: an object of a form that has no style of its own is sent as JSON.
  if (!isStyled && types.has("object") && !types.has("array")) return { schema: rest, transform: ["json"] }
  const style = inQuery(rest, said)
  return typeof style === "string" ? `${style} in a form` : { schema: rest, ...style }
}

const alternatives = ["anyOf", "oneOf", "allOf"] as const

/** The schema of a part of a form. Each file, also in a list or as an alternative, becomes a file of an input. */
const withFiles = (schema: JsonObject, types: FileTypes): JsonObject => {
  if (isFile(schema)) return fileSchema(schema, types)
  const { items } = schema
  const out: { [key: string]: Json } = { ...schema }
  if (isObject(items)) out["items"] = withFiles(items, types)
  for (const key of alternatives) {
    const parts = member(schema, key)
    if (parts === undefined) continue
    const written = listOf(parts).map((each) => (isObject(each) ? withFiles(each, types) : each))
    setMember(out, key, written)
  }
  // A text and an object were told apart. A file is an object too, so that both may fit now.
  if (out["anyOf"] !== undefined || out["oneOf"] === undefined || !holdsFile(schema)) return out
  const { oneOf, ...rest } = out
  return { ...rest, anyOf: oneOf }
}

const holdsFile = (schema: JsonObject): boolean =>
  isFile(schema) ||
  [schema["items"], ...alternatives.flatMap((key) => listOf(member(schema, key)))].some(
    (each) => isObject(each) && holdsFile(each)
  )

/** The media type of a part that is no file. Text says nothing of its type. Left out: the reason is a text. */
const partType = (schema: JsonObject, said: ReadonlyArray<string>): { readonly contentType?: string } | string => {
  const { items } = schema
  const types = typesOf(typesOf(schema).has("array") && isObject(items) ? items : schema)
  if (types.size === 1 && types.has("object")) {
    // OpenAPI 3: an object is JSON where nothing else is said.
    const type = said.length === 0 ? "application/json" : said.find((each) => isJsonType(each))
    return type === undefined ? `a part of the kind ${said[0] ?? ""}` : { contentType: type }
  }
  const type = said.find((each) => usableType.test(each))
  return type === undefined || said.some((each) => /^text\/plain\b|^text\/\*|^\*/.test(each))
    ? {}
    : { contentType: type }
}

const inMultipart = (schema: JsonObject, encoding: JsonObject): Property => {
  const { collectionFormat: _, ...rest } = schema
  const said = textOf(encoding["contentType"])
    .split(",")
    .map((type) => type.trim())
    .filter((type) => type !== "")
  const style = typesOf(rest).has("array") ? ({ style: "repeat" } as const) : {}
  if (holdsFile(rest)) {
    const types = fileTypes(said)
    const { contentType } = types
    return {
      schema: withFiles(rest, types),
      ...style,
      ...(contentType === undefined ? {} : { contentType }),
      file: types.types === undefined ? {} : { types: types.types }
    }
  }
  const type = partType(rest, said)
  return typeof type === "string" ? type : { schema: rest, ...style, ...type }
}

const propertyOf = (place: BodyPlace, schema: JsonObject, encoding: JsonObject): Property =>
  place === "json" ? { schema } : place === "form" ? inForm(schema, encoding) : inMultipart(schema, encoding)

// A range of media types, as in the header Accept: any at all, or any of `application`.
const anyType = /^(?:\*|application)\/\*/

interface Chosen {
  readonly place: BodyPlace
  readonly type: string
  readonly media: JsonObject
  /** The media type that is sent without being named. */
  readonly usual: string
}

/**
 * The body whose media type can be sent, in the order of `kinds`; a form with files comes before JSON, which has none.
 * Where any type may be sent, an object or a list is JSON.
 */
const chosenOf = (
  content: ReadonlyArray<readonly [string, Json]>,
  schemaOf: (media: JsonObject) => JsonObject
): Chosen | undefined => {
  const found = kinds.flatMap(([place, pattern, usual]): ReadonlyArray<Chosen> => {
    const [type, media] = content.find(([each]) => pattern.test(each)) ?? []
    return type === undefined ? [] : [{ place, type, media: isObject(media) ? media : {}, usual }]
  })
  const form = found.find(({ place }) => place === "multipart")
  if (form !== undefined && found.length > 1) {
    const { properties } = flattened(schemaOf(form.media))
    if (entriesOf(properties).some(([, each]) => isObject(each) && holdsFile(each))) return form
  }
  if (found[0] !== undefined) return found[0]
  const [type, media] = content.find(([each]) => anyType.test(each)) ?? []
  if (type === undefined || !isObject(media)) return undefined
  const types = typesOf(flattened(schemaOf(media)))
  return types.has("object") || types.has("array")
    ? { place: "json", type: "application/json", media, usual: "application/json" }
    : undefined
}

/** The name of the field that is the whole body. `taken`: the names of the other fields. */
const bodyField = (taken: ReadonlySet<string>): string => (taken.has("body") ? "request_body" : "body")

export const usableType = /^[\w.+-]+\/[\w.+-]+(; ?[\w-]+=[\w"-]+)*$/
export const isTextType = /^text\/|[/+](?:xml|yaml|csv|graphql|javascript|x-ndjson|jsonl)\b/i

/** A body of one value: text of any kind, or bytes. */
const rawOf = (field: string, type: string, schema: JsonObject, required: boolean): ImportedBody => {
  const isAsText = isTextType.test(type)
  const contentType = usableType.test(type) ? type : undefined
  const types = fileTypes([type.split(";", 1)[0] ?? type])
  return {
    fields: [
      {
        name: field,
        place: null,
        required,
        schema: isAsText
          ? {
              type: "string",
              ...(textOf(schema["description"]) === "" ? {} : { description: textOf(schema["description"]) })
            }
          : fileSchema(schema, types),
        ...(isAsText ? {} : { file: types.types === undefined ? {} : { types: types.types } })
      }
    ],
    body: isAsText
      ? { as: "text", field, contentType: contentType ?? "text/plain; charset=utf-8" }
      : { as: "bytes", field, contentType: contentType ?? "application/octet-stream" }
  }
}

/** Null when the body is required and cannot be expressed; the report then says why. */
export const bodyOf = (
  reading: Reading,
  id: string,
  value: Json | undefined,
  method: string,
  taken: ReadonlySet<string>
): ImportedBody | null => {
  const field = bodyField(taken)
  const empty: ImportedBody = method === "get" || method === "delete" ? none : { ...none, body: { as: "none" } }
  if (value === undefined) return empty
  const { document, report } = reading
  const body = resolved(document, value)
  const required = body?.["required"] === true
  const leave = (what: string): ImportedBody | null => {
    report.note(required ? "skipped" : "changed", id, required ? what : `left out ${what}`)
    return required ? null : empty
  }
  if (body === null) return leave(unreadable("a request body", value))
  const content = entriesOf(body["content"])
  const chosen = chosenOf(content, (media) => inlineSchema(document, media["schema"]).schema)
  if (chosen === undefined) {
    const [type, media] = content[0] ?? []
    if (type === undefined) return empty
    if (method === "get" || method === "delete") return leave(`a request body of a ${method.toUpperCase()}`)
    const described = isObject(media) ? reading.schemaIn(id, media["schema"]) : {}
    if (content.length > 1) report.note("changed", id, `takes one of several kinds of request body (${type})`)
    if (isTextType.test(type) && entriesOf(described["properties"]).length > 0)
      report.note(
        "changed",
        id,
        `takes a body of the kind ${type.split(";", 1)[0] ?? ""} as one text, and left out its schema`
      )
    return rawOf(field, type, described, required)
  }
  const { media, place, type, usual } = chosen
  if (content.length > 1) report.note("changed", id, `takes one of several kinds of request body (${place})`)
  const written = reading.schemaIn(id, media["schema"], { sendsDefault: required })
  const schema = flattened(written)
  const types = typesOf(schema)
  const example = exampleBeside(document, media)
  const bare = (type.split(";", 1)[0] ?? type).trim().toLowerCase()
  const contentType = bare === usual ? {} : { contentType: type }
  const leavable: Partial<ImportedBody> = required || method === "get" ? {} : { body: { as: "fields" } }
  const properties = entriesOf(schema["properties"]).filter(
    ([, property]) => !(isObject(property) && property["readOnly"] === true)
  )
  if (properties.length === 0) {
    if (place !== "json") return leave("a form without named fields")
    // Of a list or an object, say, one field holds either.
    if (Array.from(types).some((each) => each !== "object" && each !== "null")) {
      if (method === "get" || method === "delete") return leave(`a request body of a ${method.toUpperCase()}`)
      const shown = withExample(schema, example)
      return {
        fields: [{ name: field, place: null, required, schema: shown }],
        body: { as: "json", field },
        ...contentType
      }
    }
    const { additionalProperties } = schema
    if (["anyOf", "oneOf", "allOf"].some((key) => member(schema, key) !== undefined))
      report.note("changed", id, "takes fields of any name, and left out the alternatives of the body")
    return { fields: [], free: isObject(additionalProperties) ? additionalProperties : {}, ...contentType, ...leavable }
  }
  const wanted = new Set(listOf(schema["required"]))
  const encodings = isObject(media["encoding"]) ? media["encoding"] : {}
  const fields: Array<ImportedField> = []
  for (const [name, property] of properties) {
    const said = member(encodings, name)
    const encoding = isObject(said) ? said : {}
    const found = propertyOf(place, isObject(property) ? property : {}, encoding)
    const isWanted = required && wanted.has(name)
    if (place === "multipart")
      for (const unused of ["headers", "style", "explode"])
        if (member(encoding, unused) !== undefined)
          report.note("changed", id, `left out the ${unused} of a part of the form`)
    const shown = isObject(example) ? member(example, name) : undefined
    if (typeof found !== "string")
      fields.push({
        name,
        place,
        required: isWanted,
        ...found,
        schema: found.file === undefined ? withExample(found.schema, shown) : found.schema
      })
    else if (isWanted) return leave(`${found}, which is required`)
    else report.note("changed", id, `left out ${found}`)
  }
  const { choices, lost } = togetherOf(written)
  const sent = new Set(fields.map(({ name }) => name))
  const leftOut = new Set(properties.flatMap(([name]) => (sent.has(name) ? [] : [name])))
  const among = choicesAmong(choices, sent, leftOut)
  for (const what of lost) report.note("changed", id, what)
  // Without a body none of its fields is needed, which a choice cannot say.
  if (!required && among.length > 0)
    report.note("changed", id, "left out which fields the body needs, because it may be left out as a whole")
  return { fields, ...(required && among.length > 0 ? { choices: among } : {}), ...contentType, ...leavable }
}

/** Bodies that are no set of fields: one value as it is, a list around the fields, or an XML template. */
import { Either } from "effect"
import { isObject, type Json, type JsonObject } from "../../domain/Json.js"
import { writeJson } from "../../domain/LosslessJson.js"
import type { Body } from "../../domain/Manifest.js"
import { member } from "../../domain/Members.js"
import type { NamedFiles } from "./FileReferences.js"
import { decodeBase64, fileType } from "./Multipart.js"
import { asText } from "./Transforms.js"
import { placeholdersOf, withValues } from "./Variables.js"

export interface RawBody {
  readonly contentType: string
  readonly content: string | Uint8Array
}

/** The fields of the input that the body itself takes. */
export const fieldsOfBody = (body: Body | undefined): ReadonlySet<string> =>
  new Set(
    body === undefined ? [] : body.as === "xml" ? placeholdersOf(body.template) : "field" in body ? [body.field] : []
  )

const escapes: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&apos;"]
])
// eslint-disable-next-line no-control-regex
const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/u

/** The value as text of an element or an attribute. Null: XML cannot hold one of its characters. */
const xmlText = (value: Json): string | null => {
  const text = asText(value)
  return notInXml.test(text) ? null : text.replace(/[&<>"']/g, (sign) => escapes.get(sign) ?? "")
}

/** What a reference to a file is, where none is stored: a call outside of the service has no files. */
export const noFile = "names a file that cannot be read here: send it as base64"

type Wrong = { readonly field: string; readonly message: string }

/** A body that is no set of fields. */
type WholeBody = Exclude<Body, { readonly as: "fields" }>

/** Null when the input has no such field: then no body is sent. `fields` are those of bindings, for a list. */
export const rawBody = (
  body: WholeBody,
  input: JsonObject,
  fields: JsonObject,
  namedIn: (field: string) => NamedFiles | null
): Either.Either<RawBody | null, Wrong> => {
  switch (body.as) {
    case "none":
      return Either.right(null)
    case "list":
      return Either.right({ contentType: "application/json", content: writeJson([fields]) })
    case "xml": {
      const values: Array<readonly [string, string]> = []
      for (const name of placeholdersOf(body.template)) {
        const text = xmlText(member(input, name) ?? "")
        if (text === null) return Either.left({ field: name, message: "has a character that XML cannot hold" })
        values.push([name, text])
      }
      return Either.right({
        contentType: body.contentType,
        content: withValues(body.template, Object.fromEntries(values))
      })
    }
  }
  const value = member(input, body.field)
  if (value === undefined || (value === null && body.as !== "json")) return Either.right(null)
  switch (body.as) {
    case "json":
      return Either.right({ contentType: "application/json", content: writeJson(value) })
    case "text":
      return Either.right({ contentType: body.contentType, content: asText(value) })
    case "bytes": {
      const named = namedIn(body.field)
      if (named?.isNamed(value) === true) {
        const file = named.fileOf(value)
        return file === null
          ? Either.left({ field: body.field, message: noFile })
          : Either.right({ contentType: file.contentType, content: file.bytes })
      }
      const content = decodeBase64(isObject(value) ? (member(value, "base64") ?? null) : value)
      return content === null
        ? Either.left({ field: body.field, message: "must be base64, or an object with base64 and contentType" })
        : Either.right({ contentType: fileType(value) ?? body.contentType, content })
    }
  }
}

/**
 * multipart/form-data (RFC 7578). A file is an input object `{ filename, contentType?, base64 }`, or a stored file that
 * the input names; every other value is a text part. Names and file names are escaped as browsers do.
 */
import { isObject, type Json, type JsonObject } from "../../domain/Json.js"
import type { InputFile } from "../../domain/ProviderCall.js"
import { asText } from "./Transforms.js"

const escape = (name: string): string => name.replace(/\r/g, "%0D").replace(/\n/g, "%0A").replace(/"/g, "%22")
const mediaType = /^[\w.+-]+\/[\w.+-]+(; ?[\w-]+=[\w"-]+)*$/

/** Base64 of either alphabet, with or without padding and line breaks. Null when it is none. */
export const decodeBase64 = (value: Json): Buffer | null => {
  if (typeof value !== "string") return null
  const text = value.replace(/\s+/g, "")
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(text) && text.replace(/=+$/, "").length % 4 !== 1
    ? Buffer.from(text, "base64")
    : null
}

/** A file of the input: `{ filename, contentType?, base64 }`. */
export const isFile = (value: Json): value is JsonObject => isObject(value) && typeof value["base64"] === "string"

/** The media type that a file names, when it is one. */
export const fileType = (value: Json): string | undefined =>
  isObject(value) && typeof value["contentType"] === "string" && mediaType.test(value["contentType"])
    ? value["contentType"]
    : undefined

/** A stored file is a part of its own kind, so that no value of an input can look like one. */
export class StoredFile {
  constructor(
    readonly contentType: string,
    readonly filename: string,
    readonly bytes: InputFile["bytes"]
  ) {}
}

/** `contentType` is the media type where the value has none of its own. */
export type Part = readonly [name: string, value: Json | StoredFile, contentType?: string]

const headOf = (name: string, filename: string, type: string): string =>
  `Content-Disposition: form-data; name="${escape(name)}"; filename="${escape(filename)}"\r\nContent-Type: ${type}\r\n\r\n`

const head = ([name, value, contentType]: Part): { readonly head: string; readonly content: Uint8Array } => {
  if (value instanceof StoredFile)
    return { head: headOf(name, value.filename, value.contentType), content: value.bytes }
  if (isFile(value)) {
    const filename = typeof value["filename"] === "string" ? value["filename"] : "file"
    return {
      head: headOf(name, filename, fileType(value) ?? contentType ?? "application/octet-stream"),
      content: decodeBase64(value["base64"] ?? null) ?? Buffer.alloc(0)
    }
  }
  const type = contentType === undefined ? "" : `Content-Type: ${contentType}\r\n`
  return {
    head: `Content-Disposition: form-data; name="${escape(name)}"\r\n${type}\r\n`,
    content: Buffer.from(asText(value))
  }
}

export const encodeMultipart = (parts: ReadonlyArray<Part>, boundary: string): Uint8Array =>
  Buffer.concat([
    ...parts.flatMap((each) => {
      const part = head(each)
      return [Buffer.from(`--${boundary}\r\n${part.head}`), part.content, Buffer.from("\r\n")]
    }),
    Buffer.from(`--${boundary}--\r\n`)
  ])

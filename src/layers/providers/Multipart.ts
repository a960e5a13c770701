/**
 * multipart/form-data (RFC 7578). A file is an input object `{ filename, contentType?, base64 }`; every other value is
 * a text part. Names and file names are escaped as browsers do.
 */
import { isObject, type Json } from "../../domain/Json.js"
import { asText } from "./Transforms.js"

const escape = (name: string): string => name.replace(/\r/g, "%0D").replace(/\n/g, "%0A").replace(/"/g, "%22")
const mediaType = /^[\w.+-]+\/[\w.+-]+$/

const head = (name: string, value: Json): { readonly head: string; readonly content: Buffer } => {
  if (isObject(value) && typeof value["base64"] === "string") {
    const filename = typeof value["filename"] === "string" ? value["filename"] : "file"
    const type =
      typeof value["contentType"] === "string" && mediaType.test(value["contentType"])
        ? value["contentType"]
        : "application/octet-stream"
    return {
      head: `Content-Disposition: form-data; name="${escape(name)}"; filename="${escape(filename)}"\r\nContent-Type: ${type}\r\n\r\n`,
      content: Buffer.from(value["base64"], "base64")
    }
  }
  return { head: `Content-Disposition: form-data; name="${escape(name)}"\r\n\r\n`, content: Buffer.from(asText(value)) }
}

export const encodeMultipart = (
  parts: ReadonlyArray<readonly [name: string, value: Json]>,
  boundary: string
): Uint8Array =>
  Buffer.concat([
    ...parts.flatMap(([name, value]) => {
      const part = head(name, value)
      return [Buffer.from(`--${boundary}\r\n${part.head}`), part.content, Buffer.from("\r\n")]
    }),
    Buffer.from(`--${boundary}--\r\n`)
  ])

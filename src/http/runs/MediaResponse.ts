/**
 * A stored file as a download (RFC 9110): whole, one byte range of it, or 304 for the copy at hand. Always as an attachment and
 * sandboxed: the bytes are a provider's, and a browser must never run them as a page of the gateway.
 */
import { HttpServerResponse } from "@effect/platform"
import type { Media } from "../../services/RunStore.js"

export interface MediaConditions {
  readonly range: string | undefined
  readonly ifNoneMatch: string | undefined
  readonly ifRange: string | undefined
}

type Range = { readonly start: number; readonly end: number }

/** The one range asked for; null to send everything (no, several, or malformed ranges), `"unsatisfiable"` when it lies outside. */
const rangeOf = (header: string | undefined, size: number): Range | "unsatisfiable" | null => {
  const match = header === undefined ? null : /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim())
  const [, first = "", last = ""] = match ?? []
  if (match === null || (first === "" && last === "")) return null
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== "" && last !== "" && Number(last) < Number(first)) return null
  return start > end ? "unsatisfiable" : { start, end }
}

const matches = (header: string, etag: string): boolean =>
  header.trim() === "*" || header.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === etag)

/** A quoted ASCII name, and the true one in UTF-8 (RFC 6266). */
const disposition = (filename: string | null): string => {
  if (filename === null) return "attachment"
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, "_")
  const encoded = encodeURIComponent(filename.replace(/\p{Surrogate}/gu, "_")).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

const contentTypeOf = (stored: string): string => (/^[\x21-\x7e][\x20-\x7e]{0,200}$/.test(stored) ? stored : "application/octet-stream")

export const mediaResponse = (media: Media, conditions: MediaConditions): HttpServerResponse.HttpServerResponse => {
  const etag = `"${media.sha256}"`
  const headers = {
    etag,
    "accept-ranges": "bytes",
    "cache-control": "private, max-age=31536000, immutable",
    "content-disposition": disposition(media.filename),
    "content-security-policy": "default-src 'none'; sandbox"
  }
  if (conditions.ifNoneMatch !== undefined && matches(conditions.ifNoneMatch, etag)) return HttpServerResponse.empty({ status: 304, headers })
  const size = media.bytes.byteLength
  const fresh = conditions.ifRange === undefined || conditions.ifRange.trim() === etag
  const range = fresh ? rangeOf(conditions.range, size) : null
  if (range === "unsatisfiable") return HttpServerResponse.empty({ status: 416, headers: { ...headers, "content-range": `bytes */${size}` } })
  const contentType = contentTypeOf(media.contentType)
  if (range === null) return HttpServerResponse.uint8Array(media.bytes, { contentType, headers })
  return HttpServerResponse.uint8Array(media.bytes.subarray(range.start, range.end + 1), {
    status: 206,
    contentType,
    headers: { ...headers, "content-range": `bytes ${range.start}-${range.end}/${size}` }
  })
}

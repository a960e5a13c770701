/**
 * A stored file as a download (RFC 9110), read in parts as fast as its reader takes them: whole, one byte range of it,
 * or 304 for the copy at hand. Always as an attachment and sandboxed: the bytes are a provider's, and a browser must
 * never run them as a page of the gateway.
 */
import type * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeStream from "@effect/platform-node/NodeStream"
import { Effect, Option, Stream } from "effect"
import { RangeNotSatisfiable } from "../../domain/ApiErrors.js"
import { mediaPartBytes } from "../../domain/limits/Requests.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import type { StoredMedia } from "../../services/RunStore.js"
import { isUnchanged } from "../Unchanged.js"

type Headers = { readonly [name: string]: string }
type Range = { readonly start: number; readonly end: number }

/**
 * The one range asked for; null to send everything (no, several, or malformed ranges), `"unsatisfiable"` when it lies
 * outside.
 */
const rangeOf = (header: string | undefined, size: number): Range | "unsatisfiable" | null => {
  const match = header === undefined ? null : /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header.trim())
  const [, first = "", last = ""] = match ?? []
  if (match === null || (first === "" && last === "")) return null
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== "" && last !== "" && Number(last) < Number(first)) return null
  return start > end ? "unsatisfiable" : { start, end }
}

/** A quoted ASCII name, and the true one in UTF-8 (RFC 6266). */
const disposition = (filename: string | null): string => {
  if (filename === null) return "attachment"
  const ascii = filename.replace(/[^\x20-\x7e]|["\\%]/g, "_")
  const encoded = encodeURIComponent(filename.replace(/\p{Surrogate}/gu, "_")).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

const contentTypeOf = (stored: string): string =>
  /^[\x21-\x7e][\x20-\x7e]{0,200}$/.test(stored) ? stored : "application/octet-stream"

/** The bytes from `start` up to `end`, a part at a time and each only when its reader has taken the one before. */
const partsOf = (media: StoredMedia, start: number, end: number): Stream.Stream<Uint8Array, StorageError> =>
  Stream.paginateEffect(start, (at) => {
    const next = Math.min(at + mediaPartBytes, end)
    return Effect.map(
      media.part(at, next),
      (part) => [part, next < end ? Option.some(next) : Option.none<number>()] as const
    )
  })

const bodyOf = Effect.fnUntraced(function* (
  media: StoredMedia,
  { end, start }: Range,
  options: { readonly status: number; readonly headers: Headers }
) {
  const contentType = contentTypeOf(media.contentType)
  // The first part is read before anything is sent: when storage is away, the answer can still say so.
  const first = yield* media.part(start, Math.min(start + mediaPartBytes, end + 1))
  if (start + first.byteLength > end) return HttpServerResponse.uint8Array(first, { contentType, ...options })
  const rest = partsOf(media, start + first.byteLength, end + 1)
  // As a Node stream: one that fails cuts the connection, so that nobody takes half a file for a whole one.
  const source = yield* NodeStream.toReadable(Stream.concat(Stream.make(first), rest))
  return HttpServerResponse.raw(source, { contentType, contentLength: end + 1 - start, ...options })
})

/** Programs keep it. A browser asks each time, so that it shows nothing after its person has signed out. */
const caching = { program: "private, max-age=31536000, immutable", browser: "private, no-cache" } as const

export const mediaResponse = (
  media: StoredMedia,
  { headers: asked, method }: Pick<HttpServerRequest.HttpServerRequest, "headers" | "method">,
  reader: keyof typeof caching
): Effect.Effect<HttpServerResponse.HttpServerResponse, RangeNotSatisfiable | StorageError> => {
  const etag = `"${media.sha256}"`
  const headers = {
    etag,
    "accept-ranges": "bytes",
    "cache-control": caching[reader],
    "content-disposition": disposition(media.filename),
    "content-security-policy": "default-src 'none'; sandbox"
  }
  if (isUnchanged(asked["if-none-match"], etag))
    return Effect.succeed(HttpServerResponse.empty({ status: 304, headers }))
  const fresh = (asked["if-range"] ?? etag).trim() === etag
  // Ranges are for GET alone (RFC 9110, section 14.2): HEAD tells of the whole file.
  const range = fresh && method === "GET" ? rangeOf(asked["range"], media.size) : null
  if (range === "unsatisfiable") return new RangeNotSatisfiable({ sizeBytes: media.size, etag })
  if (range !== null) {
    return bodyOf(media, range, {
      status: 206,
      headers: { ...headers, "content-range": `bytes ${range.start}-${range.end}/${media.size}` }
    })
  }
  return bodyOf(media, { start: 0, end: media.size - 1 }, { status: 200, headers })
}

/** The bytes of a request: its address with the query, its headers, and its body as text or bytes. */
import { writeJson } from "../../domain/LosslessJson.js"
import { encodeMultipart } from "./Multipart.js"
import type { RequestParts } from "./RequestPlan.js"

export interface Written {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string | Uint8Array | null
}

/** The bytes of the parts. `boundary` must be one that does not occur in a file. */
export const write = (parts: RequestParts, boundary: string): Written => {
  const search = parts.query
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&")
  const path = search === "" ? parts.path : `${parts.path}${parts.path.includes("?") ? "&" : "?"}${search}`
  switch (parts.body._tag) {
    case "None":
      return { path, headers: parts.headers, body: null }
    case "Json":
      return {
        path,
        headers: { "content-type": "application/json", ...parts.headers },
        body: writeJson(parts.body.value)
      }
    case "Form":
      return {
        path,
        headers: { "content-type": "application/x-www-form-urlencoded", ...parts.headers },
        body: new URLSearchParams(parts.body.fields.map(([name, value]): [string, string] => [name, value])).toString()
      }
    case "Raw":
      return {
        path,
        headers: { "content-type": parts.body.contentType, ...parts.headers },
        body: parts.body.content
      }
    case "Multipart":
      return {
        path,
        headers: { ...parts.headers, "content-type": `multipart/form-data; boundary=${boundary}` },
        body: encodeMultipart(parts.body.parts, boundary)
      }
  }
}

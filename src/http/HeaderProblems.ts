/**
 * What is wrong with the headers of a request as such, before anybody looks at what it asks for: what a proxy in front
 * may read otherwise than this server. Node takes the first of two `Host` or `Authorization` headers and joins two
 * `Idempotency-Key` headers with a comma, so two are refused, equal ones too: what the request means must not depend on
 * who reads it. A comma inside of one header is a character like any other.
 */
import type { IncomingMessage } from "node:http"
import type { FieldProblem } from "../domain/ApiErrors.js"

type Received = Pick<IncomingMessage, "headers" | "httpVersion" | "rawHeaders">

const single: ReadonlyMap<string, number> = new Map(
  ["host", "authorization", "content-type", "content-encoding", "idempotency-key"].map((name, index) => [
    name,
    1 << index
  ])
)

/** The first of them that stands there twice, of the raw list of names and values; null when none does. */
const repeatedHeader = (raw: ReadonlyArray<string>): string | null => {
  let seen = 0
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]?.toLowerCase() ?? ""
    const bit = single.get(name)
    if (bit === undefined) continue
    if ((seen & bit) !== 0) return name
    seen |= bit
  }
  return null
}

/** A name or an address, and perhaps a port (RFC 9110, section 7.2). A client without a name for us sends nothing. */
const hostForm = /^(?:\[[\w.~!$&'()*+,;=:%-]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/

const hostProblem = ({ headers: { host }, httpVersion }: Received): string | null => {
  if (host === undefined) return httpVersion === "1.1" ? "is required" : null
  return hostForm.test(host) ? null : "must be a host, with a port where it needs one"
}

/** Where the body ends: Node reads the chunks, and would leave what any other coding does to them to the handlers. */
const transferProblem = ({ headers, httpVersion }: Received): string | null => {
  const coding = headers["transfer-encoding"]
  if (coding === undefined) return null
  if (httpVersion !== "1.1") return "needs HTTP/1.1"
  return coding.trim().toLowerCase() === "chunked" ? null : "may only be chunked"
}

/** Then nothing behind the request may be read on its connection (RFC 9112, section 6.1). */
export const bodyEndIsInDoubt = (request: Received): boolean => transferProblem(request) !== null

export const headerProblem = (request: Received): FieldProblem | null => {
  const repeated = repeatedHeader(request.rawHeaders)
  if (repeated !== null) return { field: repeated, message: "may be sent once" }
  const host = hostProblem(request)
  if (host !== null) return { field: "host", message: host }
  const transfer = transferProblem(request)
  return transfer === null ? null : { field: "transfer-encoding", message: transfer }
}

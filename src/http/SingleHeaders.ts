/**
 * Headers that a request may carry once. Node takes the first of two `Host` or `Authorization` headers and joins two
 * `Idempotency-Key` headers with a comma, where a proxy in front may do otherwise; so two are refused, equal ones too:
 * what the request means must not depend on who reads it. A comma inside of one header is a character like any other.
 */
import type { IncomingMessage } from "node:http"
import type { FieldProblem } from "../domain/ApiErrors.js"

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

/** What is wrong with the headers of a request as such, before anybody looks at what it asks for. */
export const headerProblem = ({
  headers,
  httpVersion,
  rawHeaders
}: Pick<IncomingMessage, "headers" | "httpVersion" | "rawHeaders">): FieldProblem | null => {
  const repeated = repeatedHeader(rawHeaders)
  if (repeated !== null) return { field: repeated, message: "may be sent once" }
  return headers.host === undefined && httpVersion === "1.1" ? { field: "host", message: "is required" } : null
}

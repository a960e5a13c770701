/** The address of a provider and the path of an operation, as a manifest may write them. */
import { Schema } from "effect"
import { readUrl } from "../Url.js"

const placeholder = /\{[^{}]*\}/g
const named = /\{[^{}]+\}/g
/** `..` and `.`, also percent-encoded: an address with one is another address than the one that is read. */
const dots = /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i
/** Percent-encoded control characters. */
const control = /%(?:[01][0-9a-f]|7f)/i

const pathProblem = (path: string): string | undefined =>
  dots.test(path)
    ? "must not hold . or .. as a part of the path"
    : control.test(path)
      ? "must not hold control characters"
      : undefined

/** What no address has as it is. Braces are of placeholders. */
const escapedSign = /[^!-~]|["#<>\\^`]/gu

const percentEscape = (sign: string): string =>
  Array.from(new TextEncoder().encode(sign), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("")

/** The path with its placeholders as they are, and with percent escapes for what no address has. */
export const withPercentEscapes = (path: string): string =>
  path.replaceAll(/\{[^{}]*\}|[^{}]+/g, (part) =>
    part.startsWith("{") ? part : part.replaceAll(escapedSign, percentEscape)
  )

/** What is wrong with the characters of a path; null when nothing is. A request with such a path cannot be sent. */
export const signProblem = (path: string): string | null => {
  const written = path.replaceAll(named, "")
  const [sign] = written.match(escapedSign) ?? written.match(/[{}]/) ?? []
  if (sign === undefined) return null
  const escape = percentEscape(sign)
  return sign === "{" || sign === "}"
    ? `has a ${sign} that belongs to no placeholder such as {name}; write ${escape} for the sign itself`
    : `has the character ${JSON.stringify(sign)}, which no address may have; write ${escape}`
}

const addressProblem = (text: string): string | undefined => {
  const url = readUrl(text.replace(placeholder, "x"))
  // A variable in the wrong place is told with its name, where the manifest as a whole is read.
  if (url === null) return text.search(placeholder) >= 0 ? undefined : "must be an address"
  if (url.username !== "" || url.password !== "" || /^https?:\/\/[^/]*@/.test(text))
    return "must not hold a name or password: a key belongs to auth, and is set with gateway key set"
  if (url.hostname.startsWith(".") || url.hostname.includes(".."))
    return "must have a host name without empty parts, such as api.example.com"
  return pathProblem(text.replace(/^https?:\/\/[^/]*/, ""))
}

/** `{name}` in its host and path stands for the value of a variable. */
export const BaseUrl = Schema.String.pipe(
  Schema.pattern(/^https?:\/\/[^\s?#]+$/),
  Schema.filter((text) => addressProblem(text) ?? true, { jsonSchema: {} })
)

/** The path of an operation, and the query of its own, which may hold question marks. Null where it has none. */
export const pathAndQuery = (written: string): readonly [path: string, query: string | null] => {
  const at = written.indexOf("?")
  return at < 0 ? [written, null] : [written.slice(0, at), written.slice(at + 1)]
}

/** Begins with a slash. `{name}` stands for a field of the input, a variable or a key. */
export const OperationPath = Schema.String.pipe(
  Schema.startsWith("/"),
  Schema.filter((text) => pathProblem(text) ?? true, { jsonSchema: {} })
)

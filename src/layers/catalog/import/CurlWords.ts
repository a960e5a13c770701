/**
 * Reads a curl command as a shell would split it, and what its options say. Only what says something of the request is
 * kept. Pure: no file that an option names is read.
 */
import { Either } from "effect"
import { readUrl } from "../../../domain/Url.js"

/** The words of a command: quotes, backslashes and continued lines as in a POSIX shell, without variables. */
export const shellWords = (text: string): Either.Either<ReadonlyArray<string>, string> => {
  const words: Array<string> = []
  let word: string | null = null
  let quote: "" | "'" | '"' = ""
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? ""
    if (quote !== "") {
      if (sign === quote) quote = ""
      else if (sign === "\\" && quote === '"' && /["\\$`\n]/.test(text[at + 1] ?? "")) {
        at += 1
        word = `${word ?? ""}${text[at] === "\n" ? "" : (text[at] ?? "")}`
      } else word = `${word ?? ""}${sign}`
    } else if (sign === "'" || sign === '"') {
      quote = sign
      word = word ?? ""
    } else if (sign === "\\") {
      at += 1
      const next = text[at] === "\r" && text[at + 1] === "\n" ? text[(at += 1)] : text[at]
      if (next !== "\n") word = `${word ?? ""}${next ?? ""}`
    } else if (/\s/.test(sign)) {
      if (word !== null) words.push(word)
      word = null
    } else word = `${word ?? ""}${sign}`
  }
  if (quote !== "") return Either.left("the curl command has a quote that is never closed")
  return Either.right(word === null ? words : [...words, word])
}

export interface CurlRequest {
  readonly method: string
  readonly url: URL
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** `user:password`, or the user alone. */
  readonly user: string | null
  readonly hasCookies: boolean
  readonly body:
    | { readonly _tag: "None" }
    | { readonly _tag: "Text"; readonly text: string }
    | { readonly _tag: "Parts"; readonly parts: ReadonlyArray<readonly [name: string, value: string]> }
}

/** Options that take a value which says nothing of the request itself. */
const ignoredWithValue =
  /^(?:-o|--output|-m|--max-time|--connect-timeout|--retry|--retry-delay|-w|--write-out|--cacert|-x|--proxy|-c|--cookie-jar|-e|--referer|-A|--user-agent|-D|--dump-header)$/
const letters = "sSkLvifgNOJ#"
const short: ReadonlyMap<string, string> = new Map([
  ["-X", "--request"],
  ["-H", "--header"],
  ["-d", "--data"],
  ["-F", "--form"],
  ["-u", "--user"],
  ["-b", "--cookie"],
  ["-G", "--get"],
  ["-I", "--head"]
])

/** `-XPOST` and `--request=POST` as two words. */
const split = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.flatMap((word) => {
    if (/^--[a-z-]+=/.test(word)) return [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]
    return /^-[XHdFubAmoewx]./.test(word) ? [word.slice(0, 2), word.slice(2)] : [word]
  })

const encodedPair = (text: string): string => {
  const at = text.indexOf("=")
  return at < 0
    ? encodeURIComponent(text)
    : `${text.slice(0, at)}${at === 0 ? "" : "="}${encodeURIComponent(text.slice(at + 1))}`
}

/** Left: why this is no request that can be read, in words for the person who gave it. */
export const readCurl = (command: string): Either.Either<CurlRequest, string> =>
  Either.gen(function* () {
    const words = split(yield* shellWords(command.trim().replace(/^\$\s+/, "")))
    if (words[0] !== "curl") return yield* Either.left("a curl command begins with the word curl")
    let method: string | null = null
    let address: string | null = null
    let user: string | null = null
    let inQuery = false
    let hasCookies = false
    const headers: Array<readonly [string, string]> = []
    const data: Array<string> = []
    const parts: Array<readonly [string, string]> = []
    for (let at = 1; at < words.length; at += 1) {
      const word = words[at] ?? ""
      if (!word.startsWith("-") || word === "-") {
        address = address ?? word
        continue
      }
      const name = short.get(word) ?? word
      if (name === "--get") inQuery = true
      else if (name === "--head") method = "HEAD"
      else if (/^-[^-]/.test(name) && Array.from(name.slice(1)).every((letter) => letters.includes(letter))) continue
      else if (
        /^--(?:request|header|data|json|form|user|cookie|url|oauth2-bearer)/.test(name) ||
        ignoredWithValue.test(name)
      ) {
        at += 1
        const value = words[at]
        if (value === undefined) return yield* Either.left(`${name} of the curl command has no value`)
        if (name === "--request") method = value.toUpperCase()
        else if (name === "--header") {
          const colon = value.indexOf(":")
          if (colon > 0) headers.push([value.slice(0, colon).trim(), value.slice(colon + 1).trim()])
        } else if (name === "--data-urlencode") data.push(encodedPair(value))
        else if (name === "--json") {
          data.push(value)
          headers.push(["Content-Type", "application/json"])
        } else if (name.startsWith("--data")) data.push(value)
        else if (name.startsWith("--form")) {
          const equals = value.indexOf("=")
          if (equals > 0) parts.push([value.slice(0, equals), value.slice(equals + 1)])
        } else if (name === "--user") user = value
        else if (name === "--cookie") hasCookies = true
        else if (name === "--url") address = value
        else if (name === "--oauth2-bearer") headers.push(["Authorization", `Bearer ${value}`])
      }
    }
    if (address === null) return yield* Either.left("the curl command has no address")
    const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`
    const url = readUrl(text)
    if (url === null) return yield* Either.left("the curl command has an address that is none")
    if (url.protocol !== "https:" && url.protocol !== "http:")
      return yield* Either.left("the curl command has an address that is not of the web")
    if (url.username !== "") user = user ?? decodeURIComponent(`${url.username}:${url.password}`)
    url.username = ""
    url.password = ""
    const joined = data.join("&")
    if (inQuery && data.length > 0) url.search = `${url.search === "" ? "?" : `${url.search}&`}${joined}`
    const hasBody = !inQuery && (data.length > 0 || parts.length > 0)
    return {
      method: method ?? (hasBody ? "POST" : "GET"),
      url,
      headers,
      user,
      hasCookies,
      body:
        parts.length > 0
          ? { _tag: "Parts", parts }
          : inQuery || data.length === 0
            ? { _tag: "None" }
            : { _tag: "Text", text: joined }
    }
  })

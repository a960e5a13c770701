/**
 * Reads a curl command: the request that its options describe. Options that say nothing of the request are skipped; one
 * that is not known is named. Pure: no file that an option names is read.
 */
import { Either } from "effect"
import { readUrl } from "../../../domain/Url.js"
import { shellCommand } from "./ShellWords.js"
import { nameOf, partsOf } from "./Placeholders.js"

/** The value of an option, or the name of the file that it stands in. */
/** `contentType` is what `;type=` of a part says. */
export type Given = (
  { readonly _tag: "Text"; readonly text: string } | { readonly _tag: "File"; readonly file: string }
) & { readonly contentType?: string }

export interface CurlRequest {
  readonly method: string
  /** Scheme and host, with `{name}` for each part that the command leaves open. */
  readonly origin: string
  /** The parts of the host that the command leaves open. */
  readonly openParts: ReadonlyArray<string>
  /** As it stands in the command. */
  readonly path: string
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** `user:password`, or the user alone. */
  readonly user: string | null
  /** `--digest` and the like. */
  readonly userScheme: string | null
  /** What `--aws-sigv4` says. */
  readonly signed: string | null
  /** What `--cookie` says: the cookies, or the file that has them. Null without it. */
  readonly cookies: string | null
  readonly body:
    | { readonly _tag: "None" }
    | { readonly _tag: "Data"; readonly data: Given; readonly isJson: boolean }
    | { readonly _tag: "Parts"; readonly parts: ReadonlyArray<readonly [name: string, value: Given]> }
  /** What was not understood, or belongs to a further request, in words. */
  readonly leftOut: ReadonlyArray<string>
}

const longNames: ReadonlyMap<string, string> = new Map([
  ["X", "--request"],
  ["H", "--header"],
  ["d", "--data"],
  ["F", "--form"],
  ["u", "--user"],
  ["b", "--cookie"],
  ["G", "--get"],
  ["I", "--head"],
  ["T", "--upload-file"]
])
/** Options that say nothing of the request itself, with a value. */
const ignoredLetters = "omwxcADeKEPQUCrtyYz"
const ignoredNames: ReadonlySet<string> = new Set(
  `output max-time connect-timeout retry retry-delay retry-max-time write-out cacert capath cert cert-type key key-type
  pass proxy proxy-user proxy-header preproxy noproxy cookie-jar referer user-agent dump-header interface resolve
  connect-to limit-rate max-redirs max-filesize tls-max tls13-ciphers ciphers proto proto-default netrc-file config
  range dns-servers unix-socket abstract-unix-socket keepalive-time pinnedpubkey trace trace-ascii stderr output-dir
  rate speed-limit speed-time time-cond expect100-timeout happy-eyeballs-timeout-ms parallel-max socks5
  socks5-hostname socks4 socks4a continue-at doh-url hsts local-port request-target ca-native egd-file`
    .split(/\s+/)
    .map((name) => `--${name}`)
)
const understood =
  /^--(?:request|header|data(?:-raw|-binary|-ascii|-urlencode)?|json|form(?:-string)?|user|cookie|url|url-query|oauth2-bearer|upload-file|aws-sigv4)$/
/** Options without a value that say nothing of the request. */
const flags =
  /^--(?:silent|show-error|show-headers|location(?:-trusted)?|verbose|include|insecure|fail(?:-with-body|-early)?|compressed|no-[a-z-]+|globoff|http[0-9.]+|tlsv1(?:\.[0-3])?|ipv[46]|remote-[a-z-]+|progress-bar|parallel|raw|tcp-[a-z-]+|basic|anyauth|create-dirs|path-as-is|ssl-[a-z-]+|styled-output|netrc(?:-optional)?|junk-session-cookies|crlf|disable|next|retry-[a-z-]+|trace-time)$/

interface Option {
  readonly name: string
  readonly value: string
}

const takesValue = (name: string): boolean =>
  understood.test(name) || ignoredNames.has(name) || (/^-[^-]$/.test(name) && ignoredLetters.includes(name.slice(1)))

/** Options with their values; an address is the option `--url`. Letters behind one hyphen are options of their own. */
const optionsOf = (words: ReadonlyArray<string>): Either.Either<ReadonlyArray<Option>, string> => {
  const options: Array<Option> = []
  const rest = [...words]
  const missing: Array<string> = []
  const take = (name: string, joined: string | null): void => {
    const value = takesValue(name) ? (joined ?? rest.shift()) : ""
    if (value === undefined) missing.push(name)
    else options.push({ name, value })
  }
  for (let word = rest.shift(); word !== undefined && word !== "--next"; word = rest.shift()) {
    const equals = word.indexOf("=")
    if (!word.startsWith("-") || word === "-") options.push({ name: "--url", value: word })
    else if (word.startsWith("--"))
      take(equals < 0 ? word : word.slice(0, equals), equals < 0 ? null : word.slice(equals + 1))
    else
      for (let at = 1; at < word.length; at += 1) {
        const letter = word[at] ?? ""
        const name = longNames.get(letter) ?? `-${letter}`
        const tail = word.slice(at + 1)
        take(name, tail === "" ? null : tail)
        if (takesValue(name)) break
      }
  }
  return missing.length === 0
    ? Either.right(options)
    : Either.left(`${missing[0] ?? ""} of the curl command has no value`)
}

const encodedPair = (text: string): string => {
  const at = text.indexOf("=")
  return at < 0
    ? encodeURIComponent(text)
    : `${text.slice(0, at)}${at === 0 ? "" : "="}${encodeURIComponent(text.slice(at + 1))}`
}

const assignment = /^([A-Za-z_]\w*)=(.*)$/s

interface OneCommand {
  readonly words: ReadonlyArray<string>
  readonly input: string | null
  /** Whether another command stands behind it. */
  readonly hasSecond: boolean
}

/** The words of the command, with the values of variables that are set before it. */
const commandOf = (text: string): Either.Either<OneCommand, string> =>
  Either.flatMap(shellCommand(text.trim().replace(/^[$%#>]\s+/, "")), ({ input, rest, words }) => {
    const start = words.findIndex((word) => /^(?:.*\/)?curl(?:\.exe)?$/.test(word))
    const before = words.slice(0, Math.max(0, start)).map((word) => assignment.exec(word))
    if (start < 0 || before.includes(null)) return Either.left("a curl command begins with the word curl")
    const values = new Map(before.flatMap((found) => (found === null ? [] : [[found[1] ?? "", found[2] ?? ""]])))
    const second = words.indexOf("curl", start + 1)
    const own = words.slice(start + 1, second < 0 ? undefined : second)
    return Either.right({
      words: own.map((word) =>
        word.replaceAll(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (sign, braced?: string, plain?: string) => {
          const value = values.get(braced ?? plain ?? "")
          return value === undefined || value.startsWith("$") ? sign : value
        })
      ),
      input,
      hasSecond: second >= 0 || own.includes("--next") || /(?:^|[\s;&|])curl\s/.test(rest)
    })
  })

interface Address {
  readonly origin: string
  readonly openParts: ReadonlyArray<string>
  readonly path: string
  readonly query: string
  readonly user: string | null
}

/** Left: why it is none. */
const addressOf = (text: string): Either.Either<Address, string> => {
  const [, scheme = "https://", authority = "", path = "", query = ""] =
    /^([a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)([^?#]*)(\?[^#]*)?/i.exec(text) ?? []
  if (!/^https?:\/\/$/i.test(scheme)) return Either.left("the curl command has an address that is not of the web")
  const at = authority.lastIndexOf("@")
  const parts = partsOf(authority.slice(at + 1))
  const open = parts.flatMap((part) => (part.isPlaceholder ? [nameOf(part.text)] : []))
  const [first] = parts
  if (parts.length > 0 && (!authority.includes(".") || parts.every((part) => part.isPlaceholder)) && open.length > 0)
    return Either.left(`the curl command leaves its host open (${first?.text ?? ""}); write the real one`)
  const filled = parts.map((part) => (part.isPlaceholder ? "x" : part.text)).join("")
  const url = readUrl(`${scheme}${filled}${path.startsWith("/") ? "/" : ""}`)
  if (url === null || filled === "") return Either.left("the curl command has an address that is none")
  const host = parts.map((part) => (part.isPlaceholder ? `{${nameOf(part.text)}}` : part.text.toLowerCase())).join("")
  return Either.right({
    origin: open.length === 0 ? url.origin : `${scheme.toLowerCase()}${host}`,
    openParts: open,
    path: path === "" ? "/" : path,
    query: query.slice(1),
    user: at < 0 ? null : decoded(authority.slice(0, at))
  })
}

/** What `%20` and the like stand for; the text itself where they stand for nothing. */
export const decoded = (text: string): string =>
  Either.getOrElse(
    Either.try(() => decodeURIComponent(text)),
    () => text
  )

const dataOf = (name: string, value: string, input: string | null): Given => {
  const readsFile = !/^--(?:data-raw|form-string)$/.test(name) && value.startsWith("@")
  if (!readsFile) return { _tag: "Text", text: name === "--data-urlencode" ? encodedPair(value) : value }
  const file = value.slice(1)
  return file === "-" && input !== null ? { _tag: "Text", text: input.trim() } : { _tag: "File", file }
}

const partOf = (name: string, value: string): Given => {
  const [first = ""] = value
  const isFile = name === "--form" && (first === "@" || first === "<")
  if (name !== "--form") return { _tag: "Text", text: value }
  const said = (isFile ? /;type=([\w.+-]+\/[\w.+-]+)/ : /;type=([\w.+-]+\/[\w.+-]+)$/).exec(value)?.[1]
  const type = said === undefined ? {} : { contentType: said }
  return isFile
    ? { _tag: "File", file: value.slice(1).replace(/;.*$/s, ""), ...type }
    : { _tag: "Text", text: value.replace(/;type=[\w/+.-]+$/, ""), ...type }
}

/** Left: why this is no request that can be read, in words for the person who gave it. */
export const readCurl = (command: string): Either.Either<CurlRequest, string> =>
  Either.gen(function* () {
    const { hasSecond, input, words } = yield* commandOf(command)
    let method: string | null = null
    let written: string | null = null
    let user: string | null = null
    let userScheme: string | null = null
    let signed: string | null = null
    let inQuery = false
    let cookies: string | null = null
    let isJson = false
    let isUpload = false
    const headers: Array<readonly [string, string]> = []
    const data: Array<Given> = []
    const inAddress: Array<string> = []
    const parts: Array<readonly [string, Given]> = []
    // What stands there is not told: without its quotes, a key is taken for an address.
    const leftOut = hasSecond ? ["the second request; make a manifest of each"] : []
    for (const { name, value } of yield* optionsOf(words)) {
      const equals = value.indexOf("=")
      if (name === "--url") {
        if (written !== null)
          leftOut.push(
            "what stands behind the first address; make a manifest of each address, or put a value in quotes"
          )
        written = written ?? value
      } else if (name === "--request") method = value.toUpperCase()
      else if (name === "--get") inQuery = true
      else if (name === "--head") method = "HEAD"
      else if (name === "--header") {
        const colon = value.indexOf(":")
        if (colon > 0) headers.push([value.slice(0, colon).trim(), value.slice(colon + 1).trim()])
      } else if (name === "--user") user = value
      else if (name === "--cookie") cookies = cookies === null ? value : `${cookies}; ${value}`
      else if (name === "--oauth2-bearer") headers.push(["Authorization", `Bearer ${value}`])
      else if (name === "--aws-sigv4") signed = value
      else if (/^--(?:digest|ntlm|negotiate)$/.test(name)) userScheme = name.slice(2)
      else if (name === "--url-query") inAddress.push(encodedPair(value))
      else if (name === "--json" || name.startsWith("--data")) {
        data.push(dataOf(name, value, input))
        isJson = isJson || name === "--json"
      } else if (name === "--upload-file") {
        isUpload = true
        data.push({ _tag: "File", file: value })
      } else if (name.startsWith("--form")) {
        if (equals > 0) parts.push([value.slice(0, equals), partOf(name, value.slice(equals + 1))])
      } else if (name.startsWith("--") && !flags.test(name) && !ignoredNames.has(name))
        leftOut.push(`the option ${name}, which is not known here`)
    }
    if (written === null) return yield* Either.left("the curl command has no address")
    const address = yield* addressOf(written)
    const file = data.find((each) => each._tag === "File")
    const joined = data.map((each) => (each._tag === "Text" ? each.text : "")).join(isJson ? "" : "&")
    const query = [address.query, ...inAddress, ...(inQuery ? [joined] : [])].filter((part) => part !== "").join("&")
    const hasBody = !inQuery && (data.length > 0 || parts.length > 0)
    return {
      method: method ?? (hasBody ? (isUpload ? "PUT" : "POST") : "GET"),
      origin: address.origin,
      openParts: address.openParts,
      path: address.path,
      query: Array.from(new URLSearchParams(query)),
      headers,
      user: user ?? address.user,
      userScheme,
      signed,
      cookies,
      body:
        parts.length > 0
          ? { _tag: "Parts", parts }
          : hasBody
            ? { _tag: "Data", data: file ?? { _tag: "Text", text: joined }, isJson }
            : { _tag: "None" },
      leftOut
    }
  })

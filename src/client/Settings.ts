/** The options of a client, checked once when it is made: what is wrong is a `TypeError` that names the option. */

/** As much of an answer as the client reads. */
export interface FetchAnswer {
  readonly ok: boolean
  readonly status: number
  readonly headers: {
    readonly get: (name: string) => string | null
    readonly forEach: (each: (value: string, name: string) => void) => void
  }
  readonly text: () => Promise<string>
  readonly body: {
    readonly getReader: () => {
      readonly read: () => Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
      readonly cancel: (reason?: unknown) => Promise<void>
    }
  } | null
}

/** As much of `fetch` as the client uses, so that any of them fits: the global one, that of undici, one of a test. */
export type Fetch = (
  url: string,
  request: {
    readonly method: string
    readonly headers: { readonly [name: string]: string }
    readonly body?: string
    readonly redirect: "manual"
    readonly signal: AbortSignal
  }
) => Promise<FetchAnswer>

export interface ClientOptions {
  /** Where the gateway is, such as `https://gateway.example.com`, path prefix included, `/v1` not. */
  readonly baseUrl: string | URL
  /** An access token (`pgw_…`). Null where somebody else adds it, and for the public catalog, which needs none. */
  readonly token: string | null | undefined
  /** Instead of the global `fetch`. */
  readonly fetch?: Fetch | undefined
  /** For how long one call is tried again; 60,000 by default, 0 for a single attempt. */
  readonly retryForMillis?: number | undefined
  /** For how long one attempt waits for its whole answer, and a file for each piece; 30,000 by default. */
  readonly requestTimeoutMillis?: number | undefined
  /** The name of the calling app, for the gateway's usage analytics only. */
  readonly serviceAgent?: string | undefined
  /** Instead of `JSON`, for numbers beyond 2^53: a reader and writer that keep every digit. */
  readonly json?: JsonCodec | undefined
}

export interface JsonCodec {
  readonly parse: (text: string) => unknown
  readonly stringify: (value: unknown) => string
}

export interface Settings {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly headers: { readonly [name: string]: string }
  readonly fetch: Fetch
  readonly retryForMillis: number
  readonly requestTimeoutMillis: number
  readonly json: JsonCodec
}

/** A page may give an address of its own origin, such as `/gateway`. */
const pageAddress = (): string | undefined => {
  const location: unknown = Reflect.get(globalThis, "location")
  return typeof location === "object" && location !== null && "href" in location && typeof location.href === "string"
    ? location.href
    : undefined
}

/** `URL.canParse` is wrong in Node 20 about letters beyond ASCII. */
const readUrl = (text: string): URL | null => {
  try {
    return new URL(text, pageAddress())
  } catch {
    return null
  }
}

const baseUrlOf = (given: string | URL): string => {
  const text = String(given)
  const url = readUrl(text)
  if (url === null)
    throw new TypeError(`baseUrl is ${JSON.stringify(text)}; an address such as https://gateway.example.com is needed`)
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new TypeError(`baseUrl begins with ${url.protocol}; it must begin with https: or http:`)
  if (url.username !== "" || url.password !== "")
    throw new TypeError("baseUrl holds a user name or password; the gateway takes its token from the option token")
  if (url.search !== "" || url.hash !== "") throw new TypeError("baseUrl must end before any ? or #")
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "")
}

/** Its message never repeats the token. */
const tokenOf = (given: string | null | undefined): string | null => {
  if (given === null) return null
  if (given === undefined || given === "")
    throw new TypeError("token is missing; give the access token of the gateway, or null to send none")
  if (!/^[\x21-\x7e]+$/.test(given))
    throw new TypeError("token holds a space or another character that no access token has")
  return given
}

/** A timer of JavaScript that is set to more fires at once. */
const timerMillisMax = 2_147_483_647

const millisOf = (name: string, given: number | undefined, otherwise: number, least: number): number => {
  const millis = given ?? otherwise
  if (!Number.isFinite(millis) || millis < least || millis > timerMillisMax)
    throw new TypeError(`${name} is ${millis}; milliseconds from ${least} to ${timerMillisMax} are needed`)
  return millis
}

/** What a header can carry unchanged: `fetch` cuts spaces at the ends off, and refuses other alphabets. */
export const headerText = (name: string, given: string): string => {
  if (given.length > 255 || !/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(given))
    throw new TypeError(`${name} must be 1 to 255 printable ASCII characters, without a space at either end`)
  return given
}

/** JSON writes objects of these kinds as what they hold; one of a class is of the kind `Object`. */
const written: ReadonlySet<string> = new Set(["Array", "Boolean", "Number", "Object", "String"])

const kindOf = (value: object): string => Object.prototype.toString.call(value).slice("[object ".length, -1)

/** The kind of a value that JSON would leave out, or write as `{}`, such as a map or a regular expression. */
const notWritten = (value: unknown): string | null => {
  if (typeof value === "function" || typeof value === "symbol" || typeof value === "bigint") return typeof value
  if (typeof value !== "object" || value === null || Object.keys(value).length > 0) return null
  const kind = kindOf(value)
  return written.has(kind) ? null : kind
}

/** The kind of a value that JSON would write as something else: bytes as an object of numbers, no date as null. */
const changed = (given: unknown): string | null => {
  if (ArrayBuffer.isView(given)) return kindOf(given)
  return given instanceof Date && Number.isNaN(given.getTime()) ? "Invalid Date" : null
}

/**
 * Refuses what JSON would change without a word: NaN and infinities would become null, a function would be missing, and
 * an integer beyond 2^53 may have lost digits before it came here.
 */
const faithful = function (this: unknown, member: string, value: unknown): unknown {
  const name = Array.isArray(this) ? `item ${member} of a list` : member
  // Bytes and dates have written themselves already.
  const given: unknown = Object.getOwnPropertyDescriptor(this, member)?.value
  const kind = changed(given) ?? notWritten(value)
  if (kind !== null) throw new TypeError(`${name} is of the kind ${kind}, which JSON cannot hold`)
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value
  if (!Number.isFinite(value)) throw new TypeError(`${name} is ${value}, which JSON cannot hold`)
  if (Number.isInteger(value))
    throw new TypeError(
      `${name} is ${value}, beyond 2^53: a JavaScript number may have lost digits of it. Send it as a text if the operation takes one, or give createClient a json that keeps digits`
    )
  return value
}

const plainJson: JsonCodec = {
  parse: (text) => JSON.parse(text),
  stringify: (value) => JSON.stringify(value, faithful)
}

/** A program in plain JavaScript can give anything. */
const needsFunction = (name: string, given: unknown): void => {
  if (typeof given !== "function") throw new TypeError(`${name} is ${String(given)}; a function is needed`)
}

export const settingsOf = (options: ClientOptions): Settings => {
  const token = tokenOf(options.token)
  const fetch: Fetch = options.fetch ?? ((...request) => globalThis.fetch(...request))
  const json = options.json ?? plainJson
  needsFunction("fetch", fetch)
  needsFunction("json.parse", json.parse)
  needsFunction("json.stringify", json.stringify)
  return {
    baseUrl: baseUrlOf(options.baseUrl),
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(options.serviceAgent === undefined
        ? {}
        : { "x-service-agent": headerText("serviceAgent", options.serviceAgent) })
    },
    fetch,
    retryForMillis: millisOf("retryForMillis", options.retryForMillis, 60_000, 0),
    requestTimeoutMillis: millisOf("requestTimeoutMillis", options.requestTimeoutMillis, 30_000, 1_000),
    json
  }
}

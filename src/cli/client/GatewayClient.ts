/**
 * One gateway over HTTP, for the commands that a person uses as a client. A request goes to the address that was asked
 * for and nowhere else: no redirect is followed, because it carries a token. Nothing is sent twice here, except by
 * `sendAgain`, which is for requests that may be repeated.
 */
import * as Options from "@effect/cli/Options"
import { Config, Data, Duration, Effect, Either, Option, Redacted, Random, Schema } from "effect"
import { optional } from "../../domain/Described.js"
import type { Json, JsonObject } from "../../domain/Json.js"
import { readJson, writeJson } from "../../domain/LosslessJson.js"
import { readUrl } from "../../domain/Url.js"
import { isLoopback } from "../../layers/node/ConfigGroups.js"
import { secret } from "../../layers/node/ConfigValues.js"
import { Screen } from "../Screen.js"
import { currentUrl, tokenFor } from "./KeptLogins.js"

const Refusal = Schema.Struct({
  error: Schema.Struct({
    code: Schema.String,
    message: Schema.String,
    requestId: optional(Schema.String),
    retryable: Schema.Boolean,
    retryHint: Schema.String,
    details: optional(Schema.Array(Schema.Struct({ field: Schema.String, message: Schema.String })))
  }),
  /** The scope that the token lacks. */
  scope: optional(Schema.String)
})

/** The gateway answered that it does not do it. */
export class GatewayRefused extends Data.TaggedError("GatewayRefused")<{
  readonly status: number
  readonly code: string
  readonly words: string
  readonly retryable: boolean
  /** As the gateway said it. */
  readonly told: typeof Refusal.Type.error
  readonly retryAfterSeconds: number | null
}> {
  override get message() {
    return `${this.words} (${this.code})`
  }
}

/** No answer, or one that is no gateway's: whether the request was carried out is not known. */
export class GatewayUnreachable extends Data.TaggedError("GatewayUnreachable")<{
  readonly url: string
  readonly why: string
}> {
  override get message() {
    return `${this.url} gave no usable answer (${this.why})`
  }
}

/**
 * Whether the request may have been carried out all the same: there is no usable answer, or one of a gateway that could
 * not tell. With a status below 500, and where no repetition helps, it has decided and done nothing.
 */
export const mayBeDone = (error: GatewayRefused | GatewayUnreachable): boolean =>
  error._tag === "GatewayUnreachable" || (error.retryable && error.status >= 500)

export class NotLoggedIn extends Data.TaggedError("NotLoggedIn")<{ readonly url: string | null }> {
  override get message() {
    return this.url === null
      ? "You are not logged in: gateway login --url ADDRESS, such as https://gateway.example.com, or the address that npm start shows. A script sets GATEWAY_URL and GATEWAY_TOKEN"
      : `You are not logged in to ${this.url}: gateway login --url ${this.url}. A script sets GATEWAY_URL=${this.url} and GATEWAY_TOKEN`
  }
}

export class BadAddress extends Data.TaggedError("BadAddress")<{
  readonly of: "--url" | "GATEWAY_URL"
  readonly text: string
}> {
  override get message() {
    return `${this.of}: must be the address of a gateway, such as https://gateway.example.com, not "${this.text}"`
  }
}

interface GatewayRequest {
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | null>>
  readonly body?: JsonObject
  readonly headers?: Readonly<Record<string, string>>
}

const decodeRefusal = Schema.decodeUnknownOption(Refusal)

/** Longer than any wait of the gateway's. */
export const answerWithin = Duration.seconds(90)

const secondsOf = (header: string | null): number | null =>
  header !== null && /^\d+$/.test(header) ? Number(header) : null

/** Sends one request and answers the bytes of a success; a refusal is read. */
const bytesOf = (url: string, token: Redacted.Redacted | null, request: GatewayRequest) =>
  Effect.gen(function* () {
    const { body, headers = {}, method, path, query = {} } = request
    const words = new URLSearchParams()
    for (const [name, value] of Object.entries(query)) if (value !== null) words.set(name, String(value))
    const search = words.size === 0 ? "" : `?${words.toString()}`
    const unreachable = (why: string) => new GatewayUnreachable({ url, why })
    const { bytes, response } = yield* Effect.tryPromise({
      try: async (signal) => {
        const response = await fetch(`${url}${path}${search}`, {
          method,
          redirect: "error",
          signal,
          headers: {
            accept: "application/json",
            ...(token === null ? {} : { authorization: `Bearer ${Redacted.value(token)}` }),
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...headers
          },
          ...(body === undefined ? {} : { body: writeJson(body) })
        })
        return { response, bytes: new Uint8Array(await response.arrayBuffer()) }
      },
      catch: (cause) => {
        const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
        const code = inner instanceof Error && "code" in inner ? String(inner.code) : ""
        return unreachable(code !== "" ? code : inner instanceof Error ? inner.message : String(inner))
      }
    }).pipe(Effect.timeoutFail({ duration: answerWithin, onTimeout: () => unreachable("no answer in time") }))
    const { headers: answered, ok, status } = response
    if (ok) return { bytes, status }
    const json = jsonIn(bytes)
    if (Either.isLeft(json)) return yield* unreachable(`status ${status}, and no JSON`)
    const refusal = decodeRefusal(json.right)
    if (Option.isNone(refusal)) return yield* unreachable(`status ${status}`)
    const { error, scope } = refusal.value
    const { code, message, retryHint, retryable } = error
    const login = scope === undefined ? "" : `; gateway login --scope ${scope} asks for a token that has it`
    return yield* new GatewayRefused({
      status,
      code,
      words: retryable ? `${message} ${retryHint}` : message + login,
      retryable,
      told: error,
      retryAfterSeconds: secondsOf(answered.get("retry-after"))
    })
  })

/** Null where there is nothing. */
const jsonIn = (bytes: Uint8Array): Either.Either<Json, unknown> =>
  bytes.length === 0 ? Either.right(null) : readJson(new TextDecoder().decode(bytes))

/** Sends one request and answers its JSON; null where the answer has no body. */
export const send = (url: string, token: Redacted.Redacted | null, request: GatewayRequest) =>
  Effect.flatMap(bytesOf(url, token, request), ({ bytes, status }) =>
    Effect.mapError(jsonIn(bytes), () => new GatewayUnreachable({ url, why: `status ${status}, and no JSON` }))
  )

const timesAgain = 4
const longestPause = 30

/** Null where it is not sent again: the refusal stays, or asks for a pause for which nobody sits at a screen. */
const secondsToWait = (error: GatewayRefused | GatewayUnreachable): number | null => {
  if (error._tag === "GatewayUnreachable") return 0
  const seconds = error.retryAfterSeconds ?? 0
  return error.retryable && seconds <= longestPause ? seconds : null
}

/** Sends again after a lost answer or a refusal that passes; only for requests that may be repeated. */
export const sendAgain = <A, R>(
  sending: Effect.Effect<A, GatewayRefused | GatewayUnreachable, R>,
  before: (error: GatewayRefused | GatewayUnreachable) => Effect.Effect<void> = () => Effect.void
): Effect.Effect<A, GatewayRefused | GatewayUnreachable, R> => {
  const from = (sent: number): Effect.Effect<A, GatewayRefused | GatewayUnreachable, R> =>
    Effect.catchAll(sending, (error) => {
      const seconds = secondsToWait(error)
      if (seconds === null || sent > timesAgain) return Effect.fail(error)
      return before(error).pipe(
        Effect.zipRight(Random.nextRange(0.8, 1.2)),
        Effect.flatMap((jitter) => Effect.sleep(Duration.seconds(seconds + jitter * 0.5 * 2 ** (sent - 1)))),
        Effect.zipRight(Effect.suspend(() => from(sent + 1)))
      )
    })
  return from(1)
}

export const urlOption = Options.text("url").pipe(
  Options.withPseudoName("URL"),
  Options.withDescription("The gateway; GATEWAY_URL when it is left out, else the one of the last login"),
  Options.optional
)

/** An address without a slash at its end. */
const addressOf = (text: string, of: BadAddress["of"]): Effect.Effect<string, BadAddress> => {
  const url = readUrl(text)
  const sound =
    url !== null &&
    ["http:", "https:"].includes(url.protocol) &&
    [url.username, url.password, url.search, url.hash].every((part) => part === "")
  return sound ? Effect.succeed(`${url.origin}${url.pathname}`.replace(/\/+$/, "")) : new BadAddress({ of, text })
}

const configuredUrl = Effect.option(Config.nonEmptyString("GATEWAY_URL"))

/** The address that is meant, or null where nothing says one. */
export const addressFor = (url: Option.Option<string>) =>
  Effect.gen(function* () {
    if (Option.isSome(url)) return yield* addressOf(url.value, "--url")
    const configured = yield* configuredUrl
    return Option.isSome(configured) ? yield* addressOf(configured.value, "GATEWAY_URL") : yield* currentUrl
  })

/** `GATEWAY_TOKEN`, for the address of `GATEWAY_URL` and for no other, which `--url` may name. */
const scriptToken = (address: string) =>
  Effect.gen(function* () {
    const configured = Option.getOrElse(yield* configuredUrl, () => "")
    const meant = yield* Effect.option(addressOf(configured, "GATEWAY_URL"))
    return Option.contains(meant, address) ? Option.getOrNull(yield* secret("GATEWAY_TOKEN")) : null
  })

/** Says it where a token would travel unprotected. */
export const warnOfPlainHttp = (url: string) =>
  Effect.flatMap(Screen, ({ note }) =>
    new URL(url).protocol === "http:" && !isLoopback(new URL(url))
      ? note(`warning: ${url} is plain HTTP; everybody on the way can read your token`)
      : Effect.void
  )

export interface LoggedIn {
  readonly url: string
  readonly token: Redacted.Redacted
  readonly send: (request: GatewayRequest) => ReturnType<typeof send>
  /** Sends a `GET`, and sends it again where that may help. */
  readonly get: (path: string, query?: GatewayRequest["query"]) => ReturnType<typeof send>
  /** The same for a file. */
  readonly file: (path: string) => Effect.Effect<Uint8Array, GatewayRefused | GatewayUnreachable>
}

export const gatewayAt = (url: string, token: Redacted.Redacted): LoggedIn => ({
  url,
  token,
  send: (request) => send(url, token, request),
  get: (path, query = {}) => sendAgain(send(url, token, { method: "GET", path, query })),
  file: (path) =>
    sendAgain(
      Effect.map(bytesOf(url, token, { method: "GET", path, headers: { accept: "*/*" } }), ({ bytes }) => bytes)
    )
})

const keptAt = (address: string | null) =>
  Effect.gen(function* () {
    const token = address === null ? null : yield* tokenFor(address)
    if (address === null || token === null) return yield* new NotLoggedIn({ url: address })
    return gatewayAt(address, token)
  })

/** The gateway that is meant, with the token that the login keeps for it. */
export const keptLogin = (url: Option.Option<string>) => Effect.flatMap(addressFor(url), keptAt)

/** The gateway that is meant, with the token of a script for it, or else that of the login. */
export const loggedIn = (url: Option.Option<string>) =>
  Effect.gen(function* () {
    const address = yield* addressFor(url)
    const given = address === null ? null : yield* scriptToken(address)
    if (address === null || given === null) return yield* keptAt(address)
    yield* warnOfPlainHttp(address)
    return gatewayAt(address, given)
  })

export class NeedsLogin extends Data.TaggedError("NeedsLogin")<{ readonly message: string }> {}

/** For a command that can do its work on this machine too: where there is no login, it says how. */
export const loggedInOrTold = (url: Option.Option<string>, otherWay: string) =>
  Effect.mapError(loggedIn(url), (error) =>
    error instanceof NotLoggedIn ? new NeedsLogin({ message: `${error.message}. Or ${otherWay}` }) : error
  )

/** Reads what a command needs of an answer. Any other shape is no gateway's answer. */
export const expectShape = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknown(schema)
  return (url: string, json: Json) =>
    Effect.mapError(decode(json), () => new GatewayUnreachable({ url, why: "an answer of another shape" }))
}

/**
 * One gateway over HTTP, for the commands that a person uses as a client. A request goes to the address that was asked
 * for and nowhere else: no redirect is followed, because it carries a token. Nothing is sent twice here, except by
 * `sendAgain`, which is for requests that may be repeated.
 */
import * as Options from "@effect/cli/Options"
import { Config, Data, Duration, Effect, Either, Option, Redacted, Random, Schema, Stream } from "effect"
import { type Json, type JsonObject, ParsedObject } from "../../domain/Json.js"
import { readJson, writeJson } from "../../domain/LosslessJson.js"
import { readUrl } from "../../domain/Url.js"
import { isLoopback } from "../../layers/node/ConfigGroups.js"
import { secret } from "../../layers/node/ConfigValues.js"
import { Screen } from "../Screen.js"
import type { GatewayRefused } from "./GatewayFailures.js"
import { GatewayUnreachable, isOfGateway, lost, refusalIn, tooLate } from "./GatewayFailures.js"
import { currentUrl, tokenFor } from "./KeptLogins.js"

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

/** For the whole answer of a request, which is longer than any wait of the gateway's. */
export const answerWithin = Duration.seconds(90)
/** A file has no limit as a whole, only this for its head and for each piece. */
const pieceWithin = Duration.seconds(90)

/** The answer of one request, whose body is not read yet. */
const responseTo = (
  url: string,
  token: Redacted.Redacted | null,
  { body, headers = {}, method, path, query = {} }: GatewayRequest,
  signal: AbortSignal
): Promise<Response> => {
  const words = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== null) words.set(name, String(value))
  const search = words.size === 0 ? "" : `?${words.toString()}`
  return fetch(`${url}${path}${search}`, {
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
}

const bytesIn = async (response: Response) => new Uint8Array(await response.arrayBuffer())

/** Null where there is nothing. */
const jsonIn = (bytes: Uint8Array): Either.Either<Json, unknown> =>
  bytes.length === 0 ? Either.right(null) : readJson(new TextDecoder().decode(bytes))

/** Sends one request and answers its JSON; null where the answer has no body. */
export const send = Effect.fnUntraced(function* (
  url: string,
  token: Redacted.Redacted | null,
  request: GatewayRequest
) {
  const { bytes, response } = yield* Effect.tryPromise({
    try: async (signal) => {
      const response = await responseTo(url, token, request, signal)
      return { response, bytes: await bytesIn(response) }
    },
    catch: lost(url)
  }).pipe(Effect.timeoutFail({ duration: answerWithin, onTimeout: tooLate(url) }))
  if (!response.ok) return yield* refusalIn(url, response, jsonIn(bytes))
  return yield* Effect.mapError(
    jsonIn(bytes),
    () => new GatewayUnreachable({ url, why: `status ${response.status}, and no JSON` })
  )
})

/** A file as it comes. Who stops reading ends its connection. */
const fileAt = (url: string, token: Redacted.Redacted, path: string) =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const { signal } = yield* Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (controller) => Effect.sync(() => controller.abort())
      )
      const { refused, response } = yield* Effect.tryPromise({
        try: async () => {
          const response = await responseTo(url, token, { method: "GET", path, headers: { accept: "*/*" } }, signal)
          return { response, refused: response.ok ? null : await bytesIn(response) }
        },
        catch: lost(url)
      }).pipe(Effect.timeoutFail({ duration: pieceWithin, onTimeout: tooLate(url) }))
      if (refused !== null) return yield* refusalIn(url, response, jsonIn(refused))
      const { body } = response
      if (body === null) return Stream.empty
      return Stream.timeoutFail(
        Stream.fromReadableStream(() => body, lost(url)),
        tooLate(url),
        pieceWithin
      )
    })
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
export const sendAgain = <A, E, R>(
  sending: Effect.Effect<A, E | GatewayRefused | GatewayUnreachable, R>,
  before: (error: GatewayRefused | GatewayUnreachable) => Effect.Effect<void> = () => Effect.void
): Effect.Effect<A, E | GatewayRefused | GatewayUnreachable, R> => {
  const from = (sent: number): Effect.Effect<A, E | GatewayRefused | GatewayUnreachable, R> =>
    Effect.catchIf(sending, isOfGateway, (error) => {
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
  /** A file as it comes, which is asked for once. */
  readonly file: (path: string) => Stream.Stream<Uint8Array, GatewayRefused | GatewayUnreachable>
}

export const gatewayAt = (url: string, token: Redacted.Redacted): LoggedIn => ({
  url,
  token,
  send: (request) => send(url, token, request),
  get: (path, query = {}) => sendAgain(send(url, token, { method: "GET", path, query })),
  file: (path) => fileAt(url, token, path)
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

export const anObject = expectShape(ParsedObject)

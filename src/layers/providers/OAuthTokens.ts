/**
 * OAuth 2 client credentials: an access token per client and token address, fetched once however many calls wait for
 * it, renewed shortly before it expires, and dropped when a provider refuses it. Where the token address fails or is
 * slow then, the token goes on until it ends. The fetch belongs to nobody's call: a caller that is interrupted, or
 * whose time is over, takes nothing away from the others.
 */
import { Clock, Data, Deferred, Effect, Either, Option, Schema, type Scope } from "effect"
import { oauthAnswerBytesMax, oauthMillis } from "../../domain/limits/Access.js"
import type { Auth } from "../../domain/Manifest.js"
import { userAgent } from "../../domain/Product.js"
import { setBounded } from "./BoundedMap.js"
import { basicValue, type ClientCredentials } from "./KeyPlacement.js"
import { tokenShape } from "./OAuthAnswers.js"
import { patienceMillis, renewalFrom, secondsOf } from "./TokenLife.js"
import { type Transport, WireFailure } from "./Transport.js"

export type OAuth = Extract<Auth, { readonly type: "oauth2_client_credentials" }>

/** The token address gave no token. `error` is the provider's code, where it has one (RFC 6749, 5.2). */
export class TokenRefused extends Data.TaggedError("TokenRefused")<{
  readonly status: number
  readonly error: string | null
}> {}

export interface OAuthTokens {
  readonly take: (
    auth: OAuth,
    client: ClientCredentials,
    timeoutMs: number
  ) => Effect.Effect<string, TokenRefused | WireFailure>
  /** Forgets a token that the provider refused, unless a newer token has replaced it already. */
  readonly drop: (auth: OAuth, client: ClientCredentials, token: string) => Effect.Effect<void>
}

const clientsMax = 10_000
const lifeWithoutExpiryMs = 300_000

const TokenAnswer = Schema.parseJson(
  Schema.Struct({
    access_token: Schema.String.pipe(Schema.pattern(tokenShape)),
    expires_in: Schema.optional(Schema.Unknown)
  })
)
const TokenError = Schema.parseJson(
  Schema.Struct({ error: Schema.String.pipe(Schema.pattern(/^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,100}$/)) })
)
const decodeError = Schema.decodeUnknownEither(TokenError)
const decodeAnswer = Schema.decodeUnknownEither(TokenAnswer)

interface Held {
  readonly token: Deferred.Deferred<string, TokenRefused | WireFailure>
  value: string | undefined
  renewFrom: number
  worksUntil: number
  /** The token that this one replaces, until that ends or the provider refuses it. */
  before: Held | undefined
}

/** `rewrite` gives the origin that is really called for a token address. */
export const makeOAuthTokens = (
  transport: Transport,
  rewrite: (origin: string) => string
): Effect.Effect<OAuthTokens, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const held = new Map<string, Held>()
    const keyOf = (auth: OAuth, client: ClientCredentials) =>
      JSON.stringify([auth.tokenUrl, auth.scope ?? "", client.id, client.secret])

    const fetch = Effect.fnUntraced(function* (auth: OAuth, client: ClientCredentials) {
      const url = new URL(auth.tokenUrl)
      const form = new URLSearchParams({
        grant_type: "client_credentials",
        ...(auth.scope === undefined ? {} : { scope: auth.scope })
      })
      if (auth.clientAuth === "body") {
        form.set("client_id", client.id)
        form.set("client_secret", client.secret)
      }
      const answer = yield* transport.exchange(
        {
          origin: rewrite(url.origin),
          method: "POST",
          path: url.pathname + url.search,
          headers: {
            accept: "application/json",
            "user-agent": userAgent,
            "content-type": "application/x-www-form-urlencoded",
            // RFC 6749, 2.3.1: both parts are form-encoded before they are joined.
            ...(auth.clientAuth === "basic"
              ? { authorization: basicValue(encodeURIComponent(client.id), encodeURIComponent(client.secret)) }
              : {})
          },
          body: form.toString()
        },
        { timeoutMs: oauthMillis, maxBytes: oauthAnswerBytesMax }
      )
      const text = answer.bytes.toString("utf8")
      const decoded = answer.status >= 200 && answer.status < 300 ? decodeAnswer(text) : Either.left(undefined)
      if (Either.isLeft(decoded))
        return yield* new TokenRefused({
          status: answer.status,
          error: Either.match(decodeError(text), { onLeft: () => null, onRight: ({ error }) => error })
        })
      return decoded.right
    })

    const works = ({ value, worksUntil }: Held, now: number): boolean => value !== undefined && now < worksUntil

    const start = Effect.fnUntraced(function* (key: string, auth: OAuth, client: ClientCredentials, before?: Held) {
      const token = yield* Deferred.make<string, TokenRefused | WireFailure>()
      const entry: Held = { token, value: undefined, renewFrom: Infinity, worksUntil: Infinity, before }
      setBounded(held, clientsMax, key, entry)
      const fill = fetch(auth, client).pipe(
        Effect.tap((answer) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const seconds = secondsOf(answer.expires_in)
            const lifeMillis = seconds === null ? lifeWithoutExpiryMs : seconds * 1000
            entry.value = answer.access_token
            entry.renewFrom = renewalFrom(now, lifeMillis)
            entry.worksUntil = now + lifeMillis
            entry.before = undefined
          })
        ),
        Effect.map((answer) => answer.access_token),
        // A failure is reported to the callers that wait and is then forgotten: the next call tries again.
        Effect.tapErrorCause(() =>
          Effect.sync(() => {
            if (held.get(key) !== entry) return
            if (entry.before === undefined) held.delete(key)
            else held.set(key, entry.before)
          })
        )
      )
      // Only the entry and the start of its fetch must happen together. The fetch itself ends with its deadline or with
      // the scope.
      yield* Effect.forkIn(Effect.interruptible(Deferred.complete(token, fill)), scope)
      return entry
    })

    return {
      take: Effect.fnUntraced(function* (auth, client, timeoutMs) {
        const key = keyOf(auth, client)
        const now = yield* Clock.currentTimeMillis
        const present = held.get(key)
        const entry =
          present !== undefined && present.renewFrom > now
            ? present
            : yield* Effect.uninterruptible(
                start(key, auth, client, present !== undefined && works(present, now) ? present : undefined)
              )
        if (entry.before !== undefined) {
          const renewed = yield* Effect.timeoutOption(
            Effect.option(Deferred.await(entry.token)),
            Math.min(patienceMillis, timeoutMs)
          )
          const { before } = entry
          if (Option.isSome(renewed) && Option.isSome(renewed.value)) return renewed.value.value
          if (before?.value !== undefined && works(before, yield* Clock.currentTimeMillis)) return before.value
        }
        // Calls of all operations share the fetch, so their own time limits end only their waiting.
        return yield* Effect.timeoutFail(Deferred.await(entry.token), {
          duration: timeoutMs,
          onTimeout: () => new WireFailure({ reason: "timeout", word: "token", sent: false, status: null, headers: {} })
        })
      }),
      drop: (auth, client, token) =>
        Effect.sync(() => {
          const key = keyOf(auth, client)
          const present = held.get(key)
          if (present?.value === token) held.delete(key)
          else if (present?.before?.value === token) present.before = undefined
        })
    }
  })

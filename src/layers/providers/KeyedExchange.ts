/**
 * Sends one request of a call with the key of that call: placed, signed, or as an access token, which is replaced once
 * when the provider refuses it. The key goes to the origins of the manifest alone, and is blotted out of whatever comes
 * back. What an answer means is decided elsewhere (`Judgement.ts`).
 */
import { Clock, Effect, identity, Redacted } from "effect"
import type { Auth, Endpoint, VariableValues } from "../../domain/Manifest.js"
import { userAgent } from "../../domain/Product.js"
import { type AccessTokens, type CallFailure, notSent } from "../../domain/ProviderCall.js"
import { InvalidResponse } from "../../domain/RunFailures.js"
import type { CallTrace } from "../../domain/Trace.js"
import type { ProviderCallbacks } from "../../services/ProviderCallbacks.js"
import { inSpan, type Tracer } from "../../services/Tracing.js"
import type { Exchange } from "./AsyncCalls.js"
import { withBlottedHead, withBlottedHeaders } from "./BlottedAnswers.js"
import { type Blot, blotFor } from "./Blotting.js"
import type { CallPlan } from "./CallPlan.js"
import { type Case, isSuccessStatus, judgeStatus, type StatedFailure } from "./StatedFailures.js"
import { isLarge, workedThrough } from "./LargeAnswers.js"
import { type Key, placeKey, secretParts } from "./KeyPlacement.js"
import type { OAuthTokens, TokenRefused } from "./OAuthTokens.js"
import { endOfExchange, exchangeSpan, traceHeadersFor } from "./ExchangeSpans.js"
import { withoutKey } from "./FollowUps.js"
import type { RefusedTargets } from "./RefusedTargets.js"
import type { RequestParts } from "./RequestPlan.js"
import { write, type Written } from "./RequestWriting.js"
import { acceptedEncodings, type Transport, type WireAnswer, type WireFailure } from "./Transport.js"
import { withValues } from "./Variables.js"
import { type Watch, watched, watchedToken } from "./WatchedExchanges.js"
import { failureOf, stoppedBy, stoppedElsewhere, stoppedWhereChosen } from "./WireOutcome.js"

/** The sockets of calls, and the access tokens that are fetched over them. */
export interface Line {
  readonly transport: Transport
  readonly tokens: OAuthTokens
}

export interface HttpEngine {
  /** Sees each exchange that ends. Null in a service, where nothing of a call is shown to anybody. */
  readonly watch: Watch | null
  readonly refusedTargets: RefusedTargets
  readonly originFor: (origin: string) => string
  readonly inlineBytes: number
  /** Null where no provider can call back. */
  readonly callbacks: ProviderCallbacks["Type"] | null
  readonly tracer: Tracer | null
  /** Reaches nothing that the operator opened in the egress guard: for addresses that others choose. */
  readonly unopened: Line
}

/** A call that is ready to be sent. */
export interface Prepared {
  readonly seen: Case
  readonly plan: CallPlan
  readonly parts: RequestParts
  readonly key: Key
  /** The provider's, with the values of its variables. */
  readonly auth: Auth
  readonly variables: VariableValues
  /** The manifest's own, or the one that an answer named. */
  readonly origin: string
  /** With or without what the operator opened in the egress guard. */
  readonly line: Line
  /** A customer's connection makes the host, so that the operator must not be asked to open it. */
  readonly isChosen: boolean
  readonly isTold: boolean
  readonly boundary: string
  /** Null where nothing is traced. */
  readonly trace: CallTrace | null
}

const refusedToken = (seen: Case, refused: TokenRefused): InvalidResponse | StatedFailure =>
  refused.status >= 500 || refused.status === 429
    ? judgeStatus(seen, refused.status, {})
    : refused.status >= 400
      ? judgeStatus(seen, 401, {})
      : new InvalidResponse({ detail: "The provider's token address answered without a token." })

/**
 * Logs which address was refused: the address of the operation, or that of its access tokens. Whoever watches the
 * exchanges is told there.
 */
const warnWhereRefused =
  (engine: HttpEngine, { isChosen, seen }: Prepared, address: string) =>
  (problem: TokenRefused | WireFailure): Effect.Effect<void> =>
    engine.watch === null && problem._tag === "WireFailure" && problem.reason === "refused" && !isChosen
      ? engine.refusedTargets.warn(seen.endpoint.provider.id, address, problem.word)
      : Effect.void

/** What is sent once: the request with its key, what removes the key from the answer, and its time. */
interface Sending {
  readonly method: RequestParts["method"]
  readonly written: Written
  readonly blot: Blot | null
  /** What is blotted. */
  readonly secrets: ReadonlyArray<string>
  readonly timeoutMs: number
}

const blotting = (secrets: ReadonlyArray<string>): Pick<Sending, "blot" | "secrets"> => ({
  secrets,
  blot: blotFor(secrets)
})

/** One exchange, with a span of its own where the run is traced. */
const send = (engine: HttpEngine, prepared: Prepared, sending: Sending): Effect.Effect<WireAnswer, CallFailure> =>
  prepared.trace === null
    ? exchanged(engine, prepared, sending, {})
    : inSpan(
        engine.tracer,
        () => exchangeSpan(prepared, sending.method),
        (context) => exchanged(engine, prepared, sending, traceHeadersFor(prepared, context)),
        endOfExchange(prepared, sending.method)
      )

/** With the key placed, the secrets blotted out of whatever comes back. */
const exchanged = (
  engine: HttpEngine,
  prepared: Prepared,
  sending: Sending,
  traceHeaders: { readonly [name: string]: string }
): Effect.Effect<WireAnswer, CallFailure> => {
  const { blot, method, timeoutMs, written } = sending
  const { operation } = prepared.seen.endpoint
  const origin = engine.originFor(prepared.origin)
  const answered = prepared.line.transport
    .exchange(
      {
        origin,
        method,
        path: written.path,
        headers: {
          accept: operation.contentTypes.join(", "),
          "accept-encoding": acceptedEncodings,
          "user-agent": userAgent,
          ...written.headers,
          ...traceHeaders
        },
        body: written.body
      },
      { timeoutMs, maxBytes: operation.maxBytes }
    )
    .pipe(
      // The operator must not be asked to open an address that only an answer names.
      prepared.isTold ? identity : Effect.tapError(warnWhereRefused(engine, prepared, origin)),
      Effect.matchEffect({
        onFailure: (failed) => {
          const wire = blot === null ? failed : withBlottedHead(failed, blot)
          return Effect.fail(
            prepared.isTold
              ? stoppedElsewhere(prepared.seen, wire)
              : prepared.isChosen
                ? stoppedWhereChosen(prepared.seen, wire)
                : stoppedBy(prepared.seen, wire)
          )
        },
        onSuccess: (answer) => {
          const { parse } = operation.response
          if (isLarge(answer, parse))
            return workedThrough(blot === null ? answer : withBlottedHeaders(answer, blot), blot, {
              allowed: operation.contentTypes,
              parse,
              isGlanced: operation.async !== undefined || !isSuccessStatus(operation, answer.status)
            })
          return Effect.succeed(
            blot === null ? answer : { ...withBlottedHeaders(answer, blot), bytes: blot(answer.bytes) }
          )
        }
      })
    )
  return engine.watch === null ? answered : watched(engine.watch, origin, sending, answered)
}

/** The bytes of a request with its key in it. */
const writtenWith = ({ auth, boundary, variables }: Prepared, secret: string, parts: RequestParts): Written =>
  write(placeKey(auth, secret, located(parts, variables)), boundary)

/** Signs what is sent, when it is sent: each exchange has a signature of its own. */
const sendSigned = (
  engine: HttpEngine,
  prepared: Prepared,
  { secrets, sign }: Extract<Key, { readonly _tag: "Signing" }>,
  parts: RequestParts
): Effect.Effect<WireAnswer, CallFailure> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    const unsigned = writtenWith(prepared, "", parts)
    const { derived, headers, path } = sign({ ...unsigned, method: parts.method, origin: prepared.origin }, now)
    return send(engine, prepared, {
      method: parts.method,
      written: { path, headers, body: unsigned.body },
      ...blotting([...secrets, ...derived]),
      timeoutMs: prepared.seen.endpoint.operation.timeoutMs
    })
  })

export const fetchesTokens = ({ type }: Auth): boolean =>
  type === "oauth2_client_credentials" || type === "oauth2_authorization_code"

/** The most that an exchange can take: with an access token that token too, and both once more after a 401. */
export const exchangeMillisMax = ({ operation, provider }: Endpoint): number =>
  (fetchesTokens(provider.auth) ? 4 : 1) * operation.timeoutMs

/** The request at its own address. A path without variables stays the same object. */
export const located = (parts: RequestParts, values: VariableValues): RequestParts => {
  const path = withValues(parts.path, values)
  return path === parts.path ? parts : { ...parts, path }
}

/**
 * Sends with whatever key the operation takes; access tokens are fetched, and replaced once when a read-only call is
 * refused. A token is waited for at most as long as an exchange may take. Nothing has been sent until it is there, so
 * the exchange has its whole time from then on: with what a slow token left of it, an effectful call would be lost.
 */
export const sendWithKey = (engine: HttpEngine, prepared: Prepared): Exchange => {
  const { auth, key, line, seen } = prepared
  const { effect, timeoutMs } = seen.endpoint.operation
  if (key._tag === "Signing") return (parts) => sendSigned(engine, prepared, key, parts)
  if (key._tag === "AccessTokens") return sendWithAccessToken(engine, prepared, key.tokens)
  if (key._tag !== "OAuth" || auth.type !== "oauth2_client_credentials") {
    const secret = key._tag === "Plain" ? key.secret : ""
    const blotted = blotting(key._tag === "Plain" ? secretParts(auth, secret) : [])
    return (parts) =>
      send(engine, prepared, {
        method: parts.method,
        written: writtenWith(prepared, secret, parts),
        ...blotted,
        timeoutMs
      })
  }
  const { client } = key
  const { watch } = engine
  const { origin, pathname } = new URL(auth.tokenUrl)
  const tokenAddress = `${engine.originFor(origin)}${pathname}`
  const withoutToken = (problem: TokenRefused | WireFailure) =>
    problem._tag === "TokenRefused"
      ? notSent(refusedToken(seen, problem))
      : prepared.isChosen && problem.reason === "refused"
        ? stoppedWhereChosen(seen, problem)
        : notSent(failureOf(seen, problem))
  return Effect.fnUntraced(function* (parts, kind) {
    const once = Effect.fnUntraced(function* () {
      const started = yield* Clock.currentTimeMillis
      const token = yield* line.tokens
        .take(auth, client, timeoutMs)
        .pipe(
          Effect.tapError(warnWhereRefused(engine, prepared, auth.tokenUrl)),
          watch === null ? identity : Effect.tapError(watchedToken(watch, tokenAddress, client, started)),
          Effect.mapError(withoutToken)
        )
      const answer = yield* send(engine, prepared, {
        method: parts.method,
        written: writtenWith(prepared, token, parts),
        ...blotting([client.secret, token]),
        timeoutMs
      })
      if (answer.status === 401) yield* line.tokens.drop(auth, client, token)
      return answer
    })
    const answer = yield* once()
    return answer.status === 401 && (effect === "read_only" || kind === "follow_up") ? yield* once() : answer
  })
}

/** Sends with the access token of a user's account; the connection renews it. */
const sendWithAccessToken = (engine: HttpEngine, prepared: Prepared, tokens: AccessTokens): Exchange => {
  const { effect, timeoutMs } = prepared.seen.endpoint.operation
  return Effect.fnUntraced(function* (parts, kind) {
    const take = (refused: Redacted.Redacted<string> | null) =>
      Effect.mapError(tokens.take(refused, timeoutMs), notSent)
    const sendWith = (token: Redacted.Redacted<string>) => {
      const secret = Redacted.value(token)
      return send(engine, prepared, {
        method: parts.method,
        written: writtenWith(prepared, secret, parts),
        ...blotting([secret]),
        timeoutMs
      })
    }
    const token = yield* take(null)
    const answer = yield* sendWith(token)
    if (answer.status !== 401) return answer
    // Whatever has an effect is not sent again, and the next call has a token that works.
    if (effect !== "read_only" && kind !== "follow_up") return yield* Effect.as(Effect.ignore(take(token)), answer)
    const next = yield* take(token)
    return Redacted.value(next) === Redacted.value(token) ? answer : yield* sendWith(next)
  })
}

/**
 * Sends with the key to the manifest's own origin and to those that it names, and to every other without key and fixed
 * headers, and only where everybody may go: the operator opened an address for the provider of that address. The token
 * of a user's account goes to the manifest's own origin alone, for which the user gave it.
 */
export const sendWhereTold = (engine: HttpEngine, prepared: Prepared): Exchange => {
  const withKey = sendWithKey(engine, prepared)
  const { async, pages, timeoutMs } = prepared.seen.endpoint.operation
  const origins = prepared.key._tag === "AccessTokens" ? undefined : (async ?? pages)?.origins
  return (parts, kind, origin) => {
    if (origin === undefined) return withKey(parts, kind)
    const keyless = { ...parts, path: withoutKey(prepared.auth, parts.path) }
    if (origin === prepared.origin) return withKey(keyless, kind)
    const atOrigin: Prepared = { ...prepared, origin, isTold: true }
    if (origins?.includes(origin) === true) return sendWithKey(engine, atOrigin)(keyless, kind)
    const written = writtenWith({ ...atOrigin, auth: { type: "none" } }, "", { ...parts, headers: {} })
    const open: Prepared = { ...atOrigin, line: engine.unopened }
    return send(engine, open, { method: parts.method, written, ...blotting([]), timeoutMs })
  }
}

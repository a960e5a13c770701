/**
 * Calls any operation of any manifest over HTTP; no provider's name stands in here. Whatever happens is an answer or a
 * failure that says exactly whether the call failed for certain or was lost. A call is sent once; the one resend is a
 * read-only call that an expired access token made the provider refuse. Keys leave the process in the request and
 * appear nowhere else, not even when a provider echoes them.
 */
import { hash } from "node:crypto"
import { Clock, Effect, Either, identity, Layer, Redacted } from "effect"
import { inlineResultBytesMax } from "../../domain/Limits.js"
import type { Auth, Endpoint, VariableValues } from "../../domain/Manifest.js"
import { setMember } from "../../domain/Members.js"
import { userAgent } from "../../domain/Product.js"
import { refusedFields } from "../../domain/InputExtras.js"
import {
  type AccessTokens,
  type CallFailure,
  CallLost,
  notSent,
  type ProviderAnswer,
  type ProviderCall
} from "../../domain/ProviderCall.js"
import { ContractInvalid, InputRejected, InvalidResponse } from "../../domain/RunFailures.js"
import { readUrl } from "../../domain/Url.js"
import { Providers } from "../../services/Providers.js"
import { type Exchange, runToEnd } from "./AsyncCalls.js"
import { type Blot, blotFor } from "./Blotting.js"
import { type CallPlan, callPlanFor } from "./CallPlan.js"
import { makeEgress, type Resolve } from "./Egress.js"
import { checkCommon, prepare, prepareJob } from "./InputPreparation.js"
import { type Case, judge, judgeStatus, type StatedFailure } from "./Judgement.js"
import { type Key, keyFor, placeKey, secretParts, variableFailure, variablesFor } from "./KeyPlacement.js"
import { makeOAuthTokens, type OAuthTokens, type TokenRefused } from "./OAuthTokens.js"
import { onOwnFiber } from "./OwnFiber.js"
import { makeRefusedTargets, type RefusedTargets } from "./RefusedTargets.js"
import { type RequestParts, write, type Written } from "./RequestPlan.js"
import { acceptedEncodings, makeTransport, type Transport, type WireAnswer, type WireFailure } from "./Transport.js"
import { addressWith, type VariableProblem, withValues } from "./Variables.js"
import { failureOf, stoppedBy, stoppedElsewhere } from "./WireOutcome.js"

export interface ProvidersHttpOptions {
  /** `host:port` pairs that the egress guard lets through. */
  readonly egressAllow?: ReadonlyArray<string>
  /**
   * Origins of manifests that stand for another one, such as the fixture's `http://fixture.invalid` for the port it
   * got. The targets are opened in the egress guard; they come from this process's own configuration, never from a
   * manifest.
   */
  readonly origins?: { readonly [origin: string]: string }
  /** Stands for every other origin, so that nothing outside is called, whatever an answer names. */
  readonly elsewhere?: string
  /** Larger answers are kept as media; `inlineResultBytesMax` when absent. */
  readonly inlineResultBytes?: number
  /** Name resolution; the system's when absent. */
  readonly resolve?: Resolve
}

interface HttpEngine {
  readonly transport: Transport
  readonly tokens: OAuthTokens
  readonly refusedTargets: RefusedTargets
  readonly originFor: (origin: string) => string
  readonly inlineBytes: number
}

/** A call that is ready to be sent. */
interface Prepared {
  readonly seen: Case
  readonly plan: CallPlan
  readonly parts: RequestParts
  readonly key: Key
  /** The provider's, with the values of its variables. */
  readonly auth: Auth
  readonly variables: VariableValues
  /** The manifest's own, or the one that an answer named. */
  readonly origin: string
  readonly isTold: boolean
  readonly boundary: string
}

const digestOf = (method: string, origin: string, written: Written): string =>
  hash(
    "sha256",
    `${method} ${origin}${written.path}\n${JSON.stringify(written.headers)}\n${hash("sha256", written.body ?? "")}`
  )

const bytesOf = (written: Written): number =>
  written.path.length +
  (written.body === null ? 0 : typeof written.body === "string" ? Buffer.byteLength(written.body) : written.body.length)

const refusedToken = (seen: Case, refused: TokenRefused): InvalidResponse | StatedFailure =>
  refused.status >= 500 || refused.status === 429
    ? judgeStatus(seen, refused.status, {})
    : refused.status >= 400
      ? judgeStatus(seen, 401, {})
      : new InvalidResponse({ detail: "The provider's token address answered without a token." })

/** Logs which address was refused: the address of the operation, or that of its access tokens. */
const warnWhereRefused =
  (engine: HttpEngine, { seen }: Prepared, address: string) =>
  (problem: TokenRefused | WireFailure): Effect.Effect<void> =>
    problem._tag === "WireFailure" && problem.reason === "refused"
      ? engine.refusedTargets.warn(seen.endpoint.provider.id, address, problem.word)
      : Effect.void

/** What is sent once: the request with its key, what removes the key from the answer, the time left. */
interface Sending {
  readonly method: RequestParts["method"]
  readonly written: Written
  readonly blot: Blot | null
  readonly timeoutMs: number
}

/** One exchange with the key placed, the secrets blotted out of whatever comes back. */
const send = (
  engine: HttpEngine,
  prepared: Prepared,
  { blot, method, timeoutMs, written }: Sending
): Effect.Effect<WireAnswer, CallFailure> => {
  const { operation } = prepared.seen.endpoint
  const origin = engine.originFor(prepared.origin)
  return engine.transport
    .exchange(
      {
        origin,
        method,
        path: written.path,
        headers: {
          accept: operation.contentTypes.join(", "),
          "accept-encoding": acceptedEncodings,
          "user-agent": userAgent,
          ...written.headers
        },
        body: written.body
      },
      { timeoutMs, maxBytes: operation.maxBytes }
    )
    .pipe(
      // The operator must not be asked to open an address that only an answer names.
      prepared.isTold ? identity : Effect.tapError(warnWhereRefused(engine, prepared, origin)),
      Effect.mapBoth({
        onFailure: (wire) => (prepared.isTold ? stoppedElsewhere(prepared.seen, wire) : stoppedBy(prepared.seen, wire)),
        onSuccess: (answer) => (blot === null ? answer : blotted(answer, blot))
      })
    )
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
      blot: blotFor([...secrets, ...derived]),
      timeoutMs: prepared.seen.endpoint.operation.timeoutMs
    })
  })

/** The request at its own address. A path without variables stays the same object. */
const located = (parts: RequestParts, values: VariableValues): RequestParts => {
  const path = withValues(parts.path, values)
  return path === parts.path ? parts : { ...parts, path }
}

/** No key holds a line feed, so that one blotting does for all headers. */
const blotted = (answer: WireAnswer, blot: Blot): WireAnswer => {
  const names = Object.keys(answer.headers)
  const values = blot(Buffer.from(Object.values(answer.headers).join("\n"), "latin1"))
    .toString("latin1")
    .split("\n")
  return {
    status: answer.status,
    bytes: blot(answer.bytes),
    headers: Object.fromEntries(names.map((name, at) => [name, values[at] ?? ""]))
  }
}

/**
 * Sends with whatever key the operation takes; access tokens are fetched, and replaced once when a read-only call is
 * refused.
 */
const sendWithKey = (engine: HttpEngine, prepared: Prepared): Exchange => {
  const { auth, key, seen } = prepared
  const { effect, timeoutMs } = seen.endpoint.operation
  if (key._tag === "Signing") return (parts) => sendSigned(engine, prepared, key, parts)
  if (key._tag === "AccessTokens") return sendWithAccessToken(engine, prepared, key.tokens)
  if (key._tag !== "OAuth" || auth.type !== "oauth2_client_credentials") {
    const secret = key._tag === "Plain" ? key.secret : ""
    const blot = blotFor(key._tag === "Plain" ? secretParts(auth, secret) : [])
    return (parts) =>
      send(engine, prepared, {
        method: parts.method,
        written: writtenWith(prepared, secret, parts),
        blot,
        timeoutMs
      })
  }
  const { client } = key
  const withoutToken = (problem: TokenRefused | WireFailure) =>
    notSent(problem._tag === "TokenRefused" ? refusedToken(seen, problem) : failureOf(seen, problem))
  return Effect.fnUntraced(function* (parts, kind) {
    const started = yield* Clock.currentTimeMillis
    const left = Effect.map(Clock.currentTimeMillis, (now) => Math.max(1, timeoutMs - (now - started)))
    const once = Effect.fnUntraced(function* () {
      const token = yield* engine.tokens
        .take(auth, client, yield* left)
        .pipe(Effect.tapError(warnWhereRefused(engine, prepared, auth.tokenUrl)), Effect.mapError(withoutToken))
      const blot = blotFor([client.secret, token])
      const answer = yield* send(engine, prepared, {
        method: parts.method,
        written: writtenWith(prepared, token, parts),
        blot,
        timeoutMs: yield* left
      })
      if (answer.status === 401) yield* engine.tokens.drop(auth, client, token)
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
    const started = yield* Clock.currentTimeMillis
    const left = Effect.map(Clock.currentTimeMillis, (now) => Math.max(1, timeoutMs - (now - started)))
    const take = Effect.fnUntraced(function* (refused: Redacted.Redacted<string> | null) {
      return yield* Effect.mapError(tokens.take(refused, yield* left), notSent)
    })
    const sendWith = Effect.fnUntraced(function* (token: Redacted.Redacted<string>) {
      const secret = Redacted.value(token)
      return yield* send(engine, prepared, {
        method: parts.method,
        written: writtenWith(prepared, secret, parts),
        blot: blotFor([secret]),
        timeoutMs: yield* left
      })
    })
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
 * headers.
 */
const sendWhereTold = (engine: HttpEngine, prepared: Prepared): Exchange => {
  const withKey = sendWithKey(engine, prepared)
  const { async, timeoutMs } = prepared.seen.endpoint.operation
  return (parts, kind, origin) => {
    if (origin === undefined || origin === prepared.origin) return withKey(parts, kind)
    const told: Prepared = { ...prepared, origin, isTold: true }
    if (async?.origins?.includes(origin) === true) return sendWithKey(engine, told)(parts, kind)
    const written = writtenWith({ ...told, auth: { type: "none" } }, "", { ...parts, headers: {} })
    return send(engine, told, { method: parts.method, written, blot: null, timeoutMs })
  }
}

/**
 * Planning has refused this already. A connection may have been removed since, and the run would now use the platform's
 * key.
 */
const allowed = ({ credential, endpoint, input }: ProviderCall): Either.Either<void, InputRejected> => {
  const [refused] = refusedFields(endpoint, credential._tag, input)
  return refused === undefined
    ? Either.void
    : Either.left(new InputRejected({ detail: `input.${refused.field}: ${refused.message}` }))
}

const authWith = (
  { auth, variables }: Endpoint["provider"],
  values: VariableValues
): Either.Either<Auth, VariableProblem> =>
  auth.type === "oauth2_client_credentials" && variables !== undefined
    ? Either.map(addressWith(auth.tokenUrl, variables, values), (tokenUrl) => ({ ...auth, tokenUrl }))
    : Either.right(auth)

/** The request of a call, or why none can be sent. */
const prepared = Effect.fnUntraced(function* ({ inlineBytes }: HttpEngine, call: ProviderCall) {
  const { credential, endpoint, input } = call
  const { operation, provider } = endpoint
  const plan = yield* callPlanFor(endpoint)
  const variables = yield* variablesFor(provider, credential)
  const key = yield* keyFor(provider.auth, credential, variables)
  const unfilled = (problem: VariableProblem) => variableFailure(credential, problem)
  const origin = yield* Either.mapLeft(plan.request.origin(variables), unfilled)
  const auth = yield* Either.mapLeft(authWith(provider, variables), unfilled)
  yield* allowed(call)
  const parts = yield* Either.mapLeft(
    plan.request.build(input),
    ({ field, message }) => new InputRejected({ detail: `${field} ${message}` })
  )
  if (operation.idempotencyHeader !== undefined)
    setMember(parts.headers, operation.idempotencyHeader.toLowerCase(), call.attemptReference)
  const boundary = `gateway-${hash("sha256", call.attemptReference).slice(0, 32)}`
  const keyless = write(located(parts, variables), boundary)
  const seen: Case = {
    endpoint,
    rules: plan.rules,
    input,
    credential: credential._tag,
    nowMillis: yield* Clock.currentTimeMillis,
    inlineBytes,
    evidence: {
      requestDigest: digestOf(operation.method, origin, keyless),
      responseDigest: null,
      requestBytes: bytesOf(keyless),
      responseBytes: 0,
      providerRequestId: null
    }
  }
  return { seen, plan, parts, auth, key, variables, origin, isTold: false, boundary } satisfies Prepared
})

/** The reasons why nothing can be sent. */
export type PreparationFailure = Effect.Effect.Error<ReturnType<typeof prepared>>

const callWith = Effect.fnUntraced(function* (engine: HttpEngine, call: ProviderCall) {
  const ready = yield* Effect.mapError(prepared(engine, call), notSent)
  const { parts, plan, seen } = ready
  const { async } = call.endpoint.operation
  return yield* judge(
    seen,
    yield* async === undefined
      ? sendWithKey(engine, ready)(parts, "start")
      : runToEnd({
          rules: async,
          plan,
          seen,
          exchange: sendWhereTold(engine, ready),
          start: located(parts, ready.variables),
          origin: ready.origin
        })
  )
})

/**
 * A single exchange keeps its own deadline. Polling and the fetch of access tokens end by interruption, even when the
 * caller may not be interrupted.
 */
const withDeadlines = (
  { operation, provider }: ProviderCall["endpoint"],
  call: Effect.Effect<ProviderAnswer, CallFailure>
): Effect.Effect<ProviderAnswer, CallFailure> =>
  operation.async === undefined && !fetchesTokens(provider.auth) ? call : onOwnFiber(call)

const fetchesTokens = ({ type }: Auth): boolean =>
  type === "oauth2_client_credentials" || type === "oauth2_authorization_code"

/** Sockets and access tokens live as long as the layer. */
export const ProvidersHttp = (options: ProvidersHttpOptions = {}): Layer.Layer<Providers> =>
  Layer.scoped(
    Providers,
    Effect.gen(function* () {
      const origins = new Map(Object.entries(options.origins ?? {}))
      const targets = [...origins.values()].map(readUrl).filter((url) => url !== null)
      const opened = targets.map(
        (url) => `${url.hostname}:${url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port}`
      )
      const originFor = (origin: string) => origins.get(origin) ?? options.elsewhere ?? origin
      const transport = yield* makeTransport(makeEgress([...(options.egressAllow ?? []), ...opened], options.resolve))
      const tokens = yield* makeOAuthTokens(transport, originFor)
      const engine: HttpEngine = {
        transport,
        tokens,
        refusedTargets: makeRefusedTargets(),
        originFor,
        inlineBytes: options.inlineResultBytes ?? inlineResultBytesMax
      }
      // A defect in here must not leave a run without an end. It is reported as a contract that cannot be executed.
      const call = (request: ProviderCall): Effect.Effect<ProviderAnswer, CallFailure> =>
        Effect.catchAllDefect(withDeadlines(request.endpoint, callWith(engine, request)), (defect) =>
          Effect.zipRight(
            Effect.logError("provider engine defect", {
              endpointId: request.endpoint.operation.id,
              kind: defect instanceof Error ? defect.name : typeof defect
            }),
            new CallLost({ failure: new ContractInvalid(), cost: { _tag: "None" }, evidence: null })
          )
        )
      return Providers.of({ call, prepare, prepareJob, checkCommon })
    })
  )

/**
 * Calls any operation of any manifest over HTTP; no provider's name stands in here. Total: whatever happens comes back
 * as a CallResult whose certainty is exact. A call is sent once; the one resend is a read-only call that an expired
 * access token made the provider refuse. Keys leave the process in the request and appear nowhere else, not even when a
 * provider echoes them.
 */
import { hash } from "node:crypto"
import { Clock, Effect, Either, Layer } from "effect"
import { inlineResultBytesMax } from "../../domain/Limits.js"
import { setMember } from "../../domain/Members.js"
import { refusedFields } from "../../domain/InputExtras.js"
import type { CallResult, CostEvidence, Credential, Evidence, ProviderCall } from "../../domain/ProviderCall.js"
import { ContractInvalid, InputRejected, InvalidResponse, type RunFailure } from "../../domain/RunFailures.js"
import { Providers } from "../../services/Providers.js"
import { runToEnd } from "./AsyncCalls.js"
import { type Blot, blotFor } from "./Blotting.js"
import { callPlanFor } from "./CallPlan.js"
import { makeEgress, type Resolve } from "./Egress.js"
import { checkCommon, prepare, prepareJob } from "./InputPreparation.js"
import { type Case, judge, judgeStatus } from "./Judgement.js"
import { type Key, keyFor, placeKey, secretParts } from "./KeyPlacement.js"
import { makeOAuthTokens, type OAuthTokens, type TokenRefused } from "./OAuthTokens.js"
import { onOwnFiber } from "./OwnFiber.js"
import { makeRefusedTargets, type RefusedTargets } from "./RefusedTargets.js"
import { type RequestParts, write, type Written } from "./RequestPlan.js"
import { acceptedEncodings, makeTransport, type Transport, type WireAnswer, type WireFailure } from "./Transport.js"
import { CallStopped, stoppedBy } from "./WireOutcome.js"

export interface ProvidersHttpOptions {
  /** `host:port` pairs that the egress guard lets through. */
  readonly egressAllow?: ReadonlyArray<string>
  /**
   * Origins of manifests that stand for another one, such as the fixture's `http://fixture.invalid` for the port it
   * got. The targets are opened in the egress guard; they come from this process's own configuration, never from a
   * manifest.
   */
  readonly origins?: { readonly [origin: string]: string }
  /** Larger answers are kept as media; `inlineResultBytesMax` when absent. */
  readonly inlineResultBytes?: number
  /** Name resolution; the system's when absent. */
  readonly resolve?: Resolve
}

const userAgent = "provider-gateway/0.1"

interface Engine {
  readonly transport: Transport
  readonly tokens: OAuthTokens
  readonly refusedTargets: RefusedTargets
  readonly originFor: (origin: string) => string
  readonly inlineBytes: number
}

interface Prepared {
  readonly seen: Case
  readonly key: Key
  readonly origin: string
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

const none: CostEvidence = { _tag: "None" }

const failed = (
  failure: RunFailure,
  certainty: CallStopped["certainty"],
  evidence: Evidence | null,
  cost: CostEvidence = none
): CallResult => ({
  _tag: "Failed",
  failure,
  certainty,
  providerStatus: failure.providerStatus ?? null,
  cost,
  evidence
})

const refusedToken = (seen: Case, refused: TokenRefused): RunFailure =>
  refused.status >= 500 || refused.status === 429
    ? judgeStatus(seen, refused.status, {})
    : refused.status >= 400
      ? judgeStatus(seen, 401, {})
      : new InvalidResponse({ detail: "The provider's token address answered without a token." })

/** The log says which address was refused: that of the operation, or of its access tokens. */
const warnWhereRefused =
  (engine: Engine, { seen }: Prepared, address: string) =>
  (problem: TokenRefused | WireFailure): Effect.Effect<void> =>
    problem._tag === "WireFailure" && problem.reason === "refused"
      ? engine.refusedTargets.warn(seen.endpoint.provider.id, address, problem.word)
      : Effect.void

/** One exchange with the key placed, the secrets blotted out of whatever comes back. */
const send = (
  engine: Engine,
  prepared: Prepared,
  parts: RequestParts,
  secret: string,
  blot: Blot | null,
  timeoutMs: number
): Effect.Effect<WireAnswer, CallStopped> => {
  const { operation, provider } = prepared.seen.endpoint
  const written = write(placeKey(provider.auth, secret, parts), prepared.boundary)
  const origin = engine.originFor(prepared.origin)
  return engine.transport
    .exchange(
      {
        origin,
        method: parts.method,
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
      Effect.tapError(warnWhereRefused(engine, prepared, origin)),
      Effect.mapBoth({
        onFailure: (wire) => stoppedBy(prepared.seen, wire),
        onSuccess: (answer) => (blot === null ? answer : blotted(answer, blot))
      })
    )
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
const sendWithKey = (engine: Engine, prepared: Prepared) => {
  const { key, seen } = prepared
  const { effect, timeoutMs } = seen.endpoint.operation
  const { auth } = seen.endpoint.provider
  if (key._tag !== "OAuth" || auth.type !== "oauth2_client_credentials") {
    const secret = key._tag === "Plain" ? key.secret : ""
    const blot = blotFor(key._tag === "Plain" ? secretParts(auth, secret) : [])
    return (parts: RequestParts, _kind: "start" | "follow_up") => send(engine, prepared, parts, secret, blot, timeoutMs)
  }
  const { client } = key
  const notSent = (problem: TokenRefused | WireFailure) =>
    problem._tag === "TokenRefused"
      ? new CallStopped({ failure: refusedToken(seen, problem), certainty: "not_sent", providerStatus: null })
      : new CallStopped({ ...stoppedBy(seen, problem), certainty: "not_sent", providerStatus: null })
  return Effect.fnUntraced(function* (parts: RequestParts, kind: "start" | "follow_up") {
    const started = yield* Clock.currentTimeMillis
    const left = Effect.map(Clock.currentTimeMillis, (now) => Math.max(1, timeoutMs - (now - started)))
    const once = Effect.fnUntraced(function* () {
      const token = yield* engine.tokens
        .take(auth, client, yield* left)
        .pipe(Effect.tapError(warnWhereRefused(engine, prepared, auth.tokenUrl)), Effect.mapError(notSent))
      const answer = yield* send(engine, prepared, parts, token, blotFor([client.secret, token]), yield* left)
      if (answer.status === 401) yield* engine.tokens.drop(auth, client, token)
      return answer
    })
    const answer = yield* once()
    return answer.status === 401 && (effect === "read_only" || kind === "follow_up") ? yield* once() : answer
  })
}

const caseOf = Effect.fnUntraced(function* (
  { inlineBytes }: Engine,
  call: ProviderCall,
  rules: Case["rules"],
  credential: Credential
) {
  const nowMillis = yield* Clock.currentTimeMillis
  return { endpoint: call.endpoint, rules, input: call.input, credential: credential._tag, nowMillis, inlineBytes }
})

const callWith = (engine: Engine) =>
  Effect.fnUntraced(function* (call: ProviderCall) {
    const { credential, endpoint } = call
    const { operation, provider } = endpoint
    const plan = callPlanFor(endpoint)
    if (Either.isLeft(plan)) return failed(plan.left, "not_sent", null)
    const key = keyFor(provider.auth, credential)
    if (Either.isLeft(key)) return failed(key.left, "not_sent", null)
    // Planning has refused this; a connection may have gone since, and the run would now use the platform's key.
    const [refused] = refusedFields(endpoint, credential._tag, call.input)
    if (refused !== undefined)
      return failed(new InputRejected({ detail: `input.${refused.field}: ${refused.message}` }), "not_sent", null)
    const built = plan.right.request.build(call.input)
    if (Either.isLeft(built))
      return failed(new InputRejected({ detail: `${built.left.field} ${built.left.message}` }), "not_sent", null)

    if (operation.idempotencyHeader !== undefined)
      setMember(built.right.headers, operation.idempotencyHeader.toLowerCase(), call.attemptReference)
    const boundary = `gateway-${hash("sha256", call.attemptReference).slice(0, 32)}`
    const seen = yield* caseOf(engine, call, plan.right.rules, credential)
    const prepared: Prepared = { seen, key: key.right, origin: plan.right.request.origin, boundary }
    const keyless = write(built.right, boundary)
    const evidence = (answer: WireAnswer | null, providerRequestId: string | null): Evidence => ({
      requestDigest: digestOf(operation.method, prepared.origin, keyless),
      responseDigest: answer === null ? null : hash("sha256", answer.bytes),
      requestBytes: bytesOf(keyless),
      responseBytes: answer?.bytes.length ?? 0,
      providerRequestId
    })

    const exchange = sendWithKey(engine, prepared)
    const ended = yield* Effect.either(
      operation.async === undefined
        ? exchange(built.right, "start")
        : runToEnd(operation.async, plan.right, seen, exchange, built.right)
    )
    if (Either.isLeft(ended))
      return failed(
        ended.left.failure,
        ended.left.certainty,
        ended.left.certainty === "not_sent" ? null : evidence(null, null)
      )
    const answer = ended.right
    const judged = judge(seen, answer)
    const seenEvidence = evidence(answer, judged.providerRequestId)
    if (Either.isLeft(judged.result))
      return failed(judged.result.left, judged.partial ? "unanswered" : "answered", seenEvidence, judged.cost)
    const answered: CallResult = {
      _tag: "Answered",
      ...judged.result.right,
      providerStatus: answer.status,
      cost: judged.cost,
      evidence: seenEvidence
    }
    return answered
  })

/**
 * A single exchange keeps its time by itself; polling and access tokens end by interruption, whatever the caller
 * forbids.
 */
const withDeadlines = (
  { operation, provider }: ProviderCall["endpoint"],
  call: Effect.Effect<CallResult>
): Effect.Effect<CallResult> =>
  operation.async === undefined && provider.auth.type !== "oauth2_client_credentials" ? call : onOwnFiber(call)

/** Sockets and access tokens live as long as the layer. */
export const ProvidersHttp = (options: ProvidersHttpOptions = {}): Layer.Layer<Providers> =>
  Layer.scoped(
    Providers,
    Effect.gen(function* () {
      const origins = new Map(Object.entries(options.origins ?? {}))
      const targets = [...origins.values()].filter((target) => URL.canParse(target)).map((target) => new URL(target))
      const opened = targets.map(
        (url) => `${url.hostname}:${url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port}`
      )
      const originFor = (origin: string) => origins.get(origin) ?? origin
      const transport = yield* makeTransport(makeEgress([...(options.egressAllow ?? []), ...opened], options.resolve))
      const tokens = yield* makeOAuthTokens(transport, originFor)
      const callOnce = callWith({
        transport,
        tokens,
        refusedTargets: makeRefusedTargets(),
        originFor,
        inlineBytes: options.inlineResultBytes ?? inlineResultBytesMax
      })
      // A defect in here must not become a run without an end: it is a contract that cannot be executed.
      const call = (request: ProviderCall): Effect.Effect<CallResult> =>
        withDeadlines(request.endpoint, callOnce(request)).pipe(
          Effect.catchAllDefect((defect) =>
            Effect.as(
              Effect.logError("provider engine defect", {
                endpointId: request.endpoint.operation.id,
                kind: defect instanceof Error ? defect.name : typeof defect
              }),
              failed(new ContractInvalid({}), "unanswered", null)
            )
          )
        )
      return Providers.of({ call, prepare, prepareJob, checkCommon })
    })
  )

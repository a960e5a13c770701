/**
 * Calls any operation of any manifest over HTTP; no provider's name stands in here. Whatever happens is an answer or a
 * failure that says exactly whether the call failed for certain or was lost. A call is sent once; the one resend is a
 * read-only call that an expired access token made the provider refuse. Keys leave the process in the request and
 * appear nowhere else, not even when a provider echoes them.
 */
import { hash } from "node:crypto"
import { Clock, Effect, Either, Layer } from "effect"
import { inlineResultBytesMax, pageStartMax } from "../../domain/limits/Calls.js"
import type { AsyncRules, Auth, Endpoint, VariableValues } from "../../domain/Manifest.js"
import { setMember } from "../../domain/Members.js"
import { zero } from "../../domain/Micros.js"
import { refusedFields } from "../../domain/InputExtras.js"
import {
  type CallFailure,
  CallLost,
  notSent,
  type ProviderAnswer,
  type ProviderCall
} from "../../domain/ProviderCall.js"
import { ContractInvalid, InputRejected } from "../../domain/RunFailures.js"
import type { ProviderCallbacks } from "../../services/ProviderCallbacks.js"
import { Providers } from "../../services/Providers.js"
import { Tracing } from "../../services/Tracing.js"
import { runToEnd } from "./AsyncCalls.js"
import { takesCallback, withCallback } from "./Callbacks.js"
import { callPlanFor } from "./CallPlan.js"
import { makeEgress, type Resolve } from "./Egress.js"
import { checkCommon, prepare, prepareJob } from "./InputPreparation.js"
import { judge } from "./Judgement.js"
import type { Case } from "./StatedFailures.js"
import { keyFor, variableFailure, variablesFor } from "./KeyPlacement.js"
import {
  exchangeMillisMax,
  fetchesTokens,
  type HttpEngine,
  type Line,
  located,
  type Prepared,
  sendWhereTold,
  sendWithKey
} from "./KeyedExchange.js"
import { makeOAuthTokens } from "./OAuthTokens.js"
import { onOwnFiber } from "../node/OwnFiber.js"
import { type Paging, pagingOf, readInPages } from "./PagedCalls.js"
import { uncountableField } from "./PageSteps.js"
import { holdFor, pagedPrice } from "./PriceByInput.js"
import { hostAndPort, makeRefusedTargets } from "./RefusedTargets.js"
import { write, type Written } from "./RequestWriting.js"
import { makeTransport } from "./Transport.js"
import { addressWith, choosesHost, type VariableProblem } from "./Variables.js"
import type { Watch } from "./WatchedExchanges.js"

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
  /** Sees each exchange with a provider, keys blotted out. Those that fetch access tokens are not shown. */
  readonly watch?: Watch
  /** Where slow operations are called back; nowhere when absent. */
  readonly callbacks?: ProviderCallbacks["Type"]
  /** Name resolution; the system's when absent. */
  readonly resolve?: Resolve
}

const digestOf = (method: string, origin: string, written: Written): string =>
  hash(
    "sha256",
    `${method} ${origin}${written.path}\n${JSON.stringify(written.headers)}\n${hash("sha256", written.body ?? "")}`
  )

const bytesOf = (written: Written): number =>
  written.path.length +
  (written.body === null ? 0 : typeof written.body === "string" ? Buffer.byteLength(written.body) : written.body.length)

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

interface Engine extends HttpEngine {
  /** Reaches what the operator opened in the egress guard. */
  readonly opened: Line
}

/** The request of a call, or why none can be sent. */
const prepared = Effect.fnUntraced(function* ({ inlineBytes, opened, unopened }: Engine, call: ProviderCall) {
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
    plan.request.build(input, call.files),
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
  const isChosen =
    credential._tag === "Connection" &&
    credential.variables !== undefined &&
    choosesHost(provider, credential.variables)
  const line = isChosen ? unopened : opened
  const trace = call.trace ?? null
  return {
    seen,
    plan,
    parts,
    auth,
    key,
    variables,
    origin,
    line,
    isChosen,
    isTold: false,
    boundary,
    trace
  } satisfies Prepared
})

/** The reasons why nothing can be sent. */
export type PreparationFailure = Effect.Effect.Error<ReturnType<typeof prepared>>

const callInPages = Effect.fnUntraced(function* (engine: Engine, call: ProviderCall, paging: Paging) {
  const { endpoint, input } = call
  const field = uncountableField(paging.rules, input)
  if (field !== null) {
    const detail = `input.${field}: must be a whole number of at most ${pageStartMax}, because the pages after it are counted from it`
    return yield* notSent(new InputRejected({ detail }))
  }
  const ready = yield* Effect.mapError(prepared(engine, { ...call, input: paging.input }), notSent)
  const { origin, parts, plan, seen, variables } = ready
  const maxMicros = call.heldMicros ?? Either.getOrElse(holdFor(endpoint, input), () => zero)
  return yield* readInPages({
    paging,
    input,
    price: pagedPrice(endpoint, paging.rules, { input, maxMicros }),
    plan,
    seen,
    exchange: sendWhereTold(engine, ready),
    start: located(parts, variables),
    build: (next) => Either.map(plan.request.build(next), (built) => located(built, variables)),
    origin,
    ...(call.onCost === undefined ? {} : { onCost: call.onCost })
  })
})

const callWith = Effect.fnUntraced(function* (engine: Engine, call: ProviderCall) {
  const paging = call.endpoint.operation.pages === undefined ? null : pagingOf(call.endpoint, call.input)
  if (paging !== null) return yield* callInPages(engine, call, paging)
  const ready = yield* Effect.mapError(prepared(engine, call), notSent)
  const { parts, plan, seen } = ready
  const { async } = call.endpoint.operation
  if (async === undefined) {
    const answer = yield* sendWithKey(engine, ready)(parts, "start")
    return yield* judge({ ...seen, nowMillis: yield* Clock.currentTimeMillis }, answer)
  }
  return yield* Effect.scoped(
    Effect.flatMap(calledBack(engine, ready, async), ({ callback, start }) =>
      runToEnd({
        rules: async,
        plan,
        seen,
        exchange: sendWhereTold(engine, ready),
        start,
        origin: ready.origin,
        variables: ready.variables,
        callback,
        ...(call.onCost === undefined ? {} : { onCost: call.onCost })
      })
    )
  )
})

/**
 * The start of a slow operation, with an address to call where there can be one. The address is placed here and not
 * before, because the digest of a request must not hold it. It works while the start is on its way, and then as long as
 * polls are made.
 */
const calledBack = Effect.fnUntraced(function* (engine: HttpEngine, prepared: Prepared, rules: AsyncRules) {
  const start = located(prepared.parts, prepared.variables)
  const wanted = rules.callback
  if (engine.callbacks === null || wanted === undefined || !takesCallback(start, wanted))
    return { start, callback: null }
  const callback = yield* engine.callbacks.open(exchangeMillisMax(prepared.seen.endpoint) + rules.totalMs)
  return { start: callback === null ? start : withCallback(start, wanted, callback.url), callback }
})

/**
 * A single exchange keeps its own deadline. Polling and the fetch of access tokens end by interruption, even when the
 * caller may not be interrupted.
 */
const withDeadlines = (
  { operation, provider }: ProviderCall["endpoint"],
  call: Effect.Effect<ProviderAnswer, CallFailure>
): Effect.Effect<ProviderAnswer, CallFailure> =>
  operation.async === undefined && operation.pages === undefined && !fetchesTokens(provider.auth)
    ? call
    : onOwnFiber(call)

/** Sockets and access tokens live as long as the layer. */
export const ProvidersHttp = (options: ProvidersHttpOptions = {}): Layer.Layer<Providers> =>
  Layer.scoped(
    Providers,
    Effect.gen(function* () {
      const origins = new Map(Object.entries(options.origins ?? {}))
      const opened = [...origins.values()].flatMap((target) => hostAndPort(target) ?? [])
      const originFor = (origin: string) => origins.get(origin) ?? options.elsewhere ?? origin
      const lineOpening = Effect.fnUntraced(function* (allow: ReadonlyArray<string>) {
        const transport = yield* makeTransport(makeEgress(allow, options.resolve))
        return { transport, tokens: yield* makeOAuthTokens(transport, originFor) } satisfies Line
      })
      const engine: Engine = {
        opened: yield* lineOpening([...(options.egressAllow ?? []), ...opened]),
        unopened: yield* lineOpening(opened),
        refusedTargets: makeRefusedTargets(),
        originFor,
        watch: options.watch ?? null,
        inlineBytes: options.inlineResultBytes ?? inlineResultBytesMax,
        callbacks: options.callbacks ?? null,
        tracer: yield* Tracing
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

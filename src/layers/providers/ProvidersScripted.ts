/**
 * Providers without a network, scripted per endpoint, for tests of everything above the engine. Steps are taken in
 * order and the last one repeats; an endpoint without a script answers its documented hit. Inputs are prepared as in
 * production, output maps are applied as in production, every call is kept for the test to look at, and pauses follow
 * the test's clock. No call takes longer than its operation may.
 */
import { hash } from "node:crypto"
import { Duration, Effect, Either, Layer, Predicate } from "effect"
import type { Json } from "../../domain/Json.js"
import { inlineResultBytesMax } from "../../domain/Limits.js"
import {
  type CallFailure,
  CallLost,
  type CallRunFailure,
  type Evidence,
  notSent,
  type ProviderAnswer,
  type ProviderCall,
  ProviderFailure
} from "../../domain/ProviderCall.js"
import { FetchFailed, ProviderTimeout } from "../../domain/RunFailures.js"
import { Providers } from "../../services/Providers.js"
import { callPlanFor } from "./CallPlan.js"
import { checkCommon, prepare, prepareJob } from "./InputPreparation.js"
import { costEvidence, countTold } from "./AnswerEvidence.js"
import { mapped } from "./Judgement.js"
import type { Case } from "./StatedFailures.js"

export type Step =
  | {
      readonly _tag: "Answer"
      readonly outcome: "hit" | "weak" | "miss"
      readonly body: Json | undefined
      readonly costMicros: Json
      readonly after: Duration.DurationInput
    }
  | {
      readonly _tag: "Failure"
      readonly failure: CallRunFailure
      /** `refused`: the provider said so. `lost`: the request left, and no answer came back. */
      readonly how: "not_sent" | "refused" | "lost"
      readonly costMicros: Json
      readonly after: Duration.DurationInput
    }
  | { readonly _tag: "Silence" }

/** A step, or what decides it when the call is made: `({ input }) => input["name"] === "Ada" ? hit() : miss()`. */
export type Scripted = Step | ((call: ProviderCall) => Step)

const stepTags: ReadonlySet<unknown> = new Set<Step["_tag"]>(["Answer", "Failure", "Silence"])

/** Whether it was made by `hit`, `fail` and the like. */
const isStep = (value: unknown): value is Step => Predicate.hasProperty(value, "_tag") && stepTags.has(value._tag)

export const isScripted = (value: unknown): value is Scripted => typeof value === "function" || isStep(value)

export interface StepOptions {
  /** How long the provider takes. */
  readonly after?: Duration.DurationInput
  /** What the provider says it cost; any JSON, to rehearse anomalies. */
  readonly costMicros?: Json
}

const answer =
  (outcome: "hit" | "weak" | "miss") =>
  (body?: Json, options: StepOptions = {}): Step => ({
    _tag: "Answer",
    outcome,
    body,
    costMicros: options.costMicros ?? null,
    after: options.after ?? 0
  })

/** Without a body: the body of the operation's documented sample of that outcome. */
export const hit = answer("hit")
export const weak = answer("weak")
export const miss = answer("miss")

const failing =
  (how: Extract<Step, { readonly _tag: "Failure" }>["how"]) =>
  (failure: CallRunFailure, options: StepOptions = {}): Step => ({
    _tag: "Failure",
    failure,
    how,
    costMicros: options.costMicros ?? null,
    after: options.after ?? 0
  })

/** The provider says that it failed. */
export const fail = failing("refused")
/** The answer is lost after the request left: an effect may have happened. */
export const drop = (options?: StepOptions): Step => failing("lost")(new FetchFailed(), options)
/** The provider cannot be reached: nothing happened. */
export const unreachable = (options?: StepOptions): Step => failing("not_sent")(new FetchFailed(), options)

/** No answer ever: the call ends at the time limit of its operation. */
export const silence: Step = { _tag: "Silence" }

export interface ScriptedProviders {
  readonly layer: Layer.Layer<Providers>
  /** Replaces what is left of an endpoint's script. */
  readonly script: (endpointId: string, ...steps: ReadonlyArray<Scripted>) => void
  /** The endpoints that have a script. */
  readonly scripted: () => ReadonlyArray<string>
  /** The calls so far, oldest first; of one endpoint, or of all. */
  readonly calls: (endpointId?: string) => ReadonlyArray<ProviderCall>
}

/** What is sent is the input, and nothing has come back yet. */
const evidenceOf = ({ input }: ProviderCall): Evidence => {
  const sent = JSON.stringify(input)
  return {
    requestDigest: hash("sha256", sent),
    responseDigest: null,
    requestBytes: Buffer.byteLength(sent),
    responseBytes: 0,
    providerRequestId: null
  }
}

const answered = (
  call: ProviderCall,
  step: Extract<Step, { readonly _tag: "Answer" }>
): Either.Either<ProviderAnswer, CallFailure> => {
  const body = step.body ?? call.endpoint.operation.samples[step.outcome]?.body ?? (step.outcome === "miss" ? null : {})
  const cost = costEvidence(step.costMicros)
  const told = JSON.stringify(body)
  const evidence: Evidence = {
    ...evidenceOf(call),
    responseDigest: hash("sha256", told),
    responseBytes: Buffer.byteLength(told)
  }
  return Either.flatMap(Either.mapLeft(callPlanFor(call.endpoint), notSent), ({ rules }) => {
    const seen: Case = {
      endpoint: call.endpoint,
      rules,
      input: call.input,
      credential: call.credential._tag,
      nowMillis: 0,
      inlineBytes: inlineResultBytesMax,
      evidence
    }
    const view = { status: 200, headers: {}, body, input: call.input }
    return Either.mapBoth(mapped(seen, view, step.outcome, step.outcome === "weak"), {
      onLeft: (failure) => new ProviderFailure({ failure, sent: true, cost, evidence }),
      onRight: (normalized): ProviderAnswer => ({
        outcome: step.outcome,
        outcomeReason: `The script says ${step.outcome}.`,
        body: { _tag: "Json", value: body },
        normalized,
        providerStatus: 200,
        resultCount: countTold(rules.resultCount, view),
        cost,
        evidence
      })
    })
  })
}

const failed = (
  call: ProviderCall,
  { costMicros, failure, how }: Extract<Step, { readonly _tag: "Failure" }>
): CallFailure => {
  const told = { failure, cost: costEvidence(costMicros), evidence: how === "not_sent" ? null : evidenceOf(call) }
  return how === "lost" ? new CallLost(told) : new ProviderFailure({ ...told, sent: how === "refused" })
}

/** The whole of a slow operation has a limit of its own, as in production. */
const limitOf = ({ endpoint: { operation } }: ProviderCall): Duration.Duration =>
  Duration.millis(operation.async?.totalMs ?? operation.timeoutMs)

/** Whether anything was sent is still what the step says. */
const timedOut = (call: ProviderCall, step: Step): CallFailure =>
  step._tag === "Failure" && step.how === "not_sent"
    ? notSent(new ProviderTimeout())
    : new CallLost({ failure: new ProviderTimeout(), cost: { _tag: "None" }, evidence: evidenceOf(call) })

const ending = (call: ProviderCall, step: Exclude<Step, { readonly _tag: "Silence" }>) =>
  step._tag === "Answer" ? answered(call, step) : Either.left(failed(call, step))

/** How long a step takes is known before, so that no clock has to interrupt a call that may not be interrupted. */
const played = (call: ProviderCall, step: Step): Effect.Effect<ProviderAnswer, CallFailure> => {
  const limit = limitOf(call)
  return step._tag === "Silence" || Duration.greaterThanOrEqualTo(step.after, limit)
    ? Effect.delay(
        Effect.suspend(() => Effect.fail(timedOut(call, step))),
        limit
      )
    : Effect.delay(
        Effect.suspend(() => ending(call, step)),
        step.after
      )
}

export const ProvidersScripted = (
  scripts: { readonly [endpointId: string]: Scripted | ReadonlyArray<Scripted> } = {}
): ScriptedProviders => {
  const left = new Map<string, ReadonlyArray<Scripted>>()
  const made: Array<ProviderCall> = []
  for (const [endpointId, steps] of Object.entries(scripts)) left.set(endpointId, [steps].flat())

  const next = (call: ProviderCall): Step => {
    const endpointId = call.endpoint.operation.id
    const [step = hit(), ...rest] = left.get(endpointId) ?? []
    if (rest.length > 0) left.set(endpointId, rest)
    return typeof step === "function" ? step(call) : step
  }
  return {
    layer: Layer.succeed(Providers, {
      call: (call) =>
        Effect.suspend(() => {
          made.push(call)
          return played(call, next(call))
        }),
      prepare,
      prepareJob,
      checkCommon
    }),
    script: (endpointId, ...steps) => void left.set(endpointId, steps),
    scripted: () => [...left.keys()],
    calls: (endpointId) =>
      endpointId === undefined ? [...made] : made.filter((call) => call.endpoint.operation.id === endpointId)
  }
}

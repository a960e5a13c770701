/**
 * Providers without a network, scripted per endpoint, for tests of everything above the engine. Steps are taken in
 * order and the last one repeats; an endpoint without a script answers its documented hit. Inputs are prepared as in
 * production, output maps are applied as in production, every call is kept for the test to look at, and pauses follow
 * the test's clock.
 */
import { type Duration, Effect, Either, Layer } from "effect"
import type { Json } from "../../domain/Json.js"
import { inlineResultBytesMax } from "../../domain/Limits.js"
import type { CallResult, CostEvidence, ProviderCall } from "../../domain/ProviderCall.js"
import { FetchFailed, InvalidResponse, type RunFailure } from "../../domain/RunFailures.js"
import { Providers } from "../../services/Providers.js"
import { callPlanFor } from "./CallPlan.js"
import { read } from "./Expressions.js"
import { checkCommon, prepare, prepareJob } from "./InputPreparation.js"
import { type Case, costEvidence, countOf, mapped } from "./Judgement.js"

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
      readonly failure: RunFailure
      readonly certainty: "not_sent" | "answered" | "unanswered"
      readonly costMicros: Json
      readonly after: Duration.DurationInput
    }
  | { readonly _tag: "Silence" }

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

const failing = (
  failure: RunFailure,
  certainty: "not_sent" | "answered" | "unanswered",
  options: StepOptions
): Step => ({
  _tag: "Failure",
  failure,
  certainty,
  costMicros: options.costMicros ?? null,
  after: options.after ?? 0
})

/** The provider says that it failed. */
export const fail = (failure: RunFailure, options: StepOptions = {}): Step => failing(failure, "answered", options)
/** The answer is lost after the request left: an effect may have happened. */
export const drop = (options: StepOptions = {}): Step => failing(new FetchFailed({}), "unanswered", options)
/** The provider cannot be reached: nothing happened. */
export const unreachable = (options: StepOptions = {}): Step => failing(new FetchFailed({}), "not_sent", options)

/** No answer ever; ends only by interruption. */
export const silence: Step = { _tag: "Silence" }

export interface ScriptedProviders {
  readonly layer: Layer.Layer<Providers>
  /** Replaces what is left of an endpoint's script. */
  readonly script: (endpointId: string, ...steps: ReadonlyArray<Step>) => void
  /** The calls so far, oldest first; of one endpoint, or of all. */
  readonly calls: (endpointId?: string) => ReadonlyArray<ProviderCall>
}

const answered = (call: ProviderCall, step: Extract<Step, { readonly _tag: "Answer" }>): CallResult => {
  const body = step.body ?? call.endpoint.operation.samples[step.outcome]?.body ?? (step.outcome === "miss" ? null : {})
  const cost: CostEvidence = costEvidence(step.costMicros)
  const plan = callPlanFor(call.endpoint)
  if (Either.isLeft(plan))
    return { _tag: "Failed", failure: plan.left, certainty: "not_sent", providerStatus: null, cost, evidence: null }
  const seen: Case = {
    endpoint: call.endpoint,
    rules: plan.right.rules,
    input: call.input,
    credential: call.credential._tag,
    nowMillis: 0,
    inlineBytes: inlineResultBytesMax
  }
  const view = { status: 200, headers: {}, body, input: call.input }
  const normalized = mapped(seen, view, step.outcome, step.outcome === "weak")
  if (Either.isLeft(normalized))
    return {
      _tag: "Failed",
      failure: new InvalidResponse({}),
      certainty: "answered",
      providerStatus: 200,
      cost,
      evidence: null
    }
  return {
    _tag: "Answered",
    outcome: step.outcome,
    outcomeReason: `The script says ${step.outcome}.`,
    body: { _tag: "Json", value: body },
    normalized: normalized.right,
    providerStatus: 200,
    resultCount: plan.right.rules.resultCount === undefined ? null : countOf(read(plan.right.rules.resultCount, view)),
    cost,
    evidence: {
      requestDigest: "scripted",
      responseDigest: "scripted",
      requestBytes: 0,
      responseBytes: Buffer.byteLength(JSON.stringify(body)),
      providerRequestId: null
    }
  }
}

const played = (call: ProviderCall, step: Step): Effect.Effect<CallResult> => {
  switch (step._tag) {
    case "Silence":
      return Effect.never
    case "Answer":
      return Effect.delay(
        Effect.sync(() => answered(call, step)),
        step.after
      )
    case "Failure": {
      const result: CallResult = {
        _tag: "Failed",
        failure: step.failure,
        certainty: step.certainty,
        providerStatus: step.failure.providerStatus ?? null,
        cost: costEvidence(step.costMicros),
        evidence: null
      }
      return Effect.delay(Effect.succeed(result), step.after)
    }
  }
}

export const ProvidersScripted = (
  scripts: { readonly [endpointId: string]: Step | ReadonlyArray<Step> } = {}
): ScriptedProviders => {
  const left = new Map<string, ReadonlyArray<Step>>()
  const made: Array<ProviderCall> = []
  for (const [endpointId, steps] of Object.entries(scripts)) left.set(endpointId, "_tag" in steps ? [steps] : steps)

  const next = (endpointId: string): Step => {
    const [step, ...rest] = left.get(endpointId) ?? []
    if (rest.length > 0) left.set(endpointId, rest)
    return step ?? hit()
  }
  return {
    layer: Layer.succeed(Providers, {
      call: (call) =>
        Effect.suspend(() => {
          made.push(call)
          return played(call, next(call.endpoint.operation.id))
        }),
      prepare,
      prepareJob,
      checkCommon
    }),
    script: (endpointId, ...steps) => void left.set(endpointId, steps),
    calls: (endpointId) =>
      endpointId === undefined ? [...made] : made.filter((call) => call.endpoint.operation.id === endpointId)
  }
}

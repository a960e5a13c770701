/**
 * Providers without a network, scripted per endpoint, for tests of everything above the engine. Steps are taken in
 * order and the last one repeats; an endpoint without a script answers its documented hit. Inputs are prepared as in
 * production, output maps are applied as in production, every call is kept for the test to look at, and pauses follow
 * the test's clock. No call takes longer than its operation may.
 */
import { hash } from "node:crypto"
import { Duration, Effect, Either, Layer } from "effect"
import { inlineResultBytesMax } from "../../domain/limits/Calls.js"
import {
  type CallFailure,
  CallLost,
  type Evidence,
  notSent,
  type ProviderAnswer,
  type ProviderCall,
  ProviderFailure
} from "../../domain/ProviderCall.js"
import { ContractInvalid, ProviderTimeout } from "../../domain/RunFailures.js"
import { Providers } from "../../services/Providers.js"
import { callPlanFor } from "./CallPlan.js"
import { checkCommon, prepare, prepareJob } from "./InputPreparation.js"
import { costEvidence, countTold } from "./AnswerEvidence.js"
import { mapped } from "./Judgement.js"
import { hit, type Scripted, type Step } from "./ScriptedSteps.js"
import { stepMistake } from "./ScriptMistakes.js"
import type { Case } from "./StatedFailures.js"

export * from "./ScriptedSteps.js"

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
  // Null is an answer too.
  const sample = call.endpoint.operation.samples[step.outcome]?.body ?? (step.outcome === "miss" ? null : {})
  const body = step.body === undefined ? sample : step.body
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

/** A function that throws, or that gives no step, fails the call: a defect would leave its run without an end. */
const decided = (call: ProviderCall, scripted: Scripted): Effect.Effect<Step, CallFailure> => {
  if (typeof scripted !== "function") return Effect.succeed(scripted)
  const refuse = (what: string) =>
    notSent(new ContractInvalid({ detail: `The function that scripts ${call.endpoint.operation.id} ${what}.` }))
  return Effect.try({ try: () => scripted(call), catch: (thrown) => refuse(`threw: ${String(thrown)}`) }).pipe(
    Effect.filterOrElse(
      (step) => stepMistake(step) === null,
      (step) => refuse(`gave a step that is wrong: it ${stepMistake(step)}`)
    )
  )
}

export const ProvidersScripted = (
  scripts: { readonly [endpointId: string]: Scripted | ReadonlyArray<Scripted> } = {}
): ScriptedProviders => {
  const left = new Map<string, ReadonlyArray<Scripted>>()
  const made: Array<ProviderCall> = []
  for (const [endpointId, steps] of Object.entries(scripts)) left.set(endpointId, [steps].flat())

  const next = (call: ProviderCall): Scripted => {
    const endpointId = call.endpoint.operation.id
    const [step = hit(), ...rest] = left.get(endpointId) ?? []
    if (rest.length > 0) left.set(endpointId, rest)
    return step
  }
  return {
    layer: Layer.succeed(Providers, {
      call: (call) =>
        Effect.suspend(() => {
          made.push(call)
          return Effect.flatMap(decided(call, next(call)), (step) => played(call, step))
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

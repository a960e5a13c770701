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
  type CallRunFailure,
  type Evidence,
  notSent,
  type ProviderAnswer,
  type ProviderCall,
  ProviderFailure
} from "../../domain/ProviderCall.js"
import { writeJson } from "../../domain/LosslessJson.js"
import { ContractInvalid, ProviderTimeout } from "../../domain/RunFailures.js"
import { Providers } from "../../services/Providers.js"
import { callPlanFor } from "./CallPlan.js"
import { checkCommon, prepare, prepareJob } from "./InputPreparation.js"
import { costEvidence, countTold } from "./AnswerEvidence.js"
import { readAnswer } from "./AnswerReading.js"
import { mapped, readingOf, unreadableAs, viewOf } from "./Judgement.js"
import { hit, type Scripted, type Step } from "./ScriptedSteps.js"
import { stepMistake } from "./ScriptMistakes.js"
import type { Case } from "./StatedFailures.js"
import type { WireAnswer } from "./Transport.js"

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

type Answer = Extract<Step, { readonly _tag: "Answer" }>

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

/** What the step sends. Without a body it is the documented sample of that outcome; null is an answer too. */
const sentBy = (call: ProviderCall, { body, contentType, filename, outcome }: Answer): WireAnswer => {
  const sample = call.endpoint.operation.samples[outcome]?.body ?? (outcome === "miss" ? null : {})
  const given = body === undefined ? sample : body
  const asItIs = typeof given === "string" && contentType !== null
  return {
    status: 200,
    headers: {
      "content-type": contentType ?? "application/json",
      ...(filename === null ? {} : { "content-disposition": `attachment; filename="${filename}"` })
    },
    bytes: given instanceof Uint8Array ? Buffer.from(given) : Buffer.from(asItIs ? given : writeJson(given))
  }
}

const answered = (call: ProviderCall, step: Answer): Either.Either<ProviderAnswer, CallFailure> => {
  const wire = sentBy(call, step)
  const cost = costEvidence(step.costMicros)
  const evidence: Evidence = {
    ...evidenceOf(call),
    responseDigest: hash("sha256", wire.bytes),
    responseBytes: wire.bytes.length
  }
  const refused = (failure: CallRunFailure) => new ProviderFailure({ failure, sent: true, cost, evidence })
  return Either.gen(function* () {
    const { rules } = yield* Either.mapLeft(callPlanFor(call.endpoint), notSent)
    const seen: Case = {
      endpoint: call.endpoint,
      rules,
      input: call.input,
      credential: call.credential._tag,
      nowMillis: 0,
      inlineBytes: inlineResultBytesMax,
      evidence
    }
    // JSON is what a step gives where it says nothing else, whatever the operation answers in production.
    const allowed = step.contentType === null ? { allowed: ["application/json"] } : {}
    const read = yield* Either.mapLeft(readAnswer(wire, { ...readingOf(seen), ...allowed }), (why) =>
      refused(unreadableAs(why, wire.status))
    )
    const view = viewOf(seen, wire, read.view)
    const normalized = yield* Either.mapLeft(mapped(seen, view, step.outcome, step.outcome === "weak"), refused)
    const said = `The script says ${step.outcome}.`
    return {
      outcome: step.outcome,
      outcomeReason: read.note === null ? said : `${said} ${read.note}`,
      body: read.body,
      normalized,
      providerStatus: wire.status,
      resultCount: countTold(rules.resultCount, view),
      cost,
      evidence
    }
  })
}

const failed = (
  call: ProviderCall,
  { costMicros, failure, how }: Extract<Step, { readonly _tag: "Failure" }>
): CallFailure => {
  const details = { failure, cost: costEvidence(costMicros), evidence: how === "not_sent" ? null : evidenceOf(call) }
  return how === "lost" ? new CallLost(details) : new ProviderFailure({ ...details, sent: how === "refused" })
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

/**
 * The call of one attempt. It looks up the contract and the key, calls the provider unless it has been switched off
 * since the run was planned, and records what the result says about its health. A call is made once. When the run is
 * stopped, a read-only call is aborted; an effectful call may finish.
 */
import { Data, Effect, Exit, Fiber, Option, Schedule } from "effect"
import type { Endpoint } from "../../../domain/Manifest.js"
import {
  type CallFailure,
  type CostEvidence,
  type Evidence,
  type ProviderAnswer,
  type ProviderCall,
  saysHowItDid
} from "../../../domain/ProviderCall.js"
import type { Candidate } from "../../../domain/RoutePlan.js"
import { type Attempt, latencyMsOf, type Run } from "../../../domain/Run.js"
import {
  CancellationRequestedAfterDispatch,
  ContractInvalid,
  type ProviderDisabled
} from "../../../domain/RunFailures.js"
import type { TraceContext } from "../../../domain/Trace.js"
import type { CredentialFailure } from "../../../services/Credentials.js"
import { inSpan } from "../../../services/Tracing.js"
import { switchedOff } from "../planning/Candidates.js"
import { filesFor } from "./NamedFiles.js"
import { firstOf, type OneTimeEvent } from "../../../services/OneTimeEvent.js"
import { countCall } from "./RunCounters.js"
import { attemptSpan, endOfAttempt } from "./RunSpans.js"
import {
  mayShare,
  ownAnswer,
  type SharedAnswer,
  type SharedCallFailed,
  type SharedCallStopped
} from "./SingleFlight.js"
import { LeaseLost, type Parts, type Stop, type Work } from "./Work.js"

/** An attempt that is stored and whose call has not been made yet. */
export interface OpenAttempt {
  readonly attempt: Attempt
  readonly candidate: Candidate
}

export interface AttemptAnswer extends SharedAnswer {
  readonly endpoint: Endpoint
}

/**
 * The client cancelled the run before its call was made, or while a read-only call was under way. Carries what the
 * provider had said of the cost until then.
 */
export class CallStopped extends Data.TaggedError("CallStopped")<{
  readonly failure: CancellationRequestedAfterDispatch
  readonly cost: CostEvidence
  readonly evidence: Evidence | null
}> {}

type Call = Effect.Effect<SharedAnswer, CallFailure | SharedCallFailed | SharedCallStopped>
type StoppableCall = Effect.Effect<SharedAnswer, Effect.Effect.Error<Call> | CallStopped | LeaseLost>

/** What the provider has said so far of the cost of this call. */
interface CostSoFar {
  cost: CostEvidence
  evidence: Evidence | null
}

/** Why an attempt has no answer. */
export type AttemptFailure =
  CallFailure | CallStopped | ContractInvalid | CredentialFailure | ProviderDisabled | SharedCallFailed

type CallAttempt = (
  work: Work,
  run: Run,
  opened: OpenAttempt
) => Effect.Effect<AttemptAnswer, AttemptFailure | LeaseLost>

/** After how long a run that is locked is looked at again. */
const lockedLookMillis = 50

export const attemptCall = (parts: Parts): CallAttempt => {
  const { patiently } = parts
  /**
   * If this node stood still since it took the run, another node may have the run by now. Then nothing is sent. A run
   * that somebody has locked is looked at again: the one that locked it may be taking it over.
   */
  const stillOurs = Effect.fnUntraced(function* ({ lease, sinceNanos }: Work, { runId, workspaceId }: Run) {
    const millis = Number(parts.clock.unsafeCurrentTimeNanos() - sinceNanos) / 1e6
    if (millis < lease.millis / 2) return
    const look = patiently(parts.store.heartbeat([{ workspaceId, runId, token: lease.token }], lease.millis))
    let found = yield* look
    while (found.held.has(runId) && !found.renewed.has(runId)) {
      yield* Effect.sleep(lockedLookMillis)
      found = yield* look
    }
    if (!found.held.has(runId)) return yield* new LeaseLost()
  })

  /** Fails where nothing may be sent any more. */
  const mayBeSent = Effect.fnUntraced(function* (work: Work, run: Run) {
    if (!Option.contains(work.stop.known(), "lease_lost")) yield* stillOurs(work, run)
    const stopped = Option.getOrNull(work.stop.known())
    if (stopped === "lease_lost") return yield* new LeaseLost()
    if (stopped === "cancelled")
      return yield* new CallStopped({
        failure: new CancellationRequestedAfterDispatch(),
        cost: { _tag: "None" },
        evidence: null
      })
  })

  /**
   * A failure with a customer's own key, or a rehearsal with a fixture, says nothing about the provider for other
   * workspaces.
   */
  const record = (attempt: Attempt, { credential, endpoint }: ProviderCall, failed: CallFailure | null) => {
    const latencyMs = latencyMsOf(attempt.startedAt, parts.clock.unsafeCurrentTimeMillis())
    countCall(attempt.providerId, failed, latencyMs)
    return Effect.zipRight(
      credential._tag === "Connection" || endpoint.provider.mock
        ? Effect.void
        : parts.health.record(attempt.providerId, failed),
      failed === null || saysHowItDid(failed)
        ? parts.stats.record({
            endpointId: attempt.endpointId,
            success: failed === null,
            latencyMs
          })
        : Effect.void
    )
  }

  const exchange = (attempt: Attempt, providerCall: ProviderCall): Effect.Effect<ProviderAnswer, CallFailure> =>
    parts.faults.during("dispatch.after_send", parts.providers.call(providerCall)).pipe(
      Effect.tapBoth({
        onFailure: (failed) => {
          parts.lookAt(providerCall.endpoint, failed)
          return record(attempt, providerCall, failed)
        },
        onSuccess: (answer) => {
          parts.lookAt(providerCall.endpoint, answer)
          return record(attempt, providerCall, null)
        }
      })
    )

  const send = (stop: OneTimeEvent<Stop>, run: Run, attempt: Attempt, providerCall: ProviderCall): StoppableCall => {
    const costSoFar: CostSoFar = { cost: { _tag: "None" }, evidence: null }
    const { async, effect, pages } = providerCall.endpoint.operation
    const call = exchange(
      attempt,
      effect === "effectful" || (pages === undefined && async === undefined)
        ? providerCall
        : {
            ...providerCall,
            onCost: (cost, evidence) => {
              costSoFar.cost = cost
              costSoFar.evidence = evidence
            }
          }
    )
    if (effect === "effectful") return Effect.map(call, ownAnswer)
    return untilStopped(
      stop,
      costSoFar,
      mayShare(providerCall) ? parts.shared.share(run, providerCall, call) : Effect.map(call, ownAnswer)
    )
  }

  /** A storage that is away, or a catalog that is not loaded yet, says nothing about the contract. */
  const endpointOf = ({ contractVersion, endpointId }: Candidate) => {
    const found = patiently(parts.catalog.endpointAt(endpointId, contractVersion))
    return Effect.catchAll(found, () => Effect.orDie(Effect.retry(found, Schedule.spaced("100 millis"))))
  }

  const called = Effect.fnUntraced(function* (
    work: Work,
    run: Run,
    { attempt, candidate }: OpenAttempt,
    trace: TraceContext | null
  ) {
    const endpoint = yield* endpointOf(candidate)
    if (endpoint === null)
      return yield* new ContractInvalid({ detail: "The contract of this run is not stored any more." })
    const credential = yield* patiently(
      parts.credentials.resolve({
        workspaceId: run.workspaceId,
        provider: endpoint.provider,
        connectionId: run.connectionId
      })
    )
    const { files: rules } = endpoint.operation
    const files = rules === undefined ? undefined : yield* filesFor(parts, run, rules, candidate.input)
    yield* parts.faults.at("dispatch.before_send")
    yield* mayBeSent(work, run)
    // Checked last, because the steps before it may take long. After it only the call of another run is waited for.
    const off = switchedOff(endpoint, parts.health.stateOf(endpoint.provider.id))
    if (off !== null) return yield* off
    const { answer, sharedWithRunId } = yield* send(work.stop, run, attempt, {
      endpoint,
      input: candidate.input,
      credential,
      attemptReference: attempt.attemptId,
      ...(files === undefined ? {} : { files }),
      heldMicros: candidate.maxMicros,
      ...(trace === null ? {} : { trace: { parent: trace, runId: run.runId, attemptId: attempt.attemptId } })
    })
    return { endpoint, answer, sharedWithRunId } satisfies AttemptAnswer
  })

  /**
   * The run waited for the call of another run, which was stopped. That may have taken minutes, so everything is looked
   * up and checked again.
   */
  const calledAtLast = (
    work: Work,
    run: Run,
    opened: OpenAttempt,
    trace: TraceContext | null
  ): ReturnType<CallAttempt> =>
    Effect.catchTag(called(work, run, opened, trace), "SharedCallStopped", () => calledAtLast(work, run, opened, trace))

  return (work, run, opened) =>
    inSpan(
      parts.tracer,
      () => attemptSpan(work, opened),
      (trace) => calledAtLast(work, run, opened, trace),
      endOfAttempt(opened)
    )
}

type CallExit = Exit.Exit<SharedAnswer, Effect.Effect.Error<Call>>

/** How the call ended, or why the run was stopped before that. */
const endOrStop = (calling: Fiber.RuntimeFiber<SharedAnswer, Effect.Effect.Error<Call>>, stop: OneTimeEvent<Stop>) =>
  firstOf<CallExit | Stop>((listener) => {
    calling.addObserver(listener)
    return () => calling.removeObserver(listener)
  }, stop.listen)

/** Aborts the call of a run that was stopped. */
const abort = (
  calling: Fiber.RuntimeFiber<SharedAnswer, Effect.Effect.Error<Call>>,
  why: Stop,
  costSoFar: CostSoFar
): StoppableCall =>
  why === "lease_lost"
    ? Effect.zipRight(Fiber.interrupt(calling), new LeaseLost())
    : // A call that ended before it could be aborted has an answer, which counts with what it cost.
      Effect.flatMap(Fiber.interrupt(calling), (exit): StoppableCall =>
        Exit.isInterrupted(exit)
          ? Effect.fail(new CallStopped({ failure: new CancellationRequestedAfterDispatch(), ...costSoFar }))
          : exit
      )

const untilStopped = (stop: OneTimeEvent<Stop>, costSoFar: CostSoFar, call: Call): StoppableCall =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.fork(restore(call)), (calling) =>
      restore(endOrStop(calling, stop)).pipe(
        Effect.onInterrupt(() => Fiber.interrupt(calling)),
        Effect.flatMap((first): StoppableCall => (typeof first === "string" ? abort(calling, first, costSoFar) : first))
      )
    )
  )

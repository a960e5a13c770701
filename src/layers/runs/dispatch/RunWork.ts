/**
 * The work on one leased run, from its next attempt to its settlement. The attempt is durable before its call and its
 * receipt after it; storage trouble is waited out, because the run's money is held until its end is written. Never
 * repeats a call: what a dead node left behind is judged by what the operation allows.
 */
import { Clock, Data, Effect, Either, type Exit, Fiber, Option, Schedule } from "effect"
import { end, failed } from "./AttemptEnding.js"
import { mayShare, type SharedCalls, type SharedResult } from "./SharedCalls.js"
import { nextStep, nodeLost } from "../../../domain/Fallback.js"
import { AttemptId, MediaId, ReceiptId } from "../../../domain/Ids.js"
import * as Money from "../../../domain/Micros.js"
import { workersLostMax } from "../../../domain/Limits.js"
import { attemptWithoutWords, runWithoutAnswer } from "../../../domain/Placeholder.js"
import { type CallResult, type ProviderCall, saysHowItDid } from "../../../domain/ProviderCall.js"
import type { Candidate } from "../../../domain/RoutePlan.js"
import { type Attempt, latencyMsOf, type Run } from "../../../domain/Run.js"
import {
  CancellationRequestedAfterDispatch,
  ContractInvalid,
  NoRouteCandidate,
  ProviderTimeout,
  type RunFailure,
  RuntimeStoreReplacedBeforeDispatch
} from "../../../domain/RunFailures.js"
import type { RunEvent } from "../../../domain/RunMachine.js"
import { type StorageError, whereRefused } from "../../../domain/StorageErrors.js"
import type { Trouble } from "../../node/Trouble.js"
import type { Catalog } from "../../../services/Catalog.js"
import type { Credentials } from "../../../services/Credentials.js"
import type { EndpointStats } from "../../../services/EndpointStats.js"
import type { FaultPoints } from "../../../services/FaultPoints.js"
import type { Ids } from "../../../services/Ids.js"
import { firstOf, type Once } from "../../../services/Once.js"
import type { ProviderHealth } from "../../../services/ProviderHealth.js"
import type { Providers } from "../../../services/Providers.js"
import type { LeasedRun, Media, RunStore } from "../../../services/RunStore.js"
import type { RunDetail } from "../../../services/Runs.js"
import type { Settlement } from "../../../services/Settlement.js"

export interface Parts {
  readonly catalog: Catalog["Type"]
  readonly credentials: Credentials["Type"]
  readonly faults: FaultPoints["Type"]
  readonly health: ProviderHealth["Type"]
  readonly ids: Ids["Type"]
  readonly normalizedOn: boolean
  readonly patiently: Patiently
  readonly providers: Providers["Type"]
  readonly settlement: Settlement["Type"]
  readonly shared: SharedCalls
  readonly stats: EndpointStats["Type"]
  readonly store: RunStore["Type"]
}

/** Why the work on a run stops from outside: its client wants it cancelled, or another node has it now. */
export type Stop = "cancelled" | "lease_lost"

/** Somebody else has the run now: nothing may be written any more. */
class LeaseLost extends Data.TaggedError("LeaseLost")<{}> {}

/** Storage comes back or the lease is lost: either way this ends. */
const untilStorageAnswers = Schedule.exponential("50 millis").pipe(
  Schedule.union(Schedule.spaced("1 second")),
  Schedule.jittered
)
/** Waits until the storage takes it; that it has to wait is told in the log. */
export type Patiently = <A, E>(work: Effect.Effect<A, E | StorageError>) => Effect.Effect<A, Exclude<E, StorageError>>

export const patientlyWith = (trouble: Trouble): Patiently => {
  const told = (error: unknown) => Effect.sync(() => (isStorageTrouble(error) ? trouble.failed(error._tag) : undefined))
  return (work) =>
    Effect.catchIf(work, isStorageTrouble, (error) =>
      told(error).pipe(
        Effect.zipRight(
          Effect.retry(Effect.tapError(work, told), { schedule: untilStorageAnswers, while: isStorageTrouble })
        ),
        Effect.ensuring(Effect.sync(trouble.worked))
      )
    ).pipe(Effect.catchIf(isStorageTrouble, Effect.die))
}

/** How long a late answer waits for the node that took its run over, which has only to write that down. */
const lateLookMillis = 100
const lateLooksMax = 100

const isStorageTrouble = (error: unknown): error is StorageError =>
  typeof error === "object" &&
  error !== null &&
  "_tag" in error &&
  (error._tag === "storage_busy" || error._tag === "storage_uncertain" || error._tag === "runtime_bridge_timeout")

export const openAttempt =
  (ids: Ids["Type"]) =>
  (run: Run, candidate: Candidate, n: number): Effect.Effect<Attempt> =>
    Effect.zipWith(ids.suffix, Clock.currentTimeMillis, (suffix, startedAt) => ({
      attemptId: AttemptId.make(`att_${suffix}`),
      runId: run.runId,
      workspaceId: run.workspaceId,
      n,
      endpointId: candidate.endpointId,
      providerId: candidate.providerId,
      status: "running",
      outcome: null,
      reason: null,
      errorCode: null,
      providerStatus: null,
      latencyMs: null,
      costMicros: null,
      billed: false,
      receiptId: null,
      receipt: null,
      startedAt,
      completedAt: null
    }))

const refusedBeforeCall = (failure: RunFailure): CallResult => ({
  _tag: "Failed",
  failure,
  certainty: "not_sent",
  providerStatus: null,
  cost: { _tag: "None" },
  evidence: null
})

const own = (result: CallResult): SharedResult => ({ result, sharedWithRunId: null })

/** The work on one run, which is ours by this lease until it is stopped. */
interface Work {
  readonly lease: LeasedRun["lease"]
  /** When it began, by the clock that nobody sets. */
  readonly sinceNanos: bigint
  readonly stop: Once<Stop>
}

/** The run with its attempts, or none when somebody else has it now. */
type Worked = Effect.Effect<Option.Option<RunDetail>, LeaseLost>

/** Works on a run until it is settled. */
export const workOn = (
  parts: Parts
): ((leased: LeasedRun, stop: Once<Stop>) => Effect.Effect<Option.Option<RunDetail>>) => {
  const open = openAttempt(parts.ids)
  const { patiently } = parts

  const settle = Effect.fnUntraced(function* (
    { lease }: Work,
    run: Run,
    attempts: ReadonlyArray<Attempt>,
    event: RunEvent,
    ended: Attempt | null,
    media: Media | null
  ) {
    yield* parts.faults.at("settlement.before")
    const completedAt = event === "Uncertain" ? null : yield* Clock.currentTimeMillis
    const costMicros = Money.sum(attempts.map((attempt) => attempt.costMicros ?? Money.zero))
    const answer = yield* patiently(
      parts.settlement.settle({
        run: { ...run, completedAt },
        event,
        costMicros,
        reason: null,
        leaseToken: lease.token,
        attempt: ended,
        media
      })
    )
    if (answer._tag === "Settled") return Option.some<RunDetail>({ run: answer.run, attempts })
    const candidate = run.plan?.candidates.find(({ endpointId }) => endpointId === ended?.endpointId)
    const known = event === "Completed" || event === "Failed"
    return candidate?.effectful === true && known
      ? yield* settleLate({ ...run, completedAt }, attempts, costMicros, event, ended, media)
      : Option.none<RunDetail>()
  })

  /**
   * This node stood still for so long that another took the run over, to which the answer of the call is lost. It is
   * not: once the other has said so, the run gets its true end. Until then it waits a little, because only one of them
   * can write.
   */
  const settleLate = Effect.fnUntraced(function* (
    run: Run,
    attempts: ReadonlyArray<Attempt>,
    costMicros: Money.Micros,
    event: "Completed" | "Failed",
    ended: Attempt | null,
    media: Media | null
  ) {
    const stored = yield* Effect.repeat(Effect.delay(patiently(parts.store.get(run)), lateLookMillis), {
      until: (found) => found?.status !== "running",
      times: lateLooksMax
    })
    if (stored?.status !== "reconciliation_pending") return Option.none<RunDetail>()
    const late = yield* patiently(
      parts.settlement.settle({
        run: { ...run, status: "reconciliation_pending" },
        event: event === "Completed" ? "AnsweredLate" : "FailedLate",
        costMicros,
        reason: null,
        leaseToken: null,
        attempt: ended,
        media
      })
    )
    return late._tag === "Settled" ? Option.some<RunDetail>({ run: late.run, attempts }) : Option.none<RunDetail>()
  })

  /**
   * A node that stood still between taking a run and calling may have lost it meanwhile: then nothing is sent any more.
   */
  const stillOurs = Effect.fnUntraced(function* ({ lease, sinceNanos, stop }: Work, run: Run) {
    if (Option.contains(stop.known(), "lease_lost")) return yield* new LeaseLost()
    const millis = Number((yield* Clock.currentTimeNanos) - sinceNanos) / 1e6
    if (millis < lease.millis / 2) return
    const { held } = yield* patiently(
      parts.store.heartbeat([{ workspaceId: run.workspaceId, runId: run.runId, token: lease.token }], lease.millis)
    )
    if (!held.has(run.runId)) return yield* new LeaseLost()
  })

  const call = Effect.fnUntraced(function* (work: Work, run: Run, candidate: Candidate, attempt: Attempt) {
    // Neither a storage that is away nor a catalog that is not there yet says anything about the contract.
    const endpoint = yield* Effect.retry(
      patiently(parts.catalog.endpointAt(candidate.endpointId, candidate.contractVersion)),
      Schedule.spaced("100 millis")
    ).pipe(Effect.orDie)
    if (endpoint === null)
      return {
        endpoint,
        ...own(refusedBeforeCall(new ContractInvalid({ detail: "The contract of this run is not stored any more." })))
      }
    const credential = yield* Effect.either(
      patiently(
        parts.credentials.resolve({
          workspaceId: run.workspaceId,
          provider: endpoint.provider,
          connectionId: run.connectionId
        })
      )
    )
    if (Either.isLeft(credential)) return { endpoint, ...own(refusedBeforeCall(credential.left)) }
    yield* parts.faults.at("dispatch.before_send")
    const providerCall: ProviderCall = {
      endpoint,
      input: candidate.input,
      credential: credential.right,
      attemptReference: attempt.attemptId
    }
    yield* stillOurs(work, run)
    const answered = yield* send(work.stop, run, providerCall)
    if (answered.sharedWithRunId === null) yield* record(attempt, providerCall, answered.result)
    return { endpoint, ...answered }
  })

  /** A read-only call is aborted when the run is stopped; an effectful one is left to end. */
  const send = (stop: Once<Stop>, run: Run, providerCall: ProviderCall): Effect.Effect<SharedResult, LeaseLost> => {
    const exchange = parts.faults.during("dispatch.after_send", parts.providers.call(providerCall))
    if (providerCall.endpoint.operation.effect === "effectful") return Effect.map(exchange, own)
    return untilStopped(
      stop,
      mayShare(providerCall) ? parts.shared.share(run, providerCall, exchange) : Effect.map(exchange, own)
    )
  }

  const untilStopped = (stop: Once<Stop>, work: Effect.Effect<SharedResult>): Effect.Effect<SharedResult, LeaseLost> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.fork(restore(work)), (calling) =>
        restore(
          firstOf<Exit.Exit<SharedResult> | Stop>((listener) => {
            calling.addObserver(listener)
            return () => calling.removeObserver(listener)
          }, stop.listen)
        ).pipe(
          Effect.onInterrupt(() => Fiber.interrupt(calling)),
          Effect.flatMap((ended) =>
            ended === "cancelled" || ended === "lease_lost"
              ? Effect.zipRight(Fiber.interrupt(calling), stopped(ended))
              : ended
          )
        )
      )
    )

  const stopped = (why: Stop): Effect.Effect<SharedResult, LeaseLost> =>
    why === "lease_lost"
      ? new LeaseLost()
      : Effect.succeed(own(refusedBeforeCall(new CancellationRequestedAfterDispatch())))

  /**
   * What a customer's own key ran into, or a rehearsal with a fixture, says nothing about the provider for everybody
   * else.
   */
  const record = (attempt: Attempt, { credential, endpoint }: ProviderCall, result: CallResult) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.zipRight(
        credential._tag === "Connection" || endpoint.provider.mock
          ? Effect.void
          : parts.health.record(attempt.providerId, result),
        saysHowItDid(result)
          ? parts.stats.record({
              endpointId: attempt.endpointId,
              success: result._tag === "Answered",
              latencyMs: latencyMsOf(attempt.startedAt, now)
            })
          : Effect.void
      )
    )

  const tryCandidate = Effect.fnUntraced(function* (
    work: Work,
    run: Run,
    before: ReadonlyArray<Attempt>,
    candidate: Candidate,
    attempt: Attempt
  ) {
    const { endpoint, result, sharedWithRunId } = yield* call(work, run, candidate, attempt)
    const now = yield* Clock.currentTimeMillis
    const ending = end({
      run,
      attempt,
      candidate,
      endpoint,
      result,
      sharedWithRunId,
      now,
      receiptId: ReceiptId.make(`rcp_${yield* parts.ids.suffix}`),
      mediaId: MediaId.make(`med_${yield* parts.ids.suffix}`),
      normalizedOn: parts.normalizedOn
    })
    const attempts = [...before, ending.attempt]
    if (result._tag === "Failed" && result.failure._tag === "cancellation_requested_after_dispatch") {
      return yield* settle(
        work,
        failed(run, result.failure, "error", null),
        attempts,
        "Cancelled",
        ending.attempt,
        null
      )
    }
    if (ending.uncertain) {
      return yield* settle(
        work,
        { ...ending.run, error: null, outcome: null, outcomeReason: uncertainReason(result) },
        attempts,
        "Uncertain",
        ending.attempt,
        null
      )
    }
    return yield* goOn(work, ending.run, attempts, ending.attempt, ending.media)
  })

  /** What comes after `attempts`, of which `ended` is not yet written. */
  const goOn: (
    work: Work,
    run: Run,
    attempts: ReadonlyArray<Attempt>,
    ended: Attempt | null,
    media: Media | null
  ) => Worked = Effect.fnUntraced(function* (work, run, attempts, ended, media) {
    const step = run.plan === null ? { _tag: "Conclude" as const } : nextStep(run.plan, run.holdMicros, attempts)
    if (step._tag === "Conclude") {
      const answered = run.outcome === "hit" || run.outcome === "weak" || run.outcome === "miss"
      const concluded = run.outcome === null ? failed(run, new NoRouteCandidate(), "error", null) : run
      return yield* settle(work, concluded, attempts, answered ? "Completed" : "Failed", ended, media)
    }
    const why = Option.getOrNull(work.stop.known())
    if (why !== null) {
      if (why === "lease_lost") return yield* new LeaseLost()
      return yield* settle(
        work,
        failed(run, new CancellationRequestedAfterDispatch(), "error", null),
        attempts,
        "Cancelled",
        ended,
        media
      )
    }
    const opened = yield* open(run, step.candidate, step.n)
    const held = yield* whereRefused(
      patiently(parts.store.nextAttempt({ run, lease: work.lease, ended, opened, media })),
      () =>
        patiently(
          parts.store.nextAttempt({
            run: runWithoutAnswer(run),
            lease: work.lease,
            ended: ended === null ? null : attemptWithoutWords(ended, "without_words"),
            opened,
            media: null
          })
        )
    )
    if (!held) return yield* new LeaseLost()
    return yield* tryCandidate(work, run, attempts, step.candidate, opened)
  })

  const lost = (left: Attempt): Effect.Effect<Attempt> =>
    Effect.map(Clock.currentTimeMillis, (completedAt) => ({
      ...left,
      completedAt,
      latencyMs: latencyMsOf(left.startedAt, completedAt),
      reason: "The gateway stopped while the provider was working on it."
    }))

  /** An attempt that another node began and nobody ended. */
  const takeOver = Effect.fnUntraced(function* (work: Work, run: Run, before: ReadonlyArray<Attempt>, left: Attempt) {
    const candidate = run.plan?.candidates.find(({ endpointId }) => endpointId === left.endpointId)
    const gone = yield* lost(left)
    if (candidate === undefined || candidate.effectful) {
      const ended: Attempt = { ...gone, status: "reconciliation_pending" }
      return yield* settle(work, { ...run, outcomeReason: lostAnswer }, [...before, ended], "Uncertain", ended, null)
    }
    const failure = new ProviderTimeout({
      detail: "The gateway stopped while the provider was working on it, and this operation may not be called again."
    })
    const ended: Attempt = {
      ...gone,
      status: "failed",
      outcome: "error",
      errorCode: candidate.repeatable ? nodeLost : failure.code,
      costMicros: Money.zero
    }
    return yield* goOn(
      work,
      run.outcome === null ? failed(run, failure, "error", null) : run,
      [...before, ended],
      ended,
      null
    )
  })

  /** Ends a run without another call: its open attempt is lost, and the best answer so far stands. */
  const endHere = Effect.fnUntraced(function* (
    work: Work,
    run: Run,
    before: ReadonlyArray<Attempt>,
    left: Attempt | null,
    failure: RunFailure
  ) {
    const ended: Attempt | null = left && {
      ...(yield* lost(left)),
      status: "failed",
      outcome: "error",
      errorCode: failure.code,
      costMicros: Money.zero
    }
    const answered = run.outcome === "hit" || run.outcome === "weak" || run.outcome === "miss"
    const attempts = ended === null ? before : [...before, ended]
    return yield* settle(
      work,
      answered ? run : failed(run, failure, "error", null),
      attempts,
      answered ? "Completed" : "Failed",
      ended,
      null
    )
  })

  /** What may have ended the nodes that worked on it is not given the chance again. */
  const setApart = ({ runId, workspaceId }: Run): Effect.Effect<RunFailure> =>
    Effect.as(
      Effect.annotateLogs(
        Effect.logWarning(`${workersLostMax} nodes went silent while they worked on a run: it is set apart`),
        { runId, workspaceId }
      ),
      new ContractInvalid({
        detail: `The gateway stopped ${workersLostMax} times while it worked on this run, which is not tried again.`
      })
    )

  /** Why nobody is called any more for a run of a restored storage, or for one that is set apart. */
  const obstacle = ({ restored, run }: LeasedRun, open: Attempt | null): Effect.Effect<RunFailure> =>
    !restored
      ? setApart(run)
      : Effect.succeed(
          open === null
            ? new RuntimeStoreReplacedBeforeDispatch()
            : new ProviderTimeout({ detail: "The storage was restored while the provider was working on it." })
        )

  const worked = Effect.fnUntraced(function* (leased: LeasedRun, stop: Once<Stop>) {
    const last = leased.attempts.at(-1)
    const before = leased.attempts.slice(0, -1)
    const candidate = leased.run.plan?.candidates.find(({ endpointId }) => endpointId === last?.endpointId)
    const open = last?.status === "running" ? last : null
    const uncertain = open !== null && candidate?.effectful !== false
    const work: Work = { lease: leased.lease, sinceNanos: yield* Clock.currentTimeNanos, stop }
    if (!uncertain && (leased.restored || leased.workersLost >= workersLostMax)) {
      return yield* endHere(
        work,
        leased.run,
        open === null ? leased.attempts : before,
        open,
        yield* obstacle(leased, open)
      )
    }
    if (open === null) return yield* goOn(work, leased.run, leased.attempts, null, null)
    return yield* leased.takenOver || candidate === undefined
      ? takeOver(work, leased.run, before, open)
      : tryCandidate(work, leased.run, before, candidate, open)
  })
  return (leased, stop) =>
    Effect.catchTag(worked(leased, stop), "LeaseLost", () => Effect.succeed(Option.none<RunDetail>()))
}

const notKnown = "Whether it took effect is not known. The hold stays until an operator resolves the run."
const lostAnswer = `The provider's answer was lost after the call was sent. ${notKnown}`

/** A provider that did answer, though not so that it could be read, is not said to have been silent. */
const uncertainReason = (result: CallResult): string =>
  result._tag === "Failed" && result.evidence?.responseDigest != null
    ? `${result.failure.message} ${notKnown}`
    : lostAnswer

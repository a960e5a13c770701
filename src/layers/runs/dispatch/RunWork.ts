/**
 * The work on one leased run, from the next attempt of its route to its settlement. An attempt is stored before its
 * call, and its receipt after it. A call is never repeated blindly: what happens to a call that a dead node began
 * depends on what the operation allows (`FirstStep.ts`).
 */
import { Effect, Option } from "effect"
import { nextStep } from "../../../domain/Fallback.js"
import { AttemptId, MediaId, ReceiptId } from "../../../domain/Ids.js"
import { attemptWithoutWords, runWithoutAnswer } from "../../../domain/Placeholder.js"
import { isUncertain } from "../../../domain/ProviderCall.js"
import type { Candidate } from "../../../domain/RoutePlan.js"
import type { Attempt, Run } from "../../../domain/Run.js"
import { CancellationRequestedAfterDispatch, NoRouteCandidate } from "../../../domain/RunFailures.js"
import { whereRefused } from "../../../domain/StorageErrors.js"
import type { OneTimeEvent } from "../../../services/OneTimeEvent.js"
import type { SettledRun } from "../../../services/Runs.js"
import type { LeasedRun } from "../../../services/RunStore.js"
import { inSpan } from "../../../services/Tracing.js"
import { attemptCall, type AttemptFailure, type OpenAttempt } from "./AttemptCall.js"
import { endAnswered, type AttemptToEnd, endFailed, type AttemptEnd, endUncertain } from "./AttemptEnding.js"
import { tellFailedCall } from "./FailedCallLine.js"
import { makeRunSettler } from "./RunSettler.js"
import { endOfRun, runSpan } from "./RunSpans.js"
import { firstStepOf } from "./FirstStep.js"
import { storedAnswer } from "./StoredAnswer.js"
import { LeaseLost, type Parts, type Progress, type Stop, type Work, type Settling } from "./Work.js"

export const openAttempt =
  ({ clock, ids }: Pick<Parts, "clock" | "ids">) =>
  (run: Run, candidate: Candidate, n: number): Effect.Effect<Attempt> =>
    Effect.map(ids.suffix, (suffix) => ({
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
      startedAt: clock.unsafeCurrentTimeMillis(),
      completedAt: null
    }))

/** Stores the next attempt of the route; null when the route is over and there is an answer or a failure. */
const openingNext = (parts: Parts) => {
  const { patiently, store } = parts
  const open = openAttempt(parts)
  return Effect.fnUntraced(function* (work: Work, { attempts, run, unstored }: Progress) {
    const step = run.plan === null ? { _tag: "Conclude" as const } : nextStep(run.plan, run.holdMicros, attempts)
    if (step._tag === "Conclude") return run.outcome === null ? yield* new NoRouteCandidate() : null
    const why = Option.getOrNull(work.stop.known())
    if (why === "lease_lost") return yield* new LeaseLost()
    if (why === "cancelled") return yield* new CancellationRequestedAfterDispatch()
    const opened = yield* open(run, step.candidate, step.n)
    const ended = unstored?.attempt ?? null
    const held = yield* whereRefused(
      patiently(store.nextAttempt({ run, lease: work.lease, ended, opened, media: unstored?.media ?? null })),
      () =>
        patiently(
          store.nextAttempt({
            run: runWithoutAnswer(run),
            lease: work.lease,
            ended: ended === null ? null : attemptWithoutWords(ended, "without_words"),
            opened,
            media: null
          })
        )
    )
    if (!held) return yield* new LeaseLost()
    return { attempt: opened, candidate: step.candidate }
  })
}

/** Why a route ends without another call. */
export type RouteFailure = Exclude<Effect.Effect.Error<ReturnType<ReturnType<typeof openingNext>>>, LeaseLost>

/** For the operator: the receipt says the same to the customer. */
const warnOfCost = ({ costMicros, endpointId, receipt, runId }: Attempt): Effect.Effect<void> => {
  const anomaly = receipt?.costAnomaly ?? null
  return anomaly === null
    ? Effect.void
    : Effect.annotateLogs(Effect.logWarning("A cost that a provider told was not charged as it is"), {
        endpointId,
        runId,
        told: anomaly,
        chargedMicros: costMicros
      })
}

/** Works on a run until it is settled. None when another node has the run now. */
export const workOn = (
  parts: Parts
): ((leased: LeasedRun, sinceNanos: bigint, stop: OneTimeEvent<Stop>) => Effect.Effect<Option.Option<SettledRun>>) => {
  const openNext = openingNext(parts)
  const call = attemptCall(parts)
  const settler = makeRunSettler(parts)

  const after = ({ attempts }: Progress, { attempt, media, run }: AttemptEnd): Progress => ({
    run,
    attempts: [...attempts, attempt],
    unstored: { attempt, media }
  })

  const attemptToEnd = Effect.fnUntraced(function* (run: Run, { attempt, candidate }: OpenAttempt) {
    const now = parts.clock.unsafeCurrentTimeMillis()
    const receiptId = ReceiptId.make(`rcp_${yield* parts.ids.suffix}`)
    return { run, attempt, candidate, now, receiptId } satisfies AttemptToEnd
  })

  const withoutAnswer = Effect.fnUntraced(function* (
    work: Work,
    progress: Progress,
    opened: OpenAttempt,
    failed: AttemptFailure
  ) {
    const toEnd = yield* attemptToEnd(progress.run, opened)
    if (isUncertain(failed, opened.candidate.effectful)) {
      const end = endUncertain(toEnd, failed)
      yield* tellFailedCall(end, failed)
      return yield* settler.settle(work, after(progress, end), "Uncertain")
    }
    const end = endFailed(toEnd, failed)
    yield* tellFailedCall(end, failed)
    yield* warnOfCost(end.attempt)
    const next = after(progress, end)
    return yield* failed._tag === "CallStopped" ? settler.fail(work, next, failed.failure) : goOn(work, next)
  })

  /** `progress` is the state of the run before the open attempt. */
  const attempt = (work: Work, progress: Progress, opened: OpenAttempt): Settling =>
    Effect.matchEffect(call(work, progress.run, opened), {
      onFailure: (failed) =>
        failed._tag === "LeaseLost" ? Effect.fail(failed) : withoutAnswer(work, progress, opened, failed),
      onSuccess: (called) => withAnswer(work, progress, opened, called)
    })

  const withAnswer = Effect.fnUntraced(function* (
    work: Work,
    progress: Progress,
    opened: OpenAttempt,
    called: Effect.Effect.Success<ReturnType<typeof call>>
  ) {
    const toEnd = yield* attemptToEnd(progress.run, opened)
    const mediaId = MediaId.make(`med_${yield* parts.ids.suffix}`)
    const stored = yield* storedAnswer(progress.run, mediaId, called.answer.body)
    const end = endAnswered({ ...toEnd, ...called, stored, normalizedOn: parts.normalizedOn })
    yield* warnOfCost(end.attempt)
    return yield* goOn(work, after(progress, end))
  })

  const goOn = (work: Work, progress: Progress): Settling =>
    Effect.matchEffect(openNext(work, progress), {
      onFailure: (failure) =>
        failure._tag === "LeaseLost" ? Effect.fail(failure) : settler.fail(work, progress, failure),
      onSuccess: (opened) =>
        opened === null ? settler.conclude(work, progress) : attempt(work, { ...progress, unstored: null }, opened)
    })

  const workFromFirstStep = Effect.fnUntraced(function* (leased: LeasedRun, held: Omit<Work, "lease">) {
    const work: Work = { lease: leased.lease, ...held }
    const first = yield* firstStepOf(leased, parts.clock.unsafeCurrentTimeMillis())
    switch (first._tag) {
      case "Uncertain":
        return yield* settler.settle(work, first.progress, "Uncertain")
      case "EndNow":
        return yield* settler.conclude(work, first.progress)
      case "Continue":
        return yield* goOn(work, first.progress)
      case "CallNow":
        return yield* attempt(work, first.progress, first.opened)
    }
  })
  return (leased, sinceNanos, stop) =>
    inSpan(
      parts.tracer,
      () => runSpan(leased),
      (trace) =>
        Effect.catchTag(workFromFirstStep(leased, { sinceNanos, stop, trace }), "LeaseLost", () =>
          Effect.succeed(Option.none<SettledRun>())
        ),
      endOfRun(leased)
    )
}

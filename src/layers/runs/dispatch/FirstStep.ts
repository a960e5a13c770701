/**
 * Decides what the work on a leased run begins with. A run of this node goes on where it is. A run that this node took
 * over, or that comes from a restored storage, may have an open call whose answer nobody will receive. The operation
 * decides whether that call is repeated, fails or waits for an operator.
 */
import { Effect } from "effect"
import { failedAttempt, failedRun } from "../../../domain/FailedRun.js"
import { isAnswer, nodeLeft, nodeLost } from "../../../domain/Fallback.js"
import { workersLostMax } from "../../../domain/limits/Runs.js"
import { zero } from "../../../domain/Micros.js"
import { plannedFor } from "../../../domain/RoutePlan.js"
import { type Attempt, endedAttempt, type Run } from "../../../domain/Run.js"
import {
  ContractInvalid,
  ProviderTimeout,
  type RunFailure,
  RuntimeStoreReplacedBeforeDispatch
} from "../../../domain/RunFailures.js"
import type { LeasedRun } from "../../../services/RunStore.js"
import type { OpenAttempt } from "./AttemptCall.js"
import { lostAnswer } from "./AttemptEnding.js"
import type { Progress } from "./Work.js"

export type FirstStep =
  /** The open attempt belongs to this node, and its call has not been made yet. `progress` is the state before it. */
  | { readonly _tag: "CallNow"; readonly progress: Progress; readonly opened: OpenAttempt }
  /** The route goes on after `progress`. */
  | { readonly _tag: "Continue"; readonly progress: Progress }
  /** No provider is called any more: the run ends with its best answer so far, or its failure. */
  | { readonly _tag: "EndNow"; readonly progress: Progress }
  /** An effectful call was lost together with its node. */
  | { readonly _tag: "Uncertain"; readonly progress: Progress }

const nodeStopped = "The gateway stopped while the provider was working on it."

const lostAttempt = (open: Attempt, failure: RunFailure, now: number): Attempt => ({
  ...failedAttempt(endedAttempt(open, now), failure),
  reason: nodeStopped,
  costMicros: zero
})

/** Fails when this run may not call any provider any more. */
const mayGoOn = Effect.fnUntraced(function* ({ restored, run, workersLost }: LeasedRun, open: Attempt | null) {
  if (restored)
    return yield* open === null
      ? new RuntimeStoreReplacedBeforeDispatch()
      : new ProviderTimeout({ detail: "The storage was restored while the provider was working on it." })
  if (workersLost < workersLostMax) return
  // The run itself may have ended the nodes that worked on it, so it does not get another node.
  const { runId, workspaceId } = run
  yield* Effect.annotateLogs(
    Effect.logWarning(`${workersLostMax} nodes went silent while they worked on a run: it is set apart`),
    { runId, workspaceId }
  )
  return yield* new ContractInvalid({
    detail: `The gateway stopped ${workersLostMax} times while it worked on this run, which is not tried again.`
  })
})

/** Why a run ends without another call. */
export type StoppedFailure = Effect.Effect.Error<ReturnType<typeof mayGoOn>>

const withLost = (before: ReadonlyArray<Attempt>, run: Run, attempt: Attempt): Progress => ({
  run,
  attempts: [...before, attempt],
  unstored: { attempt, media: null }
})

/** Handles an attempt that another node began, for an operation that only reads. */
const afterLost = (
  run: Run,
  before: ReadonlyArray<Attempt>,
  { attempt, candidate }: OpenAttempt,
  code: string,
  now: number
): FirstStep => {
  const failure = new ProviderTimeout({
    detail: "The gateway stopped while the provider was working on it, and this operation may not be called again."
  })
  const lost = lostAttempt(attempt, failure, now)
  return {
    _tag: "Continue",
    progress: withLost(
      before,
      run.outcome === null ? failedRun(run, failure) : run,
      candidate.repeatable ? { ...lost, errorCode: code } : lost
    )
  }
}

const uncertain = (run: Run, before: ReadonlyArray<Attempt>, open: Attempt, now: number): FirstStep => ({
  _tag: "Uncertain",
  progress: withLost(
    before,
    { ...run, outcomeReason: lostAnswer },
    { ...endedAttempt(open, now), status: "reconciliation_pending", reason: nodeStopped }
  )
})

/** The run ends with its best answer so far, or with this failure; its open attempt is lost. */
const endNow = (
  { attempts, run }: LeasedRun,
  open: Attempt | null,
  failure: StoppedFailure,
  now: number
): FirstStep => {
  const ended = isAnswer(run.outcome) ? run : failedRun(run, failure)
  return {
    _tag: "EndNow",
    progress:
      open === null
        ? { run: ended, attempts, unstored: null }
        : withLost(attempts.slice(0, -1), ended, lostAttempt(open, failure, now))
  }
}

export const firstStepOf = Effect.fnUntraced(function* (leased: LeasedRun, now: number) {
  const { attempts, run, takenOver } = leased
  const last = attempts.at(-1)
  const open = last?.status === "running" ? last : null
  const candidate = plannedFor(run.plan, last?.endpointId)
  const goOn = (): FirstStep => {
    if (open === null) return { _tag: "Continue", progress: { run, attempts, unstored: null } }
    const before = attempts.slice(0, -1)
    if (candidate === undefined) return uncertain(run, before, open, now)
    const opened = { attempt: open, candidate }
    if (takenOver === false) return { _tag: "CallNow", progress: { run, attempts: before, unstored: null }, opened }
    const code = takenOver === "left" ? nodeLeft : nodeLost
    return candidate.effectful ? uncertain(run, before, open, now) : afterLost(run, before, opened, code, now)
  }
  // Only an operator can say how a call ended that may have had an effect.
  if (open !== null && candidate?.effectful !== false) return goOn()
  return yield* Effect.match(mayGoOn(leased, open), {
    onFailure: (failure) => endNow(leased, open, failure, now),
    onSuccess: goOn
  })
})

/**
 * Cancels a run: a queued one ends, the call of a running one is aborted when it only reads, everything else stays as
 * it is. Asking cannot be interrupted; waiting for the end of an aborted call can.
 */
import { Clock, Effect } from "effect"
import { NotFound } from "../../domain/ApiErrors.js"
import { cancelWaitSeconds } from "../../domain/limits/Runs.js"
import { plannedFor } from "../../domain/RoutePlan.js"
import type { Run } from "../../domain/Run.js"
import { CancelledBeforeDispatch } from "../../domain/RunFailures.js"
import { StorageUncertain } from "../../domain/StorageErrors.js"
import type { Dispatcher } from "../../services/Dispatcher.js"
import type { Runs } from "../../services/Runs.js"
import type { RunKey } from "../../services/RunStore.js"
import type { Settlement } from "../../services/Settlement.js"
import { endUnstarted } from "./UnstartedRun.js"
import { awaitEnd, type WaitingParts } from "./Waiting.js"

export interface CancellingParts extends WaitingParts {
  readonly dispatcher: Dispatcher["Type"]
  readonly settlement: Settlement["Type"]
}

export const cancel = (parts: CancellingParts): Runs["Type"]["cancel"] =>
  Effect.fn("Runs.cancel")(function* (workspaceId, runId) {
    const key = { workspaceId, runId }
    const cancelled = yield* Effect.uninterruptible(withdraw(parts, key))
    // The cancel is written: an error that says that nothing was done would be untrue from here on.
    const attempts = yield* Effect.mapError(parts.store.attempts(key), () => new StorageUncertain())
    const detail = { run: cancelled.run, attempts }
    return cancelled.waitSeconds === null ? detail : yield* awaitEnd(parts, detail, cancelled.waitSeconds)
  })

/** The run after the cancel, and how long its call may take to be aborted; null when nothing is under way. */
const withdraw = Effect.fnUntraced(function* (parts: CancellingParts, key: RunKey) {
  const { settlement, store } = parts
  const run = yield* store.requestCancel(key)
  if (run === null) return yield* new NotFound({ what: "run", id: key.runId })
  if (run.status === "queued") {
    const answer = yield* settlement.settle(
      endUnstarted({
        run,
        failure: new CancelledBeforeDispatch(),
        leaseToken: null,
        now: yield* Clock.currentTimeMillis
      })
    )
    // A node took it in the meantime: then it is a running one, to be cancelled like those.
    return answer._tag === "Settled"
      ? { run: answer.run, waitSeconds: null }
      : yield* abort(parts, (yield* store.requestCancel(key)) ?? run)
  }
  return run.status === "running" ? yield* abort(parts, run) : { run, waitSeconds: null }
})

const abort = ({ dispatcher }: CancellingParts, run: Run) => {
  const current = plannedFor(run.plan, run.endpointId)
  return Effect.as(dispatcher.cancel(run.runId), {
    run,
    waitSeconds: current?.effectful === true ? 0 : cancelWaitSeconds
  })
}

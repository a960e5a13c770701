/** The end of a run for which no provider was called: its failure is recorded, and its whole hold is released. */
import { eventOf, failedRun } from "../../domain/FailedRun.js"
import { zero } from "../../domain/Micros.js"
import type { Run } from "../../domain/Run.js"
import type {
  CancelledBeforeDispatch,
  CapacityExhausted,
  RuntimeStoreReplacedBeforeDispatch
} from "../../domain/RunFailures.js"
import type { SettlementRequest } from "../../services/Settlement.js"

/** Why a run ends before it was dispatched. */
export type UnstartedFailure = CancelledBeforeDispatch | CapacityExhausted | RuntimeStoreReplacedBeforeDispatch

export interface Unstarted {
  readonly run: Run
  readonly failure: UnstartedFailure
  /** The lease under which the run is ended; null when the run is queued and no node has it. */
  readonly leaseToken: string | null
  readonly now: number
}

export const endUnstarted = ({ failure, leaseToken, now, run }: Unstarted): SettlementRequest => ({
  run: { ...failedRun(run, failure), completedAt: now },
  event: eventOf(failure),
  costMicros: zero,
  reason: null,
  leaseToken,
  attempt: null,
  media: null
})

/**
 * The run state machine: every state and every transition of the contract, and none besides. One total, pure function.
 *
 *   (none) ── admission ──> queued | running | failed | blocked
 *   queued ── Claimed ──> running            queued ── Failed | Cancelled ──> failed
 *   running ── Completed ──> completed       running ── Failed | Cancelled ──> failed
 *   running ── Uncertain ──> reconciliation_pending
 *   reconciliation_pending ── ResolvedCharged | AnsweredLate ──> completed
 *   reconciliation_pending ── ResolvedReleased | FailedLate ──> failed
 *   completed, failed, blocked: final
 */
import { Option } from "effect"
import type { RunStatus } from "./Run.js"

export const runEvents = [
  /** A node took the run under its lease. */
  "Claimed",
  "Completed",
  "Failed",
  /** Cancelled by the client, before dispatch or while a read-only call was under way. */
  "Cancelled",
  /** A dispatched effectful call was never answered: only a person can tell what happened to the money. */
  "Uncertain",
  "ResolvedCharged",
  "ResolvedReleased",
  /** The node that had made the call, and was taken for dead, has its answer after all. */
  "AnsweredLate",
  "FailedLate"
] as const
export type RunEvent = (typeof runEvents)[number]

export const runStatuses: ReadonlyArray<RunStatus> = [
  "queued",
  "running",
  "completed",
  "failed",
  "blocked",
  "reconciliation_pending"
]

const table: { readonly [From in RunStatus]: { readonly [Event in RunEvent]?: RunStatus } } = {
  queued: { Claimed: "running", Failed: "failed", Cancelled: "failed" },
  running: {
    Completed: "completed",
    Failed: "failed",
    Cancelled: "failed",
    Uncertain: "reconciliation_pending"
  },
  reconciliation_pending: {
    ResolvedCharged: "completed",
    ResolvedReleased: "failed",
    AnsweredLate: "completed",
    FailedLate: "failed"
  },
  completed: {},
  failed: {},
  blocked: {}
}

/** The next status, or none when the event has no meaning in this one. */
export const next = (from: RunStatus, event: RunEvent): Option.Option<RunStatus> =>
  Option.fromNullable(table[from][event])

/** Nothing more will happen to the run. */
export const isTerminal = (status: RunStatus): boolean =>
  status === "completed" || status === "failed" || status === "blocked"
/** The run counts against the workspace's in-flight limit. */
export const isInflight = (status: RunStatus): boolean => status === "queued" || status === "running"
/** The run still has its money reserved. */
export const holdsMoney = (status: RunStatus): boolean => isInflight(status) || status === "reconciliation_pending"
/** A waiter has nothing more to wait for: an uncertain run stays as it is until a person looks at it. */
export const isSettledForWaiters = (status: RunStatus): boolean => !isInflight(status)

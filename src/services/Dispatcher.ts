/**
 * Works on admitted runs: calls providers in the order of the plan and settles what came of it. Keeps its leases
 * alive, and takes over what dead nodes left. When it stops it takes nothing new, and lets what is under way end; what
 * does not end in time is left to other nodes. Never repeats a call blindly.
 */
import { Context, type Effect, type Option } from "effect"
import type { RunId } from "../domain/Ids.js"
import type { Attempt, Run } from "../domain/Run.js"
import type { Candidate } from "../domain/RoutePlan.js"
import type { Listen } from "./OneTimeEvent.js"
import type { SettledRun } from "./Runs.js"
import type { Lease, LeasedRun, RunKey } from "./RunStore.js"

/**
 * The right to start one run on this node at once, taken before admission; given back when the run was not admitted.
 */
export interface Slot {
  readonly lease: Lease
  /** Before the lease was stored, in nanoseconds of the monotonic clock, which nobody can set. */
  readonly sinceNanos: bigint
  /** May be called more than once. */
  readonly release: Effect.Effect<void>
}

export class Dispatcher extends Context.Tag("gateway/services/Dispatcher")<
  Dispatcher,
  {
    /**
     * A free slot, or null when this node is full or leaves such runs to others: the run then waits in the queue. Never
     * waits. `waitedFor`: a client of this node waits for the run.
     */
    readonly reserve: (waitedFor: boolean) => Effect.Effect<Slot | null>
    /**
     * Starts an admitted run in its slot and answers at once. Listeners get the settled run with its attempts. They get
     * none when this node does not know how the run ended: another node took it over, or the answer to the commit of
     * its end was lost.
     */
    readonly start: (run: LeasedRun, slot: Slot) => Effect.Effect<Listen<Option.Option<SettledRun>>>
    /**
     * For a run whose admission may be committed, because only the answer to the commit was lost. Nothing was sent for
     * it. If the run is stored under the lease of the slot, it is started as usual. If the commit failed, the slot is
     * given back. Answers at once.
     */
    readonly adopt: (run: RunKey, slot: Slot) => Effect.Effect<void>
    /** The next attempt at a candidate, to be written before its first byte leaves. */
    readonly openAttempt: (run: Run, candidate: Candidate, n: number) => Effect.Effect<Attempt>
    /** Aborts a read-only call of this node under way; an effectful one is left to end. */
    readonly cancel: (runId: RunId) => Effect.Effect<void>
    /** Runs that this node works on now. */
    readonly active: Effect.Effect<number>
  }
>() {}

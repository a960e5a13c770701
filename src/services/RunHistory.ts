/**
 * The history of finished runs: where they go from the hot tables, how their payloads are dropped, and how whole months
 * leave. One process at a time works on it, under a turn that ends by itself when the process dies. Every method that
 * changes something is one transaction, fails with `HistoryTaken` once the turn is lost, and does nothing that a
 * repetition would do twice. Which runs are old enough is decided by the caller. A run that is queued, running or waits
 * for a person never leaves the hot tables, and a refused one is forgotten there (`RunStore.forgetRefused`).
 */
import { Context, Data, type Effect } from "effect"
import type { RunId, WorkspaceId } from "../domain/Ids.js"
import type { Attempt, Run } from "../domain/Run.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { RunKey, StoredMedia } from "./RunStore.js"

/** Another process has the turn. */
export class HistoryTaken extends Data.TaggedError("HistoryTaken")<{}> {
  override get message() {
    return "Another process moves or archives runs now, or one was killed at it less than a minute ago: try again in a minute"
  }
}

export interface HistoryMonth {
  /** A calendar month in UTC: `2026-11`. A run belongs to the month of its id. */
  readonly month: string
  readonly state: "open" | "closed" | "gone"
}

/** What the runs of a month come to. */
export interface MonthTotals {
  readonly runs: number
  readonly heldMicros: number
  readonly chargedMicros: number
}

/** What a dry run says of everything: what could be moved, and the payloads that would then be dropped. */
export interface HistoryDue {
  readonly runs: number
  readonly payloads: number
}

/** What a dry run says of a month, once all that can be moved into it has been. */
export interface HistoryMonthDue {
  readonly runs: number
  /** Why it would stay, in words; null when it would leave. */
  readonly waits: string | null
}

/** A run with all that is left of it. */
export interface ArchivedRun {
  readonly run: Run
  readonly attempts: ReadonlyArray<Attempt>
  readonly media: ReadonlyArray<StoredMedia>
}

type Turned<A> = Effect.Effect<A, StorageError | HistoryTaken>

export class RunHistory extends Context.Tag("gateway/services/RunHistory")<
  RunHistory,
  {
    /** By the storage's clock. */
    readonly now: Effect.Effect<number, StorageError>
    /** Begins or prolongs the turn of this holder. */
    readonly takeTurn: (holder: string) => Turned<void>
    /** Fails where somebody has the turn, and changes nothing. */
    readonly turnFree: Turned<void>
    readonly endTurn: (holder: string) => Effect.Effect<void, StorageError>
    /** How much a pass would move and drop now. It reads whole tables. */
    readonly due: (before: {
      readonly runsMillis: number
      readonly payloadsMillis: number | null
    }) => Effect.Effect<HistoryDue, StorageError>
    /** The months of runs in the hot tables that were made before this, oldest first. */
    readonly hotMonths: (beforeMillis: number) => Effect.Effect<ReadonlyArray<string>, StorageError>
    /** What would leave with a month after a move of all that is older than this. It reads whole tables. */
    readonly monthDue: (month: string, movedBeforeMillis: number) => Effect.Effect<HistoryMonthDue, StorageError>
    /** Makes what the runs of hot tables older than this need, and the months of now and of next month. */
    readonly makeMonths: (holder: string, beforeMillis: number) => Turned<void>
    /** Workspaces with finished runs that were made, and ended, before this: a portion, in the order of their ids. */
    readonly workspacesToMove: (
      beforeMillis: number,
      after: WorkspaceId | null
    ) => Effect.Effect<ReadonlyArray<WorkspaceId>, StorageError>
    /**
     * Moves the next runs of a workspace, at most `limit` and about `bytesMax` of payloads. `last` is where to go on;
     * null when there is nothing more.
     */
    readonly move: (
      holder: string,
      portion: {
        readonly workspaceId: WorkspaceId
        readonly after: RunId | null
        readonly beforeMillis: number
        readonly limit: number
        readonly bytesMax: number
      }
    ) => Turned<{ readonly runs: number; readonly last: RunId | null }>
    /** Workspaces with payloads of runs that were made before this. */
    readonly workspacesToDrop: (
      beforeMillis: number,
      after: WorkspaceId | null
    ) => Effect.Effect<ReadonlyArray<WorkspaceId>, StorageError>
    /** Drops the payloads and files of the next runs of a workspace; answers of how many. */
    readonly dropPayloads: (
      holder: string,
      portion: { readonly workspaceId: WorkspaceId; readonly beforeMillis: number; readonly limit: number }
    ) => Turned<number>
    /** All months that there are or were, oldest first. */
    readonly months: Effect.Effect<ReadonlyArray<HistoryMonth>, StorageError>
    /** Why a month cannot leave yet after the move, in words; null when nothing is in its way. */
    readonly obstacle: (month: string, movedBeforeMillis: number) => Effect.Effect<string | null, StorageError>
    /**
     * Closes a month, so that nothing is moved into it any more, and stores what its runs come to for the check of the
     * ledger. Whether something is in its way is asked before.
     */
    readonly close: (holder: string, month: string) => Turned<MonthTotals>
    /** The next runs of a closed month in the order of their keys, about `bytesMax` of payloads; none at the end. */
    readonly read: (
      month: string,
      after: RunKey | null,
      bytesMax: number
    ) => Effect.Effect<ReadonlyArray<ArchivedRun>, StorageError>
    /** Frees the idempotency keys of the next runs of a closed month; answers where to go on, null at the end. */
    readonly freeKeys: (holder: string, month: string, after: RunKey | null) => Turned<RunKey | null>
    /** Drops a closed month with all of its runs. `file` is where they are kept. */
    readonly drop: (
      holder: string,
      month: string,
      file: { readonly name: string; readonly sha256: string } | null
    ) => Turned<void>
  }
>() {}

/**
 * How long runs are kept: finished runs leave the hot tables for the history, payloads are dropped, whole months leave,
 * each after the days that the operator has set. Where nothing is set, everything is kept.
 */
import { Context, type Effect } from "effect"
import type { StorageError } from "../domain/StorageErrors.js"
import type { ArchiveFailed } from "./ArchiveFiles.js"
import type { HistoryTaken } from "./RunHistory.js"

export interface RetentionSettings {
  /** After how many days a finished run leaves the hot tables. */
  readonly historyDays: number
  /** After how many days its payload is dropped; null: with the run. */
  readonly resultDays: number | null
  /** After how many days a whole month leaves; null: never. */
  readonly runDays: number | null
  /** Where its runs are written to before; null: nowhere. */
  readonly archiveDir: string | null
}

export interface MonthLeaving {
  readonly month: string
  /** Why it stays for now; null when it leaves. */
  readonly waits: string | null
}

export interface MonthDue extends MonthLeaving {
  readonly runs: number
  /** The name of its file; null where none is kept. */
  readonly file: string | null
  /** What lies already where its file would be: that is never replaced by other runs. */
  readonly standing: string | null
}

/** All that a pass would do now, also what its later steps would find after the first. */
export interface RetentionDue {
  readonly runs: number
  readonly payloads: number
  readonly months: ReadonlyArray<MonthDue>
}

export interface MonthLeft {
  readonly month: string
  readonly runs: number
  /** The name of its file; null where none is kept. */
  readonly file: string | null
}

/** What a pass has done. */
export interface RetentionPass {
  readonly runs: number
  readonly payloads: number
  readonly left: ReadonlyArray<MonthLeft>
  readonly waiting: ReadonlyArray<MonthLeaving>
  /** Months that stay because of the folder: their file cannot be written, or holds other runs. */
  readonly refused: ReadonlyArray<MonthLeaving>
}

export class Retention extends Context.Tag("gateway/services/Retention")<
  Retention,
  {
    /** Null: everything is kept. */
    readonly settings: RetentionSettings | null
    /** Whether the folder of files can be written, where there is one. */
    readonly check: Effect.Effect<void, ArchiveFailed>
    /**
     * Changes nothing. It reads whole tables. It fails where the folder cannot be written, or where another process
     * makes a pass.
     */
    readonly due: Effect.Effect<RetentionDue, StorageError | HistoryTaken | ArchiveFailed>
    /**
     * One pass over everything that is old enough, in small transactions. It may be interrupted or killed anywhere, and
     * the next pass goes on. `progress` is told now and then how far it is.
     */
    readonly pass: (
      progress: (words: string) => Effect.Effect<void>
    ) => Effect.Effect<RetentionPass, StorageError | HistoryTaken>
  }
>() {}

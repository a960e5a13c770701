/** Where the runs of a month are kept when they leave the database. */
import { Context, Data, type Effect, type Stream } from "effect"
import type { StorageError } from "../domain/StorageErrors.js"
import type { ArchivedRun, MonthTotals } from "./RunHistory.js"

/** The file could not be written, or it does not hold what it should. Nothing has left the database. */
export class ArchiveFailed extends Data.TaggedError("ArchiveFailed")<{
  readonly message: string
  readonly cause?: unknown
}> {}

export interface ArchiveFile {
  readonly name: string
  /** Of the file as it is stored. */
  readonly sha256: string
}

export class ArchiveFiles extends Context.Tag("gateway/services/ArchiveFiles")<
  ArchiveFiles,
  {
    /**
     * Writes the runs of a month to a file of its name, and a manifest beside it, in the place of what an earlier
     * attempt left. Answers once both are durable, and the file was read back: it says what was written, and has the
     * runs and the money that were expected.
     */
    readonly keep: (
      month: string,
      runs: Stream.Stream<ArchivedRun, StorageError>,
      expected: MonthTotals
    ) => Effect.Effect<ArchiveFile, StorageError | ArchiveFailed>
  }
>() {}

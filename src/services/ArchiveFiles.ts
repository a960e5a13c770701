/** Where the runs of a month are kept when they leave the database. */
import { Context, Data, type Effect, type Stream } from "effect"
import type { StorageError } from "../domain/StorageErrors.js"
import type { ArchivedRun, MonthTotals } from "./RunHistory.js"

/** The file could not be written, or it does not hold what it should. Nothing has left the database. */
export class ArchiveFailed extends Data.TaggedError("ArchiveFailed")<{
  readonly message: string
  readonly cause?: unknown
}> {}

/** Something else has the name of the file. It is left as it is, and nothing has left the database. */
export class ArchiveOccupied extends Data.TaggedError("ArchiveOccupied")<{ readonly message: string }> {}

export interface ArchiveFile {
  readonly name: string
  /** Of the file as it is stored. */
  readonly sha256: string
}

export class ArchiveFiles extends Context.Tag("gateway/services/ArchiveFiles")<
  ArchiveFiles,
  {
    /** Whether files can be written. It makes nothing that stays. */
    readonly check: Effect.Effect<void, ArchiveFailed>
    readonly nameOf: (month: string) => string | null
    /** The path of what lies already where the file of a month belongs, or its manifest. */
    readonly standing: (month: string) => Effect.Effect<string | null, ArchiveFailed>
    /**
     * Writes the runs of a month to a file of its name, and a manifest beside it. Answers once both are durable, and
     * the file was read back: it says what was written, and has the runs and the money that were expected. A file that
     * is there already is never replaced: where it holds the very same, as an earlier attempt leaves it, it is taken;
     * where not, it may be another gateway's, or what this one wrote before its database was restored.
     */
    readonly keep: (
      month: string,
      runs: Stream.Stream<ArchivedRun, StorageError>,
      expected: MonthTotals
    ) => Effect.Effect<ArchiveFile, StorageError | ArchiveFailed | ArchiveOccupied>
  }
>() {}

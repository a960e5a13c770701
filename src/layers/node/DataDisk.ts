/** The disk of the data folder. A folder that is not there yet will be made on the disk of the nearest one above it. */
import { statfs } from "node:fs/promises"
import { dirname } from "node:path"
import { Data, Effect, Predicate } from "effect"

export interface DataDisk {
  /** The folder that was looked at. */
  readonly place: string
  /** What this process may still write. */
  readonly freeBytes: number
  readonly sizeBytes: number
}

class DiskUnreadable extends Data.TaggedError("DiskUnreadable")<{ readonly place: string }> {}

const isMissing = (error: unknown): boolean => Predicate.hasProperty(error, "code") && error.code === "ENOENT"

/** `place` is an absolute path. */
export const dataDisk = (place: string): Effect.Effect<DataDisk, DiskUnreadable> =>
  Effect.tryPromise({ try: () => statfs(place), catch: (error) => error }).pipe(
    Effect.map(({ bavail, blocks, bsize }) => ({ place, freeBytes: bavail * bsize, sizeBytes: blocks * bsize })),
    Effect.catchAll((error) =>
      isMissing(error) && dirname(place) !== place
        ? dataDisk(dirname(place))
        : Effect.fail(new DiskUnreadable({ place }))
    )
  )

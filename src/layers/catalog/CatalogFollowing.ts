/**
 * Keeps this node on the newest catalog: the built-in one with the revisions that operators published over it. The
 * newest catalog is in force when the layer is built. Every revision published later is built beside the served one and
 * swapped in. When a revision cannot be read or is refused, the old one stays in force and the log says why. When the
 * storage is away, the old one stays too, and the revision is not reported as refused. The publisher is told of either
 * result.
 */
import { Effect, Layer, Ref, Stream } from "effect"
import type { StorageError } from "../../domain/StorageErrors.js"
import { type CatalogContent, CatalogPublisher, type CatalogRefused } from "../../services/CatalogPublisher.js"
import { CatalogRevisions } from "../../services/CatalogRevisions.js"
import { listed, mergeCatalogs, overriddenBy } from "./Merging.js"

export const CatalogFollowing = (
  builtIn: CatalogContent
): Layer.Layer<never, CatalogRefused | StorageError, CatalogPublisher | CatalogRevisions> =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const publisher = yield* CatalogPublisher
      const revisions = yield* CatalogRevisions
      const served = yield* Ref.make(-1)

      const follow = Effect.gen(function* () {
        if ((yield* revisions.sequence) === (yield* Ref.get(served))) return
        const { content, sequence } = yield* revisions.latest
        const overridden = overriddenBy(builtIn, content)
        yield* publisher
          .publish(mergeCatalogs(builtIn, content))
          .pipe(Effect.tapErrorCause(() => revisions.tell({ sequence, inForce: false })))
        if (overridden.jobs.length + overridden.operations.length > 0) {
          yield* Effect.logInfo("What is published overrides what is built in").pipe(
            Effect.annotateLogs({ publication: sequence, ...listed(overridden) })
          )
        }
        yield* Ref.set(served, sequence)
        yield* revisions.tell({ sequence, inForce: true })
      })

      yield* follow
      yield* revisions.changes.pipe(
        Stream.runForEach(() =>
          follow.pipe(
            // The storage itself reports that it is away. The revision is read again when the storage is back.
            Effect.catchTags({
              storage_busy: () => Effect.void,
              storage_uncertain: () => Effect.void,
              runtime_bridge_timeout: () => Effect.void
            }),
            Effect.catchAllCause((cause) =>
              Effect.logError("A published catalog could not be taken over; the old one stays in force", cause)
            )
          )
        ),
        Effect.forkScoped
      )
    })
  )

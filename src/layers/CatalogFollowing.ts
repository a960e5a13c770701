/**
 * Keeps this node on the newest catalog: the built-in one with whatever operators published over it. The first is in force when the
 * layer is built; from then on every published revision is built beside the one being served and swapped in. One that cannot be read
 * or is refused leaves the old one in force, and is logged.
 */
import { Effect, Layer, Ref, Stream } from "effect"
import type { StorageError } from "../domain/StorageErrors.js"
import { type CatalogContent, CatalogPublisher, type CatalogRefused } from "../services/CatalogPublisher.js"
import { CatalogRevisions } from "../services/CatalogRevisions.js"
import { mergeCatalogs } from "./CatalogRevisionsPg.js"

export const CatalogFollowing = (builtIn: CatalogContent): Layer.Layer<never, CatalogRefused | StorageError, CatalogPublisher | CatalogRevisions> =>
  Layer.scopedDiscard(Effect.gen(function*() {
    const publisher = yield* CatalogPublisher
    const revisions = yield* CatalogRevisions
    const served = yield* Ref.make(-1)

    const follow = Effect.gen(function*() {
      if ((yield* revisions.sequence) === (yield* Ref.get(served))) return
      const { content, sequence } = yield* revisions.latest
      yield* publisher.publish(mergeCatalogs(builtIn, content))
      yield* Ref.set(served, sequence)
    })

    yield* follow
    yield* revisions.changes.pipe(
      Stream.runForEach(() => Effect.catchAllCause(follow, (cause) => Effect.logError("A published catalog could not be taken over; the old one stays in force", cause))),
      Effect.forkScoped
    )
  }))

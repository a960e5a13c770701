/**
 * Keeps this node on the newest catalog: the built-in one with the revisions that operators published over it. The
 * newest catalog is in force when the layer is built. Every revision published later is built beside the served one and
 * swapped in. When a revision cannot be read or is refused, the old one stays in force and the log says why. When the
 * storage is away, the old one stays too, and the revision is not reported as refused. The publisher is told of either
 * result. A node that starts has no old one: it leaves out the published operations that its built-in catalog does not
 * support any more.
 */
import { Array as Arr, Cause, Effect, Layer, Option, Ref, Stream } from "effect"
import { isStorageError, type StorageError } from "../../domain/StorageErrors.js"
import { type CatalogContent, CatalogPublisher, CatalogRefused } from "../../services/CatalogPublisher.js"
import { CatalogRevisions, type PublishedRevision, type TakenOver } from "../../services/CatalogRevisions.js"
import { listed, mergeCatalogs, overriddenBy } from "./Merging.js"

/** Whether the content is at fault, or a mistake of ours: not a storage that is away or a node that stops. */
const isRefusal = (cause: Cause.Cause<CatalogRefused | StorageError>): boolean =>
  Option.match(Cause.failureOption(cause), {
    onNone: () => Cause.isDie(cause),
    onSome: (failure) => failure instanceof CatalogRefused
  })

/** The content without the operations that were refused, and the ids of these. */
const withoutRefused = ({ endpoints, jobs }: CatalogContent, { problems }: CatalogRefused) => {
  const subjects = new Set(problems.map(({ subject }) => subject))
  const [left, out] = Arr.partition(endpoints, ({ operation }) => subjects.has(`endpoint ${operation.id}`))
  return { content: { jobs, endpoints: left }, operations: out.map(({ operation }) => operation.id) }
}

export const CatalogFollowing = (
  builtIn: CatalogContent
): Layer.Layer<never, CatalogRefused | StorageError, CatalogPublisher | CatalogRevisions> =>
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const publisher = yield* CatalogPublisher
      const revisions = yield* CatalogRevisions
      const served = yield* Ref.make(-1)
      /** The newest that was refused: reading it again would change nothing. */
      const refused = yield* Ref.make(-1)

      /** What a publisher may still wait for: telling it met a storage that was away. */
      const untold = yield* Ref.make<TakenOver | null>(null)
      const tellUntold = Effect.flatMap(Ref.get(untold), (taken) =>
        taken === null ? Effect.void : Effect.zipRight(revisions.tell(taken), Ref.set(untold, null))
      )
      const tell = (taken: TakenOver) => Effect.zipRight(Ref.set(untold, taken), tellUntold)

      const publish = (content: CatalogContent) => publisher.publish(mergeCatalogs(builtIn, content))

      const publishFirst = ({ content, sequence }: PublishedRevision) =>
        Effect.catchTag(publish(content), "CatalogRefused", (refusal) => {
          const usable = withoutRefused(content, refusal)
          if (usable.operations.length === 0) return refusal
          return Effect.zipRight(
            Effect.annotateLogs(
              Effect.logWarning("Published operations that the built-in catalog does not support are left out"),
              {
                publication: sequence,
                ...listed({ jobs: [], operations: usable.operations }),
                why: refusal.problems[0]?.message ?? ""
              }
            ),
            publish(usable.content)
          )
        })

      const follow = Effect.gen(function* () {
        const newest = yield* revisions.sequence
        const before = yield* Ref.get(served)
        if (newest === before || newest === (yield* Ref.get(refused))) return yield* tellUntold
        const { content, sequence } = yield* revisions.latest
        const overridden = overriddenBy(builtIn, content)
        yield* (before === -1 ? publishFirst({ content, sequence }) : publish(content)).pipe(
          Effect.tapErrorTag("CatalogRefused", () => Ref.set(refused, sequence)),
          Effect.tapErrorCause((cause) => (isRefusal(cause) ? tell({ sequence, inForce: false }) : Effect.void))
        )
        if (overridden.jobs.length + overridden.operations.length > 0) {
          yield* Effect.logInfo("What is published overrides what is built in").pipe(
            Effect.annotateLogs({ publication: sequence, ...listed(overridden) })
          )
        }
        yield* Ref.set(served, sequence)
        yield* tell({ sequence, inForce: true })
      })

      yield* follow
      yield* revisions.changes.pipe(
        Stream.runForEach(() =>
          follow.pipe(
            // The storage itself reports that it is away. The revision is read again when the storage is back.
            Effect.catchIf(isStorageError, () => Effect.void),
            Effect.catchAllCause((cause) =>
              Effect.logError("A published catalog could not be taken over; the old one stays in force", cause)
            )
          )
        ),
        Effect.forkScoped
      )
    })
  )

/** What a node says of a publication that it cannot take over. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Queue, Stream, TestClock } from "effect"
import { StorageBusy } from "../../../src/domain/StorageErrors.js"
import { CatalogFollowing } from "../../../src/layers/catalog/CatalogFollowing.js"
import { CatalogPublisher, CatalogRefused } from "../../../src/services/CatalogPublisher.js"
import { Catalog } from "../../../src/services/Catalog.js"
import { CatalogRevisions, type TakenOver } from "../../../src/services/CatalogRevisions.js"
import { endpoint, job, servedCatalog } from "../../support/catalog.js"
import { withLogLines } from "../../support/logLines.js"

const nothing = { jobs: [], endpoints: [] }

it.scoped("a storage that is away is no error of the catalog; a publication that is refused is one", () =>
  withLogLines((lines) =>
    Effect.gen(function* () {
      const changes = yield* Queue.unbounded<void>()
      let away = false
      let awayAtPublishing = false
      let read = 0
      const told: Array<boolean> = []
      let sequence = 1
      const published: Array<number> = []
      const unlessAway = <A>(answer: () => A) =>
        Effect.suspend(() => (away ? Effect.fail(new StorageBusy({ retryAfterSeconds: 1 })) : Effect.sync(answer)))
      yield* Layer.build(
        CatalogFollowing(nothing).pipe(
          Layer.provide([
            Layer.succeed(CatalogRevisions, {
              sequence: unlessAway(() => sequence),
              latest: unlessAway(() => {
                read += 1
                return { sequence, content: nothing }
              }),
              tell: ({ inForce }: TakenOver) => Effect.sync(() => void told.push(inForce)),
              changes: Stream.fromQueue(changes)
            } as unknown as CatalogRevisions["Type"]),
            Layer.succeed(CatalogPublisher, {
              publish: () =>
                Effect.suspend((): Effect.Effect<string, CatalogRefused | StorageBusy> => {
                  if (sequence === 4)
                    return Effect.fail(
                      new CatalogRefused({ problems: [{ subject: "job x", path: "", message: "no such job" }] })
                    )
                  if (awayAtPublishing) return Effect.fail(new StorageBusy({ retryAfterSeconds: 1 }))
                  published.push(sequence)
                  return Effect.succeed("r")
                })
            } as unknown as CatalogPublisher["Type"])
          ])
        )
      )
      const look = Effect.zipRight(Queue.offer(changes, undefined), TestClock.adjust(1_000))

      away = true
      sequence = 2
      yield* Effect.replicateEffect(look, 20)
      assert.deepStrictEqual([lines.length, published], [0, [1]])
      away = false
      yield* look
      assert.deepStrictEqual([lines.length, published], [0, [1, 2]])
      awayAtPublishing = true
      sequence = 3
      yield* look
      assert.deepStrictEqual(told, [true, true])
      awayAtPublishing = false
      sequence = 4
      yield* look
      assert.deepStrictEqual(
        lines.map(({ level, message }) => [level, message]),
        [["ERROR", "A published catalog could not be taken over; the old one stays in force"]]
      )
      assert.deepStrictEqual(told, [true, true, false])
      // Nothing that could make it better has changed.
      const before = read
      yield* Effect.replicateEffect(look, 5)
      assert.deepStrictEqual([read, lines.length], [before, 1])
    })
  )
)

it.scoped("a publisher that could not be told, because the storage was away, is told at the next look", () =>
  Effect.gen(function* () {
    const changes = yield* Queue.unbounded<void>()
    let away = false
    let sequence = 1
    const told: Array<number> = []
    yield* Layer.build(
      CatalogFollowing(nothing).pipe(
        Layer.provide([
          Layer.succeed(CatalogRevisions, {
            sequence: Effect.sync(() => sequence),
            latest: Effect.sync(() => ({ sequence, content: nothing })),
            tell: (taken: TakenOver) =>
              Effect.suspend(() =>
                away
                  ? Effect.fail(new StorageBusy({ retryAfterSeconds: 1 }))
                  : Effect.sync(() => told.push(taken.sequence))
              ),
            changes: Stream.fromQueue(changes)
          } as unknown as CatalogRevisions["Type"]),
          Layer.succeed(CatalogPublisher, {
            publish: () => Effect.succeed("r")
          } as unknown as CatalogPublisher["Type"])
        ])
      )
    )
    const look = Effect.zipRight(Queue.offer(changes, undefined), TestClock.adjust(1_000))
    away = true
    sequence = 2
    yield* look
    assert.deepStrictEqual(told, [1])
    away = false
    yield* look
    yield* look
    assert.deepStrictEqual(told, [1, 2])
  })
)

it.live(
  "a node that starts leaves out published operations that its built-in catalog supports no more, and warns",
  () =>
    withLogLines((lines) =>
      Effect.gen(function* () {
        const told: Array<TakenOver> = []
        const content = {
          jobs: [],
          endpoints: [endpoint({ id: "good", job: "web.search" }), endpoint({ id: "lost", job: "web.gone" })]
        }
        const started = CatalogFollowing({ jobs: [job("web.search")], endpoints: [] }).pipe(
          Layer.provide(
            Layer.succeed(CatalogRevisions, {
              sequence: Effect.succeed(4),
              latest: Effect.succeed({ sequence: 4, content }),
              tell: (taken: TakenOver) => Effect.sync(() => void told.push(taken)),
              changes: Stream.empty
            } as unknown as CatalogRevisions["Type"])
          ),
          Layer.provideMerge(servedCatalog(null))
        )
        const found = yield* Effect.flatMap(Catalog, (catalog) =>
          Effect.forEach(["good", "lost"], (id) => catalog.endpoint(id))
        ).pipe(Effect.provide(started))
        assert.deepStrictEqual(
          found.map((each) => each !== null),
          [true, false]
        )
        assert.deepStrictEqual(told, [{ sequence: 4, inForce: true }])
        assert.deepStrictEqual(
          lines.filter(({ level }) => level === "WARN").map(({ annotations }) => annotations),
          [{ publication: 4, operations: "lost", why: "there is no job web.gone; did you mean web.search?" }]
        )
      })
    )
)

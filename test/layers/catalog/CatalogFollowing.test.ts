/** What a node says of a publication that it cannot take over. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Queue, Stream, TestClock } from "effect"
import { StorageBusy } from "../../../src/domain/StorageErrors.js"
import { CatalogFollowing } from "../../../src/layers/catalog/CatalogFollowing.js"
import { CatalogPublisher, CatalogRefused } from "../../../src/services/CatalogPublisher.js"
import { CatalogRevisions } from "../../../src/services/CatalogRevisions.js"
import { withLogLines } from "../../support/logLines.js"

const nothing = { jobs: [], endpoints: [] }

it.scoped("a storage that is away is no error of the catalog; a publication that is refused is one", () =>
  withLogLines((lines) =>
    Effect.gen(function* () {
      const changes = yield* Queue.unbounded<void>()
      let away = false
      let sequence = 1
      const published: Array<number> = []
      const unlessAway = <A>(answer: () => A) =>
        Effect.suspend(() => (away ? Effect.fail(new StorageBusy({ retryAfterSeconds: 1 })) : Effect.sync(answer)))
      yield* Layer.build(
        CatalogFollowing(nothing).pipe(
          Layer.provide([
            Layer.succeed(CatalogRevisions, {
              sequence: unlessAway(() => sequence),
              latest: unlessAway(() => ({ sequence, content: nothing })),
              tell: () => Effect.void,
              changes: Stream.fromQueue(changes)
            } as unknown as CatalogRevisions["Type"]),
            Layer.succeed(CatalogPublisher, {
              publish: () =>
                Effect.suspend(() => {
                  if (sequence === 3)
                    return Effect.fail(
                      new CatalogRefused({ problems: [{ subject: "job x", path: "", message: "no such job" }] })
                    )
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
      sequence = 3
      yield* look
      assert.deepStrictEqual(
        lines.map(({ level, message }) => [level, message]),
        [["ERROR", "A published catalog could not be taken over; the old one stays in force"]]
      )
    })
  )
)

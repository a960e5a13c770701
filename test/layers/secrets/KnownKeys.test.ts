// Which keys exist, as the catalog is told from memory: what is read, how often, and what stands while nothing answers.
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Ref, TestClock } from "effect"
import { WorkspaceId } from "../../../src/domain/Ids.js"
import { StorageBusy, type StorageError } from "../../../src/domain/StorageErrors.js"
import { SecretRowsMemory } from "../../../src/layers/memory/SecretRowsMemory.js"
import { KeysChanged, KnownKeys, KnownKeysLayer } from "../../../src/layers/secrets/KnownKeys.js"
import { type LastExpiry, SecretRows } from "../../../src/layers/secrets/SecretRows.js"

const [ada, bob] = [WorkspaceId.make(`ws_${"a".repeat(26)}`), WorkspaceId.make(`ws_${"b".repeat(26)}`)]
const connectionOf = (workspaceId: WorkspaceId): LastExpiry => ({ workspaceId, providerId: "p", expiresAt: null })
const busy: Answer = Effect.fail(new StorageBusy({ retryAfterSeconds: 1 }))

type Answer = Effect.Effect<ReadonlyArray<LastExpiry>, StorageError>

/** Known keys over a storage that gives these answers about connections, one after the other; the last one stays. */
const over = (...answers: readonly [Answer, ...Array<Answer>]) =>
  Effect.gen(function* () {
    const asked = yield* Ref.make<ReadonlyArray<ReadonlyArray<WorkspaceId>>>([])
    const rows = yield* Effect.provide(SecretRows, SecretRowsMemory)
    const services = yield* Layer.build(
      Layer.provide(
        KnownKeysLayer,
        Layer.succeed(SecretRows, {
          ...rows,
          lastExpiries: (ids) =>
            Effect.flatten(
              Ref.modify(asked, (before) => [answers[before.length] ?? answers.at(-1) ?? answers[0], [...before, ids]])
            )
        })
      )
    )
    const keys = Context.get(services, KnownKeys)
    return {
      asked: Ref.get(asked),
      changed: Context.get(services, KeysChanged),
      isConnected: (workspaceId: WorkspaceId) =>
        Effect.map(keys.of(workspaceId), ({ hasConnection }) => hasConnection("p"))
    }
  })

describe("the connections that are known", () => {
  it.scoped("are read of a workspace when it is asked about, and again every three seconds while somebody asks", () =>
    Effect.gen(function* () {
      const { asked, isConnected } = yield* over(Effect.succeed([connectionOf(ada)]))
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* asked, [], "nobody has asked about any")
      assert.isTrue(yield* isConnected(ada))
      assert.isFalse(yield* isConnected(bob))
      assert.isTrue(yield* isConnected(ada))
      assert.deepStrictEqual(yield* asked, [[ada], [bob]])
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual((yield* asked).at(-1), [ada, bob])
      yield* TestClock.adjust("45 seconds")
      yield* isConnected(bob)
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual((yield* asked).at(-1), [bob])
      yield* TestClock.adjust("60 seconds")
      const before = (yield* asked).length
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual((yield* asked).length, before, "nobody asks any more")
    })
  )

  it.scoped(
    "of a workspace are not taken for none while the storage does not answer, and stand while they are known",
    () =>
      Effect.gen(function* () {
        const found: Answer = Effect.succeed([connectionOf(ada)])
        const { changed, isConnected } = yield* over(busy, found, busy, busy, Effect.succeed([]))
        assert.isFalse(yield* isConnected(ada))
        assert.isTrue(yield* isConnected(ada), "it is asked about again")
        yield* TestClock.adjust("3 seconds")
        assert.isTrue(yield* isConnected(ada))
        yield* changed.connections(ada)
        assert.isTrue(yield* isConnected(ada))
        yield* TestClock.adjust("3 seconds")
        assert.isFalse(yield* isConnected(ada))
      })
  )

  it.scoped("are those of the reading that began last, whichever ends last", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const slow = yield* Deferred.make<ReadonlyArray<LastExpiry>>()
      const reading = Effect.zipRight(Deferred.succeed(begun, undefined), Deferred.await(slow))
      const { changed, isConnected } = yield* over(reading, Effect.succeed([]))
      const first = yield* Effect.fork(isConnected(ada))
      yield* Deferred.await(begun)
      // The connection is deleted, which this node tells, before the first reading ends.
      yield* changed.connections(ada)
      yield* Deferred.succeed(slow, [connectionOf(ada)])
      assert.isFalse(yield* Fiber.join(first))
      assert.isFalse(yield* isConnected(ada))
    })
  )
})

import { assert, it } from "@effect/vitest"
import { Effect, HashMap } from "effect"
import { RunId, WorkspaceId } from "../../../src/domain/Ids.js"
import { MemoryStorage, MemoryStorageLayer } from "../../../src/layers/memory/MemoryStorage.js"

const claim = (key: string) => ({
  workspaceId: WorkspaceId.make(`ws_${"0".repeat(26)}`),
  key,
  requestDigest: "",
  runId: RunId.make(`run_${"0".repeat(26)}`)
})

it.effect(
  "a transaction that fails, dies or is interrupted leaves nothing behind, and one that ends leaves everything",
  () =>
    Effect.gen(function* () {
      const { modify, read, transact } = yield* MemoryStorage
      const put = (key: string) =>
        modify((state) => [undefined, { ...state, keys: HashMap.set(state.keys, key, claim(key)) }])
      const keys = Effect.map(read, (state) => [...HashMap.keys(state.keys)].sort())
      yield* Effect.exit(transact(Effect.zipRight(put("failed"), Effect.fail("no"))))
      yield* Effect.exit(transact(Effect.zipRight(put("died"), Effect.dieMessage("no"))))
      yield* Effect.exit(transact(Effect.zipRight(put("interrupted"), Effect.interrupt)))
      assert.deepStrictEqual(yield* keys, [])
      yield* transact(Effect.zipRight(put("one"), transact(put("two"))))
      assert.deepStrictEqual(yield* keys, ["one", "two"])
    }).pipe(Effect.provide(MemoryStorageLayer))
)

/** Since when the oldest queued run has waited, which an operator watches, over both storages. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ProvidersScripted } from "../../../src/layers/providers/ProvidersScripted.js"
import { Runs } from "../../../src/services/Runs.js"
import { RunStore } from "../../../src/services/RunStore.js"
import { engine, funded, requestOf, type Storage, storageMemory, storagePg } from "../../support/engine.js"
import { sharedDatabase } from "../../support/sharedDatabase.js"

const suite = (name: string, storage: Layer.Layer<Storage>) =>
  describe(name, () => {
    it.live("tells when the oldest queued run was made, and nothing when none waits", () =>
      Effect.gen(function* () {
        const runs = yield* Runs
        const { queuedSince } = yield* RunStore
        const principal = yield* funded(1_000_000)
        const create = () => runs.create(principal, requestOf("job:people.email.find"), 0)
        assert.isNull(yield* queuedSince)
        const [first, second] = [(yield* create()).run, (yield* create()).run]
        assert.strictEqual(yield* queuedSince, first.createdAt)
        yield* runs.cancel(principal.workspaceId, first.runId)
        assert.strictEqual(yield* queuedSince, second.createdAt)
        yield* runs.cancel(principal.workspaceId, second.runId)
        assert.isNull(yield* queuedSince)
      }).pipe(Effect.provide(Layer.provideMerge(engine(ProvidersScripted().layer, { slots: 0 }), storage)))
    )
  })

suite("RunStoreMemory", storageMemory)
suite("RunStorePg", Layer.provide(storagePg, sharedDatabase()))

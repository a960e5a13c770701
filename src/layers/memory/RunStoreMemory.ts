/** Runs over `MemoryStorage`: the same fences and orders as on Postgres. */
import { Effect, Layer } from "effect"
import { Ids } from "../../services/Ids.js"
import { RunStore } from "../../services/RunStore.js"
import { MemoryStorage } from "./MemoryStorage.js"
import { runClaimsMemory } from "./RunClaimsMemory.js"
import { runReadsMemory } from "./RunReadsMemory.js"
import { runWritesMemory } from "./RunWritesMemory.js"

export const RunStoreMemory: Layer.Layer<RunStore, never, MemoryStorage | Ids> = Layer.effect(
  RunStore,
  Effect.gen(function* () {
    const storage = yield* MemoryStorage
    return RunStore.of({
      ...runReadsMemory(storage),
      ...runWritesMemory(storage),
      ...runClaimsMemory(storage, yield* Ids)
    })
  })
)

/** Idempotency keys over `MemoryStorage`. */
import { Effect, HashMap, Layer, Option } from "effect"
import { Idempotency, type KeyPlace } from "../services/Idempotency.js"
import { MemoryStorage } from "./MemoryStorage.js"

const place = ({ key, workspaceId }: KeyPlace): string => `${workspaceId} ${key}`

export const IdempotencyMemory: Layer.Layer<Idempotency, never, MemoryStorage> = Layer.effect(
  Idempotency,
  Effect.map(MemoryStorage, (storage) =>
    Idempotency.of({
      owners: (keys) => Effect.map(storage.read, (state) => keys.map((one) => Option.getOrNull(HashMap.get(state.keys, place(one))))),
      claim: (claims) =>
        Effect.flatMap(storage.read, (before) =>
          claims.some((claim) => HashMap.has(before.keys, place(claim)))
            ? Effect.dieMessage("an idempotency key was claimed without the wallet's lock")
            : storage.modify((state) => [undefined, { ...state, keys: claims.reduce((keys, claim) => HashMap.set(keys, place(claim), claim), state.keys) }]))
    }))
)

/** Idempotency keys over `MemoryStorage`. */
import { Effect, HashMap, Layer, Option } from "effect"
import { Idempotency, placeText } from "../../services/Idempotency.js"
import { MemoryStorage } from "./MemoryStorage.js"

export const IdempotencyMemory: Layer.Layer<Idempotency, never, MemoryStorage> = Layer.effect(
  Idempotency,
  Effect.map(MemoryStorage, (storage) =>
    Idempotency.of({
      owners: (keys) =>
        Effect.map(storage.read, (state) =>
          keys.map((one) => Option.getOrNull(HashMap.get(state.keys, placeText(one))))
        ),
      claim: (claims) =>
        Effect.flatMap(storage.read, (before) =>
          claims.some((claim) => HashMap.has(before.keys, placeText(claim)))
            ? Effect.dieMessage("an idempotency key was claimed without the wallet's lock")
            : storage.modify((state) => [
                undefined,
                {
                  ...state,
                  keys: claims.reduce((keys, claim) => HashMap.set(keys, placeText(claim), claim), state.keys)
                }
              ])
        )
    })
  )
)

/** Idempotency keys over `MemoryStorage`. */
import { Effect, HashMap, Layer, Option } from "effect"
import { Idempotency, type KeyClaim, type KeyState } from "../services/Idempotency.js"
import { MemoryStorage } from "./MemoryStorage.js"

const place = (claim: KeyClaim): string => `${claim.workspaceId} ${claim.key}`

export const IdempotencyMemory: Layer.Layer<Idempotency, never, MemoryStorage> = Layer.effect(
  Idempotency,
  Effect.map(MemoryStorage, (storage) =>
    Idempotency.of({
      claim: (claims) =>
        storage.modify((state) => {
          let keys = state.keys
          const answers = claims.map((claim): KeyState => {
            const owner = HashMap.get(keys, place(claim))
            if (Option.isSome(owner)) return { _tag: "Owned", runId: owner.value.runId, requestDigest: owner.value.requestDigest }
            keys = HashMap.set(keys, place(claim), claim)
            return { _tag: "Claimed" }
          })
          return [answers, { ...state, keys }]
        }),
      release: (claims) =>
        storage.modify((state) => [undefined, { ...state, keys: claims.reduce((keys, claim) => HashMap.remove(keys, place(claim)), state.keys) }])
    }))
)

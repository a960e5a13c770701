/**
 * Seals every stored secret anew under the current key. A secret that was changed meanwhile is left alone: it is new
 * already.
 */
import { Effect, Layer } from "effect"
import { SecretRotation } from "../../services/SecretRotation.js"
import { Sealing } from "../../services/Sealing.js"
import { aboutOf, SecretRows } from "./SecretRows.js"

const make = Effect.gen(function* () {
  const rows = yield* SecretRows
  const sealing = yield* Sealing
  return SecretRotation.of({
    reseal: Effect.gen(function* () {
      let resealed = 0
      let unreadable = 0
      for (const stored of yield* rows.notSealedWith(sealing.currentKeyId)) {
        const about = aboutOf(stored.place)
        const secret = yield* Effect.option(sealing.open(stored.sealed, about))
        if (secret._tag === "None") unreadable += 1
        else if (yield* rows.replaceSeal(stored, yield* sealing.seal(secret.value, about))) resealed += 1
      }
      return { resealed, unreadable }
    }).pipe(Effect.withSpan("SecretRotation.reseal"))
  })
})

export const SecretRotationSealed: Layer.Layer<SecretRotation, never, SecretRows | Sealing> = Layer.effect(
  SecretRotation,
  make
)

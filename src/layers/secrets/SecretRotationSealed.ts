/**
 * Seals every stored secret anew under the current key, once every node that runs has it. A secret that was changed
 * meanwhile is left alone: it is new already.
 */
import { Effect, Layer, Option } from "effect"
import type { AuditRecord } from "../../domain/AuditEntry.js"
import { AuditTrail, changed, unchanged } from "../../services/AuditTrail.js"
import { SealingKeyNotEverywhere, SecretRotation } from "../../services/SecretRotation.js"
import { Sealing } from "../../services/Sealing.js"
import { aboutOf, SecretRows, type StoredSecret } from "./SecretRows.js"

const recordOf = ({ place, sealed }: StoredSecret, sealedWith: string): AuditRecord => ({
  ...(place._tag === "Connection"
    ? { action: "connection.resealed", subjectId: place.connectionId, workspaceId: place.workspaceId }
    : { action: "platform_key.resealed", subjectId: place.providerId, workspaceId: null }),
  before: { sealedWith: sealed.keyId },
  after: { sealedWith }
})

const make = Effect.gen(function* () {
  const rows = yield* SecretRows
  const sealing = yield* Sealing
  const trail = yield* AuditTrail
  const refused = Effect.map(rows.nodesWithout(sealing.currentKeyId), (nodes) =>
    nodes === 0 ? null : new SealingKeyNotEverywhere({ keyId: sealing.currentKeyId, nodes })
  )
  return SecretRotation.of({
    waiting: Effect.gen(function* () {
      const stored = yield* rows.notSealedWith(sealing.currentKeyId)
      const opened = yield* Effect.forEach(stored, ({ place, sealed }) =>
        Effect.option(sealing.open(sealed, aboutOf(place)))
      )
      const secrets = opened.filter(Option.isSome).length
      return {
        currentKeyId: sealing.currentKeyId,
        secrets,
        unreadable: stored.length - secrets,
        refused: yield* refused
      }
    }),
    reseal: Effect.fn("SecretRotation.reseal")(function* (by) {
      const why = yield* refused
      if (why !== null) return yield* why
      let resealed = 0
      let unreadable = 0
      for (const stored of yield* rows.notSealedWith(sealing.currentKeyId)) {
        const about = aboutOf(stored.place)
        const secret = yield* Effect.option(sealing.open(stored.sealed, about))
        if (secret._tag === "None") unreadable += 1
        else {
          const sealed = yield* sealing.seal(secret.value, about)
          const replaced = yield* trail.change(
            by,
            Effect.map(rows.replaceSeal(stored, sealed), (isNew) =>
              isNew ? changed(true, recordOf(stored, sealed.keyId)) : unchanged(false)
            )
          )
          if (replaced) resealed += 1
        }
      }
      return { resealed, unreadable }
    })
  })
})

export const SecretRotationSealed: Layer.Layer<SecretRotation, never, SecretRows | Sealing | AuditTrail> = Layer.effect(
  SecretRotation,
  make
)

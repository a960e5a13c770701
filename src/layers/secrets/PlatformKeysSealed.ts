/** The gateway's own keys, sealed before they reach any storage. */
import { Clock, Effect, Layer, type Redacted } from "effect"
import { NotFound, ValidationError } from "../../domain/ApiErrors.js"
import { PlatformKeys } from "../../services/PlatformKeys.js"
import { Sealing } from "../../services/Sealing.js"
import { KnownKeys } from "./KnownKeys.js"
import { aboutOf, SecretRows } from "./SecretRows.js"
import { secretProblem } from "./SecretText.js"

const make = Effect.gen(function* () {
  const rows = yield* SecretRows
  const sealing = yield* Sealing
  const knownKeys = yield* KnownKeys
  const about = (providerId: string) => aboutOf({ _tag: "PlatformKey", providerId })

  return PlatformKeys.of({
    set: Effect.fn("PlatformKeys.set")(function* (providerId: string, secret: Redacted.Redacted<string>) {
      const problem = secretProblem(secret)
      if (problem !== null) return yield* new ValidationError({ details: [problem] })
      yield* rows.putPlatformKey({
        providerId,
        sealed: yield* sealing.seal(secret, about(providerId)),
        createdAt: yield* Clock.currentTimeMillis
      })
      yield* knownKeys.refresh
    }),
    remove: Effect.fn("PlatformKeys.remove")(function* (providerId: string) {
      if (!(yield* rows.deletePlatformKey(providerId)))
        return yield* new NotFound({ what: "platform key", id: providerId })
      yield* knownKeys.refresh
    }),
    list: Effect.map(rows.platformKeys, (found) =>
      found.map(({ createdAt, providerId, sealed }) => ({ providerId, sealedWith: sealed.keyId, createdAt }))
    ),
    use: Effect.fnUntraced(function* (providerId: string) {
      const row = yield* rows.platformKey(providerId)
      if (row === null) return null
      return yield* Effect.catchTag(sealing.open(row.sealed, about(providerId)), "SealUnreadable", ({ keyId }) =>
        Effect.as(
          Effect.logError("a platform key cannot be opened").pipe(
            Effect.annotateLogs({ providerId, sealingKey: keyId })
          ),
          null
        )
      )
    })
  })
})

export const PlatformKeysSealed: Layer.Layer<PlatformKeys, never, SecretRows | KnownKeys | Sealing> = Layer.effect(
  PlatformKeys,
  make
)

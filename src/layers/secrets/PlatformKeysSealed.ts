/** The gateway's own keys, sealed before they reach any storage. */
import { Clock, Effect, Layer, type Redacted } from "effect"
import type { Actor } from "../../domain/AuditEntry.js"
import { NotFound, ValidationError } from "../../domain/ApiErrors.js"
import type { JsonObject } from "../../domain/Json.js"
import type { VariableValues } from "../../domain/Manifest.js"
import { AuditTrail, changed } from "../../services/AuditTrail.js"
import { PlatformKeys } from "../../services/PlatformKeys.js"
import { Sealing } from "../../services/Sealing.js"
import { KeysChanged } from "./KnownKeys.js"
import { aboutOf, givenVariables, type PlatformKeyRow, SecretRows } from "./SecretRows.js"
import { inOneLine, secretProblem } from "./SecretText.js"
import { makeUnopenedKeys } from "./UnopenedKeys.js"

const shown = ({ createdAt, sealed, variables }: PlatformKeyRow): JsonObject => ({
  sealedWith: sealed.keyId,
  setAt: createdAt,
  ...(variables === undefined ? {} : { variables })
})

const make = Effect.gen(function* () {
  const rows = yield* SecretRows
  const sealing = yield* Sealing
  const keysChanged = yield* KeysChanged
  const trail = yield* AuditTrail
  const unopened = makeUnopenedKeys("a platform key")
  const about = (providerId: string) => aboutOf({ _tag: "PlatformKey", providerId })

  return PlatformKeys.of({
    set: Effect.fn("PlatformKeys.set")(function* (
      providerId: string,
      given: Redacted.Redacted<string>,
      by: Actor,
      variables?: VariableValues
    ) {
      const secret = inOneLine(given)
      const problem = secretProblem(secret)
      if (problem !== null) return yield* new ValidationError({ details: [problem] })
      const row = {
        providerId,
        sealed: yield* sealing.seal(secret, about(providerId)),
        createdAt: yield* Clock.currentTimeMillis,
        ...givenVariables(variables)
      }
      yield* trail.change(
        by,
        Effect.map(rows.putPlatformKey(row), (before) =>
          changed(undefined, {
            action: "platform_key.set",
            subjectId: providerId,
            workspaceId: null,
            before: before && shown(before),
            after: shown(row)
          })
        )
      )
      yield* keysChanged.platformKeys
    }),
    remove: Effect.fn("PlatformKeys.remove")(function* (providerId: string, by: Actor) {
      yield* trail.change(
        by,
        Effect.gen(function* () {
          const before = yield* rows.deletePlatformKey(providerId)
          if (before === null) return yield* new NotFound({ what: "platform key", id: providerId })
          return changed(undefined, {
            action: "platform_key.removed",
            subjectId: providerId,
            workspaceId: null,
            before: shown(before),
            after: null
          })
        })
      )
      yield* keysChanged.platformKeys
    }),
    list: Effect.map(rows.platformKeys, (found) =>
      found.map(({ createdAt, providerId, sealed, variables }) => ({
        providerId,
        sealedWith: sealed.keyId,
        createdAt,
        ...givenVariables(variables)
      }))
    ),
    isSet: (providerId) => Effect.map(rows.platformKey(providerId), (row) => row !== null),
    use: Effect.fnUntraced(function* (providerId: string) {
      const row = yield* rows.platformKey(providerId)
      if (row === null) return null
      const secret = yield* Effect.catchTag(
        sealing.open(row.sealed, about(providerId)),
        "SealUnreadable",
        ({ keyId }) => Effect.as(unopened.cannotOpen(providerId, { providerId, sealingKey: keyId }), null)
      )
      if (secret === null) return null
      yield* unopened.opened(providerId)
      return { secret, ...givenVariables(row.variables) }
    })
  })
})

export const PlatformKeysSealed: Layer.Layer<PlatformKeys, never, SecretRows | KeysChanged | Sealing | AuditTrail> =
  Layer.effect(PlatformKeys, make)

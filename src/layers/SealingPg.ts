/**
 * Sealing with the keys of this node, once the database agrees that they are the keys it knows. The first node that uses a key id writes
 * down a check value of its bytes, once and for ever; a node that has other bytes under that id does not start, because it would
 * seal what the others cannot open. So an id is never used again for another key.
 */
import { Clock, Data, Effect, Layer } from "effect"
import type { ConfigError } from "effect/ConfigError"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import type { PlatformError } from "@effect/platform/Error"
import type { StorageError } from "../domain/StorageErrors.js"
import type { Sealing } from "../services/Sealing.js"
import { Database } from "./Database.js"
import { checkValueOf, SealingAesGcm, type SealingKeyFileBroken, sealingKeys, type SealingKeys } from "./SealingAesGcm.js"

export class SealingKeyMismatch extends Data.TaggedError("SealingKeyMismatch")<{ readonly keyId: string }> {
  override get message() {
    return `GATEWAY_SEALING_KEYS: the key ${this.keyId} has other bytes than the key that this database knows as ${this.keyId}. ` +
      "Give every node the same keys, and a new key a new id"
  }
}

const assertKnown = Effect.fnUntraced(function*({ byId }: SealingKeys) {
  const { sql, transact } = yield* Database
  const now = yield* Clock.currentTimeMillis
  for (const [keyId, key] of byId) {
    const mine = checkValueOf(keyId, key)
    const known = yield* transact(Effect.gen(function*() {
      yield* sql`insert into sealing_keys (key_id, check_value, first_used_at) values (${keyId}, ${mine}, ${now}) on conflict (key_id) do nothing`
      return yield* sql<{ checkValue: string }>`select check_value as "checkValue" from sealing_keys where key_id = ${keyId}`
    }))
    if (known[0]?.checkValue !== mine) return yield* new SealingKeyMismatch({ keyId })
  }
})

export const SealingPg = (options: { readonly keyFile: string | null }): Layer.Layer<
  Sealing,
  ConfigError | PlatformError | SealingKeyFileBroken | SealingKeyMismatch | StorageError,
  Database | FileSystem.FileSystem | Path.Path
> => Layer.unwrapEffect(Effect.map(Effect.tap(sealingKeys(options), assertKnown), SealingAesGcm))

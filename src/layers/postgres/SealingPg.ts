/**
 * Sealing with the keys of this node, after the database has confirmed them. The first node that uses a key id stores a
 * check value of the key's bytes, which never changes. A node with other bytes under the same id does not start,
 * because it would seal secrets that other nodes cannot open. So an id is never used again for another key.
 *
 * A node that serves runs must have every key with which a usable secret is sealed (`assertSecretsOpen`). The command
 * line need not have them, because operators repair such a database with it.
 */
import { Clock, Data, Effect, Layer, Schema } from "effect"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import type { PlatformError } from "@effect/platform/Error"
import type { StorageError } from "../../domain/StorageErrors.js"
import { Sealing } from "../../services/Sealing.js"
import type { SettingsWrong } from "../node/SettingsWrong.js"
import { Database } from "./Database.js"
import { rowOf, rowsOf } from "./database/Rows.js"
import {
  checkValueOf,
  SealingAesGcm,
  type SealingKeyFileBroken,
  sealingKeys,
  type SealingKeys
} from "../secrets/SealingAesGcm.js"

export class SealingKeyMismatch extends Data.TaggedError("SealingKeyMismatch")<{ readonly keyId: string }> {
  override get message() {
    return (
      `GATEWAY_SEALING_KEYS: the key ${this.keyId} has other bytes than the key that this database knows as ${this.keyId}. ` +
      "Give every node the same keys, and a new key a new id"
    )
  }
}

/** This node cannot open secrets that runs would use. */
export class SealingKeysMissing extends Data.TaggedError("SealingKeysMissing")<{
  readonly keyIds: ReadonlyArray<string>
  readonly secrets: number
}> {
  override get message() {
    const [keys, them] = this.keyIds.length === 1 ? ["the key", "it"] : ["the keys", "them"]
    const stored = this.secrets === 1 ? "1 stored secret is sealed" : `${this.secrets} stored secrets are sealed`
    return (
      `GATEWAY_SEALING_KEYS: ${stored} with ${keys} ${this.keyIds.join(", ")}, which this node does not have. Add ${them} behind the current key, ` +
      `run \`gateway secrets rotate\`, then remove ${them}. Where a key is lost, set the platform keys anew and delete the connections that it sealed`
    )
  }
}

const knownRows = rowsOf(Schema.Struct({ keyId: Schema.String, checkValue: Schema.String }))
const usedRows = rowsOf(Schema.Struct({ keyId: Schema.String, secrets: Schema.Int }))
const checkRow = rowOf(Schema.Struct({ checkValue: Schema.String }))

/**
 * Run this before a node serves anything. It checks the secrets that a run could use: every platform key, and each
 * connection that is neither deleted nor expired.
 */
export const assertSecretsOpen: Effect.Effect<void, SealingKeysMissing | StorageError, Database | Sealing> = Effect.gen(
  function* () {
    const { query, sql } = yield* Database
    const { keyIds } = yield* Sealing
    const now = yield* Clock.currentTimeMillis
    const used = yield* usedRows(
      query(sql`
    select key_id as "keyId", count(*)::int as secrets from (
      select key_id from platform_keys
      union all
      select key_id from connections where revoked_at is null and (expires_at is null or expires_at > ${now})
    ) stored
    group by key_id order by key_id`)
    )
    const missing = used.filter(({ keyId }) => !keyIds.has(keyId))
    if (missing.length === 0) return
    return yield* new SealingKeysMissing({
      keyIds: missing.map(({ keyId }) => keyId),
      secrets: missing.reduce((sum, { secrets }) => sum + secrets, 0)
    })
  }
)

/** Whether the database knows other bytes under the id of one of these keys. Changes nothing. */
export const assertNoOther = Effect.fnUntraced(function* ({ byId }: SealingKeys) {
  const { query, sql } = yield* Database
  const known = yield* knownRows(query(sql`select key_id as "keyId", check_value as "checkValue" from sealing_keys`))
  for (const { checkValue, keyId } of known) {
    const key = byId.get(keyId)
    if (key !== undefined && checkValueOf(keyId, key) !== checkValue) return yield* new SealingKeyMismatch({ keyId })
  }
})

const assertKnown = Effect.fnUntraced(function* ({ byId }: SealingKeys) {
  const { sql, transact } = yield* Database
  const now = yield* Clock.currentTimeMillis
  for (const [keyId, key] of byId) {
    const mine = checkValueOf(keyId, key)
    const known = yield* transact(
      Effect.gen(function* () {
        yield* sql`insert into sealing_keys (key_id, check_value, first_used_at) values (${keyId}, ${mine}, ${now}) on conflict (key_id) do nothing`
        return yield* checkRow(sql`select check_value as "checkValue" from sealing_keys where key_id = ${keyId}`)
      })
    )
    if (known?.checkValue !== mine) return yield* new SealingKeyMismatch({ keyId })
  }
})

export const SealingPg = (options: {
  readonly keyFile: string | null
}): Layer.Layer<
  Sealing,
  PlatformError | SealingKeyFileBroken | SealingKeyMismatch | SettingsWrong | StorageError,
  Database | FileSystem.FileSystem | Path.Path
> => Layer.unwrapEffect(Effect.map(Effect.tap(sealingKeys(options), assertKnown), SealingAesGcm))

/**
 * The cursor key of the database. The migration that creates its table also makes the key, at random. The key is not
 * derived from the sealing keys, because those are rotated while clients page through lists. It is stored in plain
 * text: somebody who can read the database needs no cursor.
 */
import { Effect, Layer, Redacted, Schema } from "effect"
import type { StorageError } from "../../domain/StorageErrors.js"
import { CursorKey } from "../../services/CursorKey.js"
import { Database } from "./Database.js"
import { rowOf } from "./database/Rows.js"

const keyRow = rowOf(Schema.Struct({ key: Schema.Uint8ArrayFromSelf }))

export const CursorKeyPg: Layer.Layer<CursorKey, StorageError, Database> = Layer.effect(
  CursorKey,
  Effect.gen(function* () {
    const { query, sql } = yield* Database
    const row = yield* keyRow(query(sql`select key from cursor_key`))
    return row === null ? yield* Effect.dieMessage("the table cursor_key is empty") : Redacted.make(row.key)
  })
)

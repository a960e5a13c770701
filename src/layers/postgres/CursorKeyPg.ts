/**
 * The cursor key of the database, made at random by the migration that brought its table. It stands there and is not
 * derived from the sealing keys: those are turned over while lists are being read, and whoever reads the database needs
 * no cursor.
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

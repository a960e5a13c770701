/**
 * The cursor key of the database, made at random by the migration that brought its table. It stands there and is not
 * derived from the sealing keys: those are turned over while lists are being read, and whoever reads the database needs
 * no cursor.
 */
import { Effect, Layer, Redacted } from "effect"
import type { StorageError } from "../../domain/StorageErrors.js"
import { CursorKey } from "../../services/CursorKey.js"
import { Database } from "./Database.js"

export const CursorKeyPg: Layer.Layer<CursorKey, StorageError, Database> = Layer.effect(
  CursorKey,
  Effect.gen(function* () {
    const { query, sql } = yield* Database
    const [row] = yield* query(sql<{ key: Uint8Array }>`select key from cursor_key`)
    return row === undefined ? yield* Effect.dieMessage("the table cursor_key is empty") : Redacted.make(row.key)
  })
)

/**
 * Brings a database to the schema of this program. Each migration that the database does not have yet runs in order, in
 * a transaction of its own, together with the row that records it. When several programs start at once, an advisory
 * lock lets one work, and the others look again afterwards. A database that a newer program migrated is refused.
 * Nothing is ever undone. Nothing runs outside of a transaction (so no `create index concurrently`).
 */
import type { SqlError } from "@effect/sql"
import { Data, Effect, Schema } from "effect"
import { member } from "../../domain/Members.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import { Database, type Sql } from "./Database.js"
import { migrationsLock } from "./database/AdvisoryLocks.js"
import { rowOf, rowsOf } from "./database/Rows.js"

/**
 * SQL text (may hold several statements), a list of such texts, or an effect; all run inside the migration's
 * transaction.
 */
export type Migration = string | ReadonlyArray<string> | ((sql: Sql) => Effect.Effect<void, SqlError.SqlError>)

/**
 * `name` is the migration that failed, or a migration of the database that this program does not know. The changes of a
 * failed migration are rolled back; those of earlier ones stay.
 */
export class MigrationFailed extends Data.TaggedError("MigrationFailed")<{
  readonly name: string
  readonly message: string
  readonly cause?: unknown
}> {}

const presentRow = rowOf(Schema.Struct({ present: Schema.Boolean }))
const nameRows = rowsOf(Schema.Struct({ name: Schema.String }))

const applied = ({ query, sql }: Database["Type"]) =>
  Effect.gen(function* () {
    const table = yield* presentRow(query(sql`select to_regclass('gateway_migrations') is not null as present`))
    if (table?.present !== true) return []
    const rows = yield* nameRows(query(sql`select name from gateway_migrations order by name`))
    return rows.map(({ name }) => name)
  })

const apply = (sql: Sql, migration: Migration): Effect.Effect<void, SqlError.SqlError> => {
  if (typeof migration === "function") return migration(sql)
  const texts = typeof migration === "string" ? [migration] : migration
  return Effect.forEach(texts, (text) => sql.unsafe(text), { discard: true })
}

const refuseUnknown = (known: ReadonlyArray<string>, found: ReadonlyArray<string>) => {
  const unknown = found.find((name, at) => name !== known[at])
  return unknown === undefined
    ? Effect.void
    : new MigrationFailed({
        name: unknown,
        message: `The database has the migration ${unknown}, which this program does not know in that place: it was migrated by another version. Start that version or a newer one`
      })
}

/** The names of the migrations that the database does not have yet, in order. It changes nothing. */
export const missingMigrations = (
  all: Readonly<Record<string, Migration>>
): Effect.Effect<ReadonlyArray<string>, MigrationFailed | StorageError, Database> =>
  Effect.gen(function* () {
    const names = Object.keys(all).sort()
    const found = yield* applied(yield* Database)
    yield* refuseUnknown(names, found)
    return names.slice(found.length)
  })

/** Runs the missing migrations and answers their names. When none is missing, it takes two statements. */
export const migrate = (
  all: Readonly<Record<string, Migration>>
): Effect.Effect<ReadonlyArray<string>, MigrationFailed | StorageError, Database> =>
  Effect.gen(function* () {
    const { sql, transact } = yield* Database
    const ran = yield* Effect.forEach(yield* missingMigrations(all), (name) =>
      transact(
        Effect.gen(function* () {
          // No time limit: another program's migrations, or the migration of a large table, may take long.
          yield* sql`set local statement_timeout = 0`
          yield* sql`select pg_advisory_xact_lock(${migrationsLock}::bigint)`
          yield* sql`create table if not exists gateway_migrations (name text primary key, applied_at timestamptz not null default now())`
          const [done] = yield* sql`select from gateway_migrations where name = ${name}`
          if (done !== undefined) return []
          yield* apply(sql, member(all, name) ?? [])
          yield* sql`insert into gateway_migrations (name) values (${name})`
          return [name]
        })
      ).pipe(
        Effect.catchAllDefect(
          (cause) =>
            new MigrationFailed({
              name,
              message: `The migration ${name} failed and was rolled back: ${reasonOf(cause)}`,
              cause
            })
        )
      )
    )
    return ran.flat()
  })

const reasonOf = (defect: unknown): string => {
  const cause = defect instanceof Error && defect.cause !== undefined ? defect.cause : defect
  return cause instanceof Error ? cause.message : String(cause)
}

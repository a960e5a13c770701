/**
 * Brings a database to the schema of this program. Each migration that the database does not have yet runs in order, in
 * a transaction of its own, together with the row that records it. When several programs start at once, an advisory
 * lock lets one work, and the others look again afterwards. Nothing is ever undone. Nothing runs outside of a
 * transaction (so no `create index concurrently`). A table that somebody reads for long is not waited for while others
 * must wait behind the migration: it is rolled back and tried again.
 *
 * A migration only adds, so a program may work on a database that a newer one has migrated. A migration that takes
 * something away says which migration a program must know from then on (`schema_needs`). A program that does not know
 * that one is refused, and so is a database whose migrations are not in the order of this program.
 */
import type * as SqlError from "@effect/sql/SqlError"
import { Data, type Duration, Effect, Schedule, ScheduleDecision, Schema } from "effect"
import { member } from "../../domain/Members.js"
import { isStorageError, type StorageError } from "../../domain/StorageErrors.js"
import { Database, type Sql, sqlState } from "./Database.js"
import { migrationsLock } from "./database/AdvisoryLocks.js"
import { rowOf, rowsOf } from "./database/Rows.js"
import { tableLockTimeout } from "./database/TableLocks.js"

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

/** Some table that the migration changes stayed in use. */
class TableInUse extends Data.TaggedError("TableInUse") {}

const triesMax = 60

/** A lost connection takes back one migration only, and its row says whether it was committed all the same. */
const lossesMax = 5

/** Does the work again after each failure of one kind, and tells why, except after the last: then nothing goes on. */
const again =
  (options: {
    readonly after: (error: unknown) => boolean
    readonly times: number
    readonly every: Duration.DurationInput
    readonly warning: string
  }) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.retry(
      work,
      Schedule.spaced(options.every).pipe(
        Schedule.intersect(Schedule.recurs(options.times)),
        Schedule.whileInput(options.after),
        Schedule.onDecision((_, decision) =>
          ScheduleDecision.isContinue(decision) ? Effect.logWarning(options.warning) : Effect.void
        )
      )
    )

const neededRow = rowOf(Schema.Struct({ needed: Schema.String }))

/** The migration that every program on this database must know; null where the database does not say. */
const neededBy = ({ query, sql }: Database["Type"]) =>
  Effect.gen(function* () {
    const table = yield* presentRow(query(sql`select to_regclass('schema_needs') is not null as present`))
    return table?.present === true ? yield* neededRow(query(sql`select needed from schema_needs`)) : null
  })

const refuseUnknown = (database: Database["Type"], known: ReadonlyArray<string>, found: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const at = found.findIndex((name, place) => name !== known[place])
    const unknown = found[at]
    if (unknown === undefined) return
    const needed = at < known.length ? null : yield* neededBy(database)
    if (needed !== null && schemaProblem(known, needed.needed) === null) return
    return yield* new MigrationFailed({
      name: unknown,
      message: `The database has the migration ${unknown}, which this program does not know in that place: it was migrated by another version. Start that version or a newer one`
    })
  })

/** Why a program that knows these migrations must not work on a database that needs this one; null when it may. */
export const schemaProblem = (known: ReadonlyArray<string>, needed: string): string | null =>
  known.includes(needed)
    ? null
    : `The database needs a program with the migration ${needed}, which this one does not have: start a newer version`

/** The names of the migrations that the database does not have yet, in order. It changes nothing. */
export const missingMigrations = (
  all: Readonly<Record<string, Migration>>
): Effect.Effect<ReadonlyArray<string>, MigrationFailed | StorageError, Database> =>
  Effect.gen(function* () {
    const names = Object.keys(all).sort()
    const database = yield* Database
    const found = yield* applied(database)
    yield* refuseUnknown(database, names, found)
    return names.slice(found.length)
  })

/** Runs the missing migrations and answers their names. When none is missing, it takes two statements. */
export const migrate = (
  all: Readonly<Record<string, Migration>>
): Effect.Effect<ReadonlyArray<string>, MigrationFailed | StorageError, Database> =>
  Effect.gen(function* () {
    const { sql, transactUnlimited } = yield* Database
    const ran = yield* Effect.forEach(yield* missingMigrations(all), (name) =>
      // No time limit: another program's migrations, or the migration of a large table, may take long.
      transactUnlimited(
        Effect.gen(function* () {
          yield* sql`select pg_advisory_xact_lock(${migrationsLock}::bigint)`
          yield* sql`create table if not exists gateway_migrations (name text primary key, applied_at timestamptz not null default now())`
          const [done] = yield* sql`select from gateway_migrations where name = ${name}`
          if (done !== undefined) return []
          yield* sql.unsafe(tableLockTimeout)
          yield* apply(sql, member(all, name) ?? []).pipe(
            Effect.catchIf(
              (error) => sqlState(error) === "55P03",
              () => new TableInUse()
            )
          )
          yield* sql`insert into gateway_migrations (name) values (${name})`
          return [name]
        })
      ).pipe(
        again({
          after: isStorageError,
          times: lossesMax,
          every: "1 second",
          warning: `The database was lost during the migration ${name}, which begins again`
        }),
        again({
          after: (error) => error instanceof TableInUse,
          times: triesMax - 1,
          every: "5 seconds",
          warning: `The migration ${name} waits for a table that somebody uses for long`
        }),
        Effect.catchIf(
          isStorageError,
          (cause) =>
            new MigrationFailed({
              name,
              message: `The database was lost during the migration ${name}, in ${lossesMax + 1} tries; those before it stay. Start again once it is there`,
              cause
            })
        ),
        Effect.catchTag(
          "TableInUse",
          () =>
            new MigrationFailed({
              name,
              message: `The migration ${name} did not get a table that somebody uses, in ${triesMax} tries: end what reads or changes all of it, then start again`
            })
        ),
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

/**
 * The one way to Postgres: a pool of our own, and `transact` and `query`, which leave no SqlError to their callers.
 * What storage can fail with is a storage error of the domain that says whether it can have happened; a mistake in SQL
 * dies. Names no table. Never fork a write inside a transaction: the fiber would inherit its connection, and outlive
 * it.
 */
import type { SqlClient, Statement } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Context, Data, Effect, Layer, Redacted, Schema, type Scope } from "effect"
import Pg from "pg"
import type { StorageError } from "../../domain/StorageErrors.js"
import { makeTrouble } from "../node/Trouble.js"
import { types } from "./database/ColumnTypes.js"
import { connectTimedOut, pipelined } from "./database/DriverInternals.js"
import { whyOf } from "./database/Failure.js"
import { listenTo } from "./database/Listen.js"
import { queryAlone, queryWith, sendWith } from "./database/Query.js"
import { type Row, rowOf } from "./database/Rows.js"
import { type Own, transactWith } from "./database/Transact.js"

export { sqlState } from "./database/Failure.js"

/**
 * Makes statements. What they answer has columns of unknown types until `rowsOf` has checked them; sql-pg would believe
 * any type that it is told.
 */
export interface Sql extends Pick<SqlClient.SqlClient, "join" | "literal" | "withTransaction"> {
  (text: TemplateStringsArray, ...values: ReadonlyArray<unknown>): Statement.Statement<Row>
  /** The name of a table or column. */
  (name: string): Statement.Identifier
  readonly unsafe: (text: string, values?: ReadonlyArray<unknown>) => Statement.Statement<Row>
}

/** One statement; its failures are storage errors. */
export type Query = (statement: Statement.Statement<Row>) => Effect.Effect<ReadonlyArray<Row>, StorageError>

export class Database extends Context.Tag("gateway/layers/Database")<
  Database,
  {
    readonly sql: Sql
    /** For those who need a connection of their own, outside of this thread. */
    readonly url: Redacted.Redacted
    /**
     * Runs the effect in one transaction. Serialization failures and deadlocks are repeated, at most five times, so the
     * effect must not touch anything but the database. Inside another transaction it is a savepoint, and the outermost
     * decides about errors. A unique or other violation that is expected is caught inside, as SqlError, around a nested
     * `sql.withTransaction`.
     */
    readonly transact: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, Own<E> | StorageError, R>
    /** One statement, with the same errors; inside a transaction it takes part in it. */
    readonly query: Query
    /**
     * One statement whose answer nobody needs. Inside a transaction it is sent and not waited for, and leaves together
     * with the COMMIT: where it fails the transaction does, at its end. Alone it is waited for like any other.
     */
    readonly send: (statement: Statement.Statement<Row>) => Effect.Effect<void, StorageError>
    /**
     * One statement that must not wait behind those of all others, such as the renewal of leases: it has a connection
     * of its own, made when it is first needed. Never part of a transaction.
     */
    readonly urgent: Query
    /**
     * One statement that reads whole tables: on a connection made for it, which plans freely and has no time limit.
     * Never part of a transaction.
     */
    readonly survey: Query
    /**
     * Calls with the payload of every `pg_notify`, and with `undefined` after every (re)connect: look for what may have
     * been missed. Ends only by interruption.
     */
    readonly listen: (channel: string, heard: (payload: string | undefined) => void) => Effect.Effect<never>
  }
>() {}

/** The database of `DATABASE_URL` cannot be used at all: not reachable, no access, or too old. */
export class DatabaseUnusable extends Data.TaggedError("DatabaseUnusable")<{
  readonly message: string
  readonly cause?: unknown
}> {}

export interface DatabaseOptions {
  readonly url: Redacted.Redacted
  /** Connections of this process at most; 20 where not given. */
  readonly connectionsMax?: number
  /** How long a caller waits for a connection before the answer is `storage_busy`; 3,000 where not given. */
  readonly acquireTimeoutMillis?: number
  /** How long one statement may take before it is cancelled; 10,000 where not given. */
  readonly statementTimeoutMillis?: number
}

const serverVersionMin = 150_000
const acquireTimeoutMillis = 3_000

/**
 * Every statement here finds its rows by an index. Left alone, the planner reads whole tables wherever it believes them
 * small, and keeps that plan while they grow: until the first ANALYZE of a new database, a run cost 10 ms of Postgres
 * instead of 1. What reads whole tables on purpose is a `survey`.
 */
const byIndex = "set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off; set jit = off"

const poolOf = (url: Redacted.Redacted, options: Pg.PoolConfig): Effect.Effect<Pg.Pool, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const pool = new Pg.Pool({
        connectionString: Redacted.value(url),
        types,
        keepAlive: true,
        ...options
      })
      // An idle connection died: the pool has removed it. Without a listener it would end the process.
      pool.on("error", () => undefined)
      return pool
    }),
    (pool) => Effect.promise(() => pool.end()).pipe(Effect.interruptible, Effect.timeoutOption("5 seconds"))
  )

const workPoolOf = (options: DatabaseOptions, max: number) => {
  const statementTimeoutMillis = options.statementTimeoutMillis ?? 10_000
  const made = poolOf(options.url, {
    application_name: "provider-gateway",
    // Statements of one transaction that do not wait for each other share a round trip.
    ...pipelined,
    max,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: options.acquireTimeoutMillis ?? acquireTimeoutMillis,
    statement_timeout: statementTimeoutMillis,
    // The server cancels first; this one is for a network that swallows the answer.
    query_timeout: statementTimeoutMillis + 2_000,
    idle_in_transaction_session_timeout: statementTimeoutMillis + 5_000
  })
  // First on the wire of every connection. Where it fails the connection is lost, and what follows says so.
  return Effect.tap(made, (pool) => pool.on("connect", (client) => void client.query(byIndex).catch(() => undefined)))
}

/** A connection for each statement, gone with it. */
const surveyPoolOf = (options: DatabaseOptions) =>
  poolOf(options.url, {
    application_name: "provider-gateway (survey)",
    max: 2,
    maxUses: 1,
    connectionTimeoutMillis: options.acquireTimeoutMillis ?? acquireTimeoutMillis,
    statement_timeout: 0
  })

const unusable = (message: string) => (cause: unknown) => new DatabaseUnusable({ message, cause })

/** Fails at the start, with words for the operator, where a later statement could only say `storage_busy`. */
const versionRow = rowOf(Schema.Struct({ version: Schema.NumberFromString }))

const assertUsable = (sql: Sql) =>
  Effect.gen(function* () {
    const row = yield* versionRow(sql`select current_setting('server_version_num') as version`).pipe(
      // On a machine that is busy with starting, the first connection may take longer than any later one may.
      Effect.retry({ times: 3, while: (error) => connectTimedOut(error.cause) }),
      Effect.mapError((error) =>
        unusable(`The database cannot be used (${whyOf(error.cause)}); check DATABASE_URL`)(error)
      )
    )
    if (row === null || row.version < serverVersionMin)
      return yield* unusable("The database is older than Postgres 15")(undefined)
  })

/** The database of a url. Also gives sql-pg's own clients, for libraries that ask for them. */
export const DatabasePg = (
  options: DatabaseOptions
): Layer.Layer<Database | PgClient.PgClient | SqlClient.SqlClient, DatabaseUnusable> =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const pool = yield* workPoolOf(options, options.connectionsMax ?? 20)
      const urgent = yield* workPoolOf(options, 1)
      const surveys = yield* surveyPoolOf(options)
      return Layer.scoped(
        Database,
        Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          yield* assertUsable(sql)
          const trouble = yield* makeTrouble("storage")
          return Database.of({
            sql,
            url: options.url,
            transact: transactWith(sql, pool, trouble),
            query: queryWith(pool, trouble),
            send: sendWith(pool, trouble),
            urgent: queryAlone(urgent, trouble),
            survey: queryAlone(surveys, trouble),
            listen: (channel, heard) => listenTo(options.url, channel, heard)
          })
        })
      ).pipe(
        // A pool that is there already connects nothing, so this cannot fail.
        Layer.provideMerge(Layer.orDie(PgClient.layerFromPool({ acquire: Effect.succeed(pool) })))
      )
    })
  )

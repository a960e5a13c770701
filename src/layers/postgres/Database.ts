/**
 * The one way to Postgres: a pool of our own, and `transact` and `query`, which never fail with a SqlError. Trouble of
 * the storage becomes a storage error of the domain, which says whether the statement can have happened. A mistake in
 * SQL dies as a defect. This module names no table. Never fork a write inside a transaction: the fiber would inherit
 * the connection of the transaction and outlive it.
 */
import type { SqlClient, Statement } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Context, Data, Effect, Layer, Redacted, Schema, type Scope } from "effect"
import Pg from "pg"
import type { StorageError } from "../../domain/StorageErrors.js"
import { makeTrouble, type Trouble } from "../node/Trouble.js"
import { types } from "./database/ColumnTypes.js"
import { connectTimedOut, pipelined } from "./database/DriverInternals.js"
import { whyOf } from "./database/Failure.js"
import { listenTo } from "./database/Listen.js"
import { queryAlone, queryWith, sendWith } from "./database/Query.js"
import { type Row, rowOf } from "./database/Rows.js"
import { type Own, transactWith } from "./database/Transact.js"

export { sqlState } from "./database/Failure.js"

/**
 * Makes statements. The columns of their answers have unknown types until `rowsOf` has checked them. sql-pg itself
 * would accept any type that the caller claims.
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
    /** The address of the database, for code that needs a connection of its own outside of this thread. */
    readonly url: Redacted.Redacted
    /**
     * Runs the effect in one transaction. Serialization failures and deadlocks repeat it, at most five times, so the
     * effect must not touch anything but the database. Inside another transaction it is a savepoint, and the outermost
     * `transact` decides about errors. To handle an expected violation, such as of a unique key, catch the SqlError
     * inside, around a nested `sql.withTransaction`.
     */
    readonly transact: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, Own<E> | StorageError, R>
    /** Runs one statement, with the same errors. Inside a transaction, the statement is part of it. */
    readonly query: Query
    /**
     * Runs one statement whose answer nobody needs. Inside a transaction, the statement is sent together with the
     * COMMIT and is not waited for; if it fails, the transaction fails at its end. Outside of a transaction it is
     * waited for like any other.
     */
    readonly send: (statement: Statement.Statement<Row>) => Effect.Effect<void, StorageError>
    /**
     * Runs one statement that must not wait behind all others, such as the renewal of leases. It has a connection of
     * its own, which is made at its first use. It is never part of a transaction.
     */
    readonly urgent: Query
    /**
     * Runs one statement that reads whole tables, on a connection that is made for it. The planner is free there, and
     * the statement has no time limit. It is never part of a transaction.
     */
    readonly survey: Query
    /**
     * `query` and `transact` for what may be lost, such as what searches learn from use: it waits for nobody, so its
     * failures are not told as trouble of the storage.
     */
    readonly optional: {
      readonly query: Query
      readonly transact: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, Own<E> | StorageError, R>
    }
    /**
     * Calls `heard` with the payload of every `pg_notify`. After every (re)connect it calls `heard` with `undefined`:
     * notifications may have been missed, so look at the rows. Ends only by interruption.
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
  /** The most connections that this process makes; 20 by default. */
  readonly connectionsMax?: number
  /** How long a caller waits for a connection before it fails with `storage_busy`; 3,000 by default. */
  readonly acquireTimeoutMillis?: number
  /** How long one statement may take before it is cancelled; 10,000 by default. */
  readonly statementTimeoutMillis?: number
}

const serverVersionMin = 150_000
const acquireTimeoutMillis = 3_000

/**
 * Every statement here finds its rows by an index. By default, the planner scans a whole table while it believes that
 * the table is small, and keeps that plan while the table grows. Until the first ANALYZE of a new database, a run then
 * cost 10 ms of Postgres instead of 1. A statement that reads whole tables on purpose is a `survey`.
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
      // An idle connection died, and the pool has removed it. Without this listener, its error would end the process.
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
    // Postgres cancels a slow statement first. This later limit is for a network that loses the answer.
    query_timeout: statementTimeoutMillis + 2_000,
    idle_in_transaction_session_timeout: statementTimeoutMillis + 5_000
  })
  // The first statement on every connection. If it fails, the connection is lost, and the next statement reports that.
  return Effect.tap(made, (pool) => pool.on("connect", (client) => void client.query(byIndex).catch(() => undefined)))
}

/** Each statement gets a connection of its own, which is closed after it. */
const surveyPoolOf = (options: DatabaseOptions) =>
  poolOf(options.url, {
    application_name: "provider-gateway (survey)",
    max: 2,
    maxUses: 1,
    connectionTimeoutMillis: options.acquireTimeoutMillis ?? acquireTimeoutMillis,
    statement_timeout: 0
  })

const unusable = (message: string) => (cause: unknown) => new DatabaseUnusable({ message, cause })

/** Fails at the start with a message for the operator. A later statement could only say `storage_busy`. */
const versionRow = rowOf(Schema.Struct({ version: Schema.NumberFromString }))

const assertUsable = (sql: Sql) =>
  Effect.gen(function* () {
    const row = yield* versionRow(sql`select current_setting('server_version_num') as version`).pipe(
      // While the machine is busy with starting, the first connection may take longer than later ones are allowed to.
      Effect.retry({ times: 3, while: (error) => connectTimedOut(error.cause) }),
      Effect.mapError((error) =>
        unusable(`The database cannot be used (${whyOf(error.cause)}); check DATABASE_URL`)(error)
      )
    )
    if (row === null || row.version < serverVersionMin)
      return yield* unusable("The database is older than Postgres 15")(undefined)
  })

const untold: Trouble = { failed: () => undefined, worked: () => undefined }

/** The database at a url. It also offers sql-pg's own clients, for libraries that need them. */
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
            optional: { query: queryWith(pool, untold), transact: transactWith(sql, pool, untold) },
            listen: (channel, heard) => listenTo(options.url, channel, heard)
          })
        })
      ).pipe(
        // The pool exists already and this layer connects nothing, so it cannot fail.
        Layer.provideMerge(Layer.orDie(PgClient.layerFromPool({ acquire: Effect.succeed(pool) })))
      )
    })
  )

/**
 * The one way to Postgres: a pool of our own, and `transact` and `query`, which leave no SqlError to their callers. What storage can fail
 * with is a storage error of the domain that says whether it can have happened; a mistake in SQL dies. Names no table.
 * Never fork inside a transaction (the fiber would inherit its connection), and never write through `query`.
 */
import type { SqlClient, SqlError } from "@effect/sql"
import { PgClient } from "@effect/sql-pg"
import { Context, Data, Effect, Layer, Redacted, type Stream } from "effect"
import Pg from "pg"
import type { StorageError } from "../domain/StorageErrors.js"
import { Connection, types } from "./database/Connection.js"
import { listenTo } from "./database/Listen.js"
import { type Own, query, transactWith } from "./database/Transact.js"

export { sqlState } from "./database/Failure.js"

export class Database extends Context.Tag("gateway/layers/Database")<Database, {
  readonly sql: PgClient.PgClient
  /**
   * Runs the effect in one transaction. Serialization failures and deadlocks are repeated, at most five times, so the effect must not
   * touch anything but the database. Inside another transaction it is a savepoint, and the outermost decides about errors.
   * A unique or other violation that is expected is caught inside, as SqlError, around a nested `sql.withTransaction`.
   */
  readonly transact: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, Own<E> | StorageError, R>
  /** Reads outside of a transaction, with the same errors; inside one it takes part in it. */
  readonly query: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, Own<E> | StorageError, R>
  /**
   * For single statements that must not wait behind those of all others, such as the renewal of leases: a connection of their own, made
   * when it is first needed. Never part of a transaction; give it to `query`.
   */
  readonly urgent: PgClient.PgClient
  /** Payloads of `pg_notify`, and `undefined` after every (re)connect: look for what may have been missed. */
  readonly listen: (channel: string) => Stream.Stream<string | undefined>
}>() {}

/** The database of `DATABASE_URL` cannot be used at all: not reachable, no access, or too old. */
export class DatabaseUnusable extends Data.TaggedError("DatabaseUnusable")<{ readonly message: string; readonly cause?: unknown }> {}

export interface DatabaseOptions {
  readonly url: Redacted.Redacted
  /** Connections of this process at most; 20 where not given. */
  readonly connectionsMax?: number
  /** How long a caller waits for a connection before the answer is `storage_busy`; 3,000 where not given. */
  readonly acquireTimeoutMillis?: number
  /** How long one statement may take before it is cancelled; 10,000 where not given. */
  readonly statementTimeoutMillis?: number
  /** A span for every transaction and statement. Off where not given: measured, they cost a tenth to a third of the throughput. */
  readonly traced?: boolean
}

const serverVersionMin = 150_000

const poolOf = (options: DatabaseOptions) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const statementTimeoutMillis = options.statementTimeoutMillis ?? 10_000
      const pool = new Pg.Pool({
        connectionString: Redacted.value(options.url),
        Client: Connection,
        types,
        application_name: "provider-gateway",
        // Statements of one transaction that do not wait for each other share a round trip.
        pipeline: true,
        max: options.connectionsMax ?? 20,
        idleTimeoutMillis: 30_000,
        connectionTimeoutMillis: options.acquireTimeoutMillis ?? 3_000,
        statement_timeout: statementTimeoutMillis,
        // The server cancels first; this one is for a network that swallows the answer.
        query_timeout: statementTimeoutMillis + 2_000,
        idle_in_transaction_session_timeout: statementTimeoutMillis + 5_000,
        keepAlive: true
      })
      // An idle connection died: the pool has removed it. Without a listener it would end the process.
      pool.on("error", () => undefined)
      return pool
    }),
    (pool) => Effect.promise(() => pool.end()).pipe(Effect.interruptible, Effect.timeoutOption("5 seconds"))
  )

/** Making a pool connects nothing yet, so it cannot fail. */
const clientOf = (options: DatabaseOptions) => Layer.orDie(PgClient.layerFromPool({ acquire: poolOf(options) }))

const unusable = (message: string) => (cause: unknown) => new DatabaseUnusable({ message, cause })

/** Fails at the start, with words for the operator, where a later statement could only say `storage_busy`. */
const assertUsable = (sql: SqlClient.SqlClient) =>
  Effect.gen(function*() {
    const rows = yield* sql<{ version: string }>`select current_setting('server_version_num') as version`.pipe(
      // On a machine that is busy with starting, the first connection may take longer than any later one may.
      Effect.retry({ times: 3, while: (error) => causeOf(error).includes("timeout") }),
      Effect.mapError((error) => unusable(`The database cannot be used (${causeOf(error)}); check DATABASE_URL`)(error))
    )
    if (Number(rows[0]?.version) < serverVersionMin) return yield* unusable("The database is older than Postgres 15")(undefined)
  })

const causeOf = ({ cause, message }: SqlError.SqlError): string =>
  cause instanceof Error ? cause.message || String(Object(cause).code) : message

/** The database of a url. Also gives sql-pg's own clients, for libraries that ask for them. */
export const DatabasePg = (options: DatabaseOptions): Layer.Layer<Database | PgClient.PgClient | SqlClient.SqlClient, DatabaseUnusable> =>
  Layer.scoped(
    Database,
    Effect.gen(function*() {
      const sql = yield* PgClient.PgClient
      const urgent = Context.get(yield* Layer.build(clientOf({ ...options, connectionsMax: 1 })), PgClient.PgClient)
      yield* assertUsable(sql)
      const traced = Effect.withTracerEnabled(options.traced ?? false)
      const transact = transactWith(sql)
      return Database.of({
        sql,
        transact: (self) => traced(transact(self)),
        query: (self) => traced(query(self)),
        urgent,
        listen: (channel) => listenTo(options.url, channel)
      })
    })
  ).pipe(
    Layer.provideMerge(clientOf(options))
  )

/**
 * The one way to Postgres: pools of our own (`database/Pools.ts`), and `transact` and `query`, which never fail with a
 * SqlError. Trouble of the storage becomes a storage error of the domain, which says whether the statement can have
 * happened. A mistake in SQL dies as a defect. This module names no table. Never fork a write inside a transaction: the
 * fiber would inherit the connection of the transaction and outlive it.
 */
import type * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import type * as Statement from "@effect/sql/Statement"
import * as PgClient from "@effect/sql-pg/PgClient"
import { Context, Data, Effect, Layer, Queue, type Redacted, Schema } from "effect"
import type { StorageError } from "../../domain/StorageErrors.js"
import { inSentences } from "../node/StorageWords.js"
import { makeTrouble, type Trouble } from "../node/Trouble.js"
import { connectTimedOut } from "./database/DriverInternals.js"
import { listenTo } from "./database/Listen.js"
import { unusableWords } from "./database/UnusableWords.js"
import { lackingSettings, type PoolLimits, pooledPool, pooledSettings, surveyPool, workPool } from "./database/Pools.js"
import { queryAlone, queryWith, sendWith } from "./database/Query.js"
import { type Row, rowOf, rowsOf } from "./database/Rows.js"
import { makeServers, type Server, type Servers } from "./database/Servers.js"
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
    /** Where connections of one's own go, which no pooler lends to others, such as outside of this thread. */
    readonly direct: Servers
    /** The servers of `DATABASE_URL`, and what became of each. */
    readonly servers: Servers
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
     * Runs one statement that reads whole tables, on a connection apart. The planner is free there, and the statement
     * has no time limit. It is never part of a transaction.
     */
    readonly survey: Query
    /**
     * Runs the effect in one transaction, as `transact` does, whose statements have no time limit: for changes of the
     * schema. It has the connections of the surveys, which go to no pooler.
     */
    readonly transactUnlimited: <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, Own<E> | StorageError, R>
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
  readonly found: string
  readonly advice: string
  readonly cause?: unknown
}> {
  override get message() {
    return inSentences(this)
  }
}

export interface DatabaseOptions {
  readonly url: Redacted.Redacted
  /** What the log says of failures: what they mean for a node (the default), or for a command. */
  readonly usedBy?: "node" | "command"
  /**
   * Given where `url` is a pooler that lends its connections by the transaction: the address of the same database
   * without it, for whatever needs a session.
   */
  readonly directUrl?: Redacted.Redacted
  /** Whether that pooler keeps the named statements of its clients; false by default. */
  readonly poolerPrepares?: boolean
  /** The most connections that this process makes; 20 by default. */
  readonly connectionsMax?: number
  /** How long a caller waits for a connection before it fails with `storage_busy`; 3,000 by default. */
  readonly acquireTimeoutMillis?: number
  /** How long one statement may take before it is cancelled; 10,000 by default. */
  readonly statementTimeoutMillis?: number
}

const serverVersionMin = 150_000

const unreached = (cause: unknown) => new DatabaseUnusable({ ...unusableWords(cause), cause })

const versionRow = rowOf(Schema.Struct({ version: Schema.NumberFromString }))
const nameRows = rowsOf(Schema.Struct({ name: Schema.String }))

/** While the machine is busy with starting, the first connection may take longer than later ones are allowed to. */
const patient = <A>(first: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, SqlError.SqlError> =>
  Effect.retry(first, { times: 3, while: (error) => connectTimedOut(error.cause) })

/** Fails at the start with a message for the operator. A later statement could only say `storage_busy`. */
const assertUsable = (sql: Sql) =>
  Effect.gen(function* () {
    const row = yield* versionRow(patient(sql`select current_setting('server_version_num') as version`)).pipe(
      Effect.mapError((error) => unreached(error.cause))
    )
    if (row === null || row.version < serverVersionMin)
      return yield* new DatabaseUnusable({
        found: "The database is older than Postgres 15",
        advice: "Start Postgres 15 or newer"
      })
  })

/** Without these settings, statements would get slow plans and have no time limit. */
const assertPooler = (sql: Sql, limits: PoolLimits) =>
  Effect.gen(function* () {
    const lacking = yield* nameRows(sql.unsafe(lackingSettings)).pipe(
      Effect.mapError((error) => unreached(error.cause))
    )
    if (lacking.length > 0)
      return yield* new DatabaseUnusable({
        found: `The pooler of DATABASE_URL does not set ${lacking.map(({ name }) => name).join(", ")}`,
        advice: `Give the database in its configuration connect_query='${pooledSettings(limits)}', or leave GATEWAY_LISTEN_URL out when there is no pooler`
      })
  })

const serversOf = (name: string, url: Redacted.Redacted) =>
  Effect.gen(function* () {
    const moves = yield* Queue.unbounded<{ readonly from: string; readonly to: string }>()
    yield* Queue.take(moves).pipe(
      Effect.flatMap(({ from, to }) =>
        Effect.annotateLogs(Effect.logWarning("Another server of the database takes the writes now"), { from, to })
      ),
      Effect.forever,
      Effect.forkScoped
    )
    const moved = (from: Server, to: Server) => void moves.unsafeOffer({ from: from.name, to: to.name })
    return yield* Effect.mapError(
      makeServers(url, moved),
      (problem) => new DatabaseUnusable({ found: `${name} cannot be used: ${problem}`, advice: `Correct ${name}` })
    )
  })

const untold: Trouble = { failed: () => undefined, worked: () => undefined }

/** The database at a url. It also offers sql-pg's own clients, for libraries that need them. */
export const DatabasePg = (
  options: DatabaseOptions
): Layer.Layer<Database | PgClient.PgClient | SqlClient.SqlClient, DatabaseUnusable> =>
  Layer.unwrapScoped(
    Effect.gen(function* () {
      const servers = yield* serversOf("DATABASE_URL", options.url)
      const direct =
        options.directUrl === undefined ? servers : yield* serversOf("GATEWAY_LISTEN_URL", options.directUrl)
      const limits = {
        max: options.connectionsMax ?? 20,
        acquireTimeoutMillis: options.acquireTimeoutMillis ?? 3_000,
        statementTimeoutMillis: options.statementTimeoutMillis ?? 10_000
      }
      const pool = yield* options.directUrl === undefined
        ? workPool(servers, limits)
        : pooledPool(servers, limits, { prepared: options.poolerPrepares ?? false })
      const urgent = yield* workPool(direct, { ...limits, max: 1 })
      const surveys = yield* surveyPool(direct, limits)
      return Layer.scoped(
        Database,
        Effect.gen(function* () {
          const sql = yield* PgClient.PgClient
          yield* assertUsable(sql)
          if (options.directUrl !== undefined) yield* assertPooler(sql, limits)
          const [storage, listener] =
            options.usedBy === "command" ? (["command", "command"] as const) : (["storage", "listener"] as const)
          const trouble = yield* makeTrouble(storage)
          return Database.of({
            sql,
            direct,
            servers,
            transact: transactWith(sql, pool, trouble),
            query: queryWith(pool, trouble),
            send: sendWith(pool, trouble),
            urgent: queryAlone(urgent, trouble),
            survey: queryAlone(surveys, trouble),
            transactUnlimited: transactWith(sql, surveys, trouble),
            optional: { query: queryWith(pool, untold), transact: transactWith(sql, pool, untold) },
            listen: (channel, heard) => listenTo(direct, channel, heard, listener)
          })
        })
      ).pipe(
        // The pool exists already and this layer connects nothing, so it cannot fail.
        Layer.provideMerge(Layer.orDie(PgClient.layerFromPool({ acquire: Effect.succeed(pool) })))
      )
    })
  )

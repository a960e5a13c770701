/**
 * A connection taken out of the pool for one transaction, and the statements of it in the form that sql-pg's `sql` asks for.
 * Rows come as a whole: there are no streams here.
 */
import { SqlError, type SqlConnection } from "@effect/sql"
import { Effect, Stream } from "effect"
import type Pg from "pg"
import { acquireFailed } from "./Failure.js"

export interface Reserved {
  readonly connection: SqlConnection.Connection
  /**
   * Sent before whatever statement comes first, and not waited for. Should it be refused, that statement runs outside of a transaction before
   * anybody knows; every later one fails, because the connection is ended. So the first statement of a transaction must do no harm alone,
   * such as taking locks, and its answer is waited for.
   */
  readonly begin: () => void
  readonly end: (how: "COMMIT" | "ROLLBACK") => Effect.Effect<unknown, SqlError.SqlError>
  readonly release: () => void
}

const ignored = () => undefined

/** Lends a connection of the pool, or says why there is none. `release(true)` ends it instead of giving it back. */
export const lend = (pool: Pg.Pool, use: (client: Pg.PoolClient, release: (end?: boolean) => void) => void, refuse: (error: SqlError.SqlError) => void): void =>
  pool.connect((refused, client, release) => {
    if (client === undefined) return refuse(new SqlError.SqlError({ cause: refused, message: acquireFailed }))
    // A connection that dies says so to its statements, and once more to whoever listens; without a listener that ends the process.
    client.on("error", ignored)
    use(client, (end) => {
      client.off("error", ignored)
      release(end)
    })
  })

export const failed = (cause: unknown) => Effect.fail(new SqlError.SqlError({ cause, message: "Failed to execute statement" }))

/** Runs one statement; interrupting it does not wait for it, and the transaction's end comes after it on the wire. */
const ask = (client: Pg.ClientBase, text: string, params: ReadonlyArray<unknown>) =>
  Effect.async<Pg.QueryResult, SqlError.SqlError>((resume) => {
    client.query(text, [...params], (cause, result) => resume(cause instanceof Error ? failed(cause) : Effect.succeed(result)))
  })

const askValues = (client: Pg.ClientBase, text: string, params: ReadonlyArray<unknown>) =>
  Effect.async<Pg.QueryArrayResult, SqlError.SqlError>((resume) => {
    const query: Pg.QueryArrayConfig = { text, values: [...params], rowMode: "array" }
    client.query(query, (cause, result) => resume(cause instanceof Error ? failed(cause) : Effect.succeed(result)))
  })

const rowsOf = (result: Pg.QueryResult) => result.rows

const connectionOf = (client: Pg.ClientBase): SqlConnection.Connection => {
  const execute: SqlConnection.Connection["execute"] = (text, params, transformRows) =>
    Effect.map(ask(client, text, params), transformRows === undefined ? rowsOf : (result) => transformRows(result.rows))
  return {
    execute,
    executeRaw: (text, params) => ask(client, text, params),
    executeStream: () => Stream.dieMessage("this connection reads rows as a whole"),
    executeUnprepared: execute,
    executeValues: (text, params) => Effect.map(askValues(client, text, params), ({ rows }) => rows)
  }
}

export const reserve = (pool: Pg.Pool): Effect.Effect<Reserved, SqlError.SqlError> =>
  Effect.async((resume) =>
    lend(pool, (client, release) =>
      resume(Effect.succeed({
        connection: connectionOf(client),
        begin: () => client.query("BEGIN", ignored),
        end: (how) => ask(client, how, []),
        release
      })), (error) => resume(Effect.fail(error))))

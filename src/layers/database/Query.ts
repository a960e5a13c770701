/**
 * One statement by the shortest way: on the connection of the transaction around it, or else on one of the pool for itself alone. sql-pg
 * builds its text; running it there, with a span, a scope and services around each, took as long as Postgres does. Interrupting a
 * lone statement does not wait for it: its connection goes back to the pool when it is answered.
 */
import { SqlClient, type SqlError, type Statement } from "@effect/sql"
import { Cause, Context, Effect, Option } from "effect"
import type Pg from "pg"
import type { StorageError } from "../../domain/StorageErrors.js"
import { busy } from "./Failure.js"
import { failed, lend } from "./Reserved.js"
import { settle } from "./Transact.js"

const alone = (pool: Pg.Pool, text: string, params: ReadonlyArray<unknown>) =>
  Effect.async<Pg.QueryResult["rows"], SqlError.SqlError>((resume) =>
    lend(pool, (client, release) =>
      client.query(text, [...params], (cause, result) => {
        // Postgres says why it ends a connection before it does: one that answered with an error is not used again.
        release(cause instanceof Error)
        resume(cause instanceof Error ? failed(cause) : Effect.succeed(result.rows))
      }), (error) => resume(Effect.fail(error))))

/** Never part of a transaction. */
export const queryAlone = (pool: Pg.Pool) => <A>(statement: Statement.Statement<A>): Effect.Effect<ReadonlyArray<A>, StorageError> =>
  Effect.suspend(() => {
    const [text, params] = statement.compile()
    return Effect.catchAllCause(alone(pool, text, params), (cause) => settle(cause, false, Effect.fail(busy)))
  })

/** Part of the transaction around it, if there is one: there a SqlError goes up as a defect to `transact`. */
export const queryWith = (pool: Pg.Pool) => {
  const lone = queryAlone(pool)
  return <A>(statement: Statement.Statement<A>): Effect.Effect<ReadonlyArray<A>, StorageError> =>
    Effect.contextWithEffect((context: Context.Context<never>) => {
      const transaction = Context.getOption(context, SqlClient.TransactionConnection)
      if (Option.isNone(transaction)) return lone(statement)
      const [text, params] = statement.compile()
      const [connection] = transaction.value
      return Effect.catchAllCause(connection.execute(text, params, undefined), (cause) => Effect.failCause(Cause.flatMap(cause, Cause.die)))
    })
}

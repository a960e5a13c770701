/**
 * One statement by the shortest way: on the connection of the transaction around it, or else on one of the pool for
 * itself alone. sql-pg builds its text; running it there, with a span, a scope and services around each, took as long
 * as Postgres does. Interrupting a lone statement does not wait for it: its connection goes back to the pool when it is
 * answered.
 */
import { SqlClient, type SqlError, type Statement } from "@effect/sql"
import { Cause, Context, Effect, Option } from "effect"
import type Pg from "pg"
import type { StorageError } from "../../../domain/StorageErrors.js"
import type { Trouble } from "../../node/Trouble.js"
import { ask, takeRows } from "./DriverInternals.js"
import { acquireFailed, busy, sqlErrorIn } from "./Failure.js"
import { failed, lend, onlyReads, Reserved } from "./Reserved.js"
import type { Row } from "./Rows.js"
import { settle } from "./Transact.js"

const alone = (pool: Pg.Pool, trouble: Trouble, text: string, params: ReadonlyArray<unknown>) =>
  Effect.async<Readonly<Pg.QueryResult["rows"]>, SqlError.SqlError>((resume) =>
    lend(
      pool,
      (client, release) =>
        ask(client, text, params, (cause, result) => {
          // Postgres says why it ends a connection before it does: one that answered with an error is not used again.
          release(cause instanceof Error)
          if (!(cause instanceof Error)) trouble.worked()
          resume(cause instanceof Error ? failed(cause) : Effect.succeed(takeRows(result)))
        }),
      (error) => resume(Effect.fail(error))
    )
  )

/** No connection was to be had, so nothing was sent. */
const wasRefused = (cause: Cause.Cause<unknown>): boolean =>
  Option.exists(sqlErrorIn(cause), ({ message }) => message.startsWith(acquireFailed))

/** Never part of a transaction: one that writes and loses its connection may have written. */
export const queryAlone =
  (pool: Pg.Pool, trouble: Trouble) =>
  (statement: Statement.Statement<Row>): Effect.Effect<ReadonlyArray<Row>, StorageError> =>
    Effect.suspend(() => {
      const [text, params] = statement.compile()
      return Effect.catchAllCause(alone(pool, trouble, text, params), (cause) =>
        settle(cause, !onlyReads(text) && !wasRefused(cause), Effect.fail(busy), trouble)
      )
    })

type Run = (statement: Statement.Statement<Row>) => Effect.Effect<ReadonlyArray<Row>, StorageError>
type Transaction = Context.Tag.Service<typeof SqlClient.TransactionConnection>

/** Part of the transaction around it, if there is one: there a SqlError goes up as a defect to `transact`. */
const within =
  (
    lone: Run,
    inside: (
      transaction: Transaction,
      text: string,
      params: ReadonlyArray<unknown>
    ) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>
  ): Run =>
  (statement) =>
    Effect.contextWithEffect((context: Context.Context<never>) => {
      const transaction = Context.getOption(context, SqlClient.TransactionConnection)
      if (Option.isNone(transaction)) return lone(statement)
      const [text, params] = statement.compile()
      return Effect.catchAllCause(inside(transaction.value, text, params), (cause) =>
        Effect.failCause(Cause.flatMap(cause, Cause.die))
      )
    })

export const queryWith = (pool: Pg.Pool, trouble: Trouble): Run =>
  within(queryAlone(pool, trouble), ([connection], text, params) => connection.execute(text, params, undefined))

const nothing: ReadonlyArray<never> = []

/** In a savepoint it is waited for: what fails there is caught there. */
export const sendWith = (pool: Pg.Pool, trouble: Trouble) => {
  const send = within(queryAlone(pool, trouble), ([connection, depth], text, params) =>
    connection instanceof Reserved && depth === 0
      ? Effect.as(connection.send(text, params), nothing)
      : Effect.as(connection.execute(text, params, undefined), nothing)
  )
  return (statement: Statement.Statement<Row>): Effect.Effect<void, StorageError> => Effect.asVoid(send(statement))
}

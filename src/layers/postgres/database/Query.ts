/**
 * Runs one statement by the shortest way: on the connection of the surrounding transaction, or else on a connection of
 * the pool for this statement alone. sql-pg builds the text of the statement. Running it through sql-pg as well, with a
 * span, a scope and services around each statement, took as long as Postgres itself. An interruption does not wait for
 * a lone statement: its connection goes back to the pool when the answer comes.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import type * as Statement from "@effect/sql/Statement"
import { Cause, Context, Effect, Option } from "effect"
import type Pg from "pg"
import type { StorageError } from "../../../domain/StorageErrors.js"
import type { Trouble } from "../../node/Trouble.js"
import { ask, takeRows } from "./DriverInternals.js"
import { acquireFailed, busy, sqlErrorIn } from "./Failure.js"
import { failed, lend, onlyReads, Reserved } from "./Reserved.js"
import type { Row } from "./Rows.js"
import { meaningOfFailure } from "./Transact.js"

const alone = (pool: Pg.Pool, trouble: Trouble, text: string, params: ReadonlyArray<unknown>) =>
  Effect.async<Readonly<Pg.QueryResult["rows"]>, SqlError.SqlError>((resume) =>
    lend(
      pool,
      (client, release) =>
        ask(client, text, params, (cause, result) => {
          // Before Postgres ends a connection, it answers with an error that says why. So a connection that answered
          // with an error is not used again.
          release(cause instanceof Error)
          if (!(cause instanceof Error)) trouble.worked()
          resume(cause instanceof Error ? failed(cause) : Effect.succeed(takeRows(result)))
        }),
      (error) => resume(Effect.fail(error))
    )
  )

/** No connection was available, so nothing was sent. */
const wasRefused = (cause: Cause.Cause<unknown>): boolean =>
  Option.exists(sqlErrorIn(cause), ({ message }) => message.startsWith(acquireFailed))

/**
 * Never part of a transaction. When such a statement writes and its connection is lost, the write may have happened.
 */
export const queryAlone =
  (pool: Pg.Pool, trouble: Trouble) =>
  (statement: Statement.Statement<Row>): Effect.Effect<ReadonlyArray<Row>, StorageError> =>
    Effect.suspend(() => {
      const [text, params] = statement.compile()
      return Effect.catchAllCause(alone(pool, trouble, text, params), (cause) =>
        meaningOfFailure(cause, !onlyReads(text) && !wasRefused(cause), Effect.fail(busy), trouble)
      )
    })

type Run = (statement: Statement.Statement<Row>) => Effect.Effect<ReadonlyArray<Row>, StorageError>
type Transaction = Context.Tag.Service<typeof SqlClient.TransactionConnection>

/** Part of the surrounding transaction, if there is one. There, a SqlError goes up to `transact` as a defect. */
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

/** Inside a savepoint the statement is waited for, because its failure is caught there. */
export const sendWith = (pool: Pg.Pool, trouble: Trouble) => {
  const send = within(queryAlone(pool, trouble), ([connection, depth], text, params) =>
    connection instanceof Reserved && depth === 0
      ? Effect.as(connection.send(text, params), nothing)
      : Effect.as(connection.execute(text, params, undefined), nothing)
  )
  return (statement: Statement.Statement<Row>): Effect.Effect<void, StorageError> => Effect.asVoid(send(statement))
}

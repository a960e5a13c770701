/**
 * The outermost transaction, told apart from what sql-pg makes of it: there a COMMIT or ROLLBACK that fails is a defect which replaces
 * even the typed failure of the body. Here the body's failure stands, conflicts repeat the whole, and everything else becomes
 * a storage error, or stays a defect where it is a mistake of ours.
 */
import { SqlClient, type SqlError } from "@effect/sql"
import { Cause, Context, Effect, Exit, Option, Random } from "effect"
import type { StorageError } from "../../domain/StorageErrors.js"
import { busy, failureOf, isSqlError, sqlErrorIn } from "./Failure.js"

const repeatsMax = 5

/** What remains of a caller's errors once storage has spoken for the SqlErrors among them. */
export type Own<E> = Exclude<E, SqlError.SqlError>

const isOwn = <E>(error: E): error is Own<E> => !isSqlError(error)

const withoutSqlErrors = <E>(cause: Cause.Cause<E>): Cause.Cause<Own<E>> =>
  Cause.flatMap(cause, (error) => isOwn(error) ? Cause.fail(error) : Cause.die(error))

/** Turns the SqlError of a cause into what it means; a cause without one stays as it is. */
const settle = <A, E, R>(
  cause: Cause.Cause<E>,
  atCommit: boolean,
  onConflict: Effect.Effect<A, Own<E> | StorageError, R>
): Effect.Effect<A, Own<E> | StorageError, R> =>
  Option.match(sqlErrorIn(cause), {
    onNone: () => Effect.failCause(withoutSqlErrors(cause)),
    onSome: (error) => {
      const failure = failureOf(error, atCommit)
      return failure === undefined ? Effect.die(error) : failure === "conflict" ? onConflict : Effect.fail(failure)
    }
  })

/** Inside a transaction a SqlError goes up as a defect to the outermost `transact`: only it knows what became of the whole. */
const upwards = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, Own<E>, R> =>
  Effect.catchAllCause(self, (cause) => Effect.failCause(withoutSqlErrors(cause)))

const nestedOr = <A, E, R>(nested: Effect.Effect<A, E, R>, outermost: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.contextWithEffect((context: Context.Context<R>) =>
    Option.isSome(Context.getOption(context, SqlClient.TransactionConnection)) ? nested : outermost
  )

// Doubles from 5 ms, and each waits a random part of it: those who collided once should not meet again.
const pause = (repeat: number) => Effect.flatMap(Random.nextRange(0.5, 1), (part) => Effect.sleep(5 * 2 ** repeat * part))

export const transactWith = (sql: SqlClient.SqlClient) => <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, Own<E> | StorageError, R> => {
  const run = (repeat: number): Effect.Effect<A, Own<E> | StorageError, R> =>
    Effect.suspend(() => {
      let body: Exit.Exit<A, E | SqlError.SqlError> | undefined
      const watched = Effect.onExit(self, (exit) => {
        body = exit
        return Effect.void
      })
      const again = repeat < repeatsMax ? Effect.zipRight(pause(repeat), Effect.suspend(() => run(repeat + 1))) : Effect.fail(busy)
      return Effect.catchAllCause(sql.withTransaction(watched), (cause) => {
        // A body that failed is the answer, also where the ROLLBACK after it failed too: nothing was committed either way.
        const decisive = body !== undefined && Exit.isFailure(body) ? body.cause : cause
        return settle(decisive, body !== undefined && Exit.isSuccess(body), again)
      })
    })
  return nestedOr(upwards(sql.withTransaction(self)), run(0))
}

export const query = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, Own<E> | StorageError, R> =>
  nestedOr(upwards(self), Effect.catchAllCause(self, (cause) => settle(cause, false, Effect.fail(busy))))

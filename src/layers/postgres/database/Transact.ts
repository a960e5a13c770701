/**
 * The outermost transaction. It differs from sql-pg's own, where a COMMIT or ROLLBACK that fails is a defect that
 * replaces even the typed failure of the body. Here the failure of the body stays, and a conflict repeats the whole
 * transaction. Every other failure becomes a storage error, or stays a defect when it is a mistake of ours.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import { Cause, Context, Effect, Exit, Option, Random } from "effect"
import type Pg from "pg"
import { DataRefused, type StorageError } from "../../../domain/StorageErrors.js"
import type { Trouble } from "../../node/Trouble.js"
import { busy, failureOf, isDataRefused, isSqlError, sqlErrorIn, whyOf } from "./Failure.js"
import { reserve, type Reserved } from "./Reserved.js"

const repeatsMax = 5

/** The errors of a caller without SqlError, which becomes a storage error. */
export type Own<E> = Exclude<E, SqlError.SqlError>

const isOwn = <E>(error: E): error is Own<E> => !isSqlError(error)

const withoutSqlErrors = <E>(cause: Cause.Cause<E>): Cause.Cause<Own<E>> =>
  Cause.flatMap(cause, (error) => (isOwn(error) ? Cause.fail(error) : Cause.die(error)))

/** Replaces the SqlError in a cause by its meaning, and reports trouble. A cause without a SqlError stays as it is. */
export const meaningOfFailure = <A, E, E2, R>(
  cause: Cause.Cause<E>,
  atCommit: boolean,
  onConflict: Effect.Effect<A, E2, R>,
  trouble: Trouble
): Effect.Effect<A, Own<E> | E2 | StorageError, R> =>
  Option.match(sqlErrorIn(cause), {
    onNone: () => Effect.failCause(withoutSqlErrors(cause)),
    onSome: (error): Effect.Effect<A, E2 | StorageError, R> => {
      const failure = failureOf(error, atCommit)
      if (failure === undefined) return Effect.die(isDataRefused(error) ? new DataRefused({ cause: error }) : error)
      if (failure === "conflict") return onConflict
      trouble.failed(whyOf(error.cause))
      return Effect.fail(failure)
    }
  })

/**
 * Inside a transaction, a SqlError goes up to the outermost `transact` as a defect: only that one knows how the whole
 * transaction ended.
 */
const upwards = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, Own<E>, R> =>
  Effect.catchAllCause(self, (cause) => Effect.failCause(withoutSqlErrors(cause)))

// The pause doubles from 5 ms on, and each repetition waits a random part of it, so that transactions that collided do
// not collide again.
const pause = (repeat: number) =>
  Effect.flatMap(Random.nextRange(0.5, 1), (part) => Effect.sleep(5 * 2 ** repeat * part))

type Answer<A, E, R> = Effect.Effect<A, Own<E> | StorageError, R>

/**
 * Runs the transaction once, on this connection, and then gives the connection back. It returns what is to be done with
 * the outcome as an effect that it does not run: a repetition waits and takes a connection of its own, and this one
 * must not be held meanwhile. Nor may that wait be uninterruptible, as the transaction is here.
 */
const runOnce = <A, E, R>(
  reserved: Reserved,
  self: Effect.Effect<A, E, R>,
  restore: typeof Effect.interruptible,
  repeatTransaction: Answer<A, E, R>,
  trouble: Trouble
): Effect.Effect<Answer<A, E, R>, never, R> =>
  Effect.flatMap(
    Effect.exit(restore(Effect.provideService(self, SqlClient.TransactionConnection, [reserved, 0]))),
    (body) =>
      Effect.map(Effect.exit(Exit.isSuccess(body) ? reserved.commit : reserved.rollback), (closing) => {
        reserved.release()
        // When the body failed, its failure is the result, even if the ROLLBACK failed too: nothing was committed in
        // either case.
        if (Exit.isFailure(body)) return meaningOfFailure(body.cause, false, repeatTransaction, trouble)
        if (Exit.isFailure(closing))
          return meaningOfFailure(closing.cause, reserved.commitSent, repeatTransaction, trouble)
        trouble.worked()
        return Effect.succeed(body.value)
      })
  )

export const transactWith =
  (sql: SqlClient.SqlClient, pool: Pg.Pool, trouble: Trouble) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Answer<A, E, R> => {
    /** `repeat`: how often the transaction was repeated before. */
    const run = (repeat: number): Answer<A, E, R> => {
      const repeatTransaction: Answer<A, E, R> =
        repeat < repeatsMax
          ? Effect.zipRight(
              pause(repeat),
              Effect.suspend(() => run(repeat + 1))
            )
          : Effect.fail(busy)
      return Effect.uninterruptibleMask((restore) =>
        Effect.matchEffect(reserve(pool), {
          onFailure: (error): Effect.Effect<Answer<A, E, R>, never, R> =>
            Effect.succeed(meaningOfFailure(Cause.fail(error), false, repeatTransaction, trouble)),
          onSuccess: (reserved): Effect.Effect<Answer<A, E, R>, never, R> =>
            runOnce(reserved, self, restore, repeatTransaction, trouble)
        }).pipe(Effect.flatMap((answer) => restore(answer)))
      )
    }
    return Effect.contextWithEffect((context: Context.Context<R>) =>
      Option.isSome(Context.getOption(context, SqlClient.TransactionConnection))
        ? upwards(sql.withTransaction(self))
        : run(0)
    )
  }

/**
 * The outermost transaction, told apart from what sql-pg makes of it: there a COMMIT or ROLLBACK that fails is a defect
 * which replaces even the typed failure of the body. Here the body's failure stands, conflicts repeat the whole, and
 * everything else becomes a storage error, or stays a defect where it is a mistake of ours.
 */
import { SqlClient, type SqlError } from "@effect/sql"
import { Cause, Context, Effect, Exit, Option, Random } from "effect"
import type Pg from "pg"
import { DataRefused, type StorageError } from "../../../domain/StorageErrors.js"
import type { Trouble } from "../../node/Trouble.js"
import { busy, failureOf, isDataRefused, isSqlError, sqlErrorIn, whyOf } from "./Failure.js"
import { reserve, type Reserved } from "./Reserved.js"

const repeatsMax = 5

/** What remains of a caller's errors once storage has spoken for the SqlErrors among them. */
export type Own<E> = Exclude<E, SqlError.SqlError>

const isOwn = <E>(error: E): error is Own<E> => !isSqlError(error)

const withoutSqlErrors = <E>(cause: Cause.Cause<E>): Cause.Cause<Own<E>> =>
  Cause.flatMap(cause, (error) => (isOwn(error) ? Cause.fail(error) : Cause.die(error)))

/** Turns the SqlError of a cause into what it means, and reports trouble; a cause without one stays as it is. */
export const settle = <A, E, E2, R>(
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
 * Inside a transaction a SqlError goes up as a defect to the outermost `transact`: only it knows what became of the
 * whole.
 */
const upwards = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, Own<E>, R> =>
  Effect.catchAllCause(self, (cause) => Effect.failCause(withoutSqlErrors(cause)))

// Doubles from 5 ms, and each waits a random part of it: those who collided once should not meet again.
const pause = (repeat: number) =>
  Effect.flatMap(Random.nextRange(0.5, 1), (part) => Effect.sleep(5 * 2 ** repeat * part))

/** The transaction on a connection of its own, and the answer that is left when the connection has been given back. */
const once = <A, E, R>(
  reserved: Reserved,
  self: Effect.Effect<A, E, R>,
  restore: typeof Effect.interruptible,
  again: Answer<A, E, R>,
  trouble: Trouble
): Effect.Effect<Answer<A, E, R>, never, R> =>
  Effect.flatMap(
    Effect.exit(restore(Effect.provideService(self, SqlClient.TransactionConnection, [reserved, 0]))),
    (body) =>
      Effect.map(Effect.exit(Exit.isSuccess(body) ? reserved.commit : reserved.rollback), (ended) => {
        reserved.release()
        // A body that failed is the answer, also where the ROLLBACK after it failed too: nothing was committed either
        // way.
        if (Exit.isFailure(body)) return settle(body.cause, false, again, trouble)
        if (Exit.isFailure(ended)) return settle(ended.cause, reserved.commitSent, again, trouble)
        trouble.worked()
        return Effect.succeed(body.value)
      })
  )

type Answer<A, E, R> = Effect.Effect<A, Own<E> | StorageError, R>

export const transactWith =
  (sql: SqlClient.SqlClient, pool: Pg.Pool, trouble: Trouble) =>
  <A, E, R>(self: Effect.Effect<A, E, R>): Answer<A, E, R> => {
    const run = (repeat: number): Answer<A, E, R> => {
      const again: Answer<A, E, R> =
        repeat < repeatsMax
          ? Effect.zipRight(
              pause(repeat),
              Effect.suspend(() => run(repeat + 1))
            )
          : Effect.fail(busy)
      return Effect.uninterruptibleMask((restore) =>
        Effect.matchEffect(reserve(pool), {
          onFailure: (error): Effect.Effect<Answer<A, E, R>, never, R> =>
            Effect.succeed(settle(Cause.fail(error), false, again, trouble)),
          onSuccess: (reserved): Effect.Effect<Answer<A, E, R>, never, R> =>
            once(reserved, self, restore, again, trouble)
        }).pipe(Effect.flatMap((answer) => restore(answer)))
      )
    }
    return Effect.contextWithEffect((context: Context.Context<R>) =>
      Option.isSome(Context.getOption(context, SqlClient.TransactionConnection))
        ? upwards(sql.withTransaction(self))
        : run(0)
    )
  }

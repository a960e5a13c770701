/**
 * What a failed statement means to the caller: one of the storage errors, a conflict between transactions that a repetition
 * resolves, or a mistake of ours (undefined), which dies as a defect. The question that matters is whether it can have happened.
 */
import { Cause, Option } from "effect"
import { SqlError } from "@effect/sql"
import Pg from "pg"
import { type StorageError, StorageBusy, StorageTimeout, StorageUncertain } from "../../domain/StorageErrors.js"
import { CommitRefused, noAnswer, stalePlan } from "./Connection.js"

/** How the message begins where no connection was to be had, here and in sql-pg. */
export const acquireFailed = "Failed to acquire connection"

export const busy = new StorageBusy({ retryAfterSeconds: 1 })
const timedOut = new StorageTimeout({ retryAfterSeconds: 1 })
const uncertain = new StorageUncertain()

export const isSqlError = (error: unknown): error is SqlError.SqlError => error instanceof SqlError.SqlError

/** The SqlError of a cause, failed with or died of; sql-pg dies of a COMMIT or ROLLBACK that fails. */
export const sqlErrorIn = (cause: Cause.Cause<unknown>): Option.Option<SqlError.SqlError> =>
  Cause.find(cause, (part) => {
    const problem = Cause.isFailType(part) ? part.error : Cause.isDieType(part) ? part.defect : undefined
    return isSqlError(problem) ? Option.some(problem) : Option.none()
  })

/** SQLSTATE of a statement that Postgres refused; undefined for a connection's failure. */
export const sqlState = (error: SqlError.SqlError): string | undefined =>
  error.cause instanceof Pg.DatabaseError ? error.cause.code : undefined

// Serialization failure, deadlock.
const conflicts = new Set(["40001", "40P01"])
// Cancelled by statement_timeout, lock_timeout, idle in transaction for too long.
const timeouts = new Set(["57014", "55P03", "25P03"])
// Operator intervention (shutdown, crash, starting up), a standby after a failover.
const shutdowns = new Set(["57P01", "57P02", "57P03", "57P05", "25006"])

export const failureOf = (error: SqlError.SqlError, atCommit: boolean): StorageError | "conflict" | undefined => {
  const { cause } = error
  const state = sqlState(error)
  if (cause instanceof CommitRefused) return undefined
  // A FATAL answer can follow a commit that was done but not yet reported: only a plain ERROR proves that it was not.
  if (atCommit && !(cause instanceof Pg.DatabaseError && cause.severity === "ERROR")) return uncertain
  if (error.message.startsWith(acquireFailed)) return busy
  if (noAnswer(cause)) return timedOut
  if (stalePlan(cause)) return busy
  // No answer of Postgres: the connection was lost, except that a value which cannot be encoded or decoded is our mistake.
  if (state === undefined) return cause instanceof RangeError || cause instanceof TypeError ? undefined : busy
  if (conflicts.has(state)) return "conflict"
  if (timeouts.has(state)) return timedOut
  // Classes: 08 connection exceptions, 53 insufficient resources (connections, memory, disk).
  return shutdowns.has(state) || state.startsWith("08") || state.startsWith("53") ? busy : undefined
}

/**
 * The meaning of a failed statement for the caller: one of the storage errors, a conflict between transactions that a
 * repetition resolves, or a mistake of ours (undefined), which dies as a defect. The question behind it is whether the
 * statement can have happened.
 */
import { Cause, Option, Predicate } from "effect"
import * as SqlError from "@effect/sql/SqlError"
import Pg from "pg"
import { member } from "../../../domain/Members.js"
import { type StorageError, StorageBusy, StorageTimeout, StorageUncertain } from "../../../domain/StorageErrors.js"
import { CommitRefused, noAnswer, staleStatement } from "./DriverInternals.js"

/** The beginning of the message when no connection was available. */
export const acquireFailed = "Failed to acquire connection"

export const busy = new StorageBusy({ retryAfterSeconds: 1 })
const timedOut = new StorageTimeout({ retryAfterSeconds: 1 })
const uncertain = new StorageUncertain()

/** The reason in the words of Postgres or of the connection. It holds no data of a statement. */
export const whyOf = (cause: unknown): string =>
  cause instanceof Error
    ? cause.message || (Predicate.hasProperty(cause, "code") ? String(cause.code) : cause.name)
    : "it was lost"

export const isSqlError = (error: unknown): error is SqlError.SqlError => error instanceof SqlError.SqlError

/**
 * The SqlError in a cause, whether the effect failed with it or died of it. When a COMMIT or ROLLBACK fails, sql-pg
 * dies.
 */
export const sqlErrorIn = (cause: Cause.Cause<unknown>): Option.Option<SqlError.SqlError> =>
  Cause.find(cause, (part) => {
    const problem = Cause.isFailType(part) ? part.error : Cause.isDieType(part) ? part.defect : undefined
    return isSqlError(problem) ? Option.some(problem) : Option.none()
  })

/** SQLSTATE of a statement that Postgres refused; undefined for a connection's failure. */
export const sqlState = (error: SqlError.SqlError): string | undefined =>
  error.cause instanceof Pg.DatabaseError ? error.cause.code : undefined

/**
 * `nothing` and `too long`: the statement did not happen. `again`: a repetition resolves it. `perhaps`: nobody knows
 * whether it happened. `ours`: the statement or its data is a mistake; the storage is well, and a repetition would fail
 * too.
 */
export type Meaning = "nothing" | "too long" | "again" | "perhaps" | "ours"

/**
 * The meaning of each class of SQLSTATE (appendix A of Postgres). The codes below come first. A code whose class is
 * missing here is a mistake of ours.
 */
const classes: { readonly [sqlClass: string]: Meaning } = {
  // Connections, and reasons why none can be made: authorization, no such database.
  "08": "nothing",
  "28": "nothing",
  "3D": "nothing",
  "40": "again",
  // No room: disk, memory, connections. Class 54 is not here: its statements are too large and would fail again.
  "53": "nothing",
  // Shutdown, crash, starting up; trouble of the operating system, such as a disk that fails.
  "57": "nothing",
  "58": "nothing",
  "72": "again",
  F0: "nothing"
}

const codes: { readonly [state: string]: Meaning } = {
  // The connection was lost while a transaction ended, or it is not known how a statement ended.
  "08007": "perhaps",
  "40003": "perhaps",
  // A constraint that is checked at the end of the transaction.
  "40002": "ours",
  // A standby after a failover; the time limits of a transaction, while idle and as a whole.
  "25006": "nothing",
  "25P03": "too long",
  "25P04": "too long",
  // An object that somebody else uses; a lock that did not come in time.
  "55006": "nothing",
  "55P03": "too long",
  "57014": "too long"
}

/** The meaning of an SQLSTATE for the statement that Postgres refused with it. */
export const meaningOf = (state: string): Meaning =>
  member(codes, state) ?? member(classes, state.slice(0, 2)) ?? "ours"

/**
 * Among our mistakes: whether Postgres refused the data (class 22: its type cannot hold or read it; class 54: too large
 * or nested too deep).
 */
export const isDataRefused = (error: SqlError.SqlError): boolean => /^(?:22|54)/.test(sqlState(error) ?? "")

/**
 * Whether an error that is not an answer of Postgres says that the connection was lost. If data cannot be encoded,
 * decoded or sent at all, that is our mistake, and a repetition would fail in the same way.
 */
const isLost = (cause: unknown): boolean => {
  if (cause instanceof RangeError || cause instanceof TypeError || cause instanceof SyntaxError) return false
  const code = Predicate.hasProperty(cause, "code") ? String(cause.code) : ""
  return !code.startsWith("ERR_") || /^ERR_(STREAM|SOCKET|SSL|TLS)/.test(code)
}

/**
 * `mayHaveHappened` says that a lost connection leaves the outcome open. This is so at a COMMIT, and for a statement
 * that writes and is a transaction by itself.
 */
export const failureOf = (
  error: SqlError.SqlError,
  mayHaveHappened: boolean
): StorageError | "conflict" | undefined => {
  const { cause } = error
  const state = sqlState(error)
  if (cause instanceof CommitRefused) return undefined
  if (!mayHaveHappened && error.message.startsWith(acquireFailed)) return busy
  if (state === undefined && !isLost(cause)) return undefined
  // Postgres can send a FATAL answer after a commit that it did but did not report. Only a plain ERROR proves that
  // nothing was committed.
  if (mayHaveHappened && !(cause instanceof Pg.DatabaseError && cause.severity === "ERROR")) return uncertain
  if (noAnswer(cause)) return timedOut
  if (staleStatement(cause) || state === undefined) return busy
  switch (meaningOf(state)) {
    case "nothing":
      return busy
    case "too long":
      return timedOut
    case "again":
      return "conflict"
    case "perhaps":
      return uncertain
    case "ours":
      return undefined
  }
}

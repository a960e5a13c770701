/**
 * What a failed statement means to the caller: one of the storage errors, a conflict between transactions that a
 * repetition resolves, or a mistake of ours (undefined), which dies as a defect. The question that matters is whether
 * it can have happened.
 */
import { Cause, Option, Predicate } from "effect"
import { SqlError } from "@effect/sql"
import Pg from "pg"
import { member } from "../../../domain/Members.js"
import { type StorageError, StorageBusy, StorageTimeout, StorageUncertain } from "../../../domain/StorageErrors.js"
import { CommitRefused, noAnswer, stalePlan } from "./DriverInternals.js"

/** How the message begins where no connection was to be had. */
export const acquireFailed = "Failed to acquire connection"

export const busy = new StorageBusy({ retryAfterSeconds: 1 })
const timedOut = new StorageTimeout({ retryAfterSeconds: 1 })
const uncertain = new StorageUncertain()

/** What went wrong, in the words of Postgres or of the connection; carries no data of a statement. */
export const whyOf = (cause: unknown): string =>
  cause instanceof Error
    ? cause.message || (Predicate.hasProperty(cause, "code") ? String(cause.code) : cause.name)
    : "it was lost"

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

/**
 * `nothing` and `too long` say that nothing of it happened, `again` that a repetition resolves it, `perhaps` that
 * nobody knows, and `ours` that the statement or its data is a mistake: that is no trouble of the storage, and does not
 * go away.
 */
export type Meaning = "nothing" | "too long" | "again" | "perhaps" | "ours"

/**
 * What a class of SQLSTATE means where no code of it is named below; a class that is in neither is a mistake of ours
 * (appendix A of Postgres).
 */
const classes: { readonly [sqlClass: string]: Meaning } = {
  // Connections, and what keeps one from being made: authorization, no such database.
  "08": "nothing",
  "28": "nothing",
  "3D": "nothing",
  "40": "again",
  // No room: disk, memory, connections. Its neighbour 54 is a statement that is too large, which stays so.
  "53": "nothing",
  // Shutdown, crash, starting up; the operating system, such as a disk that fails.
  "57": "nothing",
  "58": "nothing",
  "72": "again",
  F0: "nothing"
}

const codes: { readonly [state: string]: Meaning } = {
  // The connection was lost while a transaction was being resolved; a statement whose end is unknown.
  "08007": "perhaps",
  "40003": "perhaps",
  // A constraint that is looked at when the transaction ends.
  "40002": "ours",
  // A standby after a failover; the time limits of a transaction, idle and as a whole.
  "25006": "nothing",
  "25P03": "too long",
  "25P04": "too long",
  // Somebody else uses it; a lock that did not come in time.
  "55006": "nothing",
  "55P03": "too long",
  "57014": "too long"
}

/** What a state of Postgres means for a statement that it refused. */
export const meaningOf = (state: string): Meaning =>
  member(codes, state) ?? member(classes, state.slice(0, 2)) ?? "ours"

/**
 * Of what is ours: Postgres refused the data (class 22: cannot be held or read as its type; class 54: too large, nested
 * too deep).
 */
export const isDataRefused = (error: SqlError.SqlError): boolean => /^(?:22|54)/.test(sqlState(error) ?? "")

/**
 * Whether something that is no answer of Postgres says that the connection was lost. What cannot be encoded, decoded or
 * sent at all is our mistake, and a repetition meets it again.
 */
const isLost = (cause: unknown): boolean => {
  if (cause instanceof RangeError || cause instanceof TypeError || cause instanceof SyntaxError) return false
  const code = Predicate.hasProperty(cause, "code") ? String(cause.code) : ""
  return !code.startsWith("ERR_") || /^ERR_(STREAM|SOCKET|SSL|TLS)/.test(code)
}

/**
 * `mayHaveHappened` where a lost connection leaves it open: at a COMMIT, and for a statement that writes and is a
 * transaction by itself.
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
  // A FATAL answer can follow a commit that was done but not yet reported: only a plain ERROR proves that it was not.
  if (mayHaveHappened && !(cause instanceof Pg.DatabaseError && cause.severity === "ERROR")) return uncertain
  if (noAnswer(cause)) return timedOut
  if (stalePlan(cause) || state === undefined) return busy
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

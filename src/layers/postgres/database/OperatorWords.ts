/**
 * What the database did not do, and what there is to do about it, as far as it is known: for people who start a gateway
 * or type a command. Clients get the messages of the storage errors, which speak of their keys.
 */
import Pg from "pg"
import type { StorageError } from "../../../domain/StorageErrors.js"
import { connectTimedOut, noAnswer } from "./DriverInternals.js"
import { whyOf } from "./Failure.js"

/** Two sentences; the second begins with what to do. */
export interface OperatorWords {
  readonly found: string
  readonly advice: string
}

/** User, password or database: also what a pooler says of them, which has one code for all (08P01). */
const isAboutAddress = (state: string): boolean => /^(?:08|28|3D)/.test(state)

/** Why no first connection was had. Only an answer shows that the address is right. */
export const unusableWords = (cause: unknown): OperatorWords => {
  const why = whyOf(cause)
  if (cause instanceof Pg.DatabaseError)
    return isAboutAddress(cause.code ?? "")
      ? { found: `The database refuses the connection (${why})`, advice: "Check DATABASE_URL" }
      : { found: `The database answers, but cannot be used now (${why})`, advice: "Try again when it can" }
  if (noAnswer(cause) || connectTimedOut(cause))
    return {
      found: `The database did not answer in time (${why})`,
      advice: "Look whether Postgres is overloaded or stands still; if not, check DATABASE_URL and the network to it"
    }
  return {
    found: `The database cannot be reached (${why})`,
    advice: "Check that Postgres runs, DATABASE_URL and the network to it"
  }
}

/** Of a database that was there when it was first asked. */
export const failedWords = (error: StorageError): OperatorWords => {
  switch (error._tag) {
    case "storage_busy":
      return {
        found: "The database had no room, or the connection to it was lost, so what was under way was not done",
        advice: "Run the command again"
      }
    case "runtime_bridge_timeout":
      return {
        found: "The database is there, but did not do it in time, so what was under way was not done",
        advice:
          "Look in pg_stat_activity whether somebody holds a lock on its tables or it is overloaded, then run the command again"
      }
    case "storage_uncertain":
      return {
        found: "The last write is unconfirmed, which does not mean that it failed",
        advice: "Look what became of it before you run the command again"
      }
  }
}

export const inSentences = ({ advice, found }: OperatorWords): string => `${found}. ${advice}`

/** Why a start or a command does not get its database, as far as it is known, and what there is to do about it. */
import Pg from "pg"
import type { OperatorWords } from "../../node/StorageWords.js"
import { connectTimedOut, noAnswer } from "./DriverInternals.js"
import { whyOf } from "./Failure.js"

/** User, password or database: also what a pooler says of them, which has one code for all (08P01). */
const isAboutAddress = (state: string): boolean => /^(?:08|28|3D)/.test(state)

const tooManyConnections = "53300"

/** Why no first connection was had. Only an answer shows that the address is right. */
export const unusableWords = (cause: unknown): OperatorWords => {
  const why = whyOf(cause)
  if (cause instanceof Pg.DatabaseError && cause.code === tooManyConnections)
    return {
      found: `The database takes no more connections (${why})`,
      advice:
        "Set GATEWAY_DATABASE_CONNECTIONS lower, or raise max_connections of the server or the limit of the role: the connections of all nodes and commands must fit"
    }
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

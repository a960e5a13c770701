/**
 * What a storage error means to people who start a gateway or type a command, and what there is to do about it. Clients
 * get the messages of the errors, which speak of their keys.
 */
import type { StorageError } from "../../domain/StorageErrors.js"

/** Two sentences; the second begins with what to do. */
export interface OperatorWords {
  readonly found: string
  readonly advice: string
}

export const inSentences = ({ advice, found }: OperatorWords): string => `${found}. ${advice}`

/** Of a database that was there when it was first asked. */
export const failedWords = (error: StorageError): OperatorWords => {
  switch (error._tag) {
    case "storage_busy":
      return {
        found: "The database had no room, or the connection to it was lost, so what was under way was not done",
        advice: "Try again"
      }
    case "runtime_bridge_timeout":
      return {
        found: "The database is there, but did not do it in time, so what was under way was not done",
        advice:
          "Look in pg_stat_activity whether somebody holds a lock on its tables or it is overloaded, then try again"
      }
    case "storage_uncertain":
      return {
        found: "The last write is unconfirmed, which does not mean that it failed",
        advice: "Look what became of it before you try again"
      }
  }
}

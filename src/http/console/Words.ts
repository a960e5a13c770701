/**
 * Errors in the words of a page: what happened, whether anything was done, and what to do next. The words of the table
 * of errors (`http/Envelope.ts`) are for programs; where they speak of keys and fields of an answer, a person gets
 * others.
 */
import { type HttpError, wireErrors } from "../Envelope.js"
import { hintForPeople } from "./Hints.js"

export interface Words {
  readonly title: string
  readonly message: string
  readonly hint: string
}

/** Of a change whose end is not known, where its form is shown again with the key by which it is done once. */
export const sameFormHint =
  "Send this form again as it stands: however often it is sent, it is done once. Filled in anew, it would be done a second time."

/** An error in the words of a page. */
export const wordsOf = (error: HttpError): Words => {
  switch (error._tag) {
    case "storage_busy":
      return {
        title: "The database cannot be reached",
        message: "The gateway got no connection to its database in time: it is away, or it has too much to do.",
        hint: `Nothing was done. Try again in ${seconds(error.retryAfterSeconds)}.`
      }
    case "runtime_bridge_timeout":
      return {
        title: "The database took too long",
        message: "The database of the gateway did not answer in time.",
        hint: `Nothing was done. Try again in ${seconds(error.retryAfterSeconds)}.`
      }
    case "storage_uncertain":
      return {
        title: "It is not known whether this was done",
        message: "The connection to the gateway's database was lost at the moment of the change.",
        hint: "Load the page again and look whether the change is there before you make it once more."
      }
    case "validation_error":
      return {
        title: "This cannot be read",
        message: error.message,
        hint: "Nothing was done. Correct it and try again."
      }
    case "not_found":
      return {
        title: "Not found",
        message: error.message,
        hint: "Check the address, or go back to the console."
      }
    default: {
      const row = wireErrors.get(error._tag)
      return {
        title: row?.title ?? "Error",
        message: error.message,
        hint: hintForPeople("retryHint" in error ? error.retryHint : (row?.retryHint ?? ""))
      }
    }
  }
}

const seconds = (count: number): string => (count === 1 ? "1 second" : `${count} seconds`)

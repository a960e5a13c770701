/** Texts that one person types and other people read: the name of a workspace, a label, the reason of a payment. */
import type { FieldProblem } from "./ApiErrors.js"
import { characterCount, directionSigns, notOnOneLine, withoutInvisible } from "./Characters.js"
import { labelCharsMax } from "./limits/Access.js"
import { idempotencyKeyCharsMax } from "./limits/Runs.js"
import { reasonCharsMax } from "./limits/Workspaces.js"

const turns = new RegExp(`[${directionSigns}]`, "u")
const unprintable = new RegExp(`[${notOnOneLine}]`, "u")

const textProblem = (field: string, text: string, charsMax: number): FieldProblem | null => {
  if (withoutInvisible(text).trim() === "" || characterCount(text) > charsMax)
    return { field, message: `must have 1 to ${charsMax} characters that are not all blank` }
  if (unprintable.test(text)) return { field, message: "must hold no control characters and no line breaks" }
  return turns.test(text) ? { field, message: "must not hold signs that turn the direction of text" } : null
}

/** What is wrong with the name of a workspace or the label of a token or connection, if anything. */
export const nameProblem = (field: string, name: string): FieldProblem | null => textProblem(field, name, labelCharsMax)

/** What is wrong with the key of a credit that somebody typed, if anything. */
export const creditKeyProblem = (key: string): FieldProblem | null => textProblem("key", key, idempotencyKeyCharsMax)

/** What is wrong with the reason that an operator gives for a credit or for settling a run, if anything. */
export const reasonProblem = (reason: string): FieldProblem | null => textProblem("reason", reason, reasonCharsMax)

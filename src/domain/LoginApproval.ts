/**
 * A command-line login: the client makes a token and sends its digest, and a person approves or denies the token.
 *
 *   pending -> approved | denied by a person, once;   pending -> expired by time
 */
import { ValidationError } from "./ApiErrors.js"
import type { Scope } from "./Scope.js"
import { endProblem } from "./Token.js"

export type LoginDecision = "approved" | "denied"
export type LoginStatus = "pending" | LoginDecision | "expired"

export const digestPattern = /^[0-9a-f]{64}$/i

/**
 * Consonants only, without those that look or sound alike. So codes spell no words and can be read aloud without
 * mistakes.
 */
export const userCodeAlphabet = "BCDFGHJKLMNPQRSTVWXZ"
export const userCodeLength = 8
/** Shows `BCDFGHJK` as `BCDF-GHJK`. */
export const showUserCode = (letters: string): string => `${letters.slice(0, 4)}-${letters.slice(4)}`

/** The code that a person typed, as it is stored: in any case, with or without its dash. Null when it cannot be one. */
export const readUserCode = (typed: string): string | null => {
  const letters = typed.toUpperCase().replaceAll(/[\s\p{Pd}]/gu, "")
  return letters.length === userCodeLength && [...letters].every((letter) => userCodeAlphabet.includes(letter))
    ? showUserCode(letters)
    : null
}

export const loginStatus = (
  stored: { readonly status: LoginStatus; readonly expiresAt: number },
  now: number
): LoginStatus => (stored.status === "pending" && stored.expiresAt <= now ? "expired" : stored.status)

/** Why a decision cannot be made any more. Null when it can be made, or when the same decision was made already. */
export const decisionProblem = (
  login: { readonly status: LoginStatus; readonly expiresAt: number; readonly tokenExpiresAt: number | null },
  decision: LoginDecision,
  now: number
): ValidationError | null => {
  const status = loginStatus(login, now)
  if (status === decision) return null
  if (status !== "pending") return ValidationError.of("approvalId", `this login is ${status} already`)
  return decision === "approved" && endProblem(login.tokenExpiresAt, now) !== null
    ? ValidationError.of(
        "approvalId",
        "its token has ended already, so it would never work; deny this login, and begin another with a later end"
      )
    : null
}

/** The first scope that the approving token lacks and so cannot pass on. */
export const missingScope = (asked: ReadonlyArray<Scope>, held: ReadonlyArray<Scope>): Scope | null =>
  asked.find((scope) => !held.includes(scope)) ?? null

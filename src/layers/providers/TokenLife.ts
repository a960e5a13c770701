/** How long an access token lives, as a token address says it, and when it is renewed. */
import { Predicate } from "effect"
import { renewalEarlyMillis } from "../../domain/limits/Access.js"

/**
 * `expires_in` of a token answer, which some write as a text. Null where it says no time: the token is good all the
 * same. With 0, some tell a token that never ends.
 */
export const secondsOf = (value: unknown): number | null => {
  const seconds = Predicate.isString(value) && value.trim() !== "" ? Number(value) : value
  return Predicate.isNumber(seconds) && seconds >= 1 && seconds <= 1e10 ? Math.floor(seconds) : null
}

/** From when on a token that is given `now` is renewed before it is used. */
export const renewalFrom = (now: number, lifeMillis: number): number =>
  now + Math.floor(Math.max(lifeMillis - renewalEarlyMillis, lifeMillis / 2))

/** How long a call waits for the renewal of a token that still works. */
export const patienceMillis = 1_000

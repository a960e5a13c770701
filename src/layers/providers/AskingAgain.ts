/**
 * Whether a further request of a call, which only reads, is sent again when it fails: a poll, the fetch of a result, a
 * page. A few in a row may fail for a reason that may pass, and a provider that says how long to wait is waited for.
 */
import type { CallRunFailure } from "../../domain/ProviderCall.js"

const lostFollowUpsMax = 3
export const pauseGrowth = 1.5

/** `isAnswered`: the provider's answer says so, and not that none came. */
export interface Missed {
  readonly failure: CallRunFailure
  readonly isAnswered: boolean
}

interface Patience {
  /** The pause where the provider asks for none. */
  readonly usualMs: number
  /** A provider that asks for a longer one gets no further request. */
  readonly longestMs: number
}

/** Whatever breaks an exchange may pass. An answer says by its code whether it does. */
const passes = ({ failure, isAnswered }: Missed): boolean =>
  isAnswered ? failure.code === "rate_limited" || failure.code === "provider_error" : failure.retryable

/** How long to wait before it is sent again; null when it is not. `before` counts those in a row that failed before. */
export const pauseBefore = (missed: Missed, before: number, { longestMs, usualMs }: Patience): number | null => {
  if (!passes(missed) || before >= lostFollowUpsMax) return null
  const { failure } = missed
  const asked = "retryAfterSeconds" in failure ? failure.retryAfterSeconds : undefined
  const pause = asked === undefined ? usualMs : asked * 1000
  return pause > longestMs ? null : pause
}

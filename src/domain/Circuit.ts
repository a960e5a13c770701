/**
 * The circuit of one provider, as a pure step: it opens when the provider fails too often, says that it is called too
 * fast, or is out of credit, and closes by itself after a pause. The first failure after a pause opens it again, for
 * twice as long; the first answer closes it for good. A customer's mistake or a refusal before anything was sent says
 * nothing about the provider.
 *
 * closed -> open (until a moment) -> half-open (calls go through again) -> closed | open
 */
import type { CallFailure } from "./ProviderCall.js"
import { saysNoCredit } from "./ProviderCredit.js"
import type { RunFailureCode } from "./RunFailures.js"

/**
 * Failures in a row that open the circuit. The number is high enough that one bad input, sent a few times, does not
 * open it.
 */
const consecutiveMax = 5
/** The circuit also opens when this part of the calls of a window failed and the window has enough calls. */
const failureRateMax = 0.5
const windowMillis = 60_000
const windowCallsMin = 20
/** The first pause after failures, doubled each time up to the longest. */
const pauseMillis = 10_000
const pauseMillisMax = 300_000
/** The pause after a 429 without a Retry-After, and the longest Retry-After that is obeyed. */
const rateLimitPauseSeconds = 5
const rateLimitPauseSecondsMax = 300
/** A person has to restore the credit, so asking often does not help. */
const creditPauseMillis = 600_000

export type Signal =
  | { readonly _tag: "Answered" }
  | { readonly _tag: "Failed" }
  | { readonly _tag: "RateLimited"; readonly seconds: number }
  | { readonly _tag: "OutOfCredit" }

export interface Circuit {
  readonly consecutive: number
  readonly windowStartedAt: number
  readonly windowCalls: number
  readonly windowFailures: number
  /** Open until then; a moment in the past is half-open as long as there were `openings`. */
  readonly openUntil: number
  /** Times it opened on failures without an answer in between. */
  readonly openings: number
}

export const closed: Circuit = {
  consecutive: 0,
  windowStartedAt: 0,
  windowCalls: 0,
  windowFailures: 0,
  openUntil: 0,
  openings: 0
}

export const openForSeconds = (circuit: Circuit, now: number): number =>
  Math.max(0, Math.ceil((circuit.openUntil - now) / 1000))

/** Failures that are the provider's fault. Any other refusal by the provider shows that it is alive. */
const blameable: ReadonlySet<RunFailureCode> = new Set([
  "provider_error",
  "timeout",
  "fetch_failed",
  "invalid_response",
  "auth_error"
])

const isRefusal = (failed: CallFailure): boolean => failed._tag === "ProviderFailure" && failed.sent

/**
 * What the failure of a call says about its provider. A failure of null means that the provider answered. The result is
 * null when the call says nothing about the provider.
 */
export const signalOf = (failed: CallFailure | null): Signal | null => {
  if (failed === null) return { _tag: "Answered" }
  const { failure } = failed
  const refused = isRefusal(failed)
  if (failure.code === "rate_limited")
    return { _tag: "RateLimited", seconds: failure.retryAfterSeconds ?? rateLimitPauseSeconds }
  if (saysNoCredit(failure.providerStatus) || (failure.code === "capacity_exhausted" && refused))
    return { _tag: "OutOfCredit" }
  if (blameable.has(failure.code)) return { _tag: "Failed" }
  return refused ? { _tag: "Answered" } : null
}

/**
 * What a call with the platform's key, or with none, says to those who have a key of their own there. That the
 * platform's key is refused, limited or out of credit is not their trouble: to them, a provider that says so is alive.
 */
export const signalToOwnKeys = (failed: CallFailure | null): Signal | null => {
  const signal = signalOf(failed)
  if (failed === null || signal === null) return signal
  const isOfKey = failed.failure.code === "auth_error" || signal._tag === "RateLimited" || signal._tag === "OutOfCredit"
  if (!isOfKey) return signal
  return isRefusal(failed) ? { _tag: "Answered" } : null
}

export const step = (before: Circuit, signal: Signal, now: number): Circuit => {
  const circuit = inWindow(before, now)
  const open = (until: number): Circuit => ({ ...circuit, openUntil: Math.max(circuit.openUntil, until) })
  switch (signal._tag) {
    case "Answered":
      // An answer to a call that was sent before the circuit opened does not close it early.
      return circuit.openUntil > now
        ? circuit
        : { ...circuit, consecutive: 0, openings: 0, windowCalls: circuit.windowCalls + 1 }
    case "RateLimited":
      return open(now + Math.min(Math.max(1, signal.seconds), rateLimitPauseSecondsMax) * 1000)
    case "OutOfCredit":
      return open(now + creditPauseMillis)
    case "Failed":
      // Calls that were under way when the circuit opened often fail too. They say nothing new.
      if (circuit.openUntil > now) return circuit
      return failed(
        {
          ...circuit,
          consecutive: circuit.consecutive + 1,
          windowCalls: circuit.windowCalls + 1,
          windowFailures: circuit.windowFailures + 1
        },
        now
      )
  }
}

const failed = (circuit: Circuit, now: number): Circuit => {
  const tooMany =
    circuit.consecutive >= consecutiveMax ||
    (circuit.windowCalls >= windowCallsMin && circuit.windowFailures / circuit.windowCalls >= failureRateMax)
  if (circuit.openings === 0 && !tooMany) return circuit
  const pause = Math.min(pauseMillis * 2 ** circuit.openings, pauseMillisMax)
  return {
    ...circuit,
    consecutive: 0,
    windowCalls: 0,
    windowFailures: 0,
    openUntil: now + pause,
    openings: circuit.openings + 1
  }
}

const inWindow = (circuit: Circuit, now: number): Circuit =>
  now - circuit.windowStartedAt < windowMillis
    ? circuit
    : { ...circuit, windowStartedAt: now, windowCalls: 0, windowFailures: 0 }

/**
 * The line of the log about a call without an answer, for the operator who is asked what happened to a run. Only at the
 * level Debug: it holds the provider's words, which may be about people. Where nobody reads it, it is not made.
 */
import { Effect, LogLevel } from "effect"
import type { AttemptFailure } from "./AttemptCall.js"
import type { AttemptEnd } from "./AttemptEnding.js"

/** What the provider answered, where it did. */
const answerIn = (failed: AttemptFailure): string => {
  switch (failed._tag) {
    case "CallLost":
    case "ProviderFailure":
      return failed.said?.() ?? ""
    case "SharedCallFailed":
      return answerIn(failed.failed)
    default:
      return ""
  }
}

export const tellFailedCall = ({ attempt, run }: AttemptEnd, failed: AttemptFailure): Effect.Effect<void> =>
  Effect.asVoid(
    Effect.whenLogLevel(
      Effect.suspend(() => {
        const { attemptId, endpointId, errorCode, providerStatus, runId } = attempt
        const answer = answerIn(failed)
        return Effect.annotateLogs(Effect.logDebug("A call failed"), {
          runId,
          requestId: run.requestId,
          attemptId,
          endpointId,
          code: errorCode,
          ...(providerStatus === null ? {} : { providerStatus }),
          ...(answer === "" ? {} : { answer })
        })
      }),
      LogLevel.Debug
    )
  )

/**
 * What is kept of a run that was refused before anything was sent: enough to say why, and to know the same request
 * again by its digest. It cost nothing, so its payload is not kept, and everything else in it is short. It is
 * forgotten, with its key, after `refusedRunDaysKept`.
 */
import { cutText } from "./Characters.js"
import { isBlocking, recorded } from "./FailedRun.js"
import { refusedInputCharsMax, refusedTextCharsMax } from "./limits/Runs.js"
import type { JsonObject } from "./Json.js"
import { writeJson } from "./LosslessJson.js"
import { zero } from "./Micros.js"
import type { Run, RunOutcome } from "./Run.js"
import type { RunFailure } from "./RunFailures.js"

const inputHead = (input: Run["input"]): Run["input"] => {
  const text = typeof input === "string" ? input : writeJson(input)
  return text.length <= refusedInputCharsMax ? input : cutText(text, refusedInputCharsMax)
}

const short = (text: string): string => cutText(text, refusedTextCharsMax)

/**
 * The run as it ends when it is refused before anything is sent: it holds and costs nothing, and carries the reason.
 * `result` is the body of a refused job.
 */
export const refused = (
  run: Run,
  { at, failure, result }: { readonly failure: RunFailure; readonly result: JsonObject | null; readonly at: number }
): Run =>
  shortened({
    ...run,
    ...recorded(run, failure),
    status: isBlocking(failure.code) ? "blocked" : "failed",
    // Whoever's fault it is: this is how storages find the runs that were refused (`wasRefused`).
    outcome: "rejected",
    holdMicros: zero,
    chargeMicros: zero,
    result: result === null ? null : { _tag: "Refusal", value: result },
    resultBytes: result === null ? null : Buffer.byteLength(writeJson(result)),
    completedAt: at
  })

/** The candidates of its plan will never be called, and need no input. */
const shortened = (run: Run): Run => ({
  ...run,
  input: inputHead(run.input),
  plan:
    run.plan === null
      ? null
      : {
          ...run.plan,
          candidates: run.plan.candidates.map((candidate) => ({ ...candidate, input: {} })),
          skipped: run.plan.skipped.map((skipped) => ({ ...skipped, reason: short(skipped.reason) }))
        },
  outcomeReason: run.outcomeReason === null ? null : short(run.outcomeReason),
  error: run.error === null ? null : { ...run.error, message: short(run.error.message) }
})

/** Refused before anything was sent: a run that a provider rejected was started. */
export const wasRefused = (run: Pick<Run, "status" | "outcome" | "startedAt" | "holdMicros">): boolean =>
  (run.status === "failed" || run.status === "blocked") &&
  run.outcome === "rejected" &&
  run.startedAt === null &&
  run.holdMicros === 0

/**
 * The outcome that everybody is shown. `rejected` says that something in the request has to change; a run that was
 * refused by fault of the gateway has failed with an `error`.
 */
export const shownOutcome = ({ error, outcome }: Pick<Run, "error" | "outcome">): RunOutcome | null =>
  outcome === "rejected" && error !== null && error.whoseError !== "customer" ? "error" : outcome

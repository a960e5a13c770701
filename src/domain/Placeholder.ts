/**
 * What is stored of an ended run when the storage refuses its data: everything that money and certainty need (status,
 * outcome, cost, receipt), with a placeholder for what the provider said, and a sentence that says so. Losing an
 * answer's text must never lose what it proved.
 */
import type { Attempt, Run } from "./Run.js"

export const notStored = "The storage refused the text of the answer; cost, outcome and receipt are as they were."

/** Words of the provider, which may be what is refused, are gone; our own sentences stay. */
export const runWithoutAnswer = (run: Run): Run => ({
  ...run,
  outcomeReason: run.error === null && run.outcomeReason !== null ? `${run.outcomeReason} ${notStored}` : notStored,
  error: run.error === null ? null : { ...run.error, message: notStored },
  result: run.result === null ? null : { _tag: "Json", value: { code: "result_not_stored", message: notStored } },
  normalized: null
})

/** The attempt of such a run. `receipt` keeps its digests and sizes either way. */
export const attemptWithoutWords = (attempt: Attempt, receipt: "whole" | "without_words"): Attempt => ({
  ...attempt,
  reason: attempt.errorCode === null ? attempt.reason : notStored,
  receipt:
    attempt.receipt === null || receipt === "whole"
      ? attempt.receipt
      : {
          ...attempt.receipt,
          providerRequestId: null,
          costAnomaly: attempt.receipt.costAnomaly === null ? null : notStored
        }
})

/**
 * The form in which an ended run is stored when the storage refuses its data. It keeps everything that the money
 * depends on (status, outcome, cost, receipt). A placeholder stands for the provider's answer, and a sentence says so.
 * When the text of an answer is lost, the facts that it proved must stay.
 */
import type { Attempt, Run } from "./Run.js"

const notStored = "The storage refused the text of the answer; cost, outcome and receipt are as they were."

/**
 * Removes the words of the provider, because the storage may refuse exactly those. The gateway's own sentences stay.
 */
export const runWithoutAnswer = (run: Run): Run => ({
  ...run,
  outcomeReason: run.error === null && run.outcomeReason !== null ? `${run.outcomeReason} ${notStored}` : notStored,
  error: run.error === null ? null : { ...run.error, message: notStored },
  result: run.result === null ? null : { _tag: "Json", value: { code: "result_not_stored", message: notStored } },
  normalized: null
})

/** The attempt of such a run. `receipt` keeps its digests and sizes. */
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

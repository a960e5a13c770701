/**
 * The end of the work on a run: its settlement. When the storage is away, the settlement waits for it, because the
 * run's money is held until its end is written. Every failure of an admitted run is recorded here.
 */
import { Effect, Option } from "effect"
import { eventOf, failedRun } from "../../../domain/FailedRun.js"
import { isAnswer } from "../../../domain/Fallback.js"
import * as Money from "../../../domain/Micros.js"
import { plannedFor } from "../../../domain/RoutePlan.js"
import type { RunFailure } from "../../../domain/RunFailures.js"
import type { SettlementRequest } from "../../../services/Settlement.js"
import type { SettledRun } from "../../../services/Runs.js"
import { type Parts, type Progress, type Work, type Settling } from "./Work.js"

/** How long a late answer waits for the node that took its run over. That node only has to write the run's end. */
const lateLookMillis = 100
const lateLooksMax = 100

export interface RunSettler {
  readonly settle: (work: Work, progress: Progress, event: SettlementRequest["event"]) => Settling
  /** Ends the run with its best answer: an answer of a provider, or the failure that the run records. */
  readonly conclude: (work: Work, progress: Progress) => Settling
  /** Ends the run with this failure, whatever answers came before. */
  readonly fail: (work: Work, progress: Progress, failure: RunFailure) => Settling
}

export const makeRunSettler = (parts: Parts): RunSettler => {
  const { patiently } = parts
  /**
   * This node stood still for so long that another node took the run over. The other node takes the answer of the call
   * for lost, but this node has it. Once the other node has written that, the run gets its true end here. Until then
   * this node waits a little, because only one of the two can write.
   */
  const settleLate = Effect.fnUntraced(function* (request: SettlementRequest, event: "AnsweredLate" | "FailedLate") {
    const stored = yield* Effect.repeat(Effect.delay(patiently(parts.store.get(request.run)), lateLookMillis), {
      until: (found) => found?.status !== "running",
      times: lateLooksMax
    })
    if (stored?.status !== "reconciliation_pending") return null
    const late = yield* patiently(
      parts.settlement.settle({
        ...request,
        run: { ...request.run, status: "reconciliation_pending" },
        event,
        leaseToken: null
      })
    )
    return late._tag === "Settled" ? late : null
  })

  const settle: RunSettler["settle"] = Effect.fnUntraced(function* ({ lease }, { attempts, run, unstored }, event) {
    yield* parts.faults.at("settlement.before")
    const completedAt = event === "Uncertain" ? null : parts.clock.unsafeCurrentTimeMillis()
    const request: SettlementRequest = {
      run: { ...run, completedAt },
      event,
      costMicros: Money.sum(attempts.map((attempt) => attempt.costMicros ?? Money.zero)),
      reason: null,
      leaseToken: lease.token,
      attempt: unstored?.attempt ?? null,
      media: unstored?.media ?? null
    }
    const answer = yield* patiently(parts.settlement.settle(request))
    if (answer._tag === "Settled") return Option.some<SettledRun>({ run: answer.run, attempts, left: answer.left })
    const candidate = plannedFor(run.plan, unstored?.attempt.endpointId)
    if (candidate?.effectful !== true || (event !== "Completed" && event !== "Failed")) return Option.none<SettledRun>()
    const late = yield* settleLate(request, event === "Completed" ? "AnsweredLate" : "FailedLate")
    return late === null
      ? Option.none<SettledRun>()
      : Option.some<SettledRun>({ run: late.run, attempts, left: late.left })
  })

  return {
    settle,
    conclude: (work, progress) => settle(work, progress, isAnswer(progress.run.outcome) ? "Completed" : "Failed"),
    fail: (work, progress, failure) =>
      settle(work, { ...progress, run: failedRun(progress.run, failure) }, eventOf(failure))
  }
}

/**
 * What a slow operation costs by what its answers told: the one rule for its start, its polls, the fetches of its
 * result and an accepted cancel, whatever their status. The newest amount stands. A value that is no amount is recorded
 * as an anomaly: it replaces no earlier amount, and the listed price is not used instead. Pure.
 */
import type { CostEvidence } from "./ProviderCall.js"

const anomalyIn = (cost: CostEvidence): string | undefined =>
  cost._tag === "Anomaly" ? cost.reported : cost._tag === "Reported" ? cost.anomaly : undefined

/** What is told after one more answer. */
export const toldAfter = (before: CostEvidence, now: CostEvidence): CostEvidence => {
  const anomaly = anomalyIn(now) ?? anomalyIn(before)
  const amount = now._tag === "Reported" ? now : before
  if (amount._tag !== "Reported") return anomaly === undefined ? amount : { _tag: "Anomaly", reported: anomaly }
  return { _tag: "Reported", micros: amount.micros, ...(anomaly === undefined ? {} : { anomaly }) }
}

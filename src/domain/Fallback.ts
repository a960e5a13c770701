/**
 * Decides which provider a run tries next, from its plan and the attempts made so far. It is pure, so that a node that
 * takes over a run decides as the first node would have. Fallback moves on after a miss, an error or a weak answer, for
 * operations that only read; an effectful operation is attempted once (completions, section 3).
 */
import type { Attempt, RunOutcome } from "./Run.js"
import { workersLostMax } from "./limits/Runs.js"
import { attemptsMax, type Candidate, plannedFor, type RoutePlan } from "./RoutePlan.js"

/** The code of an attempt whose node died under it. Such an attempt is repeated where the operation allows it. */
export const nodeLost = "node_lost"
/** The same of a node that stopped and left it. The run is not what ended the node, so it is repeated each time. */
export const nodeLeft = "node_left"

/** The code of an attempt as clients see it: all of them are codes of failed runs. */
export const listedCode = (errorCode: string | null): string | null =>
  errorCode === nodeLost || errorCode === nodeLeft ? "timeout" : errorCode

export type Step =
  { readonly _tag: "Try"; readonly candidate: Candidate; readonly n: number } | { readonly _tag: "Conclude" }

type Made = Pick<Attempt, "endpointId" | "outcome" | "costMicros" | "errorCode">

export const nextStep = (plan: RoutePlan, holdMicros: number, attempts: ReadonlyArray<Made>): Step => {
  const n = attempts.length + 1
  const last = attempts.at(-1)
  const attempt = (candidate: Candidate | undefined): Step =>
    candidate === undefined ? { _tag: "Conclude" } : { _tag: "Try", candidate, n }
  if (last === undefined) return attempt(plan.candidates[0])
  const current = plannedFor(plan, last.endpointId)
  if (
    current?.repeatable === true &&
    !current.effectful &&
    (last.errorCode === nodeLeft || (wasLost(last) && attempts.filter(wasLost).length < workersLostMax))
  )
    return attempt(current)
  const { fallback } = plan
  if (fallback === null || !fallback.enabled || current?.effectful === true) return { _tag: "Conclude" }
  if (last.outcome === "hit" || (last.outcome === "miss" && fallback.stopAtFirstMiss)) return { _tag: "Conclude" }
  const tried = new Set(attempts.map(({ endpointId }) => endpointId))
  if (tried.size >= attemptsMax(plan)) return { _tag: "Conclude" }
  const spent = costOf(attempts)
  return attempt(
    plan.candidates.find(
      (candidate) =>
        !tried.has(candidate.endpointId) && !candidate.effectful && spent + candidate.maxMicros <= holdMicros
    )
  )
}

/** A candidate whose turn came, and which would have cost more than was left of the hold. */
export interface PassedOver {
  readonly candidate: Candidate
  readonly leftMicros: number
}

/**
 * Those of a run that has ended, in the order of its plan. Only a client's cap makes a hold too small for them; a run
 * that called nobody was refused, and its turn never came.
 */
export const passedOver = (
  plan: RoutePlan,
  holdMicros: number,
  attempts: ReadonlyArray<Made>
): ReadonlyArray<PassedOver> => {
  if (attempts.length === 0) return []
  const order = new Map<string, number>(plan.candidates.map(({ endpointId }, at) => [endpointId, at]))
  const tried = new Set(attempts.map(({ endpointId }) => endpointId))
  const goesOn = nextStep(plan, Infinity, attempts)._tag === "Try"
  return plan.candidates.flatMap((candidate, at) => {
    if (tried.has(candidate.endpointId) || candidate.effectful) return []
    const next = attempts.findIndex(({ endpointId }) => (order.get(endpointId) ?? -1) > at)
    if (next === -1 && !goesOn) return []
    const leftMicros = holdMicros - costOf(next === -1 ? attempts : attempts.slice(0, next))
    return candidate.maxMicros > leftMicros ? [{ candidate, leftMicros }] : []
  })
}

const costOf = (attempts: ReadonlyArray<Made>): number =>
  attempts.reduce((total, made) => total + (made.costMicros ?? 0), 0)

const wasLost = (made: Made): boolean => made.errorCode === nodeLost

const worth: { readonly [Outcome in RunOutcome]: number } = { hit: 3, weak: 2, miss: 1, error: 0, rejected: 0 }

/** Whether a provider answered. An answer that found nothing counts too. */
export const isAnswer = (outcome: RunOutcome | null): boolean => outcome !== null && worth[outcome] > 0

/** Whether an answer is better than the best one so far. Of two equal answers the earlier one stays. */
export const isBetter = (outcome: RunOutcome, than: RunOutcome | null): boolean =>
  than === null || worth[outcome] > worth[than]

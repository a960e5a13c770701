/**
 * The order of a job's providers. Pure, and the one place of the formula:
 *
 * - success  = (successes + 10·m) / (calls + 10), m = (all successes of the job + 10·0.8) / (all calls of the job +
 * 10):
 * few runs prove little, so an endpoint is drawn to the job's mean, and one that never ran stands exactly at it.
 * - latency  = (calls·p50 + 10·l) / (calls + 10), l = mean p50 of the job's calls, 2,000 ms when nobody has run.
 * - cost     = expected micros of one call; a price per result counts its default volume.
 * - `cheapest` orders by cost, `reliable` by success, `fastest` by latency, and each breaks ties by the others;
 * `balanced` by 0.5·success + 0.3·cheapness + 0.2·speed, cheapness = 1/(1 + cost/10,000), speed = 1/(1 +
 * latency/2,000).
 * - Before all that: real before mock, then what can be called now, then what needs an account. After it: the endpoint
 * id, so that the order never flickers.
 */
import { Order } from "effect"
import type { Operation } from "./Manifest.js"
import { dollars } from "./Micros.js"
import { type Worked, workedText } from "./ProviderFigures.js"
import type { Prefer } from "./RoutePlan.js"

/** What attempts have shown of one endpoint. */
export interface Evidence extends Worked {
  readonly p50Ms: number | null
}

export interface RoutingCandidate {
  readonly endpointId: string
  readonly mock: boolean
  /** 0: can be called now; 1: when the caller has an account there; 2: not now, whoever calls. */
  readonly obstacle: 0 | 1 | 2
  readonly expectedMicros: number
  /** Null for an endpoint that never ran. */
  readonly evidence: Evidence | null
}

export interface Routed {
  readonly endpointId: string
  /** 0 to 1. */
  readonly success: number
  readonly latencyMs: number
  readonly expectedMicros: number
  readonly balanced: number
  readonly reason: string
}

const priorCalls = 10
const priorSuccess = 0.8
const priorLatencyMs = 2000
const halfPriceMicros = 10_000
const halfSpeedMs = 2000

/** 1 for free, 0.5 at one cent. */
export const cheapness = (micros: number): number => 1 / (1 + micros / halfPriceMicros)
const speed = (latencyMs: number): number => 1 / (1 + latencyMs / halfSpeedMs)

export interface JobMean {
  readonly success: number
  readonly latencyMs: number
}

export const jobMean = (evidence: Iterable<Evidence | null>): JobMean => {
  let calls = 0
  let successes = 0
  let timed = 0
  let milliseconds = 0
  for (const each of evidence) {
    if (each === null) continue
    calls += each.calls
    successes += each.successes
    if (each.p50Ms === null) continue
    timed += each.calls
    milliseconds += each.calls * each.p50Ms
  }
  return {
    success: (successes + priorCalls * priorSuccess) / (calls + priorCalls),
    latencyMs: timed === 0 ? priorLatencyMs : milliseconds / timed
  }
}

/** Success as it may be trusted: drawn to the job's mean by ten calls' worth of doubt. */
export const trustedSuccess = (evidence: Evidence | null, mean: JobMean): number =>
  evidence === null ? mean.success : (evidence.successes + priorCalls * mean.success) / (evidence.calls + priorCalls)

const trustedLatency = (evidence: Evidence | null, mean: JobMean): number =>
  evidence === null || evidence.p50Ms === null
    ? mean.latencyMs
    : (evidence.calls * evidence.p50Ms + priorCalls * mean.latencyMs) / (evidence.calls + priorCalls)

/** What one call is expected to cost: the listed price, at the default volume when it is per result. */
export const expectedMicros = (operation: Pick<Operation, "price" | "volume">): number => {
  const { basis, micros, perCallMicros } = operation.price
  if (basis === "free") return 0
  return perCallMicros + micros * (basis === "per_result" ? (operation.volume?.default ?? 1) : 1)
}

interface Weighed extends Omit<Routed, "reason"> {
  readonly candidate: RoutingCandidate
}

const ascending = (of: (each: Weighed) => number): Order.Order<Weighed> => Order.mapInput(Order.number, of)
const byCost = ascending((each) => each.expectedMicros)
const bySuccess = ascending((each) => -each.success)
const byLatency = ascending((each) => each.latencyMs)
const byBalance = ascending((each) => -each.balanced)

const preferences: { readonly [key in Prefer]: ReadonlyArray<Order.Order<Weighed>> } = {
  cheapest: [byCost, bySuccess, byLatency],
  reliable: [bySuccess, byCost, byLatency],
  fastest: [byLatency, bySuccess, byCost],
  balanced: [byBalance, bySuccess]
}

const orderFor = (prefer: Prefer): Order.Order<Weighed> =>
  Order.combineAll([
    ascending(({ candidate }) => Number(candidate.mock)),
    ascending(({ candidate }) => candidate.obstacle),
    ...preferences[prefer],
    Order.mapInput(Order.string, (each: Weighed) => each.endpointId)
  ])

const words: { readonly [key in Prefer]: string } = {
  cheapest: "lowest expected cost",
  reliable: "best success rate",
  fastest: "shortest time",
  balanced: "best balance of success, cost and time"
}

const costOf = (micros: number): string => (micros === 0 ? "free" : `${dollars(micros)} a call`)

const reasonOf = (each: Weighed, at: number, of: number, prefer: Prefer): string => {
  const { evidence, mock, obstacle } = each.candidate
  const worked = evidence === null ? null : workedText(evidence)
  const proof = worked === null ? "not run yet, so taken at the job's mean" : `${worked}, weighed with the job's mean`
  const place = `${at + 1} of ${of} by ${words[prefer]}`
  const kind = mock
    ? "a fixture, after every real provider"
    : obstacle === 2
      ? "last, because it cannot be called now"
      : obstacle === 1
        ? `${place}, with an account of your own`
        : place
  return `${kind}: ${costOf(each.expectedMicros)}, ${proof}`
}

/**
 * The providers of one job, best first. Total and deterministic: the same candidates in any order give the same answer.
 */
export const route = (candidates: ReadonlyArray<RoutingCandidate>, prefer: Prefer): ReadonlyArray<Routed> => {
  const mean = jobMean(candidates.filter((each) => !each.mock).map((each) => each.evidence))
  return candidates
    .map((candidate): Weighed => {
      const success = trustedSuccess(candidate.evidence, mean)
      const latencyMs = trustedLatency(candidate.evidence, mean)
      return {
        candidate,
        endpointId: candidate.endpointId,
        success,
        latencyMs,
        expectedMicros: candidate.expectedMicros,
        balanced: 0.5 * success + 0.3 * cheapness(candidate.expectedMicros) + 0.2 * speed(latencyMs)
      }
    })
    .sort(orderFor(prefer))
    .map((each, at) => ({
      endpointId: each.endpointId,
      success: each.success,
      latencyMs: each.latencyMs,
      expectedMicros: each.expectedMicros,
      balanced: each.balanced,
      reason: reasonOf(each, at, candidates.length, prefer)
    }))
}

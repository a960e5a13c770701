/**
 * The plan of a run: which endpoints may be tried, in which order, with which input, and the most that each can cost.
 * Made once at admission, stored with the run, and followed by whichever node dispatches it, so that a crash, a new
 * catalog revision or another node cannot change what was promised when the money was held.
 */
import { Schema } from "effect"
import { field } from "./Described.js"
import { JsonObject } from "./Json.js"
import { fallbackAttemptsMax } from "./limits/Runs.js"
import { EndpointId, JobId, ProviderId } from "./Manifest.js"
import { Micros } from "./Micros.js"
import * as Money from "./Micros.js"
import { StoredTrace } from "./Trace.js"

export const Prefer = Schema.Literal("balanced", "cheapest", "reliable", "fastest").annotations({
  identifier: "Prefer",
  description: "What decides between providers of the same job: balanced weighs price, record and speed",
  examples: ["balanced"]
})
export type Prefer = typeof Prefer.Type

export const SkipCode = Schema.Literal("over_cost_cap", "needs_identity", "excluded", "not_runnable", "rejected_input")
export const Skipped = Schema.Struct({
  endpointId: field(Schema.String, "The operation that is not tried", "mock-email-find-2"),
  code: field(
    SkipCode,
    "Why, as a word for programs; needs_identity: the input lacks a field that this provider needs, and reason names it",
    "over_cost_cap"
  ),
  reason: field(Schema.String, "Why, in a sentence", "It costs more than maxCostUsd")
})
export type Skipped = typeof Skipped.Type

export const Candidate = Schema.Struct({
  endpointId: EndpointId,
  providerId: ProviderId,
  contractVersion: Schema.String,
  effectful: Schema.Boolean,
  repeatable: Schema.Boolean,
  /** The operation's own fields, mapped and validated. */
  input: JsonObject,
  /** The most that one attempt can cost; every charge of it is clamped to this. */
  maxMicros: Micros
})
export type Candidate = typeof Candidate.Type

export const Fallback = Schema.Struct({
  enabled: Schema.Boolean,
  maxAttempts: Schema.Int.pipe(Schema.between(1, fallbackAttemptsMax)),
  maxCostMicros: Schema.NullOr(Micros),
  stopAtFirstMiss: Schema.Boolean
})
export type Fallback = typeof Fallback.Type

export const RoutePlan = Schema.Struct({
  /** The job asked for, null on a tool run. */
  job: Schema.NullOr(JobId),
  prefer: Prefer,
  /** Why the first candidate was picked, one sentence. */
  reason: Schema.String,
  candidates: Schema.Array(Candidate),
  skipped: Schema.Array(Skipped),
  /** Null when the client did not ask for fallback. */
  fallback: Schema.NullOr(Fallback),
  connectionId: Schema.NullOr(Schema.String),
  /** True when the cost cap cut the hold below the dearest possible set of attempts, or left out a provider. */
  capped: Schema.Boolean,
  /** The trace of the request that made the run, where traces are recorded; any node goes on with it. */
  trace: Schema.optionalWith(StoredTrace, { exact: true })
})
export type RoutePlan = typeof RoutePlan.Type

/** What the plan says of one of its operations. */
export const plannedFor = (plan: RoutePlan | null, endpoint: string | undefined): Candidate | undefined =>
  plan?.candidates.find(({ endpointId }) => endpointId === endpoint)

/** How many attempts the plan allows: one, unless fallback is on and the operations only read. */
export const attemptsMax = (plan: RoutePlan): number => {
  if (plan.fallback === null || !plan.fallback.enabled) return Math.min(1, plan.candidates.length)
  return Math.min(plan.fallback.maxAttempts, plan.candidates.length)
}

/** What the dearest possible set of `attemptsMax` attempts costs. */
const dearestSet = (plan: RoutePlan): Micros =>
  Money.sum(
    plan.candidates
      .map((candidate) => candidate.maxMicros)
      .sort((a, b) => b - a)
      .slice(0, attemptsMax(plan))
  )

/**
 * The hold of a plan: the dearest possible set of attempts, cut to the client's cap (completions, section 3: "One hold
 * covers the dearest possible set").
 */
export const holdOf = (plan: RoutePlan): Micros => {
  const cap = plan.fallback?.maxCostMicros ?? null
  return cap === null ? dearestSet(plan) : Money.min(dearestSet(plan), cap)
}

/** The plan with `capped`: whether the client's cap lowered its hold, or left out a provider. */
export const withCapped = (plan: Omit<RoutePlan, "capped">): RoutePlan => {
  const route = { ...plan, capped: plan.skipped.some(({ code }) => code === "over_cost_cap") }
  return { ...route, capped: route.capped || holdOf(route) < dearestSet(route) }
}

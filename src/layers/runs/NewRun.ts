/**
 * The row of a new run: queued with its hold when there is a plan, or refused before anything was sent and never
 * billed.
 */
import { createHash } from "node:crypto"
import type { RunId } from "../../domain/Ids.js"
import { canonical } from "../../domain/Json.js"
import { zero } from "../../domain/Micros.js"
import { refused } from "../../domain/RefusedRun.js"
import { holdOf, type RoutePlan } from "../../domain/RoutePlan.js"
import { monthOf, type Run } from "../../domain/Run.js"
import { toStoredTrace } from "../../domain/Trace.js"
import type { Principal } from "../../services/Accounts.js"
import type { RunRequest } from "../../services/Runs.js"
import type { Denial, Operation } from "./planning/Denials.js"

/**
 * The digest that decides whether two requests are the same (completions, section 3). How a request waits, falls back
 * or shows its result does not count.
 */
export const digestOf = ({ connectionId, endpointId, input }: RunRequest): string =>
  createHash("sha256").update(canonical({ endpointId, input, connectionId })).digest("hex")

/** The facts about a run that are known before it is planned. */
export interface Origin {
  readonly principal: Pick<Principal, "workspaceId" | "tokenId">
  readonly request: RunRequest
  /** The job that the request asks for, or the job of its tool; null when there is none. */
  readonly job: string | null
  readonly runId: RunId
  readonly now: number
}

/** `named` is the operation of a plan that could not be made. */
const runOf = (
  { job, now, principal, request, runId }: Origin,
  plan: RoutePlan | null,
  named: Operation | null = null
): Run => {
  const first = plan?.candidates[0]
  const operation = first ?? named
  return {
    runId,
    workspaceId: principal.workspaceId,
    tokenId: principal.tokenId,
    idempotencyKey: request.idempotencyKey,
    requestDigest: digestOf(request),
    requestId: request.requestId,
    requestedEndpointId: request.endpointId,
    endpointId: first?.endpointId ?? request.endpointId,
    providerId: operation?.providerId ?? null,
    contractVersion: operation?.contractVersion ?? null,
    job,
    input: request.input,
    plan,
    status: "queued",
    outcome: null,
    outcomeReason: null,
    holdMicros: plan === null ? zero : holdOf(plan),
    chargeMicros: null,
    spendMonth: monthOf(now),
    error: null,
    result: null,
    normalized: null,
    resultBytes: null,
    providerStatus: null,
    servedEndpointId: null,
    servedProviderId: null,
    connectionId: request.connectionId,
    cancelRequested: false,
    createdAt: now,
    startedAt: null,
    completedAt: null
  }
}

export const queuedRun = (origin: Origin, plan: RoutePlan): Run => {
  const { trace } = origin.request
  return runOf(origin, trace === undefined ? plan : { ...plan, trace: toStoredTrace(trace) })
}

export const deniedRun = (origin: Origin, { failure, operation, plan, result }: Denial): Run =>
  refused(runOf(origin, plan, operation), { failure, result, at: origin.now })

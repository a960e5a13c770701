/** The row of a new run: queued with its hold when there is a plan, or refused before dispatch and never billed. */
import { createHash } from "node:crypto"
import { Either } from "effect"
import type { RunId } from "../../domain/Ids.js"
import { canonical } from "../../domain/Json.js"
import { zero } from "../../domain/Micros.js"
import { asRefused } from "../../domain/RefusedRun.js"
import { holdOf, type RoutePlan } from "../../domain/RoutePlan.js"
import { monthOf, type Run } from "../../domain/Run.js"
import { isBlocking, toRunError } from "../../domain/RunFailures.js"
import type { Principal } from "../../services/Accounts.js"
import type { RunRequest } from "../../services/Runs.js"
import type { Denial } from "./planning/RouteRefusals.js"

/**
 * What makes two requests the same (completions, section 3): how they are waited for, fall back or are shown does not
 * count.
 */
export const digestOf = ({ connectionId, endpointId, input }: RunRequest): string =>
  createHash("sha256").update(canonical({ endpointId, input, connectionId })).digest("hex")

export const newRun = (
  principal: Principal,
  request: RunRequest,
  planned: Either.Either<RoutePlan, Denial>,
  job: string | null,
  runId: RunId,
  now: number
): Run => {
  const route = Either.match(planned, { onLeft: ({ plan }) => plan, onRight: (plan) => plan })
  const first = Either.isRight(planned) ? planned.right.candidates[0] : undefined
  const shared = {
    runId,
    workspaceId: principal.workspaceId,
    tokenId: principal.tokenId,
    idempotencyKey: request.idempotencyKey,
    requestDigest: digestOf(request),
    requestId: request.requestId,
    requestedEndpointId: request.endpointId,
    endpointId: first?.endpointId ?? request.endpointId,
    providerId: first?.providerId ?? null,
    contractVersion: first?.contractVersion ?? null,
    job,
    input: request.input,
    plan: route,
    spendMonth: monthOf(now),
    normalized: null,
    resultBytes: null,
    providerStatus: null,
    servedEndpointId: null,
    servedProviderId: null,
    connectionId: request.connectionId,
    cancelRequested: false,
    createdAt: now,
    startedAt: null
  }
  return Either.match(planned, {
    onRight: (plan): Run => ({
      ...shared,
      status: "queued",
      outcome: null,
      outcomeReason: null,
      holdMicros: holdOf(plan),
      chargeMicros: null,
      error: null,
      result: null,
      completedAt: null
    }),
    onLeft: ({ failure, result }): Run =>
      asRefused({
        ...shared,
        status: isBlocking(failure.code) ? "blocked" : "failed",
        outcome: "rejected",
        outcomeReason: failure.message,
        holdMicros: zero,
        chargeMicros: zero,
        error: toRunError(failure, request.requestId),
        result: result === null ? null : { _tag: "Refusal", value: result },
        completedAt: now
      })
  })
}

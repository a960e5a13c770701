/**
 * Makes what a client sees of a run (`RunBody.ts`) of what is stored of it. Dollars appear only here, as JSON numbers.
 */
import { Option, Schema } from "effect"
import type * as Stored from "../../domain/Run.js"
import { jobNamedBy } from "../../domain/EndpointIds.js"
import { listedCode, passedOver } from "../../domain/Fallback.js"
import type { Json } from "../../domain/Json.js"
import { dollars, toUsd } from "../../domain/Micros.js"
import { shownOutcome } from "../../domain/RefusedRun.js"
import type { RoutePlan } from "../../domain/RoutePlan.js"
import {
  mediaNamedBy,
  mediaPath,
  type Attempt,
  type Run,
  type RunOutcome,
  type StoredResult
} from "../../domain/Run.js"
import { isSettledForWaiters } from "../../domain/RunMachine.js"
import type { RunDetail } from "../../services/RunStore.js"
import { time, timeOrNull } from "../Fields.js"
import type { RunSummary, RunBody, AttemptList } from "./RunBody.js"

const usdOrNull = (micros: number | null): number | null => (micros === null ? null : toUsd(micros))

const resultBody = (runId: string, stored: StoredResult): Json => {
  switch (stored._tag) {
    case "Json":
    case "Refusal":
      return stored.value
    case "Text":
      return { text: stored.text, format: stored.format }
    case "Media": {
      const { bytes, contentType, filename, mediaId, sha256 } = stored.media
      return {
        media: {
          downloadPath: mediaPath(runId, mediaId),
          contentType,
          bytes,
          sha256,
          ...(filename === null ? {} : { filename })
        }
      }
    }
  }
}

const FileShown = Schema.decodeUnknownOption(
  Schema.Struct({
    media: Schema.Struct({ downloadPath: Schema.String, contentType: Schema.String, bytes: Schema.Int })
  })
)
type FileShown = Option.Option.Value<ReturnType<typeof FileShown>>["media"]

/**
 * The file that a shown result is; null where the result stands in the run itself. A provider knows no run, so its own
 * answer names no such path.
 */
export const fileOf = (runId: string, result: Json | undefined): FileShown | null => {
  const shown = Option.getOrNull(FileShown(result))
  return shown !== null && mediaNamedBy(shown.media.downloadPath)?.runId === runId ? shown.media : null
}

const summaryOf = (run: Stored.RunSummary) => {
  const outcome = shownOutcome(run)
  return {
    runId: run.runId,
    endpointId: run.endpointId,
    ...(run.providerId === null ? {} : { providerId: run.providerId }),
    ...(run.servedEndpointId === null ? {} : { servedEndpointId: run.servedEndpointId }),
    ...(run.servedProviderId === null ? {} : { servedProviderId: run.servedProviderId }),
    status: run.status,
    ...(outcome === null ? {} : { outcome }),
    providerResponseStatus: run.providerStatus,
    createdAt: time(run.createdAt),
    completedAt: timeOrNull(run.completedAt),
    actualCost: usdOrNull(run.chargeMicros),
    ...(run.error === null ? {} : { error: run.error }),
    resultBytes: run.resultBytes
  }
}

/**
 * What a run that is under way has found so far is not its answer: the next attempt may bring a better one. A client
 * that took it for the end would send the run again and pay twice (contract: `error` is present on a failed run).
 */
const nothingYet = {
  outcome: null,
  error: null,
  providerStatus: null,
  result: null,
  resultBytes: null,
  servedEndpointId: null,
  servedProviderId: null
}

const payloadOf = (run: Pick<Stored.ListedRun, "payloadDropped" | "result" | "runId">) => ({
  ...(run.result === null ? {} : { result: resultBody(run.runId, run.result) }),
  ...(run.payloadDropped === undefined ? {} : { payloadDropped: run.payloadDropped })
})

export const runSummary = (stored: Stored.ListedRun): RunSummary => {
  const run = isSettledForWaiters(stored.status) ? stored : { ...stored, ...nothingYet }
  return { ...summaryOf(run), ...payloadOf(run) }
}

const requestedJobOf = (run: Run): NonNullable<RunBody["requestedJob"]> | null => {
  const job = jobNamedBy(run.requestedEndpointId)
  if (job === null) return null
  if (run.plan === null)
    return { job, pickedEndpointId: null, reason: run.error?.message ?? "No provider was chosen.", skipped: [] }
  return {
    job,
    prefer: run.plan.prefer,
    pickedEndpointId: run.plan.candidates[0]?.endpointId ?? null,
    reason: run.plan.reason,
    skipped: run.plan.skipped
  }
}

const routeSummary = (run: Run, attempts: ReadonlyArray<Attempt>, outcome: RunOutcome | null): string => {
  // An operation that is tried again, after a node was lost, is still one.
  const operations = new Set(attempts.map(({ endpointId }) => endpointId)).size
  const tried = operations === 1 ? "1 provider tried" : `${operations} providers tried`
  const none =
    run.completedAt === null ? "still under way" : outcome === "miss" ? "none found anything" : "none answered"
  return `${tried}, ${run.servedEndpointId === null ? none : `${run.servedEndpointId} answered`}${outcome === null ? "" : `: ${outcome}`}.`
}

/** Those whose turn came when too little of the client's cap was left for them, once the run has ended. */
const overTheRest = (run: Run, plan: RoutePlan, attempts: ReadonlyArray<Attempt>): RoutePlan["skipped"] =>
  run.completedAt === null
    ? []
    : passedOver(plan, run.holdMicros, attempts).map(({ candidate: { endpointId, maxMicros }, leftMicros }) => ({
        endpointId,
        code: "over_cost_cap",
        reason: `costs up to ${dollars(maxMicros)}, and ${dollars(leftMicros)} of the cap was left`
      }))

/** The providers that the run did not try: those that its plan left out, and those that its cap did not reach. */
export const skippedOf = (run: Run, plan: RoutePlan, attempts: ReadonlyArray<Attempt>): RoutePlan["skipped"] => [
  ...plan.skipped,
  ...overTheRest(run, plan, attempts)
]

const routeOf = (run: Run, plan: RoutePlan, attempts: ReadonlyArray<Attempt>): NonNullable<RunBody["route"]> => {
  const outcome = shownOutcome(run)
  return {
    ...(run.servedEndpointId === null ? {} : { servedBy: run.servedEndpointId }),
    outcome,
    chargedUsd: toUsd(run.chargeMicros ?? 0),
    capped: plan.capped,
    attempts: attempts.map((attempt) => ({
      n: attempt.n,
      endpointId: attempt.endpointId,
      provider: attempt.providerId,
      outcome: attempt.outcome,
      status: attempt.status,
      chargedUsd: attempt.billed ? toUsd(attempt.costMicros ?? 0) : 0,
      ms: attempt.latencyMs,
      ...(attempt.reason === null ? {} : { reason: attempt.reason }),
      billed: attempt.billed
    })),
    skipped: skippedOf(run, plan, attempts),
    summary: routeSummary(run, attempts, outcome)
  }
}

/** Of the attempt whose answer the result is. */
const pagesOf = (run: Run, attempts: ReadonlyArray<Attempt>) => {
  const served = attempts.find(
    ({ endpointId, status }) => status === "completed" && endpointId === run.servedEndpointId
  )
  return run.result === null || served?.receipt?.pages === undefined ? {} : { pages: served.receipt.pages }
}

/** The full run, without what only some answers add (`replayed`, `trimmed`). */
export const runBody = ({ attempts, run: stored }: RunDetail): RunBody => {
  const run = isSettledForWaiters(stored.status)
    ? stored
    : { ...stored, ...nothingYet, outcomeReason: null, normalized: null }
  const requestedJob = requestedJobOf(run)
  const route =
    run.plan !== null && run.plan.job !== null && run.plan.fallback?.enabled === true
      ? routeOf(run, run.plan, attempts)
      : null
  return {
    ...summaryOf(run),
    ...(requestedJob === null ? {} : { requestedJob }),
    ...(run.outcomeReason === null ? {} : { outcomeReason: run.outcomeReason }),
    ...payloadOf(run),
    ...(run.normalized === null ? {} : { normalized: run.normalized }),
    pricing: {
      maximumChargeMicros: run.holdMicros,
      ...(run.chargeMicros === null ? {} : { finalChargeMicros: run.chargeMicros })
    },
    estimatedCost: toUsd(run.holdMicros),
    ...pagesOf(run, attempts),
    ...(route === null ? {} : { route }),
    ...(run.contractVersion === null ? {} : { contractVersion: run.contractVersion }),
    startedAt: timeOrNull(run.startedAt),
    ...(run.connectionId === null ? {} : { connectionId: run.connectionId })
  }
}

const errorCodeOf = (attempt: Attempt) => {
  const errorCode = listedCode(attempt.errorCode)
  return errorCode === null ? {} : { errorCode }
}

export const attemptList = ({ attempts, run }: RunDetail): AttemptList => ({
  runId: run.runId,
  attempts: attempts.map((attempt) => ({
    attemptId: attempt.attemptId,
    n: attempt.n,
    providerId: attempt.providerId,
    endpointId: attempt.endpointId,
    status: attempt.status,
    outcome: attempt.outcome,
    providerResponseStatus: attempt.providerStatus,
    latencyMs: attempt.latencyMs,
    costMicros: attempt.costMicros,
    billed: attempt.billed,
    ...(attempt.reason === null ? {} : { reason: attempt.reason }),
    ...errorCodeOf(attempt),
    receiptId: attempt.receiptId,
    receipt:
      attempt.receipt === null
        ? null
        : {
            requestDigest: attempt.receipt.requestDigest,
            responseDigest: attempt.receipt.responseDigest,
            requestBytes: attempt.receipt.requestBytes,
            responseBytes: attempt.receipt.responseBytes,
            providerRequestId: attempt.receipt.providerRequestId,
            ...(attempt.receipt.costAnomaly === null ? {} : { costAnomaly: attempt.receipt.costAnomaly }),
            ...(attempt.receipt.pages === undefined ? {} : { pages: attempt.receipt.pages }),
            ...(attempt.receipt.sharedWithRunId === null ? {} : { sharedWithRunId: attempt.receipt.sharedWithRunId })
          },
    startedAt: time(attempt.startedAt),
    completedAt: timeOrNull(attempt.completedAt)
  }))
})

/**
 * What the spans of a run and of its attempts say. A run has a span for each node that works on it, from the moment
 * when that node has it until it is settled there.
 */
import { Cause, Exit, Option } from "effect"
import { fromStoredTrace } from "../../../domain/Trace.js"
import type { SettledRun } from "../../../services/Runs.js"
import type { LeasedRun } from "../../../services/RunStore.js"
import type { SpanEnd, SpanStart } from "../../../services/Tracing.js"
import type { AttemptAnswer, AttemptFailure, OpenAttempt } from "./AttemptCall.js"
import type { LeaseLost, Work } from "./Work.js"

export const runSpan = ({ run }: LeasedRun): SpanStart => ({
  name: `run ${run.requestedEndpointId}`,
  kind: "internal",
  parent: fromStoredTrace(run.plan?.trace)
})

export const endOfRun =
  ({ run, takenOver, waitedMillis }: LeasedRun) =>
  (exit: Exit.Exit<Option.Option<SettledRun>>): SpanEnd => {
    const ended = Exit.isSuccess(exit) ? Option.getOrNull(exit.value) : null
    return {
      attributes: {
        "gateway.run.id": run.runId,
        "gateway.workspace.id": run.workspaceId,
        "gateway.request.id": run.requestId,
        "gateway.endpoint.id": run.requestedEndpointId,
        "gateway.run.taken_over": takenOver !== false,
        "gateway.run.waited_ms": waitedMillis,
        ...(ended === null
          ? {}
          : {
              "gateway.run.status": ended.run.status,
              "gateway.run.attempts": ended.attempts.length,
              ...(ended.run.outcome === null ? {} : { "gateway.run.outcome": ended.run.outcome })
            })
      },
      // Without an end this node does not have the run any more.
      error: ended === null ? "lease_lost" : (ended.run.error?.code ?? null)
    }
  }

export const attemptSpan = ({ trace }: Work, { candidate }: OpenAttempt): SpanStart => ({
  name: `attempt ${candidate.endpointId}`,
  kind: "internal",
  parent: trace
})

const codeOf = (failed: AttemptFailure | LeaseLost): string => {
  switch (failed._tag) {
    case "LeaseLost":
      return "lease_lost"
    case "SharedCallFailed":
      return failed.failed.failure.code
    case "CallLost":
    case "CallStopped":
    case "ProviderFailure":
      return failed.failure.code
    default:
      return failed.code
  }
}

export const endOfAttempt =
  ({ attempt }: OpenAttempt) =>
  (exit: Exit.Exit<AttemptAnswer, AttemptFailure | LeaseLost>): SpanEnd => {
    const about = {
      "gateway.run.id": attempt.runId,
      "gateway.attempt.id": attempt.attemptId,
      "gateway.attempt.n": attempt.n,
      "gateway.endpoint.id": attempt.endpointId,
      "gateway.provider.id": attempt.providerId
    }
    if (Exit.isFailure(exit)) {
      const failed = Option.getOrNull(Cause.failureOption(exit.cause))
      return { attributes: about, error: failed === null ? "stopped" : codeOf(failed) }
    }
    const { answer, sharedWithRunId } = exit.value
    return {
      attributes: {
        ...about,
        "gateway.attempt.outcome": answer.outcome,
        ...(sharedWithRunId === null ? {} : { "gateway.attempt.shared_with_run_id": sharedWithRunId })
      },
      error: null
    }
  }

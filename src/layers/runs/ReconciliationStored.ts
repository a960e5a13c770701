/**
 * Reconciliation over any storage. It is a settlement like any other, fenced by the run's status, and it also closes
 * the lost attempt.
 */
import { reasonProblem } from "../../domain/Labels.js"
import { Clock, Effect, Either, Layer } from "effect"
import { NotFound, ValidationError } from "../../domain/ApiErrors.js"
import { failedAttempt, failedRun } from "../../domain/FailedRun.js"
import type { RunId } from "../../domain/Ids.js"
import { dollars, type Micros, zero } from "../../domain/Micros.js"
import type { Attempt, Run } from "../../domain/Run.js"
import { ProviderError } from "../../domain/RunFailures.js"
import { Reconciliation, type Resolution } from "../../services/Reconciliation.js"
import { RunStore } from "../../services/RunStore.js"
import { Settlement } from "../../services/Settlement.js"

const chargeOf = (
  { chargeMicros, verdict }: Resolution,
  holdMicros: Micros
): Either.Either<Micros, ValidationError> => {
  const refused = (message: string) => Either.left(ValidationError.of("chargeMicros", message))
  if (verdict !== "partly_charged") {
    return chargeMicros === null
      ? Either.right(verdict === "charged" ? holdMicros : zero)
      : refused(`goes with partly_charged only; ${verdict} says the amount itself`)
  }
  if (chargeMicros === null) return refused("must be given for partly_charged")
  return chargeMicros > 0 && chargeMicros < holdMicros
    ? Either.right(chargeMicros)
    : refused(`must be above 0 and below the hold of ${dollars(holdMicros)} for partly_charged`)
}

/** The run and its lost attempt after the reconciliation. The outcome is `weak`, because nobody has seen the answer. */
const concluded = (
  run: Run,
  lost: Attempt | null,
  { reason, verdict }: Resolution,
  charge: Micros
): { readonly run: Run; readonly attempt: Attempt | null } => {
  const story = `Resolved by the operator as ${verdict}: ${reason}`
  if (verdict === "released") {
    const failure = new ProviderError({ detail: story })
    return {
      run: { ...failedRun(run, failure), providerStatus: run.providerStatus },
      attempt: lost && { ...failedAttempt(lost, failure), costMicros: zero }
    }
  }
  return {
    run: { ...run, outcome: "weak", outcomeReason: story },
    attempt: lost && {
      ...lost,
      status: "completed",
      outcome: "weak",
      reason: story,
      costMicros: charge,
      billed: charge > 0
    }
  }
}

export const ReconciliationStored: Layer.Layer<Reconciliation, never, RunStore | Settlement> = Layer.effect(
  Reconciliation,
  Effect.gen(function* () {
    const settlement = yield* Settlement
    const store = yield* RunStore

    const notWaiting = (runId: RunId, status: Run["status"]) =>
      ValidationError.of("runId", `${runId} is ${status}; only a run in reconciliation_pending can be resolved`)

    return Reconciliation.of({
      uncertain: store.uncertain,
      resolve: Effect.fn("Reconciliation.resolve")(function* (resolution, by) {
        const { reason, runId } = resolution
        const problem = reasonProblem(reason)
        if (problem !== null) return yield* new ValidationError({ details: [problem] })
        const key = yield* store.locate(runId)
        const run = key === null ? null : yield* store.get(key)
        if (key === null || run === null) return yield* new NotFound({ what: "run", id: runId })
        if (run.status !== "reconciliation_pending") return yield* notWaiting(runId, run.status)
        const costMicros = yield* chargeOf(resolution, run.holdMicros)
        const lost = (yield* store.attempts(key)).findLast(({ status }) => status === "reconciliation_pending") ?? null
        const { attempt, run: ended } = concluded(run, lost, resolution, costMicros)
        const answer = yield* settlement.resolve(
          {
            run: { ...ended, completedAt: yield* Clock.currentTimeMillis },
            event: resolution.verdict === "released" ? "ResolvedReleased" : "ResolvedCharged",
            costMicros,
            reason,
            leaseToken: null,
            attempt,
            media: null
          },
          by,
          {
            action: "run.resolved",
            subjectId: runId,
            workspaceId: run.workspaceId,
            before: { status: run.status, holdMicros: run.holdMicros },
            after: { verdict: resolution.verdict, chargedMicros: costMicros, reason }
          }
        )
        if (answer._tag === "Settled") return { run: answer.run, attempts: yield* store.attempts(key) }
        // Another operator resolved the run in the meantime, perhaps differently.
        return yield* notWaiting(runId, (yield* store.get(key))?.status ?? run.status)
      })
    })
  })
)

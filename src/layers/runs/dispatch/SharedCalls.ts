/**
 * Single flight: identical read-only look-ups of one workspace that are under way at once share one provider call. The
 * first makes it and pays for it; the others get its answer for nothing, with the run that paid. When the first is
 * stopped before it has an answer, the next one makes the call. On one node; never across workspaces, whose answers are
 * nobody else's.
 */
import { createHash } from "node:crypto"
import { Deferred, Effect, Exit } from "effect"
import type { RunId } from "../../../domain/Ids.js"
import { canonical } from "../../../domain/Json.js"
import type { CallResult, ProviderCall } from "../../../domain/ProviderCall.js"
import type { Run } from "../../../domain/Run.js"

export interface SharedResult {
  readonly result: CallResult
  /** The run whose call this was; null when it was this run's own. */
  readonly sharedWithRunId: RunId | null
}

interface Flight {
  readonly runId: RunId
  /** Null when the call was stopped before it had an answer. */
  readonly landed: Deferred.Deferred<CallResult | null>
}

/** Effectful calls are never shared. Neither are fixtures: a rehearsal of many runs is meant to be many calls. */
export const mayShare = ({ endpoint: { operation, provider } }: ProviderCall): boolean =>
  operation.effect === "read_only" && !provider.mock

const sameness = (run: Run, { credential, endpoint, input }: ProviderCall): string =>
  createHash("sha256")
    .update(
      canonical([
        run.workspaceId,
        endpoint.operation.id,
        endpoint.contractVersion,
        credential._tag === "Connection" ? credential.connectionId : credential._tag,
        input
      ])
    )
    .digest("base64")

export const makeSharedCalls = () => {
  const flights = new Map<string, Flight>()

  const share = <E>(run: Run, call: ProviderCall, make: Effect.Effect<CallResult, E>): Effect.Effect<SharedResult, E> =>
    Effect.uninterruptibleMask((restore) => {
      const key = sameness(run, call)
      const flight = flights.get(key)
      if (flight !== undefined) {
        return Effect.flatMap(restore(Deferred.await(flight.landed)), (result) =>
          result === null ? restore(share(run, call, make)) : Effect.succeed({ result, sharedWithRunId: flight.runId })
        )
      }
      return Effect.flatMap(Deferred.make<CallResult | null>(), (landed) => {
        flights.set(key, { runId: run.runId, landed })
        return restore(make).pipe(
          Effect.onExit((exit) => {
            flights.delete(key)
            return Deferred.succeed(landed, Exit.isSuccess(exit) ? exit.value : null)
          }),
          Effect.map((result) => ({ result, sharedWithRunId: null }))
        )
      })
    })

  return { share }
}
export type SharedCalls = ReturnType<typeof makeSharedCalls>

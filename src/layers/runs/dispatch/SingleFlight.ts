/**
 * Single flight: when identical read-only look-ups of one workspace are active at once, they share one provider call.
 * The first run makes the call and pays for it. The others get its answer or its failure for nothing, and the id of the
 * run that paid. When the first run is stopped before its call has ended, each of the others starts again, because what
 * it had checked before it waited may have changed. Calls are shared only on one node, and never across workspaces,
 * because an answer belongs to one workspace.
 */
import { createHash } from "node:crypto"
import { Cause, Data, Deferred, Effect, Exit, Option } from "effect"
import type { RunId } from "../../../domain/Ids.js"
import { canonical } from "../../../domain/Json.js"
import type { CallFailure, ProviderAnswer, ProviderCall } from "../../../domain/ProviderCall.js"
import type { Run } from "../../../domain/Run.js"

export interface SharedAnswer {
  readonly answer: ProviderAnswer
  /** The run that made the call; null when this run did. */
  readonly sharedWithRunId: RunId | null
}

/** The call of another run failed, and this run shared it. */
export class SharedCallFailed extends Data.TaggedError("SharedCallFailed")<{
  readonly failed: CallFailure
  readonly sharedWithRunId: RunId
}> {}

/**
 * The call that this run waited for was stopped before it ended. Nothing was sent for this run: it looks again whether
 * it may call, and with which key.
 */
export class SharedCallStopped extends Data.TaggedError("SharedCallStopped")<{}> {}

export const ownAnswer = (answer: ProviderAnswer): SharedAnswer => ({ answer, sharedWithRunId: null })

type CallExit = Exit.Exit<ProviderAnswer, CallFailure>

interface Flight {
  readonly runId: RunId
  /** None when the call was stopped before it had ended. */
  readonly landed: Deferred.Deferred<Option.Option<CallExit>>
}

/**
 * Effectful calls are never shared. Neither are calls of fixtures: a rehearsal with many runs is meant to make many
 * calls.
 */
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

/** None for an interruption or a defect, which concerns the first run alone. */
const shareable = (ended: CallExit): Option.Option<CallExit> =>
  Exit.isSuccess(ended) || Option.isSome(Cause.failureOption(ended.cause)) ? Option.some(ended) : Option.none()

type Sharing = Effect.Effect<SharedAnswer, CallFailure | SharedCallFailed | SharedCallStopped>

export const makeSingleFlight = () => {
  const flights = new Map<string, Flight>()

  const share = (run: Run, call: ProviderCall, make: Effect.Effect<ProviderAnswer, CallFailure>): Sharing =>
    Effect.uninterruptibleMask((restore) => {
      const key = sameness(run, call)
      const flight = flights.get(key)
      if (flight !== undefined) {
        const sharedWithRunId = flight.runId
        return Effect.flatMap(
          restore(Deferred.await(flight.landed)),
          Option.match({
            onNone: (): Sharing => new SharedCallStopped(),
            onSome: Exit.mapBoth({
              onFailure: (failed) => new SharedCallFailed({ failed, sharedWithRunId }),
              onSuccess: (answer) => ({ answer, sharedWithRunId })
            })
          })
        )
      }
      return Effect.flatMap(Deferred.make<Option.Option<CallExit>>(), (landed) => {
        flights.set(key, { runId: run.runId, landed })
        return restore(make).pipe(
          Effect.onExit((ended) => {
            flights.delete(key)
            return Deferred.succeed(landed, shareable(ended))
          }),
          Effect.map(ownAnswer)
        )
      })
    })

  return { share }
}
export type SingleFlight = ReturnType<typeof makeSingleFlight>

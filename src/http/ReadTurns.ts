/**
 * Reads of one workspace take turns on each node: a few at once, the others wait in the order in which they came. So
 * the reads of one tenant never take connections from another tenant's reads, nor from runs. A client that sends more
 * reads than may wait gets 429 `rate_limit_exceeded`; one whose turn does not come in time, because the reads before it
 * are not answered, gets 503 `storage_busy`. Nothing that creates, ends or cancels a run takes a turn.
 */
import { Context, Deferred, Effect, Exit, FiberId, Layer, Option } from "effect"
import { RateLimitExceeded } from "../domain/ApiErrors.js"
import type { WorkspaceId } from "../domain/Ids.js"
import { readsAtOnceMax, readsWaitingMax, readWaitMillisMax } from "../domain/Limits.js"
import { StorageBusy } from "../domain/StorageErrors.js"
import { Principal } from "./Auth.js"

export class ReadTurns extends Context.Tag("gateway/http/ReadTurns")<
  ReadTurns,
  {
    readonly take: <A, E, R>(
      workspaceId: WorkspaceId,
      read: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | RateLimitExceeded | StorageBusy, R>
  }
>() {}

/** The reads of a workspace: those under way, and those that wait to be called, the first one first. */
interface Line {
  running: number
  readonly waiting: Set<Deferred.Deferred<void>>
}

export const ReadTurnsLayer: Layer.Layer<ReadTurns> = Layer.sync(ReadTurns, () => {
  const lines = new Map<WorkspaceId, Line>()

  /** Gives the turn to the first that waits. */
  const leave = (workspaceId: WorkspaceId, line: Line) =>
    Effect.sync(() => {
      const [next] = line.waiting
      if (next !== undefined) {
        line.waiting.delete(next)
        return Deferred.unsafeDone(next, Effect.void)
      }
      line.running -= 1
      if (line.running === 0) lines.delete(workspaceId)
    })

  const refused = new RateLimitExceeded({ limit: readsAtOnceMax, retryAfterSeconds: 1, of: "reads" })
  const slow = new StorageBusy({ retryAfterSeconds: 1 })

  return ReadTurns.of({
    take: <A, E, R>(workspaceId: WorkspaceId, read: Effect.Effect<A, E, R>) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.suspend((): Effect.Effect<A, E | RateLimitExceeded | StorageBusy, R> => {
          const line = lines.get(workspaceId) ?? { running: 0, waiting: new Set() }
          lines.set(workspaceId, line)
          const mine = Effect.ensuring(restore(read), leave(workspaceId, line))
          if (line.running < readsAtOnceMax) {
            line.running += 1
            return mine
          }
          if (line.waiting.size >= readsWaitingMax) return Effect.fail(refused)
          const called = Deferred.unsafeMake<void>(FiberId.none)
          line.waiting.add(called)
          return Effect.flatMap(
            Effect.exit(restore(Effect.timeoutOption(Deferred.await(called), readWaitMillisMax))),
            (waited): Effect.Effect<A, E | RateLimitExceeded | StorageBusy, R> => {
              // A called waiter has already been removed from the line, even if it gives up at the same moment.
              const wasCalled = !line.waiting.delete(called)
              if (Exit.isFailure(waited))
                return Effect.zipRight(
                  wasCalled ? leave(workspaceId, line) : Effect.void,
                  Effect.failCause(waited.cause)
                )
              return wasCalled || Option.isSome(waited.value) ? mine : Effect.fail(slow)
            }
          )
        })
      )
  })
})

/** A handler that only reads, and reads more than its caller's token. */
export const reading = <Request, A, E, R>(handler: (request: Request) => Effect.Effect<A, E, R>) => {
  const answer = handler
  return (request: Request): Effect.Effect<A, E | RateLimitExceeded | StorageBusy, R | Principal | ReadTurns> =>
    Effect.flatMap(ReadTurns, (turns) =>
      Effect.flatMap(Principal, ({ workspaceId }) => turns.take(workspaceId, answer(request)))
    )
}

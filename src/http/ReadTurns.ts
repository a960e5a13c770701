/**
 * Reads of one workspace take turns on each node: a few at once, the others wait in the order in which they came. So
 * the reads of one tenant never take connections from another tenant's reads, nor from runs. A read that shares its
 * statement with all who ask at the same time takes no connection from anybody, so many of a workspace are under way at
 * once. A client that sends more reads than may wait gets 429 `rate_limit_exceeded`; one whose turn does not come in
 * time, because the reads before it are not answered, gets 503 `storage_busy`. Nothing that creates, ends or cancels a
 * run takes a turn.
 */
import { Context, Effect, Exit, Layer, Option } from "effect"
import { RateLimitExceeded } from "../domain/ApiErrors.js"
import type { WorkspaceId } from "../domain/Ids.js"
import { readsAtOnceMax, readsSharedMax, readsWaitingMax, readWaitMillisMax } from "../domain/limits/Requests.js"
import { StorageBusy } from "../domain/StorageErrors.js"
import { type Deadlines, makeDeadlines } from "../services/Deadlines.js"
import { firstOf, makeOneTimeEvent, type OneTimeEvent } from "../services/OneTimeEvent.js"
import { makeUnderWay, type UnderWay } from "../services/UnderWay.js"
import { Principal } from "./Auth.js"

type Take = <A, E, R>(
  workspaceId: WorkspaceId,
  read: Effect.Effect<A, E, R>
) => Effect.Effect<A, E | RateLimitExceeded | StorageBusy, R>

export class ReadTurns extends Context.Tag("gateway/http/ReadTurns")<
  ReadTurns,
  {
    /** Runs a read that has a connection of the storage for itself. */
    readonly take: Take
    /** Runs a read that shares its statement with others. Such a read may take a turn of the other kind inside. */
    readonly share: Take
  }
>() {}

/** The reads of a workspace: those under way, and those that wait to be called, the first one first. */
interface Line {
  running: number
  readonly waiting: UnderWay<OneTimeEvent<void>>
}

const slow = new StorageBusy({ retryAfterSeconds: 1 })

const makeTake = (atOnceMax: number, deadlines: Deadlines): Take => {
  const lines = new Map<WorkspaceId, Line>()
  const refused = new RateLimitExceeded({ limit: atOnceMax, retryAfterSeconds: 1, of: "reads" })

  /** Gives the turn to the first that waits. */
  const leave = (workspaceId: WorkspaceId, line: Line) =>
    Effect.sync(() => {
      const next = line.waiting.takeFirst()
      if (next !== null) return next.tell()
      line.running -= 1
      if (line.running === 0) lines.delete(workspaceId)
    })

  return <A, E, R>(workspaceId: WorkspaceId, read: Effect.Effect<A, E, R>) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend((): Effect.Effect<A, E | RateLimitExceeded | StorageBusy, R> => {
        const line = lines.get(workspaceId) ?? { running: 0, waiting: makeUnderWay<OneTimeEvent<void>>() }
        lines.set(workspaceId, line)
        const mine = Effect.ensuring(restore(read), leave(workspaceId, line))
        if (line.running < atOnceMax) {
          line.running += 1
          return mine
        }
        if (line.waiting.size() >= readsWaitingMax) return Effect.fail(refused)
        const called = makeOneTimeEvent<void>()
        const giveUp = line.waiting.add(called)
        return Effect.flatMap(
          Effect.exit(restore(firstOf(called.listen, deadlines.after(readWaitMillisMax)))),
          (waited): Effect.Effect<A, E | RateLimitExceeded | StorageBusy, R> => {
            giveUp()
            // Who was called has the turn, even where it gave up at the same moment.
            const hasTurn = Option.isSome(called.known())
            if (Exit.isSuccess(waited)) return hasTurn ? mine : Effect.fail(slow)
            const gone = Effect.failCause(waited.cause)
            return hasTurn ? Effect.zipRight(leave(workspaceId, line), gone) : gone
          }
        )
      })
    )
}

export const ReadTurnsLayer: Layer.Layer<ReadTurns> = Layer.scoped(
  ReadTurns,
  Effect.map(makeDeadlines, (deadlines) =>
    ReadTurns.of({ take: makeTake(readsAtOnceMax, deadlines), share: makeTake(readsSharedMax, deadlines) })
  )
)

const inTurns =
  (kind: keyof ReadTurns["Type"]) =>
  <Request, A, E, R>(handler: (request: Request) => Effect.Effect<A, E, R>) =>
  (request: Request): Effect.Effect<A, E | RateLimitExceeded | StorageBusy, R | Principal | ReadTurns> =>
    Effect.flatMap(ReadTurns, (turns) =>
      Effect.flatMap(Principal, ({ workspaceId }) => turns[kind](workspaceId, handler(request)))
    )

/** A handler that only reads, and reads more than its caller's token. */
export const reading = inTurns("take")
/** The same for one whose statements answer all who ask at the same time. */
export const readingTogether = inTurns("share")

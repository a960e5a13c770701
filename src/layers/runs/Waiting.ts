/**
 * Waiting for the end of a run. A wait ends early when this node is about to end, and costs neither a connection nor a
 * query until the run is said to have ended. Waits can be interrupted.
 */
import { Clock, Effect, Option } from "effect"
import { isSettledForWaiters } from "../../domain/RunMachine.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import type { Draining } from "../../services/Draining.js"
import type { Deadlines } from "../../services/Deadlines.js"
import { firstOf, type Listen } from "../../services/OneTimeEvent.js"
import type { RunSignals } from "../../services/RunSignals.js"
import type { RunDetail, RunKey, RunStore } from "../../services/RunStore.js"

/** A signal can be lost: a waiter looks at the row this often anyway. */
const lookAgainMillis = 5_000
/** The run is locked, most likely because it ends just now, and its end may not be signalled to this node. */
const lookSoonMillis = 200
/** How long a waiter waits for the storage to say how the run is. */
const answerMillisMax = 2_000

export interface WaitingParts {
  readonly deadlines: Deadlines
  readonly draining: Draining["Type"]
  readonly signals: RunSignals["Type"]
  readonly store: RunStore["Type"]
}

/** The run as it is; null when there is none. Those who wait are many at once, and most runs are small. */
export const lookAt = (
  { store }: Pick<WaitingParts, "store">,
  key: RunKey
): Effect.Effect<RunDetail | null, StorageError> =>
  Effect.flatMap(store.smallDetail(key), (small) => (small === null ? store.detail(key) : Effect.succeed(small)))

/** Waits for `end` no longer than the time, nor beyond the moment when a node that stops ends its waits. */
export const waitFor = <A>(
  { deadlines, draining }: Pick<WaitingParts, "deadlines" | "draining">,
  end: Listen<A>,
  millis: number
): Effect.Effect<Option.Option<A>> =>
  firstOf<Option.Option<A>>(
    (listener) => end((value) => listener(Option.some(value))),
    (listener) => draining.whenWaitsEnd(() => listener(Option.none())),
    (listener) => deadlines.after(millis)(() => listener(Option.none()))
  )

interface Seen {
  readonly now: RunDetail
  /** Whether the end of the run will be signalled to this node. */
  readonly isSignalled: boolean
}

/**
 * The run as it is now. If the wait goes on (`goesOn`), the end of the run will be signalled to this node. When the
 * storage fails or does not answer in time, this is the run as it was last seen. The run exists, and an error of the
 * storage says that nothing was done, so an error would be untrue. It is the same when the storage does not find the
 * run, which can happen on a standby after a failover.
 */
const seenNow = (parts: WaitingParts, last: RunDetail, goesOn: boolean): Effect.Effect<Seen> =>
  Effect.gen(function* () {
    const isSignalled = !goesOn || (yield* parts.store.tellEnd(last.run))
    return { now: (yield* lookAt(parts, last.run)) ?? last, isSignalled }
  }).pipe(
    Effect.timeout(answerMillisMax),
    Effect.catchAll(() => Effect.succeed({ now: last, isSignalled: true }))
  )

/** By the clock that nobody can set. */
const nowMillis = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos) / 1e6)

/** Waits once. Registered before the look, so that no signal is missed. */
const look = Effect.fnUntraced(function* (parts: WaitingParts, last: RunDetail, until: number) {
  const ended = yield* parts.signals.subscribe(last.run.runId)
  const { now, isSignalled } = yield* seenNow(parts, last, (yield* nowMillis) < until)
  const left = until - (yield* nowMillis)
  const over = isSettledForWaiters(now.run.status) || left <= 0 || (yield* parts.draining.waitsEnded)
  if (!over) yield* waitFor(parts, ended, Math.min(left, isSignalled ? lookAgainMillis : lookSoonMillis))
  return { now, over }
})

/**
 * The run when it has ended, or as it is when the time is over or this node ends its waits. While the storage fails, it
 * is the run as it was last seen: `last` at first.
 */
export const awaitEnd = (parts: WaitingParts, last: RunDetail, seconds: number): Effect.Effect<RunDetail> =>
  Effect.flatMap(nowMillis, (now) => {
    const until = now + seconds * 1000
    const again = (seen: RunDetail): Effect.Effect<RunDetail> =>
      Effect.flatMap(Effect.scoped(look(parts, seen, until)), (found) =>
        found.over ? Effect.succeed(found.now) : again(found.now)
      )
    return again(last)
  })

/**
 * Waiting for the end of a run. A wait ends early when this node stops, and costs neither a connection nor a query
 * until the run is said to have ended. Waits can be interrupted.
 */
import { Clock, Effect, FiberId, Option } from "effect"
import { NotFound } from "../../domain/ApiErrors.js"
import { isSettledForWaiters } from "../../domain/RunMachine.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import type { Draining } from "../../services/Draining.js"
import { firstOf, type Listen } from "../../services/OneTimeEvent.js"
import type { RunDetail } from "../../services/Runs.js"
import type { RunSignals } from "../../services/RunSignals.js"
import type { RunKey, RunStore } from "../../services/RunStore.js"

/** A signal can be lost: a waiter looks at the row this often anyway. */
const lookAgainSeconds = 5

export interface WaitingParts {
  readonly draining: Draining["Type"]
  readonly signals: RunSignals["Type"]
  readonly store: RunStore["Type"]
}

export const detailOf: (
  parts: Pick<WaitingParts, "store">,
  key: RunKey
) => Effect.Effect<RunDetail, NotFound | StorageError> = Effect.fnUntraced(function* ({ store }, key) {
  const run = yield* store.get(key)
  if (run === null) return yield* new NotFound({ what: "run", id: key.runId })
  return { run, attempts: yield* store.attempts(key) }
})

/** Waits for `end` no longer than the time, nor beyond the moment when this node begins to stop. */
export const waitFor = <A>(
  { draining }: Pick<WaitingParts, "draining">,
  end: Listen<A>,
  millis: number
): Effect.Effect<Option.Option<A>> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDaemon(Effect.interruptible(Effect.sleep(millis))), (alarm) =>
      Effect.ensuring(
        restore(
          firstOf<Option.Option<A>>(
            (listener) => end((value) => listener(Option.some(value))),
            (listener) => draining.whenBegun(() => listener(Option.none())),
            (listener) => {
              const over = () => listener(Option.none())
              alarm.addObserver(over)
              return () => alarm.removeObserver(over)
            }
          )
        ),
        Effect.sync(() => alarm.unsafeInterruptAsFork(FiberId.none))
      )
    )
  )

/**
 * The run when it has ended or the time is over, else none for now. Registered before the look, so no signal is missed.
 */
const look = Effect.fnUntraced(function* (parts: WaitingParts, key: RunKey, until: number) {
  const ended = yield* parts.signals.subscribe(key.runId)
  // The run must be there: this process was just told so.
  const now = yield* Effect.catchTag(detailOf(parts, key), "not_found", (error) => Effect.die(error))
  const left = until - (yield* Clock.currentTimeMillis)
  if (isSettledForWaiters(now.run.status) || left <= 0 || (yield* parts.draining.begun)) return Option.some(now)
  yield* waitFor(parts, ended, Math.min(left, lookAgainSeconds * 1000))
  return Option.none<RunDetail>()
})

/** The run when it has ended, or as it is when the time is over or this node stops. */
export const awaitEnd = (parts: WaitingParts, key: RunKey, seconds: number): Effect.Effect<RunDetail, StorageError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.flatMap(
      Effect.repeat(Effect.scoped(look(parts, key, now + seconds * 1000)), { until: Option.isSome }),
      Effect.orDie
    )
  )

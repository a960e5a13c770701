/**
 * A clock that shows what it is set to, as an operator or a time server sets one, forward or back; what sleeps goes on
 * sleeping by the clock below. (A TestClock alone would live through every second of a month instead.)
 */
import { Clock, Effect } from "effect"

export interface SetClock extends Clock.Clock {
  /** Sets the clock to this time, in milliseconds since the epoch. */
  readonly set: (millis: number) => void
  /** Lets so much time pass, for what is shown and, through `below`, for what sleeps. */
  readonly pass: (millis: number) => Effect.Effect<void>
}

/** Over the clock in force, which `below` lets go on. */
export const makeSetClock = (below: (millis: number) => Effect.Effect<void>): Effect.Effect<SetClock> =>
  Effect.map(Effect.clock, (clock) => {
    let shown = 0
    return {
      ...Clock.make(),
      unsafeCurrentTimeMillis: () => shown,
      unsafeCurrentTimeNanos: () => BigInt(shown) * 1_000_000n,
      currentTimeMillis: Effect.sync(() => shown),
      currentTimeNanos: Effect.sync(() => BigInt(shown) * 1_000_000n),
      sleep: (duration) => clock.sleep(duration),
      set: (millis) => void (shown = millis),
      pass: (millis) =>
        Effect.zipRight(
          Effect.sync(() => (shown += millis)),
          Effect.withClock(below(millis), clock)
        )
    }
  })

/** A clock that is off: what a node has whose machine shows another time. */
import { Clock, Effect } from "effect"

/** Off by so many milliseconds, which may change meanwhile. What sleeps or is timed there takes as long as anywhere. */
export const skewed = (off: number | (() => number)): Clock.Clock => {
  const clock = Clock.make()
  const now = () => clock.unsafeCurrentTimeMillis() + (typeof off === "number" ? off : off())
  const nanos = () => clock.unsafeCurrentTimeNanos()
  return {
    ...clock,
    unsafeCurrentTimeMillis: now,
    currentTimeMillis: Effect.sync(now),
    unsafeCurrentTimeNanos: nanos,
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) => clock.sleep(duration)
  }
}

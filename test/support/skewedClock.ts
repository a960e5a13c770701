/** A clock that is off: what a node has whose machine shows another time. */
import { Clock, Effect } from "effect"

/** Off by so much; what sleeps there sleeps as long as anywhere. */
export const skewed = (millis: number): Clock.Clock => {
  const clock = Clock.make()
  const now = () => clock.unsafeCurrentTimeMillis() + millis
  const nanos = () => clock.unsafeCurrentTimeNanos() + BigInt(millis) * 1_000_000n
  return {
    ...clock,
    unsafeCurrentTimeMillis: now,
    currentTimeMillis: Effect.sync(now),
    unsafeCurrentTimeNanos: nanos,
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) => clock.sleep(duration)
  }
}

// Long work in slices of a few milliseconds, so that no request waits for it.
import { Effect } from "effect"

const sliceMillis = 6

/** Lets timers and sockets run: a fiber yield alone stays within the same turn of the event loop. */
export const nextTurn: Effect.Effect<void> = Effect.async((resume) => {
  const handle = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(handle))
})

/** Calls `each` for every index below `count`, in order. */
export const inSlices = (count: number, each: (index: number) => void): Effect.Effect<void> =>
  Effect.gen(function*() {
    let index = 0
    while (index < count) {
      const until = performance.now() + sliceMillis
      do {
        each(index)
        index += 1
      } while (index < count && performance.now() < until)
      if (index < count) yield* nextTurn
    }
  })

/**
 * Long work on the main thread is done in slices of a few milliseconds, and between two slices the event loop serves
 * requests and timers. It takes a little longer, and no request waits for it. However many such works are under way, a
 * turn of the event loop has one slice.
 */
import { Effect } from "effect"

/** One slice and a garbage collection together stay below the 20 ms that a request may wait. */
const sliceMillis = 4

/**
 * Waits for the next turn of the event loop, so that timers and sockets run. A yield of the fiber stays within this
 * turn.
 */
export const nextEventLoopTurn: Effect.Effect<void> = Effect.async((resume) => {
  const handle = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(handle))
})

/** The works that wait for their next slice, in their order. */
const waiting = new Set<() => void>()
let isCalling = false

/** Lets the first of them go on in the next turn. */
const call = (): void => {
  isCalling = true
  setImmediate(() => {
    const [first] = waiting
    if (first !== undefined) waiting.delete(first)
    isCalling = false
    if (waiting.size > 0) call()
    first?.()
  })
}

/** Waits for a turn of the event loop in which no other such work goes on. */
export const nextSlice: Effect.Effect<void> = Effect.async((resume) => {
  const go = (): void => resume(Effect.void)
  waiting.add(go)
  if (!isCalling) call()
  return Effect.sync(() => void waiting.delete(go))
})

/** Runs the steps of a generator at once, where they are known to be few. */
export const allSteps = <A>(steps: Generator<void, A>): A => {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Runs the steps of a generator, each of which may take at most a few milliseconds, and returns its result. */
export const runInSlices: <A>(steps: () => Generator<void, A>) => Effect.Effect<A> = Effect.fnUntraced(function* <A>(
  steps: () => Generator<void, A>
) {
  // Behind those that wait: works that begin at once would add up too.
  if (waiting.size > 0) yield* nextSlice
  const left = steps()
  for (;;) {
    const until = performance.now() + sliceMillis
    do {
      const step = left.next()
      if (step.done === true) return step.value
    } while (performance.now() < until)
    yield* nextSlice
  }
})

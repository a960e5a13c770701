// Long work in slices of a few milliseconds, so that no request waits for it.
import { Effect } from "effect"

/** A collection of garbage may come on top: together they stay below the 20 ms that a request may wait. */
const sliceMillis = 4

/** Lets timers and sockets run: a fiber yield alone stays within the same turn of the event loop. */
export const nextTurn: Effect.Effect<void> = Effect.async((resume) => {
  const handle = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(handle))
})

/** Takes every step, each of at most a few milliseconds, and gives what the last one returns. */
export const stepsInSlices: <A>(steps: () => Generator<void, A>) => Effect.Effect<A> = Effect.fnUntraced(function* <A>(
  steps: () => Generator<void, A>
) {
  const left = steps()
  for (;;) {
    const until = performance.now() + sliceMillis
    do {
      const step = left.next()
      if (step.done === true) return step.value
    } while (performance.now() < until)
    yield* nextTurn
  }
})

// A generator written inside of another function would be kept, with all that it refers to, until the next full
// collection.
function* eachOf(count: number, each: (index: number) => void): Generator<void> {
  for (let index = 0; index < count; index += 1) {
    each(index)
    yield
  }
}

/** Calls `each` for every index below `count`, in order. */
export const inSlices = (count: number, each: (index: number) => void): Effect.Effect<void> =>
  stepsInSlices(() => eachOf(count, each))

const sortedAtOnce = 1000

/** A sorted copy: portions first, then merged pair by pair. */
export const sortedInSlices = <A>(
  items: ReadonlyArray<A>,
  keyOf: (item: A) => string
): Effect.Effect<ReadonlyArray<A>> =>
  Effect.gen(function* () {
    let runs: Array<ReadonlyArray<A>> = []
    yield* inSlices(Math.ceil(items.length / sortedAtOnce), (at) => {
      runs.push(items.slice(at * sortedAtOnce, (at + 1) * sortedAtOnce).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)))
    })
    while (runs.length > 1) {
      const merged: Array<ReadonlyArray<A>> = []
      for (let pair = 0; pair < runs.length; pair += 2) {
        const left = runs[pair] ?? []
        const right = runs[pair + 1] ?? []
        const into: Array<A> = []
        let l = 0
        let r = 0
        yield* inSlices(left.length + right.length, () => {
          const a = left[l]
          const b = right[r]
          if (a !== undefined && (b === undefined || keyOf(a) < keyOf(b))) {
            into.push(a)
            l += 1
          } else if (b !== undefined) {
            into.push(b)
            r += 1
          }
        })
        merged.push(into)
        // Each merge begins a slice of its own, so many small ones would never let go.
        yield* nextTurn
      }
      runs = merged
    }
    return runs[0] ?? []
  })

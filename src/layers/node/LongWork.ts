/**
 * Long work on the main thread, such as building the index of a catalog. It is done in slices of a few milliseconds,
 * and between two slices the event loop serves requests and timers. It takes a little longer, and no request waits for
 * it.
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
  const left = steps()
  for (;;) {
    const until = performance.now() + sliceMillis
    do {
      const step = left.next()
      if (step.done === true) return step.value
    } while (performance.now() < until)
    yield* nextEventLoopTurn
  }
})

// At the top level: V8 keeps a generator function that is made inside another one, with all that it refers to, until
// the next full garbage collection.
function* eachOf(count: number, each: (index: number) => void): Generator<void> {
  for (let index = 0; index < count; index += 1) {
    each(index)
    yield
  }
}

/** Calls `each` for every index below `count`, in order. */
export const forEachInSlices = (count: number, each: (index: number) => void): Effect.Effect<void> =>
  runInSlices(() => eachOf(count, each))

const sortedAtOnce = 1000

/** A sorted copy. Portions are sorted first and then merged, two at a time. */
export const sortInSlices = <A>(items: ReadonlyArray<A>, keyOf: (item: A) => string): Effect.Effect<ReadonlyArray<A>> =>
  Effect.gen(function* () {
    let runs: Array<ReadonlyArray<A>> = []
    yield* forEachInSlices(Math.ceil(items.length / sortedAtOnce), (at) => {
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
        yield* forEachInSlices(left.length + right.length, () => {
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
        // Each merge begins a new slice. Without this, many small merges in a row would be one long slice.
        yield* nextEventLoopTurn
      }
      runs = merged
    }
    return runs[0] ?? []
  })

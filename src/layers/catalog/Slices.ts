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

const sortedAtOnce = 1000

/** A sorted copy: portions first, then merged pair by pair. */
export const sortedInSlices = <A>(items: ReadonlyArray<A>, keyOf: (item: A) => string): Effect.Effect<ReadonlyArray<A>> =>
  Effect.gen(function*() {
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

/** Loops and sorts of long lists on the main thread, in the slices of `services/Slices.ts`. */
import { Effect } from "effect"
import { nextEventLoopTurn, runInSlices } from "../../services/Slices.js"

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

/**
 * Reads that are asked for at the same time are answered by one statement. Those with the same key share one row of it,
 * so many connections that poll with one token cost one row each time. Nothing is kept: a read that comes while a
 * statement runs is answered by the next one, so an answer is never older than its request.
 */
import { Effect, Exit, type Scope } from "effect"
import { makeGroupCommit } from "../../runs/GroupCommit.js"

/** What a reader is given may be given to others too, who must not change it. */
export const makeBatchedReads = <A, B, E>(options: {
  /** The most readers whom one statement answers. */
  readonly readersMax: number
  readonly keyOf: (asked: A) => string
  /** Reads each key once, and answers by key. What it has no answer for is not there. */
  readonly read: (asked: ReadonlyMap<string, A>) => Effect.Effect<ReadonlyMap<string, B>, E>
}): Effect.Effect<(asked: A) => Effect.Effect<B | null, E>, never, Scope.Scope> =>
  makeGroupCommit({
    batchMax: options.readersMax,
    commit: (readers: ReadonlyArray<A>) =>
      Effect.suspend(() => {
        const keyed = readers.map((reader) => [options.keyOf(reader), reader] as const)
        return Effect.map(options.read(new Map(keyed)), (found) =>
          keyed.map(([key]) => Exit.succeed(found.get(key) ?? null))
        )
      })
  })

/**
 * The group commits of a node that change money: those of admissions and those of settlements. They take turns: while a
 * batch of one kind is committed, requests of both kinds gather for the next. Two transactions at once would each carry
 * half as many runs, and most of what a transaction costs does not depend on how many it carries (`bench/README.md` has
 * the figures). Only the speed depends on it: who is first is decided by the locks of the storage, between nodes too.
 */
import { Context, Effect, type Exit, Layer, Option, type Scope } from "effect"
import { firstOf, makeOneTimeEvent } from "../../services/OneTimeEvent.js"
import { makeDeadlines } from "../../services/Deadlines.js"
import { makeGroupCommit } from "./GroupCommit.js"

const batchMax = 128

/** How long a batch waits for the one before it. A batch that waits for a locked wallet must not hold up the others. */
const patienceMillis = 100

const makeTurns = Effect.map(makeDeadlines, ({ after }) => {
  let newest = makeOneTimeEvent<void>()
  newest.tell()
  return (batch: Effect.Effect<void>): Effect.Effect<void> =>
    Effect.suspend(() => {
      const before = newest
      const own = makeOneTimeEvent<void>()
      newest = own
      const done = Effect.ensuring(batch, Effect.sync(own.tell))
      return Option.isSome(before.known()) ? done : Effect.zipRight(firstOf(before.listen, after(patienceMillis)), done)
    })
})

export class MoneyCommits extends Context.Tag("gateway/layers/runs/MoneyCommits")<
  MoneyCommits,
  {
    /** A group commit that takes turns with the others. Its batches are committed by `commit`. */
    readonly grouped: <A, B, Refused, E>(
      commit: (batch: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<Exit.Exit<B, Refused>>, E>
    ) => Effect.Effect<(value: A) => Effect.Effect<B, Refused | E>, never, Scope.Scope>
  }
>() {}

export const MoneyCommitsInTurn: Layer.Layer<MoneyCommits> = Layer.scoped(
  MoneyCommits,
  Effect.map(makeTurns, (turn) => ({ grouped: (commit) => makeGroupCommit({ batchMax, turn, commit }) }))
)

/**
 * Lets callers that arrive together share one commit, or one statement that reads. One worker takes all waiting items
 * as a batch. It waits for no second item, so a lone caller is never delayed. After the batch is done, each caller gets
 * its own exit: an item that is refused fails alone. Items that arrive meanwhile are the next batch. If a batch dies,
 * its items are tried again one by one, so that a bad item cannot fail the others.
 */
import { Cause, Effect, Exit, type Scope } from "effect"
import { withoutCallersServices } from "./WithoutCallersServices.js"

interface Item<A, B, E> {
  readonly value: A
  readonly answer: (exit: Exit.Exit<B, E>) => void
}

export const makeGroupCommit = <A, B, Refused, E>(options: {
  /** The most items of one batch. */
  readonly batchMax: number
  /** The exit of each item, in the order of the batch. When the commit itself fails, every item fails with it. */
  readonly commit: (batch: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<Exit.Exit<B, Refused>>, E>
  /** Waits until a batch may be taken, where others must end first. What arrives meanwhile is part of the batch. */
  readonly turn?: (batch: Effect.Effect<void>) => Effect.Effect<void>
}): Effect.Effect<(value: A) => Effect.Effect<B, Refused | E>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const waiting: Array<Item<A, B, Refused | E>> = []
    let wake = () => {}

    const answer = (
      batch: ReadonlyArray<Item<A, B, Refused | E>>,
      of: (index: number) => Exit.Exit<B, Refused | E>
    ): Effect.Effect<void> => Effect.sync(() => batch.forEach((item, index) => item.answer(of(index))))

    const attempt = (batch: ReadonlyArray<Item<A, B, Refused | E>>): Effect.Effect<void> =>
      Effect.matchCauseEffect(options.commit(batch.map(({ value }) => value)), {
        onSuccess: (exits) =>
          answer(batch, (index) => exits[index] ?? Exit.die(new Error("the batch has no answer for this item"))),
        onFailure: (cause) =>
          Cause.isDie(cause) && batch.length > 1
            ? Effect.forEach(batch, (item) => attempt([item]), { discard: true })
            : answer(batch, () => Exit.failCause(cause))
      })

    const arrived = Effect.async<void>((resume) => {
      if (waiting.length > 0) resume(Effect.void)
      else wake = () => resume(Effect.void)
    })
    // A batch that has begun is always completed: its callers wait to know what happened to their money.
    const batch = Effect.suspend(() => attempt(waiting.splice(0, options.batchMax)))
    const inTurn = options.turn?.(batch) ?? batch
    const next = Effect.uninterruptibleMask((restore) => Effect.zipRight(restore(arrived), inTurn))
    yield* Effect.forkScoped(withoutCallersServices(Effect.forever(next)))

    // A queue and a deferred answer for each item would take three times as many steps.
    return (value) =>
      Effect.async((resume) => {
        waiting.push({ value, answer: resume })
        wake()
      })
  })

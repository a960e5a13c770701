/**
 * Lets callers that arrive together share one commit. One worker takes all waiting items as a batch. It waits for no
 * second item, so a lone caller is never delayed. After the batch is done, each caller gets its own exit: an item that
 * is refused fails alone. Items that arrive meanwhile are the next batch. If a batch dies, its items are tried again
 * one by one, so that a bad item cannot fail the others.
 */
import { Cause, Deferred, Effect, Exit, Queue, type Scope } from "effect"

interface Item<A, B, E> {
  readonly value: A
  readonly answer: Deferred.Deferred<B, E>
}

export const makeGroupCommit = <A, B, Refused, E>(options: {
  /** The most items of one batch. */
  readonly batchMax: number
  /** How many items may wait. Further callers are held back. */
  readonly waitingMax: number
  /** The exit of each item, in the order of the batch. When the commit itself fails, every item fails with it. */
  readonly commit: (batch: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<Exit.Exit<B, Refused>>, E>
}): Effect.Effect<(value: A) => Effect.Effect<B, Refused | E>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const queue = yield* Queue.bounded<Item<A, B, Refused | E>>(options.waitingMax)

    const answer = (
      batch: ReadonlyArray<Item<A, B, Refused | E>>,
      of: (index: number) => Exit.Exit<B, Refused | E>
    ): Effect.Effect<void> =>
      Effect.sync(() => batch.forEach((item, index) => Deferred.unsafeDone(item.answer, of(index))))

    const attempt = (batch: ReadonlyArray<Item<A, B, Refused | E>>): Effect.Effect<void> =>
      Effect.matchCauseEffect(options.commit(batch.map(({ value }) => value)), {
        onSuccess: (exits) =>
          answer(batch, (index) => exits[index] ?? Exit.die(new Error("the batch has no answer for this item"))),
        onFailure: (cause) =>
          Cause.isDie(cause) && batch.length > 1
            ? Effect.forEach(batch, (item) => attempt([item]), { discard: true })
            : answer(batch, () => Exit.failCause(cause))
      })

    // A batch that has begun is always completed: its callers wait to know what happened to their money.
    const next = Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(Queue.takeBetween(queue, 1, options.batchMax)), (batch) => attempt([...batch]))
    )
    yield* Effect.forkScoped(Effect.forever(next))

    return (value) =>
      Effect.flatMap(Deferred.make<B, Refused | E>(), (told) =>
        Effect.zipRight(Queue.offer(queue, { value, answer: told }), Deferred.await(told))
      )
  })

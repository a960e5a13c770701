/**
 * Lets callers that arrive together share one commit. One worker takes whatever waits (at least one, so a lone caller
 * is never delayed), works on it as a batch, and answers each caller after the batch is done. What arrives meanwhile is
 * the next batch. A batch that dies is tried again item by item, so that a bad one cannot take its neighbours with it.
 */
import { Cause, Deferred, Effect, Queue, type Scope } from "effect"

interface Item<A, B, E> {
  readonly value: A
  readonly answer: Deferred.Deferred<B, E>
}

export const makeGroupCommit = <A, B, E>(options: {
  /** Items of one batch at most. */
  readonly batchMax: number
  /** Items that may wait; beyond that callers are held back. */
  readonly waitingMax: number
  /** Answers in the order of the batch. */
  readonly commit: (batch: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E>
}): Effect.Effect<(value: A) => Effect.Effect<B, E>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const queue = yield* Queue.bounded<Item<A, B, E>>(options.waitingMax)

    const answer = (
      batch: ReadonlyArray<Item<A, B, E>>,
      of: (index: number) => Effect.Effect<B, E>
    ): Effect.Effect<void> =>
      Effect.sync(() => batch.forEach((item, index) => Deferred.unsafeDone(item.answer, of(index))))

    const attempt = (batch: ReadonlyArray<Item<A, B, E>>): Effect.Effect<void> =>
      Effect.matchCauseEffect(options.commit(batch.map(({ value }) => value)), {
        onSuccess: (answers) =>
          answer(batch, (index) => {
            const found = answers[index]
            return found === undefined
              ? Effect.die(new Error("the batch has no answer for this item"))
              : Effect.succeed(found)
          }),
        onFailure: (cause) =>
          Cause.isDie(cause) && batch.length > 1
            ? Effect.forEach(batch, (item) => attempt([item]), { discard: true })
            : answer(batch, () => Effect.failCause(cause))
      })

    // A batch that was begun is brought to its end: its callers wait for the truth about their money.
    const next = Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(Queue.takeBetween(queue, 1, options.batchMax)), (batch) => attempt([...batch]))
    )
    yield* Effect.forkScoped(Effect.forever(next))

    return (value) =>
      Effect.flatMap(Deferred.make<B, E>(), (told) =>
        Effect.zipRight(Queue.offer(queue, { value, answer: told }), Deferred.await(told))
      )
  })

/**
 * Lets callers that arrive together share one commit. One worker takes whatever waits (at least one, so a lone caller is
 * never delayed), works on it as a batch, and answers each caller after the batch is done. What arrives meanwhile is the next
 * batch. A batch that dies is tried again item by item, so that a bad one cannot take its neighbours with it.
 */
import { Cause, Deferred, Effect, Exit, Queue, type Scope } from "effect"

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
  Effect.gen(function*() {
    const queue = yield* Queue.bounded<Item<A, B, E>>(options.waitingMax)

    const attempt = (batch: ReadonlyArray<Item<A, B, E>>): Effect.Effect<void> =>
      Effect.flatMap(Effect.exit(options.commit(batch.map(({ value }) => value))), (exit) =>
        Exit.match(exit, {
          onSuccess: (answers) =>
            Effect.forEach(batch, (item, index) => {
              const answer = answers[index]
              return answer === undefined
                ? Deferred.die(item.answer, new Error("the batch has no answer for this item"))
                : Deferred.succeed(item.answer, answer)
            }, { discard: true }),
          onFailure: (cause) =>
            Cause.isDie(cause) && batch.length > 1
              ? Effect.forEach(batch, (item) => attempt([item]), { discard: true })
              : Effect.forEach(batch, (item) => Deferred.failCause(item.answer, cause), { discard: true })
        }))

    // A batch that was begun is brought to its end: its callers wait for the truth about their money.
    const next = Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(restore(Queue.takeBetween(queue, 1, options.batchMax)), (batch) => attempt([...batch])))
    yield* Effect.forkScoped(Effect.forever(next))

    return (value) =>
      Effect.gen(function*() {
        const answer = yield* Deferred.make<B, E>()
        yield* Queue.offer(queue, { value, answer })
        return yield* Deferred.await(answer)
      })
  })

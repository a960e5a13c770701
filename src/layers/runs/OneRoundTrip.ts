/** Two reads of one transaction share a round trip to the storage. */
import { Effect, Exit, Fiber } from "effect"

/**
 * The second is sent without waiting for the answer to the first, and the storage does them in this order. Both have
 * ended when this has, however they end, so nothing of them outlives the transaction; callers must not be
 * interruptible. `Effect.all` takes three times the steps.
 */
export const inOneRoundTrip = <A, B, E>(
  first: Effect.Effect<A, E>,
  second: Effect.Effect<B, E>
): Effect.Effect<[A, B], E> =>
  Effect.flatMap(Effect.fork(second), (sent) =>
    Effect.flatMap(Effect.exit(first), (one) => Effect.flatMap(Fiber.await(sent), (two) => Exit.zipPar(one, two)))
  )

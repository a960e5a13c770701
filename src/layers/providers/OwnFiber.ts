/**
 * Runs an effect on a fiber of its own, so that its deadlines work whatever the caller forbids: a caller that may not
 * be interrupted (an effectful call that is left to end) would otherwise hand that down, and no time limit inside could
 * end anything; made interruptible as a child, it would be ended by the very signal that the caller is shielded from.
 */
import { Effect, Fiber } from "effect"

/** The fiber never outlives the call: it ends, or it is interrupted together with a caller that may be. */
export const onOwnFiber = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDaemon(Effect.interruptible(effect)), (fiber) =>
      Effect.onInterrupt(restore(Fiber.join(fiber)), () => Fiber.interrupt(fiber))
    )
  )

/**
 * Runs an effect on a fiber of its own, so that its time limits work even when the caller may not be interrupted (an
 * effectful call that must be left to finish). On the caller's fiber, the effect would be uninterruptible too, and no
 * time limit inside could end it. As an interruptible child, it would be ended by the signal from which the caller is
 * shielded.
 */
import { Effect, Fiber } from "effect"

/** The fiber never outlives the call: it ends by itself, or it is interrupted together with an interruptible caller. */
export const onOwnFiber = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDaemon(Effect.interruptible(effect)), (fiber) =>
      Effect.onInterrupt(restore(Fiber.join(fiber)), () => Fiber.interrupt(fiber))
    )
  )

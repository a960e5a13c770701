/** Work that a caller who goes away must not cut off, because a part of it cannot be done again. */
import { Effect, Fiber, type Scope } from "effect"

/** Goes on without its caller, and the scope waits for it. */
export type ToItsEnd = <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

export const makeToItsEnd: Effect.Effect<ToItsEnd, never, Scope.Scope> = Effect.map(
  Effect.scope,
  (scope): ToItsEnd =>
    (work) =>
      // The fiber inherits that it cannot be interrupted; its caller may stop waiting for it.
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(Effect.forkIn(work, scope), (fiber) => restore(Fiber.join(fiber)))
      )
)

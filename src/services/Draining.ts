/** Whether this node is stopping. Begun once, by the HTTP server, before it stops listening; whoever would wait for long stops waiting then. */
import { Context, Effect, Layer } from "effect"

export class Draining extends Context.Tag("gateway/services/Draining")<Draining, {
  readonly begin: Effect.Effect<void>
  readonly begun: Effect.Effect<boolean>
  /** Ends when it begins. */
  readonly untilBegun: Effect.Effect<void>
}>() {}

/** One for the node: whatever is built together with this layer shares it. */
export const DrainingLayer: Layer.Layer<Draining> = Layer.effect(
  Draining,
  Effect.map(Effect.makeLatch(false), (latch) => {
    let begun = false
    return Draining.of({
      begin: Effect.zipRight(
        Effect.sync(() => {
          begun = true
        }),
        latch.open
      ),
      begun: Effect.sync(() => begun),
      untilBegun: latch.await
    })
  })
)

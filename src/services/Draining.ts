/** Whether this node is stopping. Begun once, by the HTTP server, before it stops listening; whoever would wait for long stops waiting then. */
import { Context, Effect, Layer, Option } from "effect"
import { type Listen, makeOnce } from "./Once.js"

export class Draining extends Context.Tag("gateway/services/Draining")<Draining, {
  readonly begin: Effect.Effect<void>
  readonly begun: Effect.Effect<boolean>
  readonly whenBegun: Listen<void>
}>() {}

/** One for the node: whatever is built together with this layer shares it. */
export const DrainingLayer: Layer.Layer<Draining> = Layer.sync(Draining, () => {
  const stopping = makeOnce<void>()
  return Draining.of({
    begin: Effect.sync(() => stopping.tell()),
    begun: Effect.sync(() => Option.isSome(stopping.known())),
    whenBegun: stopping.listen
  })
})

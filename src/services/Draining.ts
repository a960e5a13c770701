/**
 * Whether this node is stopping. First it says so, to whoever asks whether it is ready, and goes on as before; then it
 * begins, and whoever would wait for long stops waiting. Either happens once, by the HTTP server, before it stops
 * listening.
 */
import { Context, Effect, Layer, Option } from "effect"
import { type Listen, makeOnce } from "./Once.js"

export class Draining extends Context.Tag("gateway/services/Draining")<
  Draining,
  {
    readonly announce: Effect.Effect<void>
    readonly announced: Effect.Effect<boolean>
    readonly whenAnnounced: Listen<void>
    readonly begin: Effect.Effect<void>
    readonly begun: Effect.Effect<boolean>
    readonly whenBegun: Listen<void>
  }
>() {}

/** One for the node: whatever is built together with this layer shares it. */
export const DrainingLayer: Layer.Layer<Draining> = Layer.sync(Draining, () => {
  const announced = makeOnce<void>()
  const begun = makeOnce<void>()
  return Draining.of({
    announce: Effect.sync(() => announced.tell()),
    announced: Effect.sync(() => Option.isSome(announced.known())),
    whenAnnounced: announced.listen,
    begin: Effect.sync(() => {
      announced.tell()
      begun.tell()
    }),
    begun: Effect.sync(() => Option.isSome(begun.known())),
    whenBegun: begun.listen
  })
})

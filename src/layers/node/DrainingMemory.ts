/** Whether this node is stopping, in its memory. All that is built together with this layer shares it. */
import { Effect, Layer, Option } from "effect"
import { Draining } from "../../services/Draining.js"
import { makeOneTimeEvent } from "../../services/OneTimeEvent.js"

export const DrainingMemory: Layer.Layer<Draining> = Layer.sync(Draining, () => {
  const announced = makeOneTimeEvent<void>()
  const ended = makeOneTimeEvent<void>()
  return Draining.of({
    announce: Effect.sync(() => announced.tell()),
    announced: Effect.sync(() => Option.isSome(announced.known())),
    endWaits: Effect.sync(() => {
      announced.tell()
      ended.tell()
    }),
    waitsEnded: Effect.sync(() => Option.isSome(ended.known())),
    whenWaitsEnd: ended.listen
  })
})

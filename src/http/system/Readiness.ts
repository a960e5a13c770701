/** Whether this node should get requests: it is not stopping, its catalog is loaded, and whatever else `Main` asks to be checked is well. */
import { Context, Effect, Layer } from "effect"

/** Set once, when the server begins to stop. */
export class Draining extends Context.Tag("gateway/http/Draining")<Draining, {
  readonly begin: Effect.Effect<void>
  readonly begun: Effect.Effect<boolean>
}>() {
  static readonly layer: Layer.Layer<Draining> = Layer.sync(Draining, () => {
    let begun = false
    return {
      begin: Effect.sync(() => {
        begun = true
      }),
      begun: Effect.sync(() => begun)
    }
  })
}

/** Checks by name, such as `storage`; each has to answer by itself within a second or so. */
export class ReadinessChecks extends Context.Reference<ReadinessChecks>()("gateway/http/ReadinessChecks", {
  defaultValue: (): { readonly [name: string]: Effect.Effect<boolean> } => ({})
}) {}

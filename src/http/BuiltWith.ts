/**
 * Layers whose routes are called often are built with the services that they name, and nothing else. Effect builds
 * a layer with everything that is provided around it, some seventy services; HttpApi keeps that context for the routes
 * and copies it five times for each request. The copies live as long as the request and were a fifth of what survived
 * the young generation of V8 under load.
 */
import { type Context, Effect, Layer } from "effect"

/**
 * `keep` is `Context.pick` of the tags that the layer asks for; a missing one does not compile. A `Context.Reference`
 * that the layer reads must be among them, or it would read the default: nothing checks that.
 */
export const builtWith =
  <R>(keep: (context: Context.Context<R>) => Context.Context<R>) =>
  <A, E>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
    Layer.scopedContext(
      Effect.flatMap(Effect.all([Effect.scope, Layer.CurrentMemoMap]), ([scope, memo]) =>
        Effect.mapInputContext(Layer.buildWithMemoMap(layer, memo, scope), keep)
      )
    )

/**
 * For work that outlives the fiber that starts it, such as a run that goes on after its request. Effect gives a new
 * fiber the services of the fiber that starts it, the request among them. They would be copied with every transaction,
 * and would stay in memory until the work ends. So this work starts with none of them.
 */
import { Context, Effect } from "effect"

export const withoutCallersServices: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E> = Effect.mapInputContext(
  (_: Context.Context<never>) => Context.empty()
)

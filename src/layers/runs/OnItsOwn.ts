/**
 * Work that begins in one place and goes on beside it, such as a run that outlives its request. Effect gives a new
 * fiber the services of the one that starts it, with the request itself among them: they would be copied with every
 * transaction, and kept in memory until the work ends. This work asks for none of them.
 */
import { Context, Effect } from "effect"

export const onItsOwn: <A, E>(work: Effect.Effect<A, E>) => Effect.Effect<A, E> = Effect.mapInputContext(
  (_: Context.Context<never>) => Context.empty()
)

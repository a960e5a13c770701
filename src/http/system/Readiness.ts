/**
 * What else `Main` asks to be checked before this node should get requests, besides that it is not stopping and that
 * its catalog is loaded.
 */
import { Context, Effect } from "effect"

/** Checks by name: null where all is well, else why not, in words for an operator. Looked at once a second at most. */
export class ReadinessChecks extends Context.Reference<ReadinessChecks>()("gateway/http/ReadinessChecks", {
  defaultValue: (): Effect.Effect<{ readonly [name: string]: string | null }> => Effect.succeed({})
}) {}

/** What else `Main` asks to be checked before this node should get requests, besides that it is not stopping and that its catalog is loaded. */
import { Context, type Effect } from "effect"

/** Checks by name, such as `storage`; each has to answer by itself within a second or so. */
export class ReadinessChecks extends Context.Reference<ReadinessChecks>()("gateway/http/ReadinessChecks", {
  defaultValue: (): { readonly [name: string]: Effect.Effect<boolean> } => ({})
}) {}

/** New identifiers, time-ordered within a node. Deterministic in tests when a counting layer is given. */
import { Context, type Effect } from "effect"

export class Ids extends Context.Tag("gateway/services/Ids")<
  Ids,
  {
    /** The suffix of one new id; `Schema.make` of the id's own schema puts the prefix before it. */
    readonly suffix: Effect.Effect<string>
    /** So many of them, in their order. */
    readonly suffixes: (count: number) => Effect.Effect<ReadonlyArray<string>>
  }
>() {}

/**
 * Says in the log which stored keys this node cannot open: one error when that is first seen of a key, however many
 * calls ask for it, and one warning when it can be opened again.
 */
import { Effect } from "effect"
import { setBounded } from "../providers/BoundedMap.js"

/** Beyond this number the oldest are forgotten, and may be logged again. */
const remembered = 10_000

export interface UnopenedKeys {
  /** `about` names the key, and `facts` is what the line says of it. */
  readonly cannotOpen: (about: string, facts: Readonly<Record<string, string>>) => Effect.Effect<void>
  readonly opened: (about: string) => Effect.Effect<void>
}

/** `what` begins the lines, as in "a platform key". */
export const makeUnopenedKeys = (what: string): UnopenedKeys => {
  const seen = new Map<string, Readonly<Record<string, string>>>()
  return {
    cannotOpen: (about, facts) =>
      Effect.suspend(() => {
        if (seen.has(about)) return Effect.void
        setBounded(seen, remembered, about, facts)
        return Effect.annotateLogs(Effect.logError(`${what} cannot be opened`), facts)
      }),
    opened: (about) =>
      Effect.suspend(() => {
        const facts = seen.get(about)
        if (facts === undefined) return Effect.void
        seen.delete(about)
        return Effect.annotateLogs(Effect.logWarning(`${what} can be opened again`), facts)
      })
  }
}

/**
 * Whether this node is stopping. It announces that first: `/readyz` says no, and everything else goes on as before.
 * Later the waits end: who waits for a run is answered with what it is then. Each happens once, and the HTTP server
 * does both.
 */
import { Context, type Effect } from "effect"
import type { Listen } from "./OneTimeEvent.js"

export class Draining extends Context.Tag("gateway/services/Draining")<
  Draining,
  {
    readonly announce: Effect.Effect<void>
    readonly announced: Effect.Effect<boolean>
    /** Announces it as well, where that has not happened yet. */
    readonly endWaits: Effect.Effect<void>
    readonly waitsEnded: Effect.Effect<boolean>
    readonly whenWaitsEnd: Listen<void>
  }
>() {}

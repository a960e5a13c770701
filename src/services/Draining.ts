/**
 * Whether this node is stopping. It announces that first: `/readyz` says no, and everything else goes on as before.
 * Then it begins, and those who would wait for long stop waiting. Each happens once; the HTTP server does both before
 * it stops listening.
 */
import { Context, type Effect } from "effect"
import type { Listen } from "./OneTimeEvent.js"

export class Draining extends Context.Tag("gateway/services/Draining")<
  Draining,
  {
    readonly announce: Effect.Effect<void>
    readonly announced: Effect.Effect<boolean>
    readonly whenAnnounced: Listen<void>
    /** Announces it as well, where that has not happened yet. */
    readonly begin: Effect.Effect<void>
    readonly begun: Effect.Effect<boolean>
    readonly whenBegun: Listen<void>
  }
>() {}

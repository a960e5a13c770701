/** Proposals of how to resolve uncertain runs, as rows. A run has at most one that is open. Decides nothing. */
import { Context, type Effect } from "effect"
import type { Proposal } from "../domain/Resolution.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { Changing } from "./AuditTrail.js"
import type { RunKey } from "./RunStore.js"

export class Proposals extends Context.Tag("gateway/services/Proposals")<
  Proposals,
  {
    /** False when the run has an open one. Joins the surrounding transaction. */
    readonly insert: (proposal: Proposal) => Effect.Effect<boolean, StorageError, Changing>
    /** Locks the run's newest proposal until the surrounding transaction ends, and reads it; null without one. */
    readonly lockNewest: (run: RunKey) => Effect.Effect<Proposal | null, StorageError>
    /** Writes how an open one was decided. Joins the surrounding transaction. */
    readonly decide: (proposal: Proposal) => Effect.Effect<void, StorageError, Changing>
    /** Of these runs, newest first. One that is open while its run is settled reads as `closed`. */
    readonly ofRuns: (runs: ReadonlyArray<RunKey>) => Effect.Effect<ReadonlyArray<Proposal>, StorageError>
  }
>() {}

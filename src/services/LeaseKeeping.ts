/**
 * Keeps the leases of the runs that this node works on: renews each from when it is kept until it is let go, and tells
 * which of them somebody else has now and of which runs a cancel was asked. Decides nothing about runs.
 */
import { Context, type Stream } from "effect"
import type { RunId } from "../domain/Ids.js"
import type { HeldLease } from "./RunStore.js"

export interface LeaseNews {
  readonly runId: RunId
  readonly token: string
  readonly what: "lost" | "cancelled"
}

export class LeaseKeeping extends Context.Tag("gateway/services/LeaseKeeping")<
  LeaseKeeping,
  {
    /** Renews it from now on; answers what lets it go. Both are quick and touch no storage. */
    readonly keep: (lease: HeldLease) => () => void
    /** The same news may come more than once, and about leases that were let go meanwhile. */
    readonly news: Stream.Stream<LeaseNews>
  }
>() {}

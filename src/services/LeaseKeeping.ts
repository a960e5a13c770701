/**
 * Renews the leases of the runs that this node works on. It says which of them another node has now, and for which runs
 * a client asked to cancel. It decides nothing about runs.
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
    /** Renews the lease from now on, until the function that it returns is called. Both calls are quick: no storage. */
    readonly register: (lease: HeldLease) => () => void
    /** The same news may come more than once, and about leases that are not registered any more. */
    readonly news: Stream.Stream<LeaseNews>
  }
>() {}

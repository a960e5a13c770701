/**
 * Runs, attempts and media as rows. The run row is the queue: a lease in it says which node works on the run, and every
 * write of a result is fenced by that lease, so that a late worker cannot overwrite what happened meanwhile.
 * Methods that say so join the surrounding transaction. Nothing here decides about money or states.
 */
import { Context, type Effect } from "effect"
import type { MediaId, RequestId, RunId, WorkspaceId } from "../domain/Ids.js"
import type { Attempt, ListedRun, Run, RunStatus } from "../domain/Run.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { Page, PageRequest } from "../domain/Page.js"

/** Names the run inside its workspace; every access leads with the workspace. */
export interface RunKey {
  readonly workspaceId: WorkspaceId
  readonly runId: RunId
}

export interface RunDetail {
  readonly run: Run
  readonly attempts: ReadonlyArray<Attempt>
}

/**
 * Who works on a run. Each claim makes a new token, so that an old holder can be told from the new one. It ends
 * `millis` after it was stored or renewed, by the storage's clock: the clocks of nodes differ.
 */
export interface Lease {
  readonly node: string
  readonly token: string
  readonly millis: number
}

/** A lease of this node by its token. */
export interface HeldLease extends RunKey {
  readonly token: string
}

/**
 * What a renewal of leases found: the runs whose lease is still held, those whose lease was prolonged, and those that a
 * client asked to cancel. A run that is held and was not prolonged is locked: perhaps another node is taking it over.
 */
export interface Renewed {
  readonly held: ReadonlySet<RunId>
  readonly renewed: ReadonlySet<RunId>
  readonly cancelled: ReadonlySet<RunId>
}

/** Which runs a node takes, and for how long at first. */
export interface ClaimOptions {
  readonly node: string
  readonly limit: number
  readonly leaseMillis: number
}

export interface NewRun {
  readonly run: Run
  /** Given when the admitting node takes the run at once. */
  readonly lease: Lease | null
  /** The first attempt, durable before its first byte leaves; only together with a lease. */
  readonly attempt: Attempt | null
  /** Whether its end is signalled to all nodes (`tellEnd`). */
  readonly tellEnd: boolean
}

/**
 * The values that must be unchanged since the node that ends the run read them. A takeover or another ending changes
 * one of them.
 */
export interface Fence {
  readonly status: RunStatus
  /** Null when it is not leased (queued). */
  readonly leaseToken: string | null
}

export interface Conclusion {
  /** The run as it is from now on. */
  readonly run: Run
  /** The attempt that ended with it. */
  readonly attempt: Attempt | null
  readonly media: Media | null
}

export interface Media {
  readonly mediaId: MediaId
  readonly runId: RunId
  readonly workspaceId: WorkspaceId
  readonly contentType: string
  readonly filename: string | null
  readonly sha256: string
  readonly bytes: Uint8Array
}

/**
 * A stored file without its bytes, which are read in parts: a file is never in memory as a whole because somebody
 * downloads it.
 */
export interface StoredMedia extends Omit<Media, "bytes"> {
  readonly size: number
  /** The bytes from `start` up to, and without, `end`; both lie inside of the file. */
  readonly part: (start: number, end: number) => Effect.Effect<Uint8Array, StorageError>
}

/** What ends a run that waits or has waited in the queue. `restored`: see `LeasedRun`. */
export type LateRun = Pick<LeasedRun, "run" | "restored">

/** A run that a node has claimed, with the attempts made so far. */
export interface LeasedRun {
  readonly run: Run
  readonly lease: Lease
  readonly attempts: ReadonlyArray<Attempt>
  /**
   * Another node had the run and went silent, or left it when it stopped. An attempt that is still open is lost, and
   * this node cannot continue it.
   */
  readonly takenOver: false | "silent" | "left"
  /** How many nodes went silent while they worked on it, the one it is taken from included. */
  readonly workersLost: number
  /**
   * The storage was restored after this run was admitted. The run may have been answered long ago, so no provider is
   * called for it any more.
   */
  readonly restored: boolean
  /** Time since its admission, by the storage's clock. */
  readonly waitedMillis: number
}

export interface RunFilter {
  readonly status?: RunStatus
  /** The id of a job. */
  readonly capability?: string
  /** What the run is shown under (`shownEndpoint`, `shownProvider` of `Run.ts`). */
  readonly endpointId?: string
  readonly providerId?: string
  readonly tokenId?: string
  /** The key that the run was made with: at most one run has it. */
  readonly idempotencyKey?: string
  /** Created at this time or later, and before that one. */
  readonly fromMillis?: number
  readonly toMillis?: number
}

export class RunStore extends Context.Tag("gateway/services/RunStore")<
  RunStore,
  {
    /** Joins the surrounding transaction. */
    readonly insert: (runs: ReadonlyArray<NewRun>) => Effect.Effect<void, StorageError>
    /**
     * Locks the runs and reads what their endings are fenced by; a run that does not exist is absent. Joins the
     * surrounding transaction.
     */
    readonly lock: (runs: ReadonlyArray<RunKey>) => Effect.Effect<ReadonlyMap<RunId, Fence>, StorageError>
    /**
     * Writes the conclusions of runs that are locked and whose fences they passed. The commit wakes the waiters on all
     * nodes for the runs of which `tellEnd` was asked. Joins the surrounding transaction.
     */
    readonly conclude: (conclusions: ReadonlyArray<Conclusion>) => Effect.Effect<void, StorageError>
    /**
     * Ends one attempt and opens the next, keeping the best answer so far in the run, fenced by the lease; false when
     * the lease was lost. One transaction.
     */
    readonly nextAttempt: (step: {
      readonly run: Run
      readonly lease: Lease
      readonly ended: Attempt | null
      readonly opened: Attempt
      readonly media: Media | null
    }) => Effect.Effect<boolean, StorageError>
    /** Takes up to `limit` queued runs, oldest first, skipping those that other nodes are taking. One transaction. */
    readonly claim: (options: ClaimOptions) => Effect.Effect<ReadonlyArray<LeasedRun>, StorageError>
    /**
     * Takes over running runs whose lease has ended, except those under the lease tokens in `except`, and counts that.
     * One transaction.
     */
    readonly reclaim: (
      options: ClaimOptions & { readonly except: ReadonlyArray<string> }
    ) => Effect.Effect<ReadonlyArray<LeasedRun>, StorageError>
    /**
     * Up to `limit` queued runs that have waited longer than this, oldest first. For `asideMillis` no node gets these
     * runs from this call again. So each is ended by one node, and one that cannot be ended does not block the others.
     * They stay queued and may be taken or cancelled meanwhile, so their end is fenced.
     */
    readonly waitedLonger: (options: {
      readonly millis: number
      readonly limit: number
      readonly asideMillis: number
    }) => Effect.Effect<ReadonlyArray<LateRun>, StorageError>
    /** Prolongs leases that are still held, to end so many milliseconds from now. */
    readonly heartbeat: (leases: ReadonlyArray<HeldLease>, leaseMillis: number) => Effect.Effect<Renewed, StorageError>
    /**
     * Ends leases that are still held, so that other nodes take the runs over at once. Taking over such a run counts no
     * node as silent. Nothing is written under these leases any more.
     */
    readonly leave: (leases: ReadonlyArray<HeldLease>) => Effect.Effect<void, StorageError>
    /**
     * From now on the end of the run is signalled to all nodes (`RunSignals`). A waiter on a node that may not be the
     * one that ends the run calls this first, and then looks whether the run has ended. False when the run is locked
     * just now, for example by its settlement: it may end without a signal, so look again soon. Waits for no lock.
     */
    readonly tellEnd: (run: RunKey) => Effect.Effect<boolean, StorageError>
    /** If the run is running, notes that it is to be cancelled, and wakes its node. Answers the run as it is. */
    readonly requestCancel: (run: RunKey) => Effect.Effect<Run | null, StorageError>
    readonly get: (run: RunKey) => Effect.Effect<Run | null, StorageError>
    /** A run and its attempts. */
    readonly detail: (run: RunKey) => Effect.Effect<RunDetail | null, StorageError>
    /**
     * The same for clients that poll: one statement reads the runs that are asked for at the same time. Also null for a
     * run that is large or was moved to the history; `detail` reads these.
     */
    readonly smallDetail: (run: RunKey) => Effect.Effect<RunDetail | null, StorageError>
    readonly getMany: (runs: ReadonlyArray<RunKey>) => Effect.Effect<ReadonlyArray<Run>, StorageError>
    /**
     * Newest first; the sort key is the run id. With results where `resultBytesMax` is given: such a page ends before
     * their sum would pass it, but never before its first row. A page that is filtered by endpoint, provider or token
     * looks through about `runsLookedThroughMax` runs at most: it may have fewer rows than its limit, also none, and
     * still a next page.
     */
    readonly list: (
      workspaceId: WorkspaceId,
      filter: RunFilter,
      page: PageRequest,
      resultBytesMax: number | null
    ) => Effect.Effect<Page<ListedRun>, StorageError>
    readonly attempts: (run: RunKey) => Effect.Effect<ReadonlyArray<Attempt>, StorageError>
    readonly media: (run: RunKey, mediaId: string) => Effect.Effect<StoredMedia | null, StorageError>
    /** Runs that wait for a person, oldest first, of all workspaces; the sort key is `uncertainKey`. */
    readonly uncertain: (page: PageRequest) => Effect.Effect<Page<Run>, StorageError>
    /** When the run was created that has waited longest in the queue, of all workspaces; null when none waits. */
    readonly queuedSince: Effect.Effect<number | null, StorageError>
    /**
     * Forgets up to `limit` refused runs (`RefusedRun.ts`) that are older than this, oldest first, with their keys;
     * answers how many. One node does it at a time: another that asks meanwhile hears 0. One transaction.
     */
    readonly forgetRefused: (options: {
      readonly olderThanMillis: number
      readonly limit: number
    }) => Effect.Effect<number, StorageError>
    /** The workspace of a run, for operators who have only its id. */
    readonly locate: (runId: RunId) => Effect.Effect<RunKey | null, StorageError>
    /**
     * The run that a request made, likewise. No index holds requests, because it would cost each run: the runs of the
     * minute that began with the request are looked through.
     */
    readonly locateRequest: (requestId: RequestId) => Effect.Effect<RunKey | null, StorageError>
  }
>() {}

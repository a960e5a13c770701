/**
 * Tells waiters that a run has ended and nodes that there is work, over all nodes of one storage. A signal is a hint:
 * it can be late or come twice, never replaces reading the row, and waiting for one costs no database connection.
 */
import { Context, type Effect, type Scope, type Stream } from "effect"
import type { RunId } from "../domain/Ids.js"
import type { Listen } from "./OneTimeEvent.js"

export type RunSignal =
  | { readonly _tag: "Settled"; readonly runId: RunId }
  | { readonly _tag: "Queued" }
  | { readonly _tag: "CancelRequested"; readonly runId: RunId }
  /** A provider called the address of a wait that another node may have (`ProviderCallbacks.ts`). */
  | { readonly _tag: "CalledBack"; readonly waitId: string }
  /** Signals may have been missed (a connection was renewed): look at the rows again. */
  | { readonly _tag: "Rescan" }

export class RunSignals extends Context.Tag("gateway/services/RunSignals")<
  RunSignals,
  {
    /** Listens before it answers. The event: the run may be settled now, or waiters should read their rows again. */
    readonly subscribe: (runId: RunId) => Effect.Effect<Listen<void>, never, Scope.Scope>
    /** Signals of work, cancellations and callbacks, for those of this node that act on them. */
    readonly work: Stream.Stream<RunSignal>
    /** Tells this node at once. The storage tells the others: of a callback here, of all else when it writes it. */
    readonly publish: (signal: RunSignal) => Effect.Effect<void>
  }
>() {}

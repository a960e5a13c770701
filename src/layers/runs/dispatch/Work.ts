/** The common part of this folder: the services that it uses, and the work on one run while this node has it. */
import { type Clock, Data, Effect, type Option, Schedule } from "effect"
import type { Attempt, Run } from "../../../domain/Run.js"
import { isStorageError, type StorageError } from "../../../domain/StorageErrors.js"
import type { TraceContext } from "../../../domain/Trace.js"
import type { Trouble } from "../../node/Trouble.js"
import type { Catalog } from "../../../services/Catalog.js"
import type { Credentials } from "../../../services/Credentials.js"
import type { EndpointStats } from "../../../services/EndpointStats.js"
import type { FaultPoints } from "../../../services/FaultPoints.js"
import type { Ids } from "../../../services/Ids.js"
import type { OneTimeEvent } from "../../../services/OneTimeEvent.js"
import type { ProviderHealth } from "../../../services/ProviderHealth.js"
import type { Providers } from "../../../services/Providers.js"
import type { LeasedRun, Media, RunStore } from "../../../services/RunStore.js"
import type { SettledRun } from "../../../services/Runs.js"
import type { Settlement } from "../../../services/Settlement.js"
import type { Tracer } from "../../../services/Tracing.js"
import type { Transactions } from "../../../services/Transactions.js"
import type { Wallet } from "../../../services/Wallet.js"
import type { LookAt } from "./AnswerChecks.js"
import type { SingleFlight } from "./SingleFlight.js"

export interface Parts {
  readonly catalog: Catalog["Type"]
  /** Read by a plain call: the clock asked for through the fiber takes three steps each time. */
  readonly clock: Clock.Clock
  readonly credentials: Credentials["Type"]
  readonly faults: FaultPoints["Type"]
  readonly health: ProviderHealth["Type"]
  readonly ids: Ids["Type"]
  readonly lookAt: LookAt
  readonly normalizedOn: boolean
  readonly patiently: Patiently
  readonly providers: Providers["Type"]
  readonly settlement: Settlement["Type"]
  readonly shared: SingleFlight
  readonly stats: EndpointStats["Type"]
  readonly store: RunStore["Type"]
  readonly tracer: Tracer | null
  readonly transact: Transactions["Type"]["transact"]
  readonly wallet: Wallet["Type"]
}

/** Why the work on a run stops from outside: its client wants it cancelled, or another node has it now. */
export type Stop = "cancelled" | "lease_lost"

/** Another node has the run now, so this node may write nothing more. */
export class LeaseLost extends Data.TaggedError("LeaseLost")<{}> {}

/** The work on one run. The lease gives the run to this node until the work is stopped. */
export interface Work {
  readonly lease: LeasedRun["lease"]
  /** See `Slot`. */
  readonly sinceNanos: bigint
  readonly stop: OneTimeEvent<Stop>
  /** The span of this work; null where nothing is traced. */
  readonly trace: TraceContext | null
}

/** How far a run has come. */
export interface Progress {
  readonly run: Run
  /** All attempts so far. */
  readonly attempts: ReadonlyArray<Attempt>
  /** The last attempt and the file that it brought, while the end of the attempt is not stored yet. */
  readonly unstored: { readonly attempt: Attempt; readonly media: Media | null } | null
}

/** The run with its attempts, or none when another node has it now. */
export type Settling = Effect.Effect<Option.Option<SettledRun>, LeaseLost>

/**
 * The schedule has no end of its own. Retrying ends when the storage answers again; if the lease is lost, the storage
 * says so.
 */
const untilStorageAnswers = Schedule.exponential("50 millis").pipe(
  Schedule.union(Schedule.spaced("1 second")),
  Schedule.jittered
)
/** For the log: what Postgres itself said stands beside it, in the line of the storage. */
const reasons: { readonly [Tag in StorageError["_tag"]]: string } = {
  storage_busy: "the storage had no connection for it, or lost it; nothing was written",
  storage_uncertain: "the connection was lost while it was being written; it may have been written",
  runtime_bridge_timeout: "the storage took too long; nothing was written"
}

/** Repeats the work until the storage accepts it. When it has to wait, the log says so. */
export type Patiently = <A, E>(work: Effect.Effect<A, E | StorageError>) => Effect.Effect<A, Exclude<E, StorageError>>

export const patientlyWith = (trouble: Trouble): Patiently => {
  const reportTrouble = (error: unknown) =>
    Effect.sync(() => (isStorageError(error) ? trouble.failed(reasons[error._tag]) : undefined))
  const worked = Effect.sync(trouble.worked)
  return (work) =>
    Effect.catchIf(work, isStorageError, (error) =>
      Effect.zipRight(
        reportTrouble(error),
        Effect.retry(Effect.tapError(work, reportTrouble), { schedule: untilStorageAnswers, while: isStorageError })
      )
    ).pipe(
      // Also where it did not have to wait: work that was given up while it waited cannot say that the storage answers
      // again. Any failure that is left is an answer of the storage, too. An interruption or a defect is none.
      Effect.tapBoth({ onFailure: () => worked, onSuccess: () => worked }),
      Effect.catchIf(isStorageError, Effect.die)
    )
}

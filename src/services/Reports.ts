/**
 * What the console shows of many runs at once. It only reads, and no answer takes longer because there are more runs:
 * sums and spans are kept in the background, and each answer is complete without waiting for that.
 */
import { Context, type Effect } from "effect"
import type { NotFound, ValidationError } from "../domain/ApiErrors.js"
import type { TokenId, WorkspaceId } from "../domain/Ids.js"
import type { Balance } from "../domain/Ledger.js"
import type { Micros } from "../domain/Micros.js"
import type { Page, PageRequest } from "../domain/Page.js"
import type { DaySpan } from "../domain/Days.js"
import type { RunStatus } from "../domain/Run.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { LedgerCheck } from "./LedgerChecks.js"

/** Charges, and how many calls of providers they were for. */
export interface Charged {
  readonly calls: number
  readonly chargeMicros: Micros
}

/**
 * What a workspace was charged in a span of days. The ledger's charges of these days add up to `total`; so do the days,
 * the providers and the tokens, each by itself.
 */
export interface SpendReport {
  readonly total: Charged
  /** Oldest first; days without a charge are absent. Days since 1970 (UTC). */
  readonly days: ReadonlyArray<Charged & { readonly day: number }>
  /** The highest charge first. */
  readonly providers: ReadonlyArray<Charged & { readonly providerId: string }>
  /** The highest charge first. */
  readonly tokens: ReadonlyArray<Charged & { readonly tokenId: TokenId; readonly label: string }>
  /**
   * Null when the report is complete. Otherwise later charges are not in it yet: the sums of an old ledger are being
   * made.
   */
  readonly completeUntil: number | null
}

export interface StatusCount {
  readonly status: RunStatus
  /** At most `runsCountedMax`. */
  readonly runs: number
  /** Whether there are more. */
  readonly more: boolean
}

/** A workspace as the operator's list shows it. */
export interface WorkspaceSummary extends Balance {
  readonly workspaceId: WorkspaceId
  readonly name: string
  /** Whether it is the operator's own. */
  readonly operator: boolean
  readonly inflight: number
  readonly createdAt: number
  /** When its newest run was created; null without one. */
  readonly lastRunAt: number | null
}

export interface RunningNode {
  readonly node: string
  readonly role: string
  readonly version: string
  readonly host: string
  readonly startedAt: number
  /** Since it said last that it runs. */
  readonly silentMillis: number
  /** The revision of the catalog that it serves; null when it does not say. */
  readonly catalog: string | null
}

/** Runs of one node that are leased to it. */
export interface LeasesOfNode {
  readonly node: string
  readonly runs: number
  /** Until the first of its leases ends unless it is renewed; below zero, another node is about to take over. */
  readonly endsInMillis: number
}

/** How the gateway does as a whole. Ages go by the storage's clock. */
export interface Health {
  readonly queued: StatusCount
  /** Null when no run waits in the queue. */
  readonly oldestQueuedMillis: number | null
  readonly uncertain: StatusCount
  readonly oldestUncertainMillis: number | null
  readonly leases: ReadonlyArray<LeasesOfNode>
  /** Nodes that run, and those that fell silent not long ago; the oldest first. */
  readonly nodes: ReadonlyArray<RunningNode>
  /** The last check of the whole ledger; null when none was made yet. */
  readonly ledger: LedgerCheck | null
}

export class Reports extends Context.Tag("gateway/services/Reports")<
  Reports,
  {
    /** A `ValidationError` when the span is not 1 to `reportDaysMax` days long. */
    readonly spend: (
      workspaceId: WorkspaceId,
      span: DaySpan
    ) => Effect.Effect<SpendReport, ValidationError | StorageError>
    /**
     * What all workspaces together were charged for calls of each provider, as far as charges are summed up, which
     * takes some seconds. Providers without a charge are absent.
     */
    readonly chargedByProvider: (span: DaySpan) => Effect.Effect<ReadonlyMap<string, Charged>, StorageError>
    /** Runs of a workspace by status, those created at this time or later; every status occurs once. */
    readonly runCounts: (
      workspaceId: WorkspaceId,
      fromMillis: number
    ) => Effect.Effect<ReadonlyArray<StatusCount>, StorageError>
    /** All workspaces, newest first; the sort key is the workspace id. With `search`, those whose name or id has it. */
    readonly workspaces: (
      search: string | null,
      page: PageRequest
    ) => Effect.Effect<Page<WorkspaceSummary>, StorageError>
    readonly workspace: (workspaceId: WorkspaceId) => Effect.Effect<WorkspaceSummary, NotFound | StorageError>
    readonly health: Effect.Effect<Health, StorageError>
    /** Brings sums and spans up to date. One node does it at a time; another that asks meanwhile does nothing. */
    readonly keep: Effect.Effect<void, StorageError>
  }
>() {}

/**
 * Runs as a client sees them: create (held before anything is called), read, wait, cancel. Answers only after the
 * commit.
 */
import { Context, type Effect } from "effect"
import type {
  CatalogLoading,
  FieldProblem,
  Forbidden,
  IdempotencyConflict,
  InsufficientBalance,
  KeySpendLimitReached,
  NotFound,
  RateLimitExceeded,
  RowsModeUnsupported,
  RunRateLimited,
  TooManyInflightRuns,
  ValidationError
} from "../domain/ApiErrors.js"
import type { MoneyLeft } from "../domain/Admission.js"
import type { RunId, WorkspaceId } from "../domain/Ids.js"
import type { JsonObject } from "../domain/Json.js"
import type { Micros } from "../domain/Micros.js"
import type { Prefer, RoutePlan } from "../domain/RoutePlan.js"
import type { ListedRun, RunStatus } from "../domain/Run.js"
import type { RunError } from "../domain/RunFailures.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { TraceContext } from "../domain/Trace.js"
import type { Principal } from "./Accounts.js"
import type { Page, PageRequest } from "../domain/Page.js"
import type { RunDetail, RunFilter, StoredMedia } from "./RunStore.js"

/** The fallback of a run request, with its defaults filled in (completions, section 3). */
export interface FallbackRequest {
  readonly enabled: boolean
  readonly maxAttempts: number
  readonly maxCostMicros: Micros | null
  readonly prefer: Prefer
  readonly exclude: ReadonlyArray<string>
  readonly stopAtFirstMiss: boolean
}

export interface RunRequest {
  readonly endpointId: string
  readonly input: JsonObject
  /** Null when the client sent none, or false. */
  readonly fallback: FallbackRequest | null
  readonly outputMode: "raw" | "canonical" | null
  readonly connectionId: string | null
  readonly idempotencyKey: string
  readonly requestId: string
  /** Where the request stands in a trace; absent where none is recorded. */
  readonly trace?: TraceContext
}

/** A run as the node that worked on it ended it. */
export interface SettledRun extends RunDetail {
  /** What was left right after its settlement. */
  readonly left: MoneyLeft
}

export interface CreatedRun extends RunDetail {
  readonly replayed: boolean
  /**
   * What was left right after the run was held, or after it was settled where `run` has ended. Null where nobody told
   * it: another node settled the run meanwhile, or a repeated request waited for its end.
   */
  readonly left: MoneyLeft | null
}

/** One limit's verdict in a quote. */
export interface LimitVerdict {
  readonly limit: "run_cap" | "runs_per_minute" | "inflight" | "key_month" | "balance"
  readonly admits: boolean
  readonly message: string | null
}

export interface Quote {
  readonly plan: RoutePlan | null
  readonly holdMicros: Micros
  /** What the run would fail with before any provider is called; null when it would be dispatched. */
  readonly refusal: RunError | null
  readonly refusalResult: JsonObject | null
  /** What is wrong with which field of the input; empty when the refusal is about something else. */
  readonly problems: ReadonlyArray<FieldProblem>
  readonly limits: ReadonlyArray<LimitVerdict>
}

export type CreateError =
  | ValidationError
  | Forbidden
  | RowsModeUnsupported
  | IdempotencyConflict
  | InsufficientBalance
  | KeySpendLimitReached
  | RateLimitExceeded
  | TooManyInflightRuns
  | RunRateLimited
  | CatalogLoading
  | StorageError

export class Runs extends Context.Tag("gateway/services/Runs")<
  Runs,
  {
    /** Admits and starts a run, and waits at most `waitSeconds` (0: not at all) for it to end. */
    readonly create: (
      principal: Principal,
      request: RunRequest,
      waitSeconds: number
    ) => Effect.Effect<CreatedRun, CreateError>
    /** Writes nothing, costs nothing, and uses the functions of `create`. */
    readonly quote: (
      principal: Principal,
      request: Omit<RunRequest, "idempotencyKey">
    ) => Effect.Effect<Quote, ValidationError | Forbidden | RowsModeUnsupported | CatalogLoading | StorageError>
    readonly get: (workspaceId: WorkspaceId, runId: RunId) => Effect.Effect<RunDetail, NotFound | StorageError>
    /** What `get` answers, if it can be read together with what others ask for at the same time; else null. */
    readonly getSmall: (workspaceId: WorkspaceId, runId: RunId) => Effect.Effect<RunDetail | null, StorageError>
    /**
     * Newest first. A capability that is no job is a `ValidationError`. With results a page may have fewer rows than
     * its limit, so that the answer stays bounded.
     */
    readonly list: (
      workspaceId: WorkspaceId,
      filter: RunFilter,
      page: PageRequest,
      includeResult: boolean
    ) => Effect.Effect<Page<ListedRun>, ValidationError | StorageError>
    /** Never an error for a run that exists: answers the run as it then is. */
    readonly cancel: (workspaceId: WorkspaceId, runId: RunId) => Effect.Effect<RunDetail, NotFound | StorageError>
    readonly media: (
      workspaceId: WorkspaceId,
      runId: RunId,
      mediaId: string
    ) => Effect.Effect<StoredMedia, NotFound | StorageError>
  }
>() {}
export type { RunStatus }

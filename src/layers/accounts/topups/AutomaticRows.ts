/** The rows under `AutomaticTopUps`: what its storages must do, and nothing that decides. */
import type { Effect } from "effect"
import type { AutomaticTopUp } from "../../../domain/AutomaticTopUp.js"
import type { WorkspaceId } from "../../../domain/Ids.js"
import type { Micros } from "../../../domain/Micros.js"
import type { SavedMethod } from "../../../domain/PaymentReport.js"
import type { StorageError } from "../../../domain/StorageErrors.js"

export interface AutomaticTopUpState {
  /** Null where no rule was ever set. */
  readonly rule: AutomaticTopUp | null
  /** The card that is saved. */
  readonly method: string | null
  /** Whether the workspace is the operator's own. */
  readonly operatorWorkspace: boolean
  /** The storage's clock, which all nodes share. */
  readonly now: number
}

export interface DueRule extends AutomaticTopUpState {
  readonly rule: AutomaticTopUp
  readonly availableMicros: Micros
}

export interface AutomaticRows {
  readonly standing: (workspaceId: WorkspaceId) => Effect.Effect<AutomaticTopUpState, StorageError>
  /** The same, with the rule under its lock. Joins the surrounding transaction. */
  readonly lockRule: (workspaceId: WorkspaceId) => Effect.Effect<AutomaticTopUpState, StorageError>
  readonly putRule: (rule: AutomaticTopUp) => Effect.Effect<void, StorageError>
  /**
   * Rules that somebody has to look at: of workspaces below their threshold with a card saved that are not the
   * operator's, and with a top-up under way that nobody has looked after lately. Under their locks, and none of their
   * workspaces becomes the operator's before the surrounding transaction ends. What is locked already is left out.
   */
  readonly due: (limit: number) => Effect.Effect<ReadonlyArray<DueRule>, StorageError>
  /** Null where none is saved. Joins the surrounding transaction, which holds the lock of the wallet. */
  readonly savedMethod: (workspaceId: WorkspaceId) => Effect.Effect<SavedMethod | null, StorageError>
  /** Joins the surrounding transaction, like `savedMethod`. */
  readonly saveMethod: (workspaceId: WorkspaceId, card: SavedMethod) => Effect.Effect<void, StorageError>
}

/**
 * Automatic top-ups of workspaces (extensions, section 10): the rule of each, and the work of keeping balances above
 * it. The work happens beside runs and never holds one up.
 */
import { Context, type Effect } from "effect"
import type { BillingUnavailable, NotFound, ValidationError } from "../domain/ApiErrors.js"
import type { Actor } from "../domain/AuditEntry.js"
import type { AutomaticReason, AutomaticRule, AutomaticState } from "../domain/AutomaticTopUp.js"
import type { TopUpId, WorkspaceId } from "../domain/Ids.js"
import type { Micros } from "../domain/Micros.js"
import type { StorageError } from "../domain/StorageErrors.js"

export interface AutomaticTopUpShown extends AutomaticRule {
  readonly state: AutomaticState
  /** Why the rule is disabled or unavailable. */
  readonly reason: AutomaticReason | null
  readonly message: string
  /** What was charged in this calendar month. */
  readonly monthMicros: Micros
  /** The top-up under way. */
  readonly topUpId: TopUpId | null
  readonly updatedAt: number
}

export class AutomaticTopUps extends Context.Tag("gateway/services/AutomaticTopUps")<
  AutomaticTopUps,
  {
    readonly get: (
      workspaceId: WorkspaceId
    ) => Effect.Effect<AutomaticTopUpShown, BillingUnavailable | NotFound | StorageError>
    /** Sets the rule anew. It works once a card is saved, and while the workspace takes top-ups. */
    readonly set: (
      workspaceId: WorkspaceId,
      rule: AutomaticRule,
      by: Actor
    ) => Effect.Effect<AutomaticTopUpShown, BillingUnavailable | ValidationError | StorageError>
    /** Takes the rule away. The card is charged no more; what it was charged before is still credited. */
    readonly remove: (workspaceId: WorkspaceId, by: Actor) => Effect.Effect<void, BillingUnavailable | StorageError>
    /**
     * Starts the top-ups that are due, and looks after those under way. Any number of nodes may do it at once; one that
     * cannot charge leaves all to the others.
     */
    readonly turn: Effect.Effect<void, StorageError>
  }
>() {}

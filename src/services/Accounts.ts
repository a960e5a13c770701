/** Workspaces and tokens: who may call, what they may do, and what an operator sets for them. */
import { Context, type Effect, type Redacted } from "effect"
import type { TokenSpend } from "../domain/Admission.js"
import type { Actor } from "../domain/AuditEntry.js"
import type { NotFound, TokenRevoked, Unauthorized, ValidationError } from "../domain/ApiErrors.js"
import type { TokenId, WorkspaceId } from "../domain/Ids.js"
import type { Micros } from "../domain/Micros.js"
import type { Scope } from "../domain/Scope.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { PolicyChange, WorkspacePolicy } from "../domain/WorkspacePolicy.js"
import type { Spender } from "./Wallet.js"

export interface Workspace {
  readonly workspaceId: WorkspaceId
  readonly name: string
  /** Null: the gateway's own default counts. */
  readonly inflightLimit: number | null
  readonly runsPerMinute: number | null
  readonly runCapMicros: Micros | null
  /** Whether one of its tokens that is not revoked is the platform operator's. */
  readonly operator: boolean
  /** Which operations its runs may use. */
  readonly policy: WorkspacePolicy
  /** Whether its searches learn from what its runs use (`domain/SearchUse`). */
  readonly learnsFromUse: boolean
  readonly createdAt: number
}

/** Who calls. */
export interface Principal {
  readonly tokenId: TokenId
  readonly label: string
  readonly workspaceId: WorkspaceId
  readonly workspaceName: string
  readonly scopes: ReadonlyArray<Scope>
  readonly createdAt: number
  readonly expiresAt: number | null
  /**
   * The token that let this one in, the one that let that one in, and so on to the first; none where a person made it.
   */
  readonly ancestors: ReadonlyArray<TokenId>
  /**
   * Whether this is a token of the platform's operator, who also sees what cannot be run. Never passed on by a login.
   */
  readonly operator: boolean
  /** Whether its workspace is the operator's, who pays for it directly. */
  readonly operatorWorkspace: boolean
  /** Which operations the runs of its workspace may use, as of this request. */
  readonly policy: WorkspacePolicy
  /** Whether the searches of its workspace learn from what its runs use. */
  readonly learnsFromUse: boolean
}

/**
 * A token's own limit for a month, and what it has spent, with those that come from it. What its next run meets is the
 * wallet's to tell: the limits of the tokens that it comes from count too (`domain/CurrentLimits`).
 */
export type MonthSpend = Pick<TokenSpend, "limitMicros" | "spentMicros">

export interface NewToken {
  readonly workspaceId: WorkspaceId
  readonly label: string
  readonly scopes: ReadonlyArray<Scope>
  readonly monthlyLimitMicros: Micros | null
  readonly expiresAt: number | null
  /** A token of the platform's operator; false when left out. */
  readonly operator?: boolean
}

export interface IssuedToken {
  readonly tokenId: TokenId
  /** Shown once, never stored. */
  readonly token: Redacted.Redacted<string>
}

export interface KnownToken {
  readonly workspaceId: WorkspaceId
  readonly label: string
  readonly revokedAt: number | null
  /** How many tokens that work come from it, which end with it. */
  readonly descendants: number
}

export class Accounts extends Context.Tag("gateway/services/Accounts")<
  Accounts,
  {
    /**
     * Reads the token's row every time (many callers share one query), so that a revocation, also of one that it comes
     * from, and a change of the workspace's policy hold from the next request.
     */
    readonly authenticate: (
      token: Redacted.Redacted<string>
    ) => Effect.Effect<Principal, Unauthorized | TokenRevoked | StorageError>
    /** Charges and open holds of the current calendar month (UTC), and the token's own limit. */
    readonly monthSpend: (token: Spender) => Effect.Effect<MonthSpend, StorageError>
    readonly createWorkspace: (name: string, by: Actor) => Effect.Effect<Workspace, ValidationError | StorageError>
    readonly workspace: (workspaceId: WorkspaceId) => Effect.Effect<Workspace, NotFound | StorageError>
    readonly workspaceByName: (name: string) => Effect.Effect<Workspace | null, StorageError>
    /** All workspaces, oldest first. */
    readonly workspaces: Effect.Effect<ReadonlyArray<Workspace>, StorageError>
    /**
     * Counts from 1, a cap from 0; null goes back to the gateway's default. Those not named stay. With `seen`
     * (`limitsText`), the limits that the change was made from, it is a `ValidationError` where others stand there by
     * now: nobody undoes what somebody else has just set.
     */
    readonly setLimits: (
      workspaceId: WorkspaceId,
      limits: Partial<Pick<Workspace, "inflightLimit" | "runsPerMinute" | "runCapMicros">>,
      by: Actor,
      seen?: string
    ) => Effect.Effect<Workspace, NotFound | ValidationError | StorageError>
    /**
     * A `ValidationError` where the change contradicts itself, the policy would have too many rules, or it is another
     * one by now than `seen` (`policyText`).
     */
    readonly setPolicy: (
      workspaceId: WorkspaceId,
      change: PolicyChange,
      by: Actor,
      seen?: string
    ) => Effect.Effect<Workspace, NotFound | ValidationError | StorageError>
    /** Switching it off forgets what was learned. */
    readonly setSearchLearning: (
      workspaceId: WorkspaceId,
      learnsFromUse: boolean,
      by: Actor
    ) => Effect.Effect<Workspace, NotFound | StorageError>
    readonly createToken: (
      token: NewToken,
      by: Actor
    ) => Effect.Effect<IssuedToken, NotFound | ValidationError | StorageError>
    /** Any token, of whatever workspace. */
    readonly tokenById: (tokenId: TokenId) => Effect.Effect<KnownToken, NotFound | StorageError>
    /** Also ends every token that this one let in, and those that these did. Revoking twice is the same as once. */
    readonly revokeToken: (tokenId: TokenId, by: Actor) => Effect.Effect<void, NotFound | StorageError>
  }
>() {}

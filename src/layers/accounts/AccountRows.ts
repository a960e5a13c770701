/** The rows under `Accounts`: what its storages must do, and nothing that decides about a workspace or a token. */
import type { Effect } from "effect"
import type { TokenSpend } from "../../domain/Admission.js"
import type { MemberId, TokenId, WorkspaceId } from "../../domain/Ids.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import type { KnownToken, NewToken, Principal, Workspace } from "../../services/Accounts.js"
import type { Changing } from "../../services/AuditTrail.js"
import type { Spender } from "../../services/Wallet.js"

/** A token as it is found by its digest. */
export interface TokenRow {
  /** Given to every request that is authenticated together with this one. */
  readonly principal: Principal
  readonly digest: Uint8Array
  /** The token itself is revoked, or one that it comes from. */
  readonly revoked: boolean
}

export interface NewTokenRow extends Required<NewToken> {
  readonly tokenId: TokenId
  readonly digest: Uint8Array
  readonly createdAt: number
  /** The member who makes it; null when nobody is signed in. */
  readonly madeBy: MemberId | null
}

export interface TokenUse extends Spender {
  /** By the clock of the node, which also says when a token is revoked. */
  readonly usedAt: number
}

export interface RevokedToken {
  readonly workspaceId: WorkspaceId
  readonly label: string
  /** When it was revoked before, or null. */
  readonly revokedBefore: number | null
}

export interface AccountRows {
  /** With its empty wallet; false when another workspace has the name. */
  readonly insertWorkspace: (workspace: Workspace) => Effect.Effect<boolean, StorageError, Changing>
  readonly workspace: (workspaceId: WorkspaceId) => Effect.Effect<Workspace | null, StorageError>
  readonly workspaceByName: (name: string) => Effect.Effect<Workspace | null, StorageError>
  /** Oldest first. */
  readonly workspaces: Effect.Effect<ReadonlyArray<Workspace>, StorageError>
  /**
   * Changes what an operator sets, under the row's lock; null when there is no such workspace. A workspace that no
   * longer learns from use forgets what its searches have learned.
   */
  readonly changeWorkspace: <E>(
    workspaceId: WorkspaceId,
    change: (before: Workspace) => Effect.Effect<Workspace, E>
  ) => Effect.Effect<{ readonly before: Workspace; readonly after: Workspace } | null, E | StorageError, Changing>
  /** An operator's token makes its workspace the operator's; false when there is no such workspace. */
  readonly insertToken: (token: NewTokenRow) => Effect.Effect<boolean, StorageError, Changing>
  /**
   * Keeps the time of the first revocation. Without a token of the operator left, the workspace is no longer the
   * operator's. Null when there is no such token.
   */
  readonly revokeToken: (tokenId: TokenId, now: number) => Effect.Effect<RevokedToken | null, StorageError, Changing>
  readonly tokenById: (tokenId: TokenId) => Effect.Effect<KnownToken | null, StorageError>
  /** By its secret, or by one that a rotation replaced and that still works. */
  readonly tokenByDigest: (digest: Uint8Array) => Effect.Effect<TokenRow | null, StorageError>
  /** Notes when these tokens were used last: never an earlier time than the one that is known, nor one to come. */
  readonly noteUses: (uses: ReadonlyArray<TokenUse>) => Effect.Effect<void, StorageError>
  /** With the storage's time. Null for no such token. */
  readonly spend: (token: Spender) => Effect.Effect<(TokenSpend & { readonly now: number }) | null, StorageError>
}

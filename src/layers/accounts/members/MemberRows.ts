/** The rows under `Members`: what a storage must do, and nothing that decides. Removed members are never answered. */
import type { Effect } from "effect"
import type { MemberId, TokenId, WorkspaceId } from "../../../domain/Ids.js"
import type { Member } from "../../../domain/Member.js"
import type { StorageError } from "../../../domain/StorageErrors.js"
import type { Changing } from "../../../services/AuditTrail.js"

export interface MemberRows {
  /**
   * Everybody of the workspace, or all operators for null, oldest first. Holds the workspace's lock until the
   * transaction ends, so that changes of members are made one after the other. Null when there is no such workspace.
   */
  readonly lock: (
    workspaceId: WorkspaceId | null
  ) => Effect.Effect<ReadonlyArray<Member> | null, StorageError, Changing>
  readonly insert: (member: Member) => Effect.Effect<void, StorageError, Changing>
  /** Writes name, role and identity. The tokens by which the member acts get the name and the role's scopes. */
  readonly update: (member: Member) => Effect.Effect<void, StorageError, Changing>
  /** Ends the member, the tokens by which they act, their sessions and their links. */
  readonly remove: (memberId: MemberId, now: number) => Effect.Effect<void, StorageError, Changing>
  /** Whether they are a member; then they stay one until the transaction ends. */
  readonly stays: (memberId: MemberId) => Effect.Effect<boolean, StorageError, Changing>
  /** The tokens that the member made or let in, and that are not revoked. */
  readonly tokensMade: (memberId: MemberId) => Effect.Effect<ReadonlyArray<TokenId>, StorageError, Changing>
  readonly list: (workspaceId: WorkspaceId | null) => Effect.Effect<ReadonlyArray<Member>, StorageError>
  readonly get: (memberId: MemberId) => Effect.Effect<Member | null, StorageError>
  /** Those bound to the identity, and those bound to none that have the e-mail address; oldest first. */
  readonly ofIdentity: (identity: string, email: string | null) => Effect.Effect<ReadonlyArray<Member>, StorageError>
}

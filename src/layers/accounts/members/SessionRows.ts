/** The rows under `Sessions`: what a storage must do, and nothing that decides. Removed members have none. */
import type { Effect } from "effect"
import type { MemberId, SessionId, TokenId, WorkspaceId } from "../../../domain/Ids.js"
import type { Member } from "../../../domain/Member.js"
import type { Scope } from "../../../domain/Scope.js"
import type { StorageError } from "../../../domain/StorageErrors.js"
import type { Principal } from "../../../services/Accounts.js"
import type { Changing } from "../../../services/AuditTrail.js"

export interface LinkRow {
  readonly digest: Uint8Array
  readonly memberId: MemberId
  readonly createdAt: number
  readonly expiresAt: number
}

export interface SessionRow {
  readonly sessionId: SessionId
  readonly digest: Uint8Array
  readonly memberId: MemberId
  readonly createdAt: number
  /** When it ends unless another request comes. */
  readonly expiresAt: number
  /** When it ends in any case. */
  readonly endsAt: number
}

/** A token without a usable secret, by which a member acts in a workspace. */
export interface ActingToken {
  readonly tokenId: TokenId
  /** Of no token that anybody knows. */
  readonly digest: Uint8Array
  readonly memberId: MemberId
  readonly workspaceId: WorkspaceId
  readonly label: string
  readonly scopes: ReadonlyArray<Scope>
  readonly createdAt: number
}

export interface SessionRows {
  /** Also drops links that are over. */
  readonly insertLink: (link: LinkRow) => Effect.Effect<void, StorageError, Changing>
  /** The member of a link that is neither used nor over. */
  readonly linkedMember: (digest: Uint8Array, now: number) => Effect.Effect<Member | null, StorageError>
  /** The same, and the link is gone: of two at once, one gets the member. */
  readonly takeLink: (digest: Uint8Array, now: number) => Effect.Effect<Member | null, StorageError, Changing>
  /** Also drops sessions that are over. */
  readonly insert: (session: SessionRow) => Effect.Effect<void, StorageError, Changing>
  /** A session that is not over, with its member. */
  readonly byDigest: (
    digest: Uint8Array,
    now: number
  ) => Effect.Effect<{ readonly session: SessionRow; readonly member: Member } | null, StorageError>
  readonly extend: (sessionId: SessionId, expiresAt: number) => Effect.Effect<void, StorageError>
  readonly endByDigest: (digest: Uint8Array) => Effect.Effect<void, StorageError, Changing>
  /** Whether it was there. */
  readonly end: (sessionId: SessionId) => Effect.Effect<boolean, StorageError, Changing>
  /** All sessions of the member, and all unused links; answers how many sessions. */
  readonly endAll: (memberId: MemberId) => Effect.Effect<number, StorageError, Changing>
  /**
   * The member's own token in a workspace as a caller, made of `token` where there is none yet. Null when there is no
   * such workspace or member.
   */
  readonly acting: (token: ActingToken) => Effect.Effect<Principal | null, StorageError>
}

/**
 * The people of a workspace (owners and members) and the operators of the gateway. `workspaceId` null names the
 * operators. Every change is made under the lock of its workspace, and decides there who may make it: an owner of the
 * workspace, an operator, or the command line (`Forbidden` for all others). Holds on every node from the next request.
 */
import { Context, type Effect } from "effect"
import type { Forbidden, NotFound, ValidationError } from "../domain/ApiErrors.js"
import type { Actor, Origin } from "../domain/AuditEntry.js"
import type { MemberId, TokenId, WorkspaceId } from "../domain/Ids.js"
import type { Member, Role } from "../domain/Member.js"
import type { StorageError } from "../domain/StorageErrors.js"

type ChangeError = Forbidden | NotFound | ValidationError | StorageError

export interface NewMember {
  readonly workspaceId: WorkspaceId | null
  readonly name: string
  /** `operator` where `workspaceId` is null, and nowhere else; anything else is a `ValidationError`. */
  readonly role: Role
  readonly email: string | null
}

export interface RemovedMember {
  readonly member: Member
  /** Tokens that they made or let in and that still worked: revoked with them when that was asked for. */
  readonly tokens: ReadonlyArray<TokenId>
  readonly revoked: boolean
}

export class Members extends Context.Tag("gateway/services/Members")<
  Members,
  {
    /** A `ValidationError` where the name or e-mail address is taken in the workspace, or it has too many people. */
    readonly add: (member: NewMember, by: Actor) => Effect.Effect<Member, ChangeError>
    readonly rename: (
      workspaceId: WorkspaceId | null,
      memberId: MemberId,
      name: string,
      by: Actor
    ) => Effect.Effect<Member, ChangeError>
    /** Owner or member. The last owner stays one, unless an operator or the command line says otherwise. */
    readonly setRole: (
      workspaceId: WorkspaceId,
      memberId: MemberId,
      role: Role,
      by: Actor
    ) => Effect.Effect<Member, ChangeError>
    /**
     * Ends their sessions and sign-in links. Tokens that they made or let in go on working unless `revokeTokens` says
     * otherwise; the answer names them. The last owner stays, unless an operator or the command line removes them.
     */
    readonly remove: (
      workspaceId: WorkspaceId | null,
      memberId: MemberId,
      options: { readonly revokeTokens: boolean },
      by: Actor
    ) => Effect.Effect<RemovedMember, ChangeError>
    /** Oldest first. */
    readonly list: (workspaceId: WorkspaceId | null) => Effect.Effect<ReadonlyArray<Member>, StorageError>
    readonly get: (
      workspaceId: WorkspaceId | null,
      memberId: MemberId
    ) => Effect.Effect<Member, NotFound | StorageError>
    /**
     * The memberships of a person whom an OpenID provider has named, oldest first: those that are bound to them, and
     * those that nobody is bound to and that have the e-mail address, which must be a verified one (null where it is
     * not). The latter are bound from then on, so that the address alone opens them to nobody else.
     */
    readonly ofIdentity: (
      person: { readonly issuer: string; readonly subject: string; readonly verifiedEmail: string | null },
      origin: Origin
    ) => Effect.Effect<ReadonlyArray<Member>, StorageError>
  }
>() {}

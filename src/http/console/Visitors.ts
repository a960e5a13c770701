/**
 * Who visits a page: the session behind a cookie, and the caller as whom a session acts on a workspace. Pages know
 * nothing of cookies.
 */
import { Context, Effect, type Redacted } from "effect"
import { NotFound } from "../../domain/ApiErrors.js"
import type { WorkspaceId } from "../../domain/Ids.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import type { Principal } from "../../services/Accounts.js"

export type Role = "member" | "owner" | "operator"

export interface Session {
  readonly sessionId: string
  readonly memberId: string
  readonly name: string
  readonly role: Role
  /** Null for an operator, who may open every workspace. */
  readonly workspaceId: WorkspaceId | null
  /** Comes back with every form of the session. */
  readonly csrf: string
  readonly createdAt: number
  readonly expiresAt: number
}

export class Visitors extends Context.Reference<Visitors>()("gateway/http/console/Visitors", {
  defaultValue: (): {
    /** The name of the cookie that holds the session's secret. */
    readonly cookie: string
    /** Null when there is no such session, or it is over. */
    readonly session: (secret: Redacted.Redacted<string>) => Effect.Effect<Session | null, StorageError>
    /** `NotFound` when the session may not act on this workspace, or there is no such workspace. */
    readonly principal: (
      session: Session,
      workspaceId: WorkspaceId
    ) => Effect.Effect<Principal, NotFound | StorageError>
  } => ({
    cookie: "gateway_session",
    session: () => Effect.succeed(null),
    principal: (_, workspaceId) => Effect.fail(new NotFound({ what: "workspace", id: workspaceId }))
  })
}) {}

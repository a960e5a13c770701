/**
 * Logins from a command line that a person approves in a browser. The token is made by the client and only its digest
 * is known here: once approved it works like any other token, once denied it answers `token_revoked`.
 */
import { Context, type Effect } from "effect"
import type { Actor } from "../domain/AuditEntry.js"
import type { Forbidden, NotFound, ValidationError } from "../domain/ApiErrors.js"
import type { ApprovalId } from "../domain/Ids.js"
import type { LoginStatus } from "../domain/LoginApproval.js"
import type { Scope } from "../domain/Scope.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { Principal } from "./Accounts.js"

export interface LoginRequest {
  /** SHA-256 of the token, in hex. */
  readonly digest: string
  readonly label: string
  readonly scopes: ReadonlyArray<Scope>
  /** When the token is to expire, once approved no later than the approver's; null for never. */
  readonly tokenExpiresAt: number | null
}

export interface LoginApproval extends Omit<LoginRequest, "digest"> {
  readonly approvalId: ApprovalId
  /** Shown on both sides, so that a person can see that they approve their own login. */
  readonly userCode: string
  readonly status: LoginStatus
  readonly createdAt: number
  /** When the approval can no longer be given. */
  readonly expiresAt: number
}

export class LoginApprovals extends Context.Tag("gateway/services/LoginApprovals")<
  LoginApprovals,
  {
    /** Needs nobody's token. `ValidationError` for a digest that is no SHA-256 or was used before. */
    readonly create: (request: LoginRequest) => Effect.Effect<LoginApproval, ValidationError | StorageError>
    /** `NotFound` also a day after it is over. */
    readonly get: (approvalId: string) => Effect.Effect<LoginApproval, NotFound | StorageError>
    /**
     * Lets the token into the workspace of the one who approves, and never with more scopes (`Forbidden`). Where `by`
     * is a person, the token has no parent. Where it is a token, the new one is its child (domain/TokenLine), and not
     * at the end of too long a line (`ValidationError`). Deciding the same twice is the same as once; otherwise a
     * decided or expired one is a `ValidationError`.
     */
    readonly approve: (
      approvalId: string,
      approver: Principal,
      by: Actor
    ) => Effect.Effect<LoginApproval, NotFound | Forbidden | ValidationError | StorageError>
    readonly deny: (
      approvalId: string,
      approver: Principal,
      by: Actor
    ) => Effect.Effect<LoginApproval, NotFound | ValidationError | StorageError>
  }
>() {}

/**
 * Logins from a command line or a device that a person approves in a browser. Only the digest of the token is known
 * here: once approved it works like any other token, once denied it answers `token_revoked`. A client makes its token
 * itself, or it gets one for a device code (RFC 8628), of which only the digest is known here too.
 */
import { Context, type Effect, type Redacted } from "effect"
import type { Actor } from "../domain/AuditEntry.js"
import type { Forbidden, NotFound, ValidationError } from "../domain/ApiErrors.js"
import type { DeviceRefused } from "../domain/DeviceGrant.js"
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

export interface DeviceLogin {
  readonly login: LoginApproval
  /** Known to the device alone. Whoever has it gets the token once a person has approved the login. */
  readonly deviceCode: Redacted.Redacted
}

export interface DeviceToken {
  readonly token: Redacted.Redacted
  readonly scopes: ReadonlyArray<Scope>
  /** Null for never. */
  readonly expiresAt: number | null
}

export class LoginApprovals extends Context.Tag("gateway/services/LoginApprovals")<
  LoginApprovals,
  {
    /** Needs nobody's token. `ValidationError` for a digest that is no SHA-256 or was used before. */
    readonly create: (request: LoginRequest) => Effect.Effect<LoginApproval, ValidationError | StorageError>
    /** The same for a device, which is told its token by `redeem`. The token never ends by itself. */
    readonly createForDevice: (
      request: Pick<LoginRequest, "label" | "scopes">
    ) => Effect.Effect<DeviceLogin, ValidationError | StorageError>
    /** The token of a device code, once its login, which has this label, was approved. `DeviceRefused` until then. */
    readonly redeem: (
      deviceCode: Redacted.Redacted,
      label: string
    ) => Effect.Effect<DeviceToken, DeviceRefused | StorageError>
    /** The login of a device by its code, as it is shown. */
    readonly byUserCode: (userCode: string) => Effect.Effect<LoginApproval, NotFound | StorageError>
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

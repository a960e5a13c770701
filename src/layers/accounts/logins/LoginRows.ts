/** The rows under login approvals: what a storage must do, and nothing that decides. */
import type { Effect } from "effect"
import type { StorageError } from "../../../domain/StorageErrors.js"
import type { Changing } from "../../../services/AuditTrail.js"
import type { NewToken } from "../../../services/Accounts.js"
import type { LoginApproval } from "../../../services/LoginApprovals.js"
import type { DevicePolling } from "../../../domain/DeviceGrant.js"
import type { LoginDecision } from "../../../domain/LoginApproval.js"
import type { MemberId, TokenId } from "../../../domain/Ids.js"
import type { MemberRows } from "../members/MemberRows.js"

/** Of a login that a device began. */
export interface Device extends DevicePolling {
  /** SHA-256 of the device code, in hex. */
  readonly digest: string
  /** In hex. Makes the token out of the device code. */
  readonly salt: string
}

export interface LoginRow extends LoginApproval {
  /** In hex. */
  readonly digest: string
  readonly device: Device | null
}

/** The token that a decision brings: live, or born revoked. */
export interface DecidedToken extends NewToken {
  readonly tokenId: TokenId
  readonly digest: string
  readonly ancestors: ReadonlyArray<TokenId>
  readonly createdAt: number
  readonly revokedAt: number | null
  /** The member who decided; null when a token did. */
  readonly madeBy: MemberId | null
}

export interface LoginRows {
  /**
   * False when one of its digests, or the user code of a device, was used before. Also drops what was over before
   * `droppedBefore`.
   */
  readonly insert: (row: LoginRow, droppedBefore: number) => Effect.Effect<boolean, StorageError>
  readonly get: (approvalId: string) => Effect.Effect<LoginRow | null, StorageError>
  /** Only that of a device. */
  readonly byUserCode: (userCode: string) => Effect.Effect<LoginRow | null, StorageError>
  /**
   * Decides under the row's lock what a device is answered, and writes what it says of the device's polling. `now` is
   * the storage's clock, which all nodes share. Null when no login has this digest of a device code.
   */
  readonly poll: <A>(
    deviceDigest: string,
    decide: (row: LoginRow, device: Device, now: number) => { readonly answer: A; readonly polling: DevicePolling }
  ) => Effect.Effect<A | null, StorageError>
  readonly memberStays: MemberRows["stays"]
  /**
   * Decides under the row's lock, and writes the status, the token and when it ends together; a null decision writes
   * nothing. Null when there is no such row.
   */
  readonly decide: <E>(
    approvalId: string,
    decide: (
      row: LoginRow
    ) => Effect.Effect<{ readonly decision: LoginDecision; readonly token: DecidedToken } | null, E, Changing>
  ) => Effect.Effect<{ readonly row: LoginRow; readonly token: DecidedToken | null } | null, E | StorageError, Changing>
}

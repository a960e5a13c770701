/** The rows under login approvals: what a storage must do, and nothing that decides. */
import type { Effect } from "effect"
import type { StorageError } from "../../../domain/StorageErrors.js"
import type { Changing } from "../../../services/AuditTrail.js"
import type { NewToken } from "../../../services/Accounts.js"
import type { LoginApproval } from "../../../services/LoginApprovals.js"
import type { LoginDecision } from "../../../domain/LoginApproval.js"
import type { MemberId, TokenId } from "../../../domain/Ids.js"

export interface LoginRow extends LoginApproval {
  /** In hex. */
  readonly digest: string
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
  /** False when the digest was used before. Also drops what was over before `droppedBefore`. */
  readonly insert: (row: LoginRow, droppedBefore: number) => Effect.Effect<boolean, StorageError>
  readonly get: (approvalId: string) => Effect.Effect<LoginRow | null, StorageError>
  /**
   * Decides under the row's lock, and writes the status, the token and when it ends together; a null decision writes
   * nothing. Null when there is no such row.
   */
  readonly decide: <E>(
    approvalId: string,
    decide: (
      row: LoginRow
    ) => Effect.Effect<{ readonly decision: LoginDecision; readonly token: DecidedToken } | null, E>
  ) => Effect.Effect<{ readonly row: LoginRow; readonly token: DecidedToken | null } | null, E | StorageError, Changing>
}

/** The rows under `Tokens`: what its storages must do, and nothing that decides what a token may do. */
import type { Effect } from "effect"
import type { MemberId, TokenId, WorkspaceId } from "../../../domain/Ids.js"
import type { Micros } from "../../../domain/Micros.js"
import type { StorageError } from "../../../domain/StorageErrors.js"
import type { Changing } from "../../../services/AuditTrail.js"
import type { Token } from "../../../services/Tokens.js"
import type { PageRequest } from "../../../domain/Page.js"
import type { MemberRows } from "../members/MemberRows.js"

export interface OwnTokenRow extends Omit<Token, "monthSpendMicros"> {
  /** When it was revoked itself. */
  readonly revokedAt: number | null
  /** When the first of its ancestors was revoked. */
  readonly aboveRevokedAt: number | null
  readonly ancestors: ReadonlyArray<TokenId>
  readonly operator: boolean
  readonly spendMonth: string
  readonly spentMicros: Micros
  /** The storage's clock. */
  readonly now: number
}

/** What stands above a token: when the first of its ancestors ends, and the lowest of their monthly limits. */
export interface AboveToken {
  readonly expiresAt: number | null
  readonly limitMicros: Micros | null
}

export interface ChildToken {
  readonly tokenId: TokenId
  readonly workspaceId: WorkspaceId
  readonly label: string
  readonly scopes: Token["scopes"]
  readonly monthlyLimitMicros: Micros | null
  readonly expiresAt: number | null
  readonly ancestors: ReadonlyArray<TokenId>
  readonly digest: Uint8Array
  readonly createdAt: number
  readonly madeBy: MemberId | null
}

export interface TokenRows {
  /** Newest first, one more than the limit where there are more. Without the tokens by which members act. */
  readonly newest: (
    workspaceId: WorkspaceId,
    page: PageRequest
  ) => Effect.Effect<ReadonlyArray<OwnTokenRow>, StorageError>
  readonly get: (workspaceId: WorkspaceId, tokenId: TokenId) => Effect.Effect<OwnTokenRow | null, StorageError>
  /** Locks the workspace's wallet first, as a run does, and reads the token. */
  readonly lock: (
    workspaceId: WorkspaceId,
    tokenId: TokenId
  ) => Effect.Effect<OwnTokenRow | null, StorageError, Changing>
  /** Of these tokens together. */
  readonly above: (
    workspaceId: WorkspaceId,
    tokenIds: ReadonlyArray<TokenId>
  ) => Effect.Effect<AboveToken, StorageError>
  readonly memberStays: MemberRows["stays"]
  readonly insert: (token: ChildToken) => Effect.Effect<void, StorageError, Changing>
  /** Also lets the tokens that come from it end no later. */
  readonly update: (
    workspaceId: WorkspaceId,
    tokenId: TokenId,
    token: Pick<Token, "label" | "monthlyLimitMicros" | "expiresAt">
  ) => Effect.Effect<void, StorageError, Changing>
  /** The secrets until now work `overlapSeconds` longer, at most. */
  readonly rotate: (
    workspaceId: WorkspaceId,
    tokenId: TokenId,
    digest: Uint8Array,
    overlapSeconds: number
  ) => Effect.Effect<void, StorageError, Changing>
}

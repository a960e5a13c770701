/**
 * The tokens of a workspace, managed by its owners and by tokens with the scope `account:manage`. A token never makes,
 * changes or renews one that may do more than itself. What it makes is its child (domain/TokenLine); what a person
 * makes has no parent. Tokens by which members act in the console are no part of this.
 */
import { Context, type Effect, type Redacted } from "effect"
import type { Forbidden, NotFound, ValidationError } from "../domain/ApiErrors.js"
import type { Actor } from "../domain/AuditEntry.js"
import type { TokenId, WorkspaceId } from "../domain/Ids.js"
import type { Micros } from "../domain/Micros.js"
import type { Page, PageRequest } from "../domain/Page.js"
import type { Scope } from "../domain/Scope.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { Principal } from "./Accounts.js"

export interface Token {
  readonly tokenId: TokenId
  readonly label: string
  readonly scopes: ReadonlyArray<Scope>
  readonly createdAt: number
  /** Written up to a minute after the use. Null: not yet. */
  readonly lastUsedAt: number | null
  readonly expiresAt: number | null
  /** When it was revoked, or a token that it comes from. Null: not. */
  readonly revokedAt: number | null
  readonly monthlyLimitMicros: Micros | null
  /** Charges and open holds of the current calendar month (UTC). */
  readonly monthSpendMicros: Micros
}

export interface AskedToken {
  readonly label: string
  readonly scopes: ReadonlyArray<Scope>
  /** Null: none, which a caller with a limit cannot give. Left out: none of its own; it shares the caller's. */
  readonly monthlyLimitMicros?: Micros | null
  /** Null: never, which a caller that ends cannot give. Left out: when the caller's own ends. */
  readonly expiresAt?: number | null
}

/** A token with a new secret. */
export interface ShownToken {
  readonly token: Token
  /** Shown once, never stored. */
  readonly secret: Redacted.Redacted<string>
}

/** What of a caller decides whether they may renew a token. */
export type TokenKeeper = Pick<Principal, "ancestors" | "operator" | "scopes" | "tokenId" | "workspaceId">

type ChangeError = Forbidden | NotFound | ValidationError | StorageError

export class Tokens extends Context.Tag("gateway/services/Tokens")<
  Tokens,
  {
    /** Newest first, revoked ones too; the sort key is the token id. */
    readonly list: (workspaceId: WorkspaceId, page: PageRequest) => Effect.Effect<Page<Token>, StorageError>
    readonly get: (workspaceId: WorkspaceId, tokenId: TokenId) => Effect.Effect<Token, NotFound | StorageError>
    /** Each call makes another token: a secret that was not received cannot be shown again. */
    readonly create: (
      caller: Principal,
      asked: AskedToken,
      by: Actor
    ) => Effect.Effect<ShownToken, Exclude<ChangeError, NotFound>>
    /**
     * Members that are left out stay. The tokens that come from it end with it. `ValidationError` for a token that is
     * revoked, or comes from one that is. One whose time is over can get a later end.
     */
    readonly change: (
      caller: Principal,
      tokenId: TokenId,
      changes: Partial<Pick<AskedToken, "label" | "monthlyLimitMicros" | "expiresAt">>,
      by: Actor
    ) => Effect.Effect<Token, ChangeError>
    /** From the next request on, with every token that comes from it. Twice is the same as once. */
    readonly revoke: (
      caller: Principal,
      tokenId: TokenId,
      by: Actor
    ) => Effect.Effect<void, Forbidden | NotFound | StorageError>
    /**
     * Gives the token a new secret. The old one, and those before it, work for `overlapSeconds` more and no longer.
     * Each call gives another secret. `ValidationError` for a token that would not work with it: it is revoked, or its
     * time is over, or that of a token that it comes from.
     */
    readonly rotate: (
      caller: TokenKeeper,
      tokenId: TokenId,
      overlapSeconds: number,
      by: Actor
    ) => Effect.Effect<ShownToken, ChangeError>
  }
>() {}

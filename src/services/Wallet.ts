/**
 * The prepaid balance of each workspace: double entry, append-only. Every change of money is one transaction with its
 * ledger entries. `lock` and `write` are the two halves of a money transaction (read under lock, decide in the domain,
 * write once) and must be called inside one; the others stand alone.
 */
import { Context, type Effect } from "effect"
import type { Spends, WalletState, TokenSpend } from "../domain/Admission.js"
import type { Actor } from "../domain/AuditEntry.js"
import type { RunId, TokenId, TopUpId, WorkspaceId } from "../domain/Ids.js"
import type { Balance, LedgerEntry, Posting } from "../domain/Ledger.js"
import type { LedgerFilter } from "../domain/LedgerList.js"
import type { LedgerVerification } from "../domain/LedgerVerification.js"
import type { Micros } from "../domain/Micros.js"
import type { TokenLine } from "../domain/TokenLine.js"
import type { NotFound, ValidationError } from "../domain/ApiErrors.js"
import type { StorageError } from "../domain/StorageErrors.js"
import type { Page, PageRequest } from "../domain/Page.js"

/** One workspace and one of its tokens. */
export interface Spender {
  readonly workspaceId: WorkspaceId
  readonly tokenId: TokenId
}

/** What `lock` read. A spender whose workspace or token does not exist is absent. */
export interface LockedWallets {
  readonly walletStates: ReadonlyMap<WorkspaceId, WalletState>
  /** Of the tokens of the spenders and of all that these come from. */
  readonly spends: ReadonlyMap<TokenId, TokenSpend>
  /** The workspace of each token of `spends`. */
  readonly owners: ReadonlyMap<TokenId, WorkspaceId>
  /** Of each token of a spender: itself, the token that let it in, and so on to the first. */
  readonly lines: ReadonlyMap<TokenId, TokenLine>
  /** The storage's clock, which all nodes share: windows, months and entries go by it. */
  readonly now: number
}

/** What decides about the runs of one spender, read at one moment without a lock. */
export interface WalletReading {
  readonly walletState: WalletState
  readonly spends: Spends
  /** The storage's clock. */
  readonly now: number
}

export interface WalletChanges {
  readonly walletStates: ReadonlyMap<WorkspaceId, WalletState>
  readonly spends: ReadonlyMap<TokenId, TokenSpend>
  /** As `lock` answered it. */
  readonly owners: ReadonlyMap<TokenId, WorkspaceId>
  /** In the order in which they happened. */
  readonly postings: ReadonlyArray<{ readonly workspaceId: WorkspaceId; readonly posting: Posting }>
  readonly now: number
}

export interface Credit {
  readonly workspaceId: WorkspaceId
  readonly kind: "top_up" | "adjustment"
  /** Negative takes money back, for adjustments only. */
  readonly micros: number
  readonly reason: string | null
  readonly topUpId: TopUpId | null
  /** The same key credits once, however often it comes. */
  readonly key: string
}

export interface HoldRow {
  readonly runId: RunId
  readonly amountMicros: Micros
  readonly createdAt: number
}

export interface Overview {
  readonly balance: Balance
  /** Newest first. */
  readonly holds: ReadonlyArray<HoldRow>
}

/** What a credit would come to. */
export interface Foreseen {
  readonly before: Balance
  readonly after: Balance
  /** Whether its key has credited it before: then it changes nothing. */
  readonly used: boolean
}

export class Wallet extends Context.Tag("gateway/services/Wallet")<
  Wallet,
  {
    /** Locks the wallets in a fixed order and reads them. Joins the surrounding transaction. */
    readonly lock: (spenders: ReadonlyArray<Spender>) => Effect.Effect<LockedWallets, StorageError>
    /** Reads in one statement what `lock` reads, without a lock. The workspace and the token must be there. */
    readonly read: (spender: Spender) => Effect.Effect<WalletReading, StorageError>
    /** Writes what was decided under the lock. Joins the surrounding transaction. */
    readonly write: (changes: WalletChanges) => Effect.Effect<void, StorageError>
    /** Adds (or, as an adjustment, takes back) money. `ValidationError` when it would leave less than zero. */
    readonly credit: (credit: Credit, by: Actor) => Effect.Effect<Balance, NotFound | ValidationError | StorageError>
    /** What `credit` would do or refuse now, with nothing written. A key of null is one that nobody has used. */
    readonly foresee: (
      credit: Omit<Credit, "key"> & { readonly key: string | null }
    ) => Effect.Effect<Foreseen, NotFound | ValidationError | StorageError>
    /** Locks the wallet and reads it. Joins the surrounding transaction. */
    readonly lockBalance: (workspaceId: WorkspaceId) => Effect.Effect<Balance, NotFound | StorageError>
    readonly balance: (workspaceId: WorkspaceId) => Effect.Effect<Balance, NotFound | StorageError>
    /** The balance with the newest open holds, at most `holdsShownMax`, as they were at one moment. */
    readonly overview: (workspaceId: WorkspaceId) => Effect.Effect<Overview, NotFound | StorageError>
    /** Newest first; the sort key is `entryKey` of `LedgerList.ts`. */
    readonly entries: (
      workspaceId: WorkspaceId,
      filter: LedgerFilter,
      page: PageRequest
    ) => Effect.Effect<Page<LedgerEntry>, StorageError>
    /** Recomputes every balance and hold, the money of every run and the spend of every token from entries and runs. */
    readonly verify: Effect.Effect<LedgerVerification, StorageError>
  }
>() {}

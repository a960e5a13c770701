/** The rows under `Wallet`: what its storages must do, and nothing that decides about money. */
import type { Effect } from "effect"
import type { WalletState } from "../../../domain/Admission.js"
import type { TokenId, WorkspaceId } from "../../../domain/Ids.js"
import type { Balance, LedgerEntry } from "../../../domain/Ledger.js"
import type { EntryPlace, LedgerFilter } from "../../../domain/LedgerList.js"
import type { LedgerVerification } from "../../../domain/LedgerVerification.js"
import type { Micros } from "../../../domain/Micros.js"
import type { StorageError } from "../../../domain/StorageErrors.js"
import type { Changing } from "../../../services/AuditTrail.js"
import type { Credit, Overview, Spender, WalletChanges } from "../../../services/Wallet.js"

/** A wallet with one of the tokens that a run of the spender's token counts against: one row for each of these. */
export interface WalletRow extends Omit<WalletState, "balance" | "inflightLimit"> {
  readonly workspaceId: WorkspaceId
  readonly available: Micros
  readonly reserved: Micros
  /** Null: the gateway's own default counts. */
  readonly inflightLimit: number | null
  readonly tokenId: TokenId
  readonly ancestors: ReadonlyArray<TokenId>
  /** The token of the spender, or one that it comes from. */
  readonly spenderId: TokenId
  readonly limitMicros: Micros | null
  readonly spendMonth: string
  readonly spentMicros: Micros
  /** The storage's clock. */
  readonly now: number
}

/** An entry with its place among those of its workspace. */
export interface EntryRow extends LedgerEntry {
  readonly seq: number
}

export interface Credited {
  readonly before: Balance
  readonly after: Balance
  /** Null when it was written now. Else what the earlier credit of this key credited, and nothing was written. */
  readonly earlierMicros: number | null
}

export interface WalletRows {
  /**
   * Reads spenders in one statement. `for_update` locks the wallets and tokens in a fixed order. A spender whose
   * workspace or token does not exist has no row.
   */
  readonly spenders: (
    spenders: ReadonlyArray<Spender>,
    lock: "for_update" | "none"
  ) => Effect.Effect<ReadonlyArray<WalletRow>, StorageError>
  /** Entries in the order in which they happened, and wallets and tokens as they are after them. */
  readonly write: (
    entries: ReadonlyArray<LedgerEntry>,
    after: Pick<WalletChanges, "walletStates" | "spends" | "owners">
  ) => Effect.Effect<void, StorageError>
  /**
   * Locks a wallet, and writes the credit that is decided on it, once for each key: null when there is no such wallet,
   * and the balance as it is, before and after, when the key was used before. `now` is the storage's clock under the
   * lock.
   */
  readonly credit: <E>(
    credit: Pick<Credit, "key" | "micros" | "workspaceId">,
    decide: (
      before: Balance,
      now: number
    ) => Effect.Effect<{ readonly entry: LedgerEntry; readonly balance: Balance }, E>
  ) => Effect.Effect<Credited | null, E | StorageError, Changing>
  /** What the credit of a key credited; null where none has it. */
  readonly credited: (credit: Pick<Credit, "key" | "workspaceId">) => Effect.Effect<number | null, StorageError>
  /** Locks the wallet until the surrounding transaction ends. */
  readonly lockBalance: (workspaceId: WorkspaceId) => Effect.Effect<Balance | null, StorageError>
  /** A balance and its newest `holdsShownMax` holds as they were at one moment; null when there is no such wallet. */
  readonly overview: (workspaceId: WorkspaceId) => Effect.Effect<Overview | null, StorageError>
  /** In the order of `LedgerList`, behind the place `after`, at most `limit`. */
  readonly entries: (
    workspaceId: WorkspaceId,
    filter: LedgerFilter,
    page: { readonly after: EntryPlace | null; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<EntryRow>, StorageError>
  readonly verify: Effect.Effect<LedgerVerification, StorageError>
}

/**
 * Double entry: every movement of money is a transfer between two accounts of one workspace, and a balance is the sum
 * of transfers. This module makes all changes of money, as plain data. Storages only write the result.
 *
 * top_up      funding   -> available        hold     available -> reserved
 * adjustment  funding  <-> available        release  reserved  -> available
 * charge      available -> revenue
 *
 * A settlement releases the whole hold and charges the cost out of it, in one transaction: so every entry touches
 * `available`, and the signed amounts of a workspace always add up to its available balance.
 */
import { Either, Schema } from "effect"
import { ValidationError } from "./ApiErrors.js"
import { LedgerEntryId, RunId, TopUpId, WorkspaceId } from "./Ids.js"
import { dollars, Micros, SignedMicros } from "./Micros.js"

export const LedgerKind = Schema.Literal("top_up", "hold", "charge", "release", "adjustment").annotations({
  identifier: "LedgerKind",
  description:
    "What the entry is: top_up (money came in), hold (set aside for a run), release (a hold let go), charge (what a run cost), adjustment (made by an operator, or a refund)",
  examples: ["charge"]
})
export type LedgerKind = typeof LedgerKind.Type
export const Account = Schema.Literal("funding", "available", "reserved", "revenue")
export type Account = typeof Account.Type

export const LedgerEntry = Schema.Struct({
  entryId: LedgerEntryId,
  workspaceId: WorkspaceId,
  kind: LedgerKind,
  debit: Account,
  credit: Account,
  /** Signed for `available`. */
  amountMicros: SignedMicros,
  balanceAfterMicros: Micros,
  reservedAfterMicros: Micros,
  runId: Schema.NullOr(RunId),
  topUpId: Schema.NullOr(TopUpId),
  reason: Schema.NullOr(Schema.String),
  createdAt: Schema.Int
})
export type LedgerEntry = typeof LedgerEntry.Type

/** The two balances that a workspace can see. */
export interface Balance {
  readonly availableMicros: Micros
  readonly reservedMicros: Micros
}

/** The key of a credit that an operator made: with a prefix, so that nothing that is typed is the key of a top-up. */
export const operatorCreditKey = (typed: string): string => `operator:${typed}`

export interface Transfer {
  readonly kind: LedgerKind
  /** The amount that moves. It is negative only for an adjustment that takes money back. */
  readonly micros: number
  readonly runId: RunId | null
  readonly topUpId: TopUpId | null
  readonly reason: string | null
}

/** An entry that has no id and no time yet. */
export type Posting = Omit<LedgerEntry, "entryId" | "workspaceId" | "createdAt">

/** How a transfer of each kind moves the two balances, per micro of its amount, and between which accounts. */
const accounts: {
  readonly [Kind in LedgerKind]: {
    readonly debit: Account
    readonly credit: Account
    readonly available: 1 | -1
    readonly reserved: 1 | -1 | 0
  }
} = {
  top_up: { debit: "funding", credit: "available", available: 1, reserved: 0 },
  adjustment: { debit: "funding", credit: "available", available: 1, reserved: 0 },
  hold: { debit: "available", credit: "reserved", available: -1, reserved: 1 },
  release: { debit: "reserved", credit: "available", available: 1, reserved: -1 },
  charge: { debit: "available", credit: "revenue", available: -1, reserved: 0 }
}

/** The accounts of an entry, by its kind and its amount with a sign. */
export const accountsOf = (kind: LedgerKind, amountMicros: number): Pick<LedgerEntry, "debit" | "credit"> => {
  const { available, credit, debit } = accounts[kind]
  return available * amountMicros < 0 ? { debit: credit, credit: debit } : { debit, credit }
}

/** The transfer would take a balance below zero or beyond exact integers. Nothing was changed. */
export interface Overdrawn {
  readonly _tag: "Overdrawn"
  readonly balance: Balance
}

export const post = (
  balance: Balance,
  transfer: Transfer
): Either.Either<{ readonly balance: Balance; readonly posting: Posting }, Overdrawn> => {
  const sides = accounts[transfer.kind]
  const amountMicros = sides.available * transfer.micros
  const available = balance.availableMicros + amountMicros
  const reserved = balance.reservedMicros + sides.reserved * transfer.micros
  const allowed = Number.isSafeInteger(transfer.micros) && (transfer.kind === "adjustment" || transfer.micros >= 0)
  if (
    !allowed ||
    !Number.isSafeInteger(available) ||
    !Number.isSafeInteger(reserved) ||
    available < 0 ||
    reserved < 0
  ) {
    return Either.left({ _tag: "Overdrawn", balance })
  }
  const after: Balance = { availableMicros: Micros.make(available), reservedMicros: Micros.make(reserved) }
  return Either.right({
    balance: after,
    posting: {
      kind: transfer.kind,
      ...accountsOf(transfer.kind, amountMicros),
      amountMicros,
      balanceAfterMicros: after.availableMicros,
      reservedAfterMicros: after.reservedMicros,
      runId: transfer.runId,
      topUpId: transfer.topUpId,
      reason: transfer.reason
    }
  })
}

/** What a credit makes of a balance. */
export const credited = (
  balance: Balance,
  { kind, micros, reason, topUpId }: Omit<Transfer, "runId">
): Either.Either<{ readonly balance: Balance; readonly posting: Posting }, ValidationError> => {
  const posted = post(balance, { kind, micros, runId: null, topUpId, reason })
  if (micros === 0) return Either.left(ValidationError.of("amount", "must not be 0"))
  return Either.mapLeft(posted, () =>
    ValidationError.of(
      "amount",
      micros < 0
        ? `must not take more than the ${dollars(balance.availableMicros)} that are available`
        : "must leave a balance below 9 billion dollars"
    )
  )
}

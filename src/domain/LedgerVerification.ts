/**
 * The check of all money: it compares the sums of the ledger's entries and of the runs with what is stored, also for
 * reports. A storage finds the differences. This module decides how much money a difference is and how a message
 * describes it.
 */
import { Schema } from "effect"
import { dayStart } from "./Days.js"
import { ExactNumber } from "./ExactNumber.js"

// Ids are told as they are stored: in a row that was changed, they may be any text.
const workspaceId = Schema.String

// An amount in a changed row may be beyond exact integers. It is told as near as a number can.
const micros = Schema.transform(Schema.Union(Schema.Finite, Schema.instanceOf(ExactNumber)), Schema.Finite, {
  strict: true,
  decode: (amount) => (typeof amount === "number" ? amount : Number(amount.literal)),
  encode: (amount) => amount
})
const Balances = Schema.Struct({ available: micros, reserved: micros })
const RunMoney = Schema.Struct({ held: micros, released: micros, charged: micros })

/** A workspace whose stored balances or stored count of runs in flight differ from its entries and runs. */
const WorkspaceDifference = Schema.TaggedStruct("Workspace", {
  workspaceId,
  /** The sums of its entries. */
  entries: Balances,
  /** The balances that its newest entry left. */
  newest: Balances,
  /** What its runs hold now, and how many are in flight. */
  runs: Schema.Struct({ held: micros, inflight: Schema.Int }),
  stored: Schema.Struct({ ...Balances.fields, inflight: Schema.Int })
})
/** A run whose entries are not its hold, its release and its charge. */
const RunDifference = Schema.TaggedStruct("Run", {
  workspaceId,
  runId: Schema.String,
  entries: RunMoney,
  run: RunMoney
})
/**
 * A token whose stored spend differs from the spend of its runs in its month. The runs of the tokens that it approved
 * count too.
 */
const TokenDifference = Schema.TaggedStruct("Token", {
  workspaceId,
  tokenId: Schema.String,
  month: Schema.String,
  runs: micros,
  stored: micros
})

/** A day of a workspace whose charges are not what the sums of reports say (`services/Reports.ts`). */
const SumsDifference = Schema.TaggedStruct("Sums", {
  workspaceId,
  /** Days since 1970 (UTC). */
  day: Schema.Int,
  entries: micros,
  stored: micros
})

/** A month whose runs are gone, and whose entries are not what they held, released and were charged. */
const MonthDifference = Schema.TaggedStruct("Month", {
  workspaceId,
  month: Schema.String,
  entries: RunMoney,
  runs: RunMoney
})

/** An entry after which the balances are not those of the entry before it and its own amount, or of wrong accounts. */
const EntryDifference = Schema.TaggedStruct("Entry", {
  workspaceId,
  entryId: Schema.String,
  /** Whether it is between the two accounts of its kind. */
  fits: Schema.Boolean,
  /** What its amount adds to each balance. */
  amount: Balances,
  /** What the balances behind it are more than those behind the entry before. */
  balances: Balances
})

const PaidMoney = Schema.Struct({ paid: micros, taken: micros })
/** A top-up whose entries are not what was paid for it and what refunds and disputes took back of it. */
const TopUpDifference = Schema.TaggedStruct("TopUp", {
  workspaceId,
  topUpId: Schema.String,
  entries: PaidMoney,
  stored: PaidMoney,
  /** What its payment says; what the top-up says, where none is stored. */
  payment: micros
})

export const LedgerDifference = Schema.Union(
  WorkspaceDifference,
  RunDifference,
  TokenDifference,
  SumsDifference,
  MonthDifference,
  EntryDifference,
  TopUpDifference
)
export type LedgerDifference = typeof LedgerDifference.Type

/** The result of recomputing everything. `difference` names the first row that does not add up. */
export interface LedgerVerification {
  readonly ok: boolean
  readonly driftMicros: number
  readonly entries: number
  readonly workspaces: number
  readonly difference: string | null
}

const apart = (...pairs: ReadonlyArray<readonly [number, number]>): number =>
  pairs.reduce((sum, [a, b]) => sum + Math.abs(a - b), 0)

/** By how many micros the two sides differ, added up over all compared amounts. */
export const driftOf = (difference: LedgerDifference): number => {
  switch (difference._tag) {
    case "Workspace": {
      const { entries, newest, runs, stored } = difference
      return apart(
        [stored.available, entries.available],
        [stored.reserved, entries.reserved],
        [stored.reserved, runs.held],
        [stored.available, newest.available],
        [stored.reserved, newest.reserved]
      )
    }
    case "Run": {
      const { entries, run } = difference
      return apart([run.held, entries.held], [run.released, entries.released], [run.charged, entries.charged])
    }
    case "Token":
      return apart([difference.stored, difference.runs])
    case "Sums":
      return apart([difference.stored, difference.entries])
    case "Month": {
      const { entries, runs } = difference
      return apart([runs.held, entries.held], [runs.released, entries.released], [runs.charged, entries.charged])
    }
    case "Entry": {
      const { amount, balances } = difference
      return apart([balances.available, amount.available], [balances.reserved, amount.reserved])
    }
    case "TopUp": {
      const { entries, payment, stored } = difference
      return apart([stored.paid, entries.paid], [payment, entries.paid], [stored.taken, entries.taken])
    }
  }
}

/** Whether the two sides differ at all. A wrong count of runs in flight and a wrong account are no money. */
export const differs = (difference: LedgerDifference): boolean =>
  driftOf(difference) !== 0 ||
  (difference._tag === "Workspace" && difference.runs.inflight !== difference.stored.inflight) ||
  (difference._tag === "Entry" && !difference.fits)

export const sayDifference = (difference: LedgerDifference): string => {
  switch (difference._tag) {
    case "Workspace": {
      const { entries, newest, runs, stored, workspaceId } = difference
      return `${workspaceId}: entries give available ${entries.available} and reserved ${entries.reserved}, the newest one leaves ${newest.available} and ${newest.reserved}, runs hold ${runs.held} with ${runs.inflight} in flight; stored are ${stored.available}, ${stored.reserved} and ${stored.inflight} in flight`
    }
    case "Run": {
      const { entries, run, runId, workspaceId } = difference
      return `${runId} of ${workspaceId}: entries hold ${entries.held}, release ${entries.released} and charge ${entries.charged}; the run holds ${run.held}, has released ${run.released} and is charged ${run.charged}`
    }
    case "Token": {
      const { month, runs, stored, tokenId, workspaceId } = difference
      return `${tokenId} of ${workspaceId}: its runs of ${month} come to ${runs}; stored as spent are ${stored}`
    }
    case "Sums": {
      const { day, entries, stored, workspaceId } = difference
      return `${workspaceId}: its charges of ${new Date(dayStart(day)).toISOString().slice(0, 10)} come to ${entries}; reports say ${stored}`
    }
    case "Month": {
      const { entries, month, runs, workspaceId } = difference
      return `${workspaceId}: the entries of its runs of ${month} hold ${entries.held}, release ${entries.released} and charge ${entries.charged}; its runs, which are gone, held ${runs.held}, had released ${runs.released} and were charged ${runs.charged}`
    }
    case "Entry": {
      const { amount, balances, entryId, fits, workspaceId } = difference
      if (!fits) return `${entryId} of ${workspaceId}: the entry is not between the two accounts of its kind`
      return `${entryId} of ${workspaceId}: the entry adds ${amount.available} to available and ${amount.reserved} to reserved; the balances behind it are ${balances.available} and ${balances.reserved} more than behind the entry before`
    }
    case "TopUp": {
      const { entries, payment, stored, topUpId, workspaceId } = difference
      return `${topUpId} of ${workspaceId}: entries add ${entries.paid} and take back ${entries.taken}; paid were ${stored.paid} (${payment} by its payment), and taken back ${stored.taken}`
    }
  }
}

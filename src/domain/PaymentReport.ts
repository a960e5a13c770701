/**
 * What a payment processor reports, and what happens then. Reports come any number of times and in any order, so each
 * decision looks at what is stored, and a report that brings nothing new changes nothing.
 *
 * A top-up is credited once, and only for exactly its amount. A refund or a dispute takes money back. Each of them is
 * an object of the processor, of one payment and one amount, with a state that only moves on: open -> taken ->
 * returned. A balance never goes below zero: what is not there is owed, and later top-ups of the workspace pay it
 * first. Never more is taken back than was paid.
 */
import type { TopUpId, WorkspaceId } from "./Ids.js"
import { Micros, min, sum } from "./Micros.js"
import type { TopUpStatus } from "./TopUp.js"

/** A card that may be charged again without its owner. */
export interface SavedMethod {
  /** The processor's name of it. */
  readonly method: string
  /** When its owner paid with it, by the processor's clock. The same however late and often it is reported. */
  readonly paidAt: number
}

/** A payment was made. */
export interface PaidReport {
  readonly _tag: "Paid"
  readonly topUpId: TopUpId
  /** The processor's name of the payment. */
  readonly reference: string
  /** Null where it is no amount of US dollars. */
  readonly amountMicros: Micros | null
  /** The card that was saved with it; null where none was. */
  readonly savedMethod: SavedMethod | null
}

/** A payment will not be made. */
export interface UnpaidReport {
  readonly _tag: "Unpaid"
  readonly topUpId: TopUpId
  readonly status: "expired" | "failed"
  /** Why an automatic top-up was not paid; null for a checkout. */
  readonly declined: ChargeStop | null
}

/** Why a saved card could not be charged. */
const chargeStops = ["card_declined", "authentication_required", "charge_failed"] as const
export type ChargeStop = (typeof chargeStops)[number]

/** Why automatic top-ups of a workspace have ended. */
export const automaticStops = [...chargeStops, "payment_taken_back"] as const
export type AutomaticStop = (typeof automaticStops)[number]

/** `open`: nothing was taken so far, as with an inquiry. `returned` is final. */
export const reversalStates = ["open", "taken", "returned"] as const
export type ReversalState = (typeof reversalStates)[number]

/** A refund or a dispute of a payment. */
export interface ReversalReport {
  readonly _tag: "TakenBack"
  readonly reference: string
  readonly kind: "refund" | "dispute"
  /** The processor's name of the refund or dispute. */
  readonly objectId: string
  readonly state: ReversalState
  readonly amountMicros: Micros | null
}

export type PaymentReport = PaidReport | UnpaidReport | ReversalReport

/**
 * - `credited`: the top-up is paid, and its money on the balance.
 * - `changed`: the top-up ended unpaid, or money was taken back or returned.
 * - `unchanged`: nothing new was reported.
 * - `kept`: a refund or dispute of a payment that no top-up is known to be paid by, so far.
 * - `unknown_top_up`: this gateway knows no such top-up.
 * - `mismatched`: it contradicts what is known, and changes nothing. The amount of a payment is not that of the top-up,
 *   or the top-up was paid before by another payment. A refund or dispute was reported before for another payment, or
 *   with another amount, or its amount is no amount of US dollars.
 */
export const reportOutcomes = ["credited", "changed", "unchanged", "kept", "unknown_top_up", "mismatched"] as const
export type ReportOutcome = (typeof reportOutcomes)[number]

export interface Reversal {
  readonly objectId: string
  readonly kind: ReversalReport["kind"]
  readonly state: ReversalState
  readonly amountMicros: Micros
}

/** A payment at the processor, and what was taken back of it. */
export interface Payment {
  readonly reference: string
  /** Null as long as no top-up is known to be paid by it: a refund may be reported before the payment. */
  readonly topUp: { readonly workspaceId: WorkspaceId; readonly topUpId: TopUpId; readonly amountMicros: Micros } | null
  readonly reversals: ReadonlyArray<Reversal>
  /** What is to be taken back from the balance in all. */
  readonly toTakeMicros: Micros
  /** What has been taken so far. The difference is owed. */
  readonly takenMicros: Micros
  /** How often the balance was changed for it. */
  readonly bookings: number
}

export const newPayment = (reference: string): Payment => ({
  reference,
  topUp: null,
  reversals: [],
  toTakeMicros: Micros.make(0),
  takenMicros: Micros.make(0),
  bookings: 0
})

/** What a report of a payment means for its top-up. */
export const paidOutcome = (
  topUp: {
    readonly topUpId: TopUpId
    readonly status: TopUpStatus
    readonly amountMicros: Micros
    readonly paymentReference: string | null
  },
  payment: Payment,
  report: PaidReport
): "credited" | "unchanged" | "mismatched" => {
  if (report.amountMicros !== topUp.amountMicros) return "mismatched"
  if (topUp.status === "paid") return topUp.paymentReference === report.reference ? "unchanged" : "mismatched"
  return payment.topUp === null ? "credited" : "mismatched"
}

/**
 * The card to save after a report of a payment; null where the card that is saved stays. The card of the newest payment
 * counts, because its owner chose it last. A report that is late, or delivered again, brings back no card that was
 * replaced. What became of the top-up does not decide it: two events tell of each payment, and the one that names the
 * card may come second, when the top-up is credited already.
 */
export const methodToSave = (
  saved: SavedMethod | null,
  { savedMethod }: Pick<PaidReport, "savedMethod">,
  outcome: ReportOutcome
): SavedMethod | null =>
  outcome !== "mismatched" && savedMethod !== null && (saved === null || savedMethod.paidAt >= saved.paidAt)
    ? savedMethod
    : null

const recounted = (payment: Payment): Payment => {
  const taken = sum(payment.reversals.filter(({ state }) => state === "taken").map(({ amountMicros }) => amountMicros))
  return { ...payment, toTakeMicros: payment.topUp === null ? Micros.make(0) : min(payment.topUp.amountMicros, taken) }
}

/** The payment once a top-up is paid by it. */
export const paymentOf = (payment: Payment, topUp: NonNullable<Payment["topUp"]>): Payment =>
  recounted({ ...payment, topUp })

const stepOf = (state: ReversalState): number => reversalStates.indexOf(state)

/** An inquiry takes nothing, so its amount may still change. */
const contradicts = (before: Reversal, report: Reversal): boolean =>
  before.kind !== report.kind ||
  (before.state !== "open" && report.state !== "open" && before.amountMicros !== report.amountMicros)

/** The payment after a report of one of its refunds or disputes. */
export const withReversal = (payment: Payment, report: Reversal): Payment | "unchanged" | "mismatched" => {
  const { amountMicros, kind, objectId, state } = report
  const before = payment.reversals.find((reversal) => reversal.objectId === objectId)
  if (before !== undefined && contradicts(before, report)) return "mismatched"
  if (before !== undefined && stepOf(state) <= stepOf(before.state)) return "unchanged"
  const others = payment.reversals.filter((reversal) => reversal.objectId !== objectId)
  return recounted({ ...payment, reversals: [...others, { objectId, kind, state, amountMicros }] })
}

/**
 * Whether the saved card must not be charged by itself any more. Its owner disputes a payment, or an automatic top-up
 * was refunded: the balance is low then, and the next top-up would take the same money again.
 */
export const stopsAutomatic = (
  topUp: { readonly automatic: boolean },
  reversals: ReadonlyArray<Pick<Reversal, "kind" | "state">>
): boolean => reversals.some(({ kind, state }) => state === "taken" && (kind === "dispute" || topUp.automatic))

export interface Booking {
  readonly payment: Payment
  /** Signed for the available balance. */
  readonly micros: number
}

/**
 * What a balance can settle now of the payments of its workspace. What was taken too much is given back first. Then as
 * much is taken of each payment in turn as is there.
 */
export const bookingsOf = (available: Micros, payments: ReadonlyArray<Payment>): ReadonlyArray<Booking> => {
  const bookings: Array<Booking> = []
  let left: number = available
  const book = (payment: Payment, micros: number) => {
    if (micros === 0) return
    left += micros
    const takenMicros = Micros.make(payment.takenMicros - micros)
    bookings.push({ payment: { ...payment, takenMicros, bookings: payment.bookings + 1 }, micros })
  }
  const tooMuch = payments.filter(({ takenMicros, toTakeMicros }) => takenMicros > toTakeMicros)
  for (const payment of tooMuch) book(payment, payment.takenMicros - payment.toTakeMicros)
  const owing = payments.filter(({ takenMicros, toTakeMicros }) => takenMicros < toTakeMicros)
  for (const payment of owing) book(payment, -Math.min(left, payment.toTakeMicros - payment.takenMicros))
  return bookings
}

/** The reason of a ledger entry. Without a report, the money was owed since an earlier one. */
export const bookingReason = (report: Pick<ReversalReport, "kind" | "objectId" | "state"> | null): string => {
  if (report === null) return "Owed for a refund or dispute of this top-up"
  const { kind, objectId, state } = report
  if (kind === "refund") return state === "returned" ? `Refund ${objectId} failed` : `Refund ${objectId}`
  return state === "returned" ? `Dispute ${objectId}: the money came back` : `Dispute ${objectId}`
}

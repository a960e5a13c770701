/**
 * Reports of payments over any rows. Each report is one transaction. Locks are taken in one order: the wallet, the
 * payment, the top-up. The decisions are those of `domain/PaymentReport.ts`; this module reads what they need, and
 * writes what they say.
 */
import { Clock, Data, Effect } from "effect"
import { type AuditRecord, gatewayItself } from "../../../domain/AuditEntry.js"
import type { TopUpId, WorkspaceId } from "../../../domain/Ids.js"
import type { Micros } from "../../../domain/Micros.js"
import { type AutomaticTopUp, paymentTakenBack, topUpEnded } from "../../../domain/AutomaticTopUp.js"
import {
  type Booking,
  bookingReason,
  bookingsOf,
  type ChargeStop,
  methodToSave,
  type PaidReport,
  paidOutcome,
  type PaymentReport,
  paymentOf,
  type ReportOutcome,
  type Reversal,
  type ReversalReport,
  stopsAutomatic,
  type UnpaidReport,
  withReversal
} from "../../../domain/PaymentReport.js"
import type { StorageError } from "../../../domain/StorageErrors.js"
import { nextStatus } from "../../../domain/TopUp.js"
import type { AuditTrail } from "../../../services/AuditTrail.js"
import type { TopUpReports } from "../../../services/TopUpReports.js"
import type { Credit, Wallet } from "../../../services/Wallet.js"
import type { AutomaticRows } from "./AutomaticRows.js"
import { ruleRecord } from "./RuleRecord.js"
import type { TopUpRow, TopUpRows } from "./TopUpRows.js"

/** Workspaces that one turn of collecting looks at. */
const collectedAtOnce = 100

const mismatches = {
  Paid: "A payment does not fit its top-up, and was not credited: compare both in the processor's dashboard",
  TakenBack:
    "A refund or dispute does not fit what was reported of it before, or is no amount of US dollars, and changed nothing: compare it in the processor's dashboard, and correct the balance by hand"
} as const

const unknown = (): ReportOutcome => "unknown_top_up"

/**
 * While a refund or dispute waited for the payment, a top-up was paid by it. Its wallet has to be locked before the
 * payment, so the transaction begins again.
 */
class PayerFound extends Data.TaggedError("PayerFound")<{ readonly workspaceId: WorkspaceId }> {}

const tellMismatch = (report: PaidReport | ReversalReport) => {
  const { _tag, amountMicros, reference } = report
  const subject = _tag === "Paid" ? report.topUpId : report.objectId
  return Effect.annotateLogs(Effect.logError(mismatches[_tag]), { subject, reference, amountMicros })
}

/** A mismatch changes nothing, and still stands in the trail: a person has to look at it. */
const mismatchRecord = (
  topUp: { readonly topUpId: TopUpId; readonly workspaceId: WorkspaceId; readonly amountMicros: Micros },
  { amountMicros, reference }: PaidReport | ReversalReport
): AuditRecord => ({
  action: "top_up.mismatched",
  subjectId: topUp.topUpId,
  workspaceId: topUp.workspaceId,
  before: { amountMicros: topUp.amountMicros },
  after: { reportedMicros: amountMicros, reference }
})

export interface ReportParts {
  readonly rows: TopUpRows
  readonly automatic: AutomaticRows
  readonly wallet: Wallet["Type"]
  readonly trail: AuditTrail["Type"]
}

export const topUpReportsOver = ({ automatic, rows, trail, wallet }: ReportParts): TopUpReports["Type"] => {
  // The workspace of a top-up is there, and the amounts were decided under the lock of its wallet.
  const impossible = { not_found: Effect.die, validation_error: Effect.die }
  const lock = (workspaceId: WorkspaceId) => Effect.catchTag(wallet.lockBalance(workspaceId), "not_found", Effect.die)
  const credit = (change: Credit) => Effect.catchTags(wallet.credit(change, gatewayItself), impossible)

  /** Books what can be booked of the workspace's payments. `because` is the report that changed one of them. */
  const settle = Effect.fnUntraced(function* (workspaceId: WorkspaceId, because: ReversalReport | null) {
    const unsettled = yield* rows.unsettled(workspaceId)
    if (unsettled.length === 0) return
    const { availableMicros } = yield* lock(workspaceId)
    const book = Effect.fnUntraced(function* ({ micros, payment }: Booking) {
      const { bookings, reference, topUp } = payment
      if (topUp === null) return
      yield* credit({
        workspaceId,
        kind: "adjustment",
        micros,
        reason: bookingReason(because?.reference === reference ? because : null),
        topUpId: topUp.topUpId,
        key: `taken_back:${topUp.topUpId}:${bookings}`
      })
      yield* rows.putPayment(payment)
    })
    yield* Effect.forEach(bookingsOf(availableMicros, unsettled), book, { discard: true })
  })

  const changeRule = Effect.fnUntraced(function* (
    workspaceId: WorkspaceId,
    decide: (rule: AutomaticTopUp, now: number) => AutomaticTopUp
  ) {
    const { now, rule } = yield* automatic.lockRule(workspaceId)
    if (rule === null) return
    const after = decide(rule, now)
    if (after === rule) return
    yield* automatic.putRule(after)
    if (after.status === "disabled" && rule.status !== "disabled")
      yield* trail.write(gatewayItself, [ruleRecord("automatic_top_up.disabled", rule, after)])
  })

  /** The rule that started an automatic top-up learns how it ended. */
  const endTopUp = (row: TopUpRow, declined: ChargeStop | null) =>
    row.automatic
      ? changeRule(row.workspaceId, (rule, now) =>
          topUpEnded(rule, { ...row, paid: row.status === "paid" }, declined, now)
        )
      : Effect.void

  const stopRule = (row: TopUpRow, reversals: ReadonlyArray<Pick<Reversal, "kind" | "state">>) =>
    stopsAutomatic(row, reversals) ? changeRule(row.workspaceId, paymentTakenBack) : Effect.void

  const creditTopUp = Effect.fnUntraced(function* (row: TopUpRow, reference: string) {
    const { amountMicros, topUpId, workspaceId } = row
    yield* credit({
      workspaceId,
      kind: "top_up",
      micros: amountMicros,
      reason: null,
      topUpId,
      key: `top_up:${topUpId}`
    })
    return { ...row, status: "paid" as const, paymentReference: reference, paidAt: yield* Clock.currentTimeMillis }
  })

  /** Under the lock of the wallet, so that of two reports at once the second sees the card of the first. */
  const keepMethod = Effect.fnUntraced(function* (
    workspaceId: WorkspaceId,
    report: PaidReport,
    outcome: ReportOutcome
  ) {
    const card = methodToSave(yield* automatic.savedMethod(workspaceId), report, outcome)
    if (card !== null) yield* automatic.saveMethod(workspaceId, card)
  })

  const paidInOne = Effect.fnUntraced(function* (report: PaidReport, workspaceId: WorkspaceId) {
    yield* lock(workspaceId)
    const payment = yield* rows.payment(report.reference)
    let outcome = unknown()
    const after = yield* rows.change(
      report.topUpId,
      Effect.fnUntraced(function* (row) {
        outcome = paidOutcome(row, payment, report)
        if (outcome === "mismatched") yield* trail.write(gatewayItself, [mismatchRecord(row, report)])
        if (outcome !== "credited") return row
        yield* rows.putPayment(paymentOf(payment, row))
        return yield* creditTopUp(row, report.reference)
      })
    )
    if (outcome === "credited") {
      yield* settle(workspaceId, null)
      if (after !== null) {
        yield* endTopUp(after, null)
        yield* stopRule(after, payment.reversals)
      }
    }
    if (report.savedMethod !== null) yield* keepMethod(workspaceId, report, outcome)
    return outcome
  })

  const paid = Effect.fnUntraced(function* (report: PaidReport) {
    const row = yield* rows.get(report.topUpId)
    return row === null ? "unknown_top_up" : yield* rows.transact(paidInOne(report, row.workspaceId))
  })

  const unpaid = Effect.fnUntraced(function* (report: UnpaidReport) {
    let outcome = unknown()
    const after = yield* rows.change(report.topUpId, (row) => {
      const status = nextStatus(row.status, report.status)
      outcome = status === null ? "unchanged" : "changed"
      return Effect.succeed({ ...row, status: status ?? row.status })
    })
    if (outcome === "changed" && after !== null) yield* endTopUp(after, report.declined)
    return outcome
  })

  const takenInOne = Effect.fnUntraced(function* (report: ReversalReport, payer: WorkspaceId | null) {
    if (payer !== null) yield* lock(payer)
    const payment = yield* rows.payment(report.reference)
    if (payer === null && payment.topUp !== null)
      return yield* new PayerFound({ workspaceId: payment.topUp.workspaceId })
    if (report.amountMicros === null) {
      if (payment.topUp === null) return "unchanged"
      yield* trail.write(gatewayItself, [mismatchRecord(payment.topUp, report)])
      return "mismatched"
    }
    const first = yield* rows.paymentOfReversal(report.objectId, report.reference)
    const after =
      first === report.reference
        ? withReversal(payment, { ...report, amountMicros: report.amountMicros })
        : "mismatched"
    if (after === "mismatched" && payment.topUp !== null)
      yield* trail.write(gatewayItself, [mismatchRecord(payment.topUp, report)])
    if (after === "mismatched" || after === "unchanged") return after
    yield* rows.putPayment(after)
    if (after.topUp === null) return "kept"
    yield* settle(after.topUp.workspaceId, report)
    const row = yield* rows.get(after.topUp.topUpId)
    if (row !== null) yield* stopRule(row, [report])
    return "changed"
  })

  const takenBack = Effect.fnUntraced(function* (report: ReversalReport) {
    const payer = yield* rows.payer(report.reference)
    return yield* rows
      .transact(takenInOne(report, payer))
      .pipe(
        Effect.catchTag("PayerFound", ({ workspaceId }) =>
          Effect.catchTag(rows.transact(takenInOne(report, workspaceId)), "PayerFound", Effect.die)
        )
      )
  })

  const collect = (workspaceId: WorkspaceId) =>
    rows.transact(Effect.zipRight(lock(workspaceId), settle(workspaceId, null)))

  const tell = (report: PaymentReport, outcome: ReportOutcome) => {
    if (outcome === "mismatched" && report._tag !== "Unpaid") return tellMismatch(report)
    return outcome === "unknown_top_up" && report._tag === "Paid"
      ? Effect.annotateLogs(
          Effect.logError(
            "A payment was made for a top-up that this gateway does not know: refund it, or credit it by hand"
          ),
          { topUpId: report.topUpId, reference: report.reference }
        )
      : Effect.void
  }

  const decided = (report: PaymentReport): Effect.Effect<ReportOutcome, StorageError> => {
    switch (report._tag) {
      case "Paid":
        return paid(report)
      case "Unpaid":
        return rows.transact(unpaid(report))
      case "TakenBack":
        return takenBack(report)
    }
  }

  return {
    report: Effect.fn("TopUpReports.report")((report) =>
      Effect.uninterruptible(Effect.tap(decided(report), (outcome) => tell(report, outcome)))
    ),
    collectOwed: Effect.gen(function* () {
      const workspaces = yield* rows.collectable(collectedAtOnce)
      // One that cannot be collected keeps none of the others back, and is told after them.
      const [[broken]] = yield* Effect.partition(workspaces, (workspaceId) => Effect.sandbox(collect(workspaceId)))
      return broken === undefined ? workspaces.length : yield* Effect.failCause(broken)
    })
  }
}

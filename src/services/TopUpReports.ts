/**
 * What a payment processor reports about payments, any number of times and in any order. What happens is decided in
 * `domain/PaymentReport.ts`. Money is credited once, a paid top-up stays paid, and refunds and disputes are taken back
 * once. Answers after the commit.
 */
import { Context, type Effect } from "effect"
import type { PaymentReport, ReportOutcome } from "../domain/PaymentReport.js"
import type { StorageError } from "../domain/StorageErrors.js"

export class TopUpReports extends Context.Tag("gateway/services/TopUpReports")<
  TopUpReports,
  {
    readonly report: (report: PaymentReport) => Effect.Effect<ReportOutcome, StorageError>
    /**
     * Takes what workspaces owe for refunds and disputes from balances that have money again, such as a hold that was
     * released. Answers how many workspaces it looked at.
     */
    readonly collectOwed: Effect.Effect<number, StorageError>
  }
>() {}

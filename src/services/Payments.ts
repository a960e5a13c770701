/**
 * The payment processor, as far as the gateway asks it for a page to pay on. What it reports back is read by
 * `PaymentEvents` and goes to `TopUpReports`. Never touches a balance.
 */
import { Context, Data, type Effect } from "effect"
import type { TopUpId, WorkspaceId } from "../domain/Ids.js"
import type { Micros } from "../domain/Micros.js"
import type { TopUpReason } from "../domain/TopUpHint.js"

/** No checkout came of it. After a timeout one may exist: the next call for the same top-up answers that one. */
export class CheckoutUnavailable extends Data.TaggedError("CheckoutUnavailable")<{
  readonly reason: Extract<
    TopUpReason,
    | "payment_processor_not_configured"
    | "rate_limited"
    | "checkout_failed"
    | "processor_timeout"
    | "amount_out_of_range"
  >
}> {}

/** How a checkout was left: `notice` of the page to which it leads back. */
export type CheckoutReturn = "paid" | "cancelled"

export interface CheckoutRequest {
  readonly topUpId: TopUpId
  readonly workspaceId: WorkspaceId
  readonly amountMicros: Micros
  /** When the top-up was requested. The time until which the checkout can be paid is counted from it. */
  readonly createdAt: number
  /** Whether the card is saved, so that it can be charged without its owner (`OffSessionPayments`). */
  readonly savesMethod: boolean
  /** The page to which the checkout leads back, paid or not. */
  readonly returnUrl: string
}

export class Payments extends Context.Tag("gateway/services/Payments")<
  Payments,
  {
    /** Whether there is a processor at all. */
    readonly configured: boolean
    /** Opens a page where a person pays exactly this amount. The same top-up always gets the same checkout. */
    readonly createCheckout: (
      request: CheckoutRequest
    ) => Effect.Effect<{ readonly checkoutUrl: string }, CheckoutUnavailable>
  }
>() {}

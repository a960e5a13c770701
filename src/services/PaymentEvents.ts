/**
 * Reads the events that a payment processor delivers. Only translates: what happens is up to `TopUpReports`. An event
 * counts only when the processor has signed it, a few minutes ago at most.
 */
import { Context, type Effect } from "effect"
import type { BillingUnavailable, ValidationError } from "../domain/ApiErrors.js"
import type { PaymentReport } from "../domain/PaymentReport.js"

/**
 * - `not_a_top_up`: about a payment of something else in the same account.
 * - `awaiting_payment`: the checkout is done, and the money is still on its way.
 * - `other_mode`: of test mode on a gateway with a live key, or the other way round.
 * - `other_account`: of an account that is connected to the one of the key.
 * - `not_handled`: nothing that a gateway needs to know.
 */
export const ignoredEvents = ["not_a_top_up", "awaiting_payment", "other_mode", "other_account", "not_handled"] as const
export type IgnoredEvent = (typeof ignoredEvents)[number]

export type EventRead =
  | { readonly _tag: "Reports"; readonly reports: ReadonlyArray<PaymentReport> }
  | { readonly _tag: "Ignored"; readonly why: IgnoredEvent }
  /** Nobody knows who sent it. */
  | { readonly _tag: "Unsigned" }

export class PaymentEvents extends Context.Tag("gateway/services/PaymentEvents")<
  PaymentEvents,
  {
    /**
     * `ValidationError` for a signed event that cannot be understood, and `BillingUnavailable` without a processor, or
     * where it had to be asked about the event and did not answer. The processor delivers both again.
     */
    readonly read: (delivery: {
      readonly body: Uint8Array
      readonly signature: string | undefined
    }) => Effect.Effect<EventRead, BillingUnavailable | ValidationError>
  }
>() {}

/** How far a refund or dispute has come, out of what Stripe calls its state. */
import type { ReversalState } from "../../../domain/PaymentReport.js"

/** Stripe takes the money of a refund when it is made, and gives it back when the refund fails or is cancelled. */
export const refundState = (status: string | null): ReversalState =>
  status === "failed" || status === "canceled" ? "returned" : "taken"

const undecided: ReadonlySet<string> = new Set(["warning_needs_response", "warning_under_review"])
const over: ReadonlySet<string> = new Set(["won", "warning_closed", "prevented"])

/** An inquiry takes no money. A dispute takes it when it is made, and gives it back when it is won. */
export const disputeState = (status: string, moved: "withdrawn" | "reinstated" | null): ReversalState => {
  if (moved === "reinstated" || over.has(status)) return "returned"
  return moved === null && undecided.has(status) ? "open" : "taken"
}

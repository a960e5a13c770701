/**
 * Top-ups as decisions: which amounts are taken, how a status may move, and what a client is told. A payment that was
 * made is never forgotten: `paid` is final and reachable from everywhere, whatever order the reports come in.
 *
 * pending -> paid | expired | failed | refused        expired, failed, refused -> paid
 */
import { ValidationError } from "./ApiErrors.js"
import type { WorkspaceId } from "./Ids.js"
import { topUpMaximumUsdDefault, topUpMinimumUsdDefault, topUpSuggestedUsdDefault } from "./limits/Workspaces.js"
import { Micros, microsPerCent, microsPerUsd, toUsd } from "./Micros.js"
import type { TopUpHint, TopUpReason } from "./TopUpHint.js"

export const topUpStatuses = ["pending", "paid", "expired", "failed", "refused"] as const
export type TopUpStatus = (typeof topUpStatuses)[number]

/** What an operator decides about paying. */
export interface BillingPolicy {
  readonly enabled: boolean
  readonly minimumMicros: Micros
  readonly suggestedMicros: Micros
  readonly maximumMicros: Micros
  /** The page on which a person manages the balance of a workspace. */
  readonly dashboardUrl: (workspaceId: WorkspaceId) => string
}

/** The amounts of `limits/Workspaces.ts`. */
export const topUpAmounts: Pick<BillingPolicy, "minimumMicros" | "suggestedMicros" | "maximumMicros"> = {
  minimumMicros: Micros.make(topUpMinimumUsdDefault * microsPerUsd),
  suggestedMicros: Micros.make(topUpSuggestedUsdDefault * microsPerUsd),
  maximumMicros: Micros.make(topUpMaximumUsdDefault * microsPerUsd)
}

export const billingPolicy = (options: Pick<BillingPolicy, "enabled" | "dashboardUrl">): BillingPolicy => ({
  ...options,
  ...topUpAmounts
})

/** The status after a report; null when the report changes nothing. */
export const nextStatus = (from: TopUpStatus, reported: TopUpStatus): TopUpStatus | null => {
  if (from === reported || from === "paid") return null
  return reported === "paid" || from === "pending" ? reported : null
}

/** Why a workspace takes no top-ups at all, neither a person's nor those of a saved card. */
export const noTopUpReasons = ["operator_workspace", "payment_processor_not_configured"] as const
export type NoTopUpReason = (typeof noTopUpReasons)[number]

interface TopUpsTaken {
  readonly operatorWorkspace: boolean
  readonly processorConfigured: boolean
}
/** Null where top-ups are taken. */
export const noTopUpReason = ({ operatorWorkspace, processorConfigured }: TopUpsTaken): NoTopUpReason | null => {
  if (operatorWorkspace) return "operator_workspace"
  return processorConfigured ? null : "payment_processor_not_configured"
}

export const topUpExplanations: { readonly [Reason in TopUpReason]: string } = {
  billing_disabled: "Billing is switched off on this gateway; its operator can add money to the balance.",
  payment_processor_not_configured: "This gateway takes no payments yet; ask its operator to add money to the balance.",
  operator_workspace: "This workspace belongs to the operator, who adds money to its balance directly.",
  read_only_token: "This token can only read; top up with a token that has the scope billing:write.",
  rate_limited: "The payment processor is busy; request the top-up again in a minute, with a new idempotency key.",
  checkout_failed:
    "The payment processor did not open a checkout; request the top-up again with a new idempotency key.",
  processor_timeout:
    "The payment processor did not answer; request the top-up again, with the same idempotency key if it had one.",
  amount_out_of_range: "Top-ups of this amount are not taken; request another one.",
  balance_low: "The balance is too low; top up to go on.",
  balance_sufficient: "The balance is sufficient."
}

const statusMessages: { readonly [Status in TopUpStatus]: string } = {
  pending: "Open checkoutUrl in a browser to pay; the balance grows once the payment is confirmed.",
  paid: "Paid, and on the balance.",
  expired: "The checkout was left unpaid until it expired; request another top-up.",
  failed: "The payment did not succeed; request another top-up.",
  refused: "The top-up was refused."
}

export const topUpMessage = ({
  automatic,
  reason,
  status
}: {
  readonly automatic: boolean
  readonly reason: TopUpReason | null
  readonly status: TopUpStatus
}): string => {
  if (status !== "paid" && reason !== null) return topUpExplanations[reason]
  return automatic && status === "pending"
    ? "The saved card is charged without anybody; the balance grows once that is confirmed."
    : statusMessages[status]
}

type Bounds = Pick<BillingPolicy, "minimumMicros" | "maximumMicros">

/** In words that go with the field of an amount. */
export const amountExpected = ({ maximumMicros, minimumMicros }: Bounds): string =>
  `must be between ${toUsd(minimumMicros)} and ${toUsd(maximumMicros)} US dollars`

/** What is wrong with an amount, in words that go with its field; null when a top-up may have it. */
export const amountProblem = (bounds: Bounds, amount: Micros): string | null => {
  if (amount < bounds.minimumMicros || amount > bounds.maximumMicros) return amountExpected(bounds)
  // No card is charged with a part of a cent.
  return amount % microsPerCent === 0 ? null : "must be a whole number of cents"
}

/** The refusal of an amount, with the amounts that are taken; null when it is taken. */
export const amountRefusal = (
  policy: BillingPolicy,
  workspaceId: WorkspaceId,
  amount: Micros
): ValidationError | null => {
  const message = amountProblem(policy, amount)
  if (message === null) return null
  const { minimumMicros, suggestedMicros } = policy
  return new ValidationError({
    details: [{ field: "amountUsd", message }],
    topUp: {
      minimumUsd: toUsd(minimumMicros),
      suggestedUsd: toUsd(suggestedMicros),
      checkoutUrl: null,
      dashboardUrl: policy.dashboardUrl(workspaceId),
      message: topUpExplanations.amount_out_of_range,
      reason: "amount_out_of_range"
    }
  })
}

/**
 * The hint of a balance or a 402. A known need raises the suggestion to the next whole dollar that covers it. A caller
 * who can pay is led to the page where a checkout is opened.
 */
export const topUpHint = (
  policy: BillingPolicy,
  asked: TopUpsTaken & {
    readonly workspaceId: WorkspaceId
    readonly readOnly: boolean
    readonly availableMicros: Micros
    readonly neededMicros: Micros | null
  }
): TopUpHint => {
  const missing = Math.max(0, (asked.neededMicros ?? 0) - asked.availableMicros)
  const suggested = Math.max(policy.suggestedMicros, Math.ceil(missing / microsPerUsd) * microsPerUsd)
  const reason = hintReason(policy, asked, missing > 0)
  const dashboardUrl = policy.dashboardUrl(asked.workspaceId)
  return {
    minimumUsd: toUsd(policy.minimumMicros),
    suggestedUsd: toUsd(Math.min(suggested, policy.maximumMicros)),
    checkoutUrl: reason === "balance_low" || reason === "balance_sufficient" ? dashboardUrl : null,
    dashboardUrl,
    message: topUpExplanations[reason],
    reason
  }
}

const hintReason = (
  policy: BillingPolicy,
  asked: TopUpsTaken & {
    readonly readOnly: boolean
    readonly availableMicros: Micros
  },
  needsMore: boolean
): TopUpReason => {
  if (!policy.enabled) return "billing_disabled"
  const none = noTopUpReason(asked)
  // Reasons that the caller can change come before reasons that only the operator can change, where a change helps.
  if (asked.readOnly && none !== "operator_workspace") return "read_only_token"
  if (none !== null) return none
  // Less than the smallest top-up counts as low, so that a client hears of it before a run is refused.
  return needsMore || asked.availableMicros < policy.minimumMicros ? "balance_low" : "balance_sufficient"
}

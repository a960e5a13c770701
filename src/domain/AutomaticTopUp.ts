/**
 * Automatic top-ups as decisions. A workspace's rule says below which balance the saved card is charged, with how much,
 * and how much in a calendar month (UTC). One top-up is under way at a time. It is written down before the card is
 * charged, together with its amount in the month, so that neither a crash nor a second node charges twice or beyond the
 * maximum. A card that is declined disables the rule until somebody sets it again.
 */
import { ValidationError } from "./ApiErrors.js"
import type { TopUpId, WorkspaceId } from "./Ids.js"
import { type Micros, add, minus, toUsd, zero } from "./Micros.js"
import type { AutomaticStop } from "./PaymentReport.js"
import { monthOf } from "./Run.js"
import type { BillingPolicy } from "./TopUp.js"

export interface AutomaticRule {
  /** The card is charged when less than this is available. */
  readonly belowMicros: Micros
  readonly amountMicros: Micros
  readonly monthlyMaximumMicros: Micros
}

/** A top-up under way. */
export interface Occasion {
  readonly topUpId: TopUpId
  readonly startedAt: number
  /** The processor's name of the card. It stays the same for this top-up, also when another one is saved meanwhile. */
  readonly method: string
}

export interface AutomaticTopUp extends AutomaticRule {
  readonly workspaceId: WorkspaceId
  /** `off`: taken away. The rule stays, because what it has spent in the month still counts. */
  readonly status: "on" | "off" | "disabled"
  readonly disabledReason: AutomaticStop | null
  /** The month that `monthMicros` counts, such as `2026-11`. */
  readonly month: string
  readonly monthMicros: Micros
  readonly occasion: Occasion | null
  /** Before this time no node looks after the top-up under way. */
  readonly retryAt: number
  readonly updatedAt: number
}

/** What is wrong with a rule; null when it can be used. */
export const ruleProblem = (
  policy: Pick<BillingPolicy, "minimumMicros" | "maximumMicros">,
  { amountMicros, belowMicros, monthlyMaximumMicros }: AutomaticRule
): ValidationError | null => {
  const { maximumMicros, minimumMicros } = policy
  if (amountMicros < minimumMicros || amountMicros > maximumMicros)
    return ValidationError.of(
      "amountUsd",
      `must be between ${toUsd(minimumMicros)} and ${toUsd(maximumMicros)} US dollars`
    )
  if (belowMicros === 0 || belowMicros > maximumMicros)
    return ValidationError.of("belowUsd", `must be more than 0 and at most ${toUsd(maximumMicros)} US dollars`)
  return monthlyMaximumMicros < amountMicros
    ? ValidationError.of("monthlyMaximumUsd", "must be at least amountUsd")
    : null
}

/** What automatic top-ups have charged in the month of this time. */
export const spentInMonth = (
  { month, monthMicros }: Pick<AutomaticTopUp, "month" | "monthMicros">,
  now: number
): Micros => (month === monthOf(now) ? monthMicros : zero)

const fitsMonth = (rule: AutomaticTopUp, now: number): boolean =>
  add(spentInMonth(rule, now), rule.amountMicros) <= rule.monthlyMaximumMicros

/** `active` charges as soon as the balance is low. The others say what stands in the way. */
export const automaticStates = ["active", "no_payment_method", "monthly_maximum_reached", "disabled"] as const
export type AutomaticState = (typeof automaticStates)[number]

export const stateOf = (rule: AutomaticTopUp, method: string | null, now: number): AutomaticState => {
  if (rule.status === "disabled") return "disabled"
  if (method === null) return "no_payment_method"
  return fitsMonth(rule, now) ? "active" : "monthly_maximum_reached"
}

const stops: { readonly [Stop in AutomaticStop]: string } = {
  card_declined:
    "The saved card was declined. Pay a top-up with another card and savePaymentMethod, then set the rule again.",
  authentication_required:
    "The bank asks the owner of the card to confirm each payment. Pay a top-up with another card and savePaymentMethod, then set the rule again.",
  charge_failed: "The payment processor could not charge the saved card. Set the rule again to try once more."
}

export const automaticMessage = (state: AutomaticState, reason: AutomaticStop | null): string => {
  switch (state) {
    case "active":
      return "The saved card is charged when the balance falls below belowUsd."
    case "no_payment_method":
      return "No card is saved: pay a top-up with savePaymentMethod."
    case "monthly_maximum_reached":
      return "Another automatic top-up would pass monthlyMaximumUsd; the next one can come when the month is over."
    case "disabled":
      return stops[reason ?? "charge_failed"]
  }
}

/** The rule after somebody has set it. What is under way and what was spent in the month stays. */
export const ruleSet = (
  before: AutomaticTopUp | null,
  workspaceId: WorkspaceId,
  rule: AutomaticRule,
  now: number
): AutomaticTopUp => ({
  workspaceId,
  status: "on",
  disabledReason: null,
  month: before?.month ?? "",
  monthMicros: before?.monthMicros ?? zero,
  occasion: before?.occasion ?? null,
  retryAt: before?.retryAt ?? 0,
  updatedAt: now,
  ...rule
})

/** Long enough that one charge is over before another node looks after the same top-up. */
const leaseMillis = 60_000
const leaseMillisMax = 3_600_000

/** Whether a top-up is due now, and what the rule is once it has started; null when none is. */
export const started = (
  rule: AutomaticTopUp,
  standing: { readonly availableMicros: Micros; readonly method: string | null; readonly now: number },
  topUpId: TopUpId
): (AutomaticTopUp & { readonly occasion: Occasion }) | null => {
  const { availableMicros, method, now } = standing
  if (rule.status !== "on" || rule.occasion !== null || method === null) return null
  if (availableMicros >= rule.belowMicros || !fitsMonth(rule, now)) return null
  return {
    ...rule,
    month: monthOf(now),
    monthMicros: add(spentInMonth(rule, now), rule.amountMicros),
    occasion: { topUpId, startedAt: now, method },
    retryAt: now + leaseMillis
  }
}

/** The rule of a node that looks after the top-up under way again. The longer that goes on, the rarer it gets. */
export const resumed = (rule: AutomaticTopUp, { startedAt }: Occasion, now: number): AutomaticTopUp => ({
  ...rule,
  retryAt: now + Math.min(leaseMillisMax, Math.max(leaseMillis, (now - startedAt) / 2))
})

/** The rule after its top-up has ended. One that was not paid does not count in the month. */
export const ended = (
  rule: AutomaticTopUp,
  topUp: { readonly topUpId: TopUpId; readonly amountMicros: Micros; readonly paid: boolean },
  declined: AutomaticStop | null
): AutomaticTopUp => {
  if (rule.occasion?.topUpId !== topUp.topUpId) return rule
  const over = { ...rule, occasion: null, retryAt: 0 }
  if (topUp.paid) return over
  const unpaid = { ...over, monthMicros: minus(rule.monthMicros, topUp.amountMicros) }
  return declined === null || rule.status === "off"
    ? unpaid
    : { ...unpaid, status: "disabled", disabledReason: declined }
}

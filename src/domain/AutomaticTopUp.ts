/**
 * Automatic top-ups as decisions. A workspace's rule says below which balance the saved card is charged, with how much,
 * and how much in a calendar month (UTC). One top-up is under way at a time. It is written down before the card is
 * charged, together with its amount in the month, so that neither a crash nor a second node charges twice or beyond the
 * maximum. A card that is declined disables the rule until somebody sets it again, and so does a payment that is taken
 * back.
 */
import { spendInMonth } from "./Admission.js"
import { ValidationError } from "./ApiErrors.js"
import type { TopUpId, WorkspaceId } from "./Ids.js"
import { fieldUsdMax } from "./limits/Workspaces.js"
import { Micros, add, minus, toUsd, zero } from "./Micros.js"
import { type AutomaticStop, automaticStops, type ChargeStop } from "./PaymentReport.js"
import { monthOf } from "./Run.js"
import { amountProblem, type BillingPolicy, type NoTopUpReason, noTopUpReasons, topUpExplanations } from "./TopUp.js"

export interface AutomaticRule {
  /** The card is charged when less than this is available. */
  readonly belowMicros: Micros
  readonly amountMicros: Micros
  readonly monthlyMaximumMicros: Micros
}

/** A top-up under way. */
export interface TopUpUnderWay {
  readonly topUpId: TopUpId
  readonly startedAt: number
  /** The processor's name of the card. It stays the same for this top-up, also when another one is saved meanwhile. */
  readonly method: string
  /**
   * The rule under which it began was taken away or disabled. It is never charged again: a rule that is set afterwards
   * permits top-ups of its own.
   */
  readonly stopped: boolean
}

export interface AutomaticTopUp extends AutomaticRule {
  readonly workspaceId: WorkspaceId
  /** `off`: taken away. The rule stays, because what it has spent in the month still counts. */
  readonly status: "on" | "off" | "disabled"
  readonly disabledReason: AutomaticStop | null
  /** The month that `monthMicros` counts, such as `2026-11`. */
  readonly month: string
  readonly monthMicros: Micros
  readonly underWay: TopUpUnderWay | null
  /** Before this time no node looks after the top-up under way. */
  readonly retryAt: number
  readonly updatedAt: number
}

/** With nothing, the card would never be charged. */
export const belowMinimumMicros = Micros.make(1)

/** In words that go with the field. */
export const belowExpected = ({ maximumMicros }: Pick<BillingPolicy, "maximumMicros">): string =>
  `must be more than 0 and at most ${toUsd(maximumMicros)} US dollars`

export const monthlyExpected = `must be at least amountUsd, and at most ${fieldUsdMax} US dollars`

/** What is wrong with a rule; null when it can be used. */
export const ruleProblem = (
  policy: Pick<BillingPolicy, "minimumMicros" | "maximumMicros">,
  { amountMicros, belowMicros, monthlyMaximumMicros }: AutomaticRule
): ValidationError | null => {
  const { maximumMicros } = policy
  const amountWrong = amountProblem(policy, amountMicros)
  if (amountWrong !== null) return ValidationError.of("amountUsd", amountWrong)
  if (belowMicros < belowMinimumMicros || belowMicros > maximumMicros)
    return ValidationError.of("belowUsd", belowExpected(policy))
  return monthlyMaximumMicros < amountMicros ? ValidationError.of("monthlyMaximumUsd", monthlyExpected) : null
}

type Counted = Pick<AutomaticTopUp, "month" | "monthMicros">

/**
 * The month that counts now, and what was charged in it. It is the rule of a token's month: after the clock was set
 * back, as by a failover to a database whose clock lags, the later month stays. Otherwise its amount would be counted
 * from 0 twice.
 */
const counted = ({ month, monthMicros }: Counted, now: number): Counted => {
  const spend = spendInMonth({ limitMicros: null, month, spentMicros: monthMicros }, monthOf(now))
  return { month: spend.month, monthMicros: spend.spentMicros }
}

/** What automatic top-ups have charged in the month that counts now. */
export const spentInMonth = (rule: Counted, now: number): Micros => counted(rule, now).monthMicros

const fitsMonth = (rule: AutomaticTopUp, now: number): boolean =>
  add(spentInMonth(rule, now), rule.amountMicros) <= rule.monthlyMaximumMicros

/** `active` charges as soon as the balance is low. The others say what stands in the way. */
export const automaticStates = [
  "active",
  "no_payment_method",
  "monthly_maximum_reached",
  "disabled",
  "unavailable"
] as const
export type AutomaticState = (typeof automaticStates)[number]

/** Why a rule is disabled or unavailable. */
export const automaticReasons = [...automaticStops, ...noTopUpReasons] as const
export type AutomaticReason = (typeof automaticReasons)[number]

/** What decides about a rule, beside the rule itself. */
interface RuleState {
  readonly availableMicros: Micros
  readonly method: string | null
  /** Why the workspace takes no top-ups; null where it does. */
  readonly noTopUps: NoTopUpReason | null
  readonly now: number
}

export const stateOf = (
  rule: AutomaticTopUp,
  { method, noTopUps, now }: Omit<RuleState, "availableMicros">
): { readonly state: AutomaticState; readonly reason: AutomaticReason | null } => {
  // First: what else stands in the way can only be cleared by somebody who may top up.
  if (noTopUps !== null) return { state: "unavailable", reason: noTopUps }
  if (rule.status === "disabled") return { state: "disabled", reason: rule.disabledReason }
  if (method === null) return { state: "no_payment_method", reason: null }
  return { state: fitsMonth(rule, now) ? "active" : "monthly_maximum_reached", reason: null }
}

const explanations: { readonly [Reason in AutomaticReason]: string } = {
  operator_workspace: topUpExplanations.operator_workspace,
  payment_processor_not_configured: topUpExplanations.payment_processor_not_configured,
  card_declined:
    "The saved card was declined. Pay a top-up with another card and savePaymentMethod, then set the rule again.",
  authentication_required:
    "The bank asks the owner of the card to confirm each payment. Pay a top-up with another card and savePaymentMethod, then set the rule again.",
  charge_failed: "The payment processor could not charge the saved card. Set the rule again to try once more.",
  payment_taken_back:
    "A payment was disputed, or an automatic top-up was refunded. Set the rule again if the saved card may still be charged."
}

export const automaticMessage = (state: AutomaticState, reason: AutomaticReason | null): string => {
  switch (state) {
    case "active":
      return "The saved card is charged when the balance falls below belowUsd."
    case "no_payment_method":
      return "No card is saved: pay a top-up with savePaymentMethod."
    case "monthly_maximum_reached":
      return "Another automatic top-up would pass monthlyMaximumUsd; the next one can come when the month is over."
    case "disabled":
    case "unavailable":
      return explanations[reason ?? "charge_failed"]
  }
}

const underWayAfterSet = ({ status, underWay }: AutomaticTopUp): TopUpUnderWay | null =>
  underWay === null || status === "on" ? underWay : { ...underWay, stopped: true }

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
  underWay: before === null ? null : underWayAfterSet(before),
  retryAt: before?.retryAt ?? 0,
  updatedAt: now,
  ...rule
})

/**
 * Long enough that the work on a top-up is over before another node looks after it. The work begins at once, because a
 * node takes no more of them than it works on at the same time. It asks the processor twice at most: for a payment that
 * was made, and to charge, each for at most `processorMillisMax`.
 */
export const leaseMillis = 60_000
const leaseMillisMax = 3_600_000

const charges = ({ status }: AutomaticTopUp, noTopUps: NoTopUpReason | null): boolean =>
  status === "on" && noTopUps === null

/**
 * Whether the card may be charged for a top-up that was started before: only with what the rule permits that stands
 * now. A charge that was made before cannot be called back.
 */
export const mayCharge = (
  rule: AutomaticTopUp,
  topUp: { readonly topUpId: TopUpId; readonly amountMicros: Micros },
  { method, noTopUps, now }: Omit<RuleState, "availableMicros">
): boolean =>
  charges(rule, noTopUps) &&
  rule.underWay?.topUpId === topUp.topUpId &&
  !rule.underWay.stopped &&
  rule.underWay.method === method &&
  topUp.amountMicros <= rule.amountMicros &&
  // Its amount counts in the month in which it started, and in no later one.
  monthOf(now) <= monthOf(rule.underWay.startedAt) &&
  spentInMonth(rule, now) <= rule.monthlyMaximumMicros

const startsNow = (rule: AutomaticTopUp, { availableMicros, method, noTopUps, now }: RuleState): boolean =>
  charges(rule, noTopUps) &&
  rule.underWay === null &&
  method !== null &&
  availableMicros < rule.belowMicros &&
  fitsMonth(rule, now)

/**
 * Whether a node has to look at the rule now: to start a top-up, or for the one under way. `AutomaticRowsPg` finds such
 * rules with a statement that says the same. A rule that it found and that is not due would be found again and again,
 * and stand in the way of others.
 */
export const isDue = (rule: AutomaticTopUp, standing: RuleState): boolean =>
  rule.underWay === null ? startsNow(rule, standing) : rule.retryAt <= standing.now

/** Whether a top-up starts now, and what the rule is once it has started; null when none does. */
export const topUpStarted = (
  rule: AutomaticTopUp,
  standing: RuleState,
  topUpId: TopUpId
): (AutomaticTopUp & { readonly underWay: TopUpUnderWay }) | null => {
  const { method, now } = standing
  if (method === null || !startsNow(rule, standing)) return null
  const { month, monthMicros } = counted(rule, now)
  return {
    ...rule,
    month,
    monthMicros: add(monthMicros, rule.amountMicros),
    underWay: { topUpId, startedAt: now, method, stopped: false },
    retryAt: now + leaseMillis
  }
}

/** The rule of a node that looks after the top-up under way again. The longer that goes on, the rarer it gets. */
export const topUpResumed = (rule: AutomaticTopUp, { startedAt }: TopUpUnderWay, now: number): AutomaticTopUp => ({
  ...rule,
  retryAt: now + Math.min(leaseMillisMax, Math.max(leaseMillis, (now - startedAt) / 2))
})

/** A payment that came after its top-up had ended unpaid counts after all, in the month that counts now. */
const paidLate = (rule: AutomaticTopUp, amountMicros: Micros, now: number): AutomaticTopUp => {
  const { month, monthMicros } = counted(rule, now)
  return { ...rule, month, monthMicros: add(monthMicros, amountMicros) }
}

/**
 * The month without the amount of a top-up that ended unpaid. Where another month counts by now, the amount is not in
 * it: a payment that came late has begun that month meanwhile. One that was started by a clock that was set back stays
 * in, so the month is never counted too low.
 */
const withoutUnpaid = (rule: AutomaticTopUp, { startedAt }: TopUpUnderWay, amountMicros: Micros): Micros =>
  rule.month > monthOf(startedAt) ? rule.monthMicros : minus(rule.monthMicros, amountMicros)

/** The rule after its top-up has ended. One that was not paid does not count in the month. */
export const topUpEnded = (
  rule: AutomaticTopUp,
  topUp: { readonly topUpId: TopUpId; readonly amountMicros: Micros; readonly paid: boolean },
  declined: ChargeStop | null,
  now: number
): AutomaticTopUp => {
  const { underWay } = rule
  if (underWay?.topUpId !== topUp.topUpId) return topUp.paid ? paidLate(rule, topUp.amountMicros, now) : rule
  const over = { ...rule, underWay: null, retryAt: 0 }
  if (topUp.paid) return over
  const unpaid = { ...over, monthMicros: withoutUnpaid(rule, underWay, topUp.amountMicros) }
  return declined === null || rule.status === "off"
    ? unpaid
    : { ...unpaid, status: "disabled", disabledReason: declined }
}

/** The rule after a payment was taken back. A top-up under way goes on. */
export const paymentTakenBack = (rule: AutomaticTopUp): AutomaticTopUp =>
  rule.status === "on" ? { ...rule, status: "disabled", disabledReason: "payment_taken_back" } : rule

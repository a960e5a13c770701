/**
 * Automatic top-ups over any rows. A top-up is written down in the transaction that counts it in the month. Then the
 * card is charged, outside of any transaction, and what came of it goes the way of every report (`TopUpReports`). A
 * node that dies in between leaves the top-up to the next one, which looks for its payment before it charges again with
 * the same idempotency key. Where the card may not be charged any more, the payment is only looked for.
 */
import { Duration, Effect } from "effect"
import { BillingUnavailable, NotFound } from "../../../domain/ApiErrors.js"
import { type Actor, gatewayItself } from "../../../domain/AuditEntry.js"
import {
  automaticMessage,
  leaseMillis,
  mayCharge,
  type AutomaticTopUp,
  type TopUpUnderWay,
  topUpResumed,
  ruleProblem,
  ruleSet,
  spentInMonth,
  topUpStarted,
  stateOf
} from "../../../domain/AutomaticTopUp.js"
import { TopUpId, type WorkspaceId } from "../../../domain/Ids.js"
import { chargeHours } from "../../../domain/limits/Workspaces.js"
import type { StorageError } from "../../../domain/StorageErrors.js"
import { type BillingPolicy, noTopUpReason } from "../../../domain/TopUp.js"
import type { AuditTrail } from "../../../services/AuditTrail.js"
import type { AutomaticTopUps, AutomaticTopUpShown } from "../../../services/AutomaticTopUps.js"
import type { Ids } from "../../../services/Ids.js"
import type {
  Charged,
  ChargeRefused,
  ChargeUncertain,
  OffSessionPayments
} from "../../../services/OffSessionPayments.js"
import type { TopUpReports } from "../../../services/TopUpReports.js"
import type { Wallet } from "../../../services/Wallet.js"
import type { AutomaticRows, AutomaticTopUpState, DueRule } from "./AutomaticRows.js"
import { ruleRecord } from "./RuleRecord.js"
import type { TopUpRows } from "./TopUpRows.js"

/**
 * Top-ups that a node takes, and works on, at the same time. None waits for another with its lease running, so none is
 * still worked on when its lease has ended.
 */
const workedOnAtOnce = 4
/** Payments can be found by what is written on them some time after they were made. */
const foundAfterMillis = 120_000
/**
 * From this age on, the last charge of a top-up ended at least `foundAfterMillis` ago, so what is not found by then was
 * not paid: by `topUpResumed`, the try before began when two thirds of this age had passed at the latest, and its work
 * was over when its lease ended. A payment that comes all the same is credited by its event.
 */
const uncalledAfterMillis = 3 * (leaseMillis + foundAfterMillis)
const chargeMillisMax = Duration.toMillis(Duration.hours(chargeHours))

export interface AutomaticParts {
  readonly rows: TopUpRows
  readonly automatic: AutomaticRows
  readonly policy: BillingPolicy
  readonly payments: OffSessionPayments["Type"]
  /** Whether people can pay at all, and so save a card. */
  readonly processorConfigured: boolean
  readonly reports: TopUpReports["Type"]
  readonly wallet: Wallet["Type"]
  readonly trail: AuditTrail["Type"]
  readonly ids: Ids["Type"]
}

const shown = (
  { method, now, operatorWorkspace }: AutomaticTopUpState,
  rule: AutomaticTopUp,
  processorConfigured: boolean
): AutomaticTopUpShown => {
  const noTopUps = noTopUpReason({ operatorWorkspace, processorConfigured })
  const { reason, state } = stateOf(rule, { method, noTopUps, now })
  return {
    belowMicros: rule.belowMicros,
    amountMicros: rule.amountMicros,
    monthlyMaximumMicros: rule.monthlyMaximumMicros,
    state,
    reason,
    message: automaticMessage(state, reason),
    monthMicros: spentInMonth(rule, now),
    topUpId: rule.underWay?.topUpId ?? null,
    updatedAt: rule.updatedAt
  }
}

/** A top-up that a node has taken on. */
interface Task {
  readonly rule: AutomaticTopUp
  readonly underWay: TopUpUnderWay
  readonly ageMillis: number
}

export const automaticTopUpsOver = (parts: AutomaticParts): AutomaticTopUps["Type"] => {
  const { automatic, ids, payments, policy, processorConfigured, reports, rows, trail, wallet } = parts
  const enabled = policy.enabled ? Effect.void : Effect.fail(new BillingUnavailable({}))

  const get = Effect.fnUntraced(function* (workspaceId: WorkspaceId) {
    yield* enabled
    const standing = yield* automatic.standing(workspaceId)
    return standing.rule === null || standing.rule.status === "off"
      ? yield* new NotFound({ what: "automatic top-up", id: workspaceId, madeBy: "PUT /v1/top-ups/automatic" })
      : shown(standing, standing.rule, processorConfigured)
  })

  const change = Effect.fnUntraced(function* (
    workspaceId: WorkspaceId,
    by: Actor,
    decide: (
      standing: AutomaticTopUpState
    ) => readonly [AutomaticTopUp, "automatic_top_up.set" | "automatic_top_up.removed"] | null
  ) {
    // A rule that is not there yet has no lock: another one may be set meanwhile, and a top-up begin.
    yield* Effect.catchTag(wallet.lockBalance(workspaceId), "not_found", Effect.die)
    const standing = yield* automatic.lockRule(workspaceId)
    const decided = decide(standing)
    if (decided === null) return null
    const [after, action] = decided
    yield* automatic.putRule(after)
    yield* trail.write(by, [ruleRecord(action, standing.rule, after)])
    return shown(standing, after, processorConfigured)
  })

  /** Starts the top-up of a rule, or goes on with the one under way; null where nothing is due after all. */
  const taken = Effect.fnUntraced(function* (due: DueRule) {
    const { now, operatorWorkspace, rule } = due
    if (rule.underWay !== null) {
      yield* automatic.putRule(topUpResumed(rule, rule.underWay, now))
      return { rule, underWay: rule.underWay, ageMillis: now - rule.underWay.startedAt }
    }
    const standing = { ...due, noTopUps: noTopUpReason({ operatorWorkspace, processorConfigured }) }
    const after = topUpStarted(rule, standing, TopUpId.make(`top_${yield* ids.suffix}`))
    if (after === null) return null
    const { underWay } = after
    yield* rows.insert({
      topUpId: underWay.topUpId,
      workspaceId: rule.workspaceId,
      status: "pending",
      amountMicros: rule.amountMicros,
      checkoutUrl: null,
      reason: null,
      idempotencyKey: null,
      paymentReference: null,
      automatic: true,
      savesMethod: false,
      createdAt: now,
      paidAt: null
    })
    yield* automatic.putRule(after)
    yield* trail.write(gatewayItself, [
      {
        action: "top_up.requested",
        subjectId: underWay.topUpId,
        workspaceId: rule.workspaceId,
        before: null,
        after: { amountMicros: rule.amountMicros, automatic: true }
      }
    ])
    return { rule: after, underWay, ageMillis: 0 }
  })

  /** What became of the charge; null where that is not known yet. */
  const charged = Effect.fnUntraced(function* ({
    ageMillis,
    rule,
    underWay
  }: Task): Effect.fn.Return<Charged | "never" | null, ChargeRefused | ChargeUncertain | StorageError> {
    const { method, topUpId } = underWay
    const found = ageMillis < foundAfterMillis ? null : yield* payments.find(topUpId)
    if (found !== null) return found
    // The processor forgets idempotency keys after a day. By then a payment would have been found.
    if (ageMillis > chargeMillisMax) return "never"
    const row = yield* rows.get(topUpId)
    if (row === null || row.status !== "pending") return null
    // Looked at last, because what comes before it may have taken a while: the owner may have taken the rule away.
    const standing = yield* automatic.standing(rule.workspaceId)
    const noTopUps = noTopUpReason({ operatorWorkspace: standing.operatorWorkspace, processorConfigured })
    if (standing.rule === null || !mayCharge(standing.rule, row, { ...standing, noTopUps }))
      return ageMillis < uncalledAfterMillis ? null : "never"
    return yield* payments.charge({ topUpId, workspaceId: rule.workspaceId, amountMicros: row.amountMicros, method })
  })

  const reported = (topUpId: TopUpId, outcome: Charged | "never" | null): Effect.Effect<unknown, StorageError> => {
    if (outcome === null || (outcome !== "never" && outcome.state === "open")) return Effect.void
    return outcome !== "never" && outcome.state === "paid"
      ? reports.report({
          _tag: "Paid",
          topUpId,
          reference: outcome.reference,
          amountMicros: outcome.amountMicros,
          savedMethod: null
        })
      : reports.report({
          _tag: "Unpaid",
          topUpId,
          status: "failed",
          declined: outcome === "never" ? null : "charge_failed"
        })
  }

  const work = (task: Task): Effect.Effect<void, StorageError> => {
    const { topUpId } = task.underWay
    return charged(task).pipe(
      Effect.flatMap((outcome) => reported(topUpId, outcome)),
      Effect.catchTags({
        ChargeRefused: ({ stop }) => reports.report({ _tag: "Unpaid", topUpId, status: "failed", declined: stop }),
        // It is looked after again.
        ChargeUncertain: () => Effect.void
      }),
      Effect.asVoid,
      Effect.uninterruptible
    )
  }

  const takeDue = Effect.map(
    Effect.flatMap(automatic.due(workedOnAtOnce), (due) => Effect.forEach(due, taken)),
    (tasks) => tasks.filter((task) => task !== null)
  )
  /** How many were worked on. */
  const round = Effect.flatMap(Effect.uninterruptible(rows.transact(takeDue)), (tasks) =>
    Effect.as(Effect.forEach(tasks, work, { discard: true, concurrency: "unbounded" }), tasks.length)
  )

  return {
    get: Effect.fn("AutomaticTopUps.get")(get),
    set: Effect.fn("AutomaticTopUps.set")(function* (workspaceId, rule, by) {
      yield* enabled
      const problem = ruleProblem(policy, rule)
      if (problem !== null) return yield* problem
      const after = yield* Effect.uninterruptible(
        rows.transact(
          change(workspaceId, by, (standing) => [
            ruleSet(standing.rule, workspaceId, rule, standing.now),
            "automatic_top_up.set"
          ])
        )
      )
      return after ?? (yield* Effect.dieMessage("a rule that was set is not there"))
    }),
    remove: Effect.fn("AutomaticTopUps.remove")(function* (workspaceId, by) {
      yield* enabled
      yield* Effect.uninterruptible(
        rows.transact(
          change(workspaceId, by, ({ now, rule }) =>
            rule === null || rule.status === "off"
              ? null
              : [{ ...rule, status: "off", disabledReason: null, updatedAt: now }, "automatic_top_up.removed"]
          )
        )
      )
    }),
    // A node that cannot charge would keep the top-ups under way from those that can.
    turn:
      policy.enabled && processorConfigured
        ? Effect.asVoid(Effect.repeat(round, { while: (worked) => worked === workedOnAtOnce }))
        : Effect.void
  }
}

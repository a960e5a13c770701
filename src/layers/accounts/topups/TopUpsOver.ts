/**
 * Top-ups over any rows. A request is written down before the payment processor is asked, so that no checkout exists
 * that the gateway knows nothing of. A client that hangs up interrupts no transaction, only what comes between them.
 */
import { Clock, Context, Effect } from "effect"
import { BillingUnavailable, IdempotencyConflict, NotFound } from "../../../domain/ApiErrors.js"
import { TopUpId, type WorkspaceId } from "../../../domain/Ids.js"
import { minus } from "../../../domain/Micros.js"
import { amountRefusal, type BillingPolicy, noTopUpReason, topUpHint, topUpMessage } from "../../../domain/TopUp.js"
import type { Actor } from "../../../domain/AuditEntry.js"
import { AuditTrail } from "../../../services/AuditTrail.js"
import { AutomaticTopUps } from "../../../services/AutomaticTopUps.js"
import { Ids } from "../../../services/Ids.js"
import { OffSessionPayments } from "../../../services/OffSessionPayments.js"
import { Payments } from "../../../services/Payments.js"
import { TopUpReports } from "../../../services/TopUpReports.js"
import { type TopUp, type TopUpRequest, TopUps } from "../../../services/TopUps.js"
import { Wallet } from "../../../services/Wallet.js"
import { pageOf } from "../../../domain/Pages.js"
import type { AutomaticRows } from "./AutomaticRows.js"
import { automaticTopUpsOver } from "./AutomaticTopUpsOver.js"
import type { ListedTopUp, TopUpRow, TopUpRows } from "./TopUpRows.js"
import { topUpReportsOver } from "./TopUpReportsOver.js"

/** What stands over the rows of top-ups, and what it asks for. */
export type TopUpServices = AutomaticTopUps | TopUps | TopUpReports
export type TopUpNeeds = AuditTrail | Ids | OffSessionPayments | Payments | Wallet

export const topUpsOver = (
  rows: TopUpRows,
  automatic: AutomaticRows,
  policy: BillingPolicy
): Effect.Effect<Context.Context<TopUpServices>, never, TopUpNeeds> =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const payments = yield* Payments
    const trail = yield* AuditTrail
    const offSession = yield* OffSessionPayments
    const wallet = yield* Wallet
    const reports = TopUpReports.of(topUpReportsOver({ rows, automatic, wallet, trail }))

    const shown = ({
      amountMicros,
      automatic: isAutomatic,
      checkoutUrl,
      createdAt,
      reason,
      status,
      takenMicros,
      reversals,
      toTakeMicros,
      topUpId,
      workspaceId
    }: ListedTopUp): TopUp => ({
      topUpId,
      workspaceId,
      status,
      amountMicros,
      checkoutUrl: status === "pending" ? checkoutUrl : null,
      dashboardUrl: policy.dashboardUrl(workspaceId),
      message: topUpMessage({ automatic: isAutomatic, reason, status }),
      reason: status === "paid" ? null : reason,
      takenBackMicros: takenMicros,
      owedMicros: minus(toTakeMicros, takenMicros),
      reversals,
      createdAt
    })
    const get = Effect.fnUntraced(function* (workspaceId: WorkspaceId, topUpId: TopUpId) {
      const found = yield* rows.listed(workspaceId, topUpId)
      return found === null ? yield* new NotFound({ what: "top-up", id: topUpId }) : shown(found)
    })

    const checkoutFor = (row: TopUpRow): Effect.Effect<Partial<TopUpRow>> =>
      Effect.match(payments.createCheckout({ ...row, returnUrl: policy.dashboardUrl(row.workspaceId) }), {
        onSuccess: ({ checkoutUrl }) => ({ checkoutUrl, reason: null }),
        onFailure: ({ reason }) =>
          reason === "processor_timeout"
            ? { reason }
            : { status: reason === "checkout_failed" ? ("failed" as const) : ("refused" as const), reason }
      })

    /** Also finishes what a request before did not: a checkout that timed out, or a gateway that stopped in between. */
    const openCheckout = Effect.fnUntraced(function* (row: TopUpRow, operatorWorkspace: boolean) {
      const none = noTopUpReason({ operatorWorkspace, processorConfigured: payments.configured })
      const found: Partial<TopUpRow> = none === null ? yield* checkoutFor(row) : { status: "refused", reason: none }
      // Meanwhile another request may have come further, or the payment even been made: that stands.
      yield* Effect.uninterruptible(
        rows.change(row.topUpId, (now) =>
          Effect.succeed(now.status === "pending" && now.checkoutUrl === null ? { ...now, ...found } : now)
        )
      )
    })

    /** The row that has the key; one that is new stands in the audit trail. */
    const inserted = Effect.fnUntraced(function* (asked: TopUpRow, by: Actor) {
      const row = yield* rows.insert(asked)
      if (row.topUpId === asked.topUpId)
        yield* trail.write(by, [
          {
            action: "top_up.requested",
            subjectId: row.topUpId,
            workspaceId: row.workspaceId,
            before: null,
            after: { amountMicros: row.amountMicros, automatic: false }
          }
        ])
      return row
    })

    /** The row of a new request, or of the one before it that had its key. */
    const rowFor = Effect.fnUntraced(function* (input: TopUpRequest, by: Actor) {
      // Before the amount is looked at: meanwhile the operator may have changed which amounts are allowed.
      const before = input.idempotencyKey === null ? null : yield* rows.ofKey(input.workspaceId, input.idempotencyKey)
      if (before !== null) return before
      const amountMicros = input.amountMicros ?? policy.suggestedMicros
      const refusal = amountRefusal(policy, input.workspaceId, amountMicros)
      if (refusal !== null) return yield* refusal
      const asked: TopUpRow = {
        topUpId: TopUpId.make(`top_${yield* ids.suffix}`),
        workspaceId: input.workspaceId,
        status: "pending",
        amountMicros,
        checkoutUrl: null,
        reason: null,
        idempotencyKey: input.idempotencyKey,
        paymentReference: null,
        automatic: false,
        savesMethod: input.saveMethod,
        createdAt: yield* Clock.currentTimeMillis,
        paidAt: null
      }
      return yield* Effect.uninterruptible(rows.transact(inserted(asked, by)))
    })

    const request = Effect.fn("TopUps.request")(function* (input: TopUpRequest, by: Actor) {
      if (!policy.enabled) return yield* new BillingUnavailable({})
      const row = yield* rowFor(input, by)
      // A request without an amount took what was suggested then.
      const sameAmount = input.amountMicros === null || row.amountMicros === input.amountMicros
      if (!sameAmount || row.savesMethod !== input.saveMethod) return yield* new IdempotencyConflict({})
      if (row.status === "pending" && row.checkoutUrl === null) yield* openCheckout(row, input.operatorWorkspace)
      // One that was requested before may have been paid meanwhile, and taken back: it is answered as it is now.
      return yield* Effect.catchTag(get(row.workspaceId, row.topUpId), "not_found", Effect.die)
    })

    return Context.make(
      TopUps,
      TopUps.of({
        request,
        list: (workspaceId, page) =>
          policy.enabled
            ? Effect.map(rows.newest(workspaceId, page), (found) =>
                pageOf(found.map(shown), page.limit, ({ topUpId }) => topUpId)
              )
            : Effect.fail(new BillingUnavailable({})),
        get: Effect.fn("TopUps.get")(function* (workspaceId, topUpId) {
          if (!policy.enabled) return yield* new BillingUnavailable({})
          return yield* get(workspaceId, topUpId)
        }),
        owed: rows.owed,
        hint: (asked) => Effect.succeed(topUpHint(policy, { ...asked, processorConfigured: payments.configured }))
      })
    ).pipe(
      Context.add(TopUpReports, reports),
      Context.add(
        AutomaticTopUps,
        AutomaticTopUps.of(
          automaticTopUpsOver({
            rows,
            automatic,
            policy,
            payments: offSession,
            processorConfigured: payments.configured,
            reports,
            wallet,
            trail,
            ids
          })
        )
      )
    )
  })

/**
 * Top-ups over any rows. A request is written down before the payment processor is asked, so that no checkout exists
 * that the gateway knows nothing of. A client that hangs up interrupts no transaction, only what comes between them.
 */
import { Clock, Context, Effect } from "effect"
import { BillingUnavailable, IdempotencyConflict, NotFound } from "../../../domain/ApiErrors.js"
import { TopUpId, type WorkspaceId } from "../../../domain/Ids.js"
import { type Micros, minus, zero } from "../../../domain/Micros.js"
import { amountRefusal, type BillingPolicy, topUpHint, topUpMessage } from "../../../domain/TopUp.js"
import { AuditTrail } from "../../../services/AuditTrail.js"
import { Ids } from "../../../services/Ids.js"
import { Payments } from "../../../services/Payments.js"
import { TopUpReports } from "../../../services/TopUpReports.js"
import { type TopUp, TopUps } from "../../../services/TopUps.js"
import { Wallet } from "../../../services/Wallet.js"
import { pageOf } from "../../../domain/Pages.js"
import type { ListedTopUp, TopUpRow, TopUpRows } from "./TopUpRows.js"
import { topUpReportsOver } from "./TopUpReportsOver.js"

export const topUpsOver = (
  rows: TopUpRows,
  policy: BillingPolicy
): Effect.Effect<Context.Context<TopUps | TopUpReports>, never, AuditTrail | Ids | Payments | Wallet> =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const payments = yield* Payments
    const trail = yield* AuditTrail
    const wallet = yield* Wallet

    const shown = ({
      amountMicros,
      checkoutUrl,
      createdAt,
      reason,
      status,
      takenMicros,
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
      message: topUpMessage(status, reason),
      reason: status === "paid" ? null : reason,
      takenBackMicros: takenMicros,
      owedMicros: minus(toTakeMicros, takenMicros),
      createdAt
    })
    /** As it is when it is requested: nothing was taken back of it. */
    const fresh = (row: TopUpRow): TopUp => shown({ ...row, takenMicros: zero, toTakeMicros: zero })
    const changed = <E>(topUpId: TopUpId, change: (row: TopUpRow) => Effect.Effect<TopUpRow, E>) =>
      Effect.flatMap(Effect.uninterruptible(rows.change(topUpId, change)), (row) =>
        row === null ? Effect.fail(new NotFound({ what: "top-up", id: topUpId })) : Effect.succeed(fresh(row))
      )

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
      const found: Partial<TopUpRow> = operatorWorkspace
        ? { status: "refused", reason: "operator_workspace" }
        : yield* checkoutFor(row)
      // Meanwhile another request may have come further, or the payment even been made: that stands.
      return yield* changed(row.topUpId, (now) =>
        Effect.succeed(now.status === "pending" && now.checkoutUrl === null ? { ...now, ...found } : now)
      ).pipe(Effect.catchTag("not_found", Effect.die))
    })

    const request = Effect.fn("TopUps.request")(function* (input: {
      readonly workspaceId: WorkspaceId
      readonly operatorWorkspace: boolean
      readonly amountMicros: Micros | null
      readonly idempotencyKey: string | null
    }) {
      if (!policy.enabled) return yield* new BillingUnavailable({})
      const amountMicros = input.amountMicros ?? policy.suggestedMicros
      const refusal = amountRefusal(policy, input.workspaceId, amountMicros)
      if (refusal !== null) return yield* refusal
      const row = yield* Effect.uninterruptible(
        rows.insert({
          topUpId: TopUpId.make(`top_${yield* ids.suffix}`),
          workspaceId: input.workspaceId,
          status: "pending",
          amountMicros,
          checkoutUrl: null,
          reason: null,
          idempotencyKey: input.idempotencyKey,
          paymentReference: null,
          automatic: false,
          savesMethod: false,
          createdAt: yield* Clock.currentTimeMillis,
          paidAt: null
        })
      )
      if (row.amountMicros !== amountMicros) return yield* new IdempotencyConflict({})
      return row.status === "pending" && row.checkoutUrl === null
        ? yield* openCheckout(row, input.operatorWorkspace)
        : fresh(row)
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
        hint: (asked) => Effect.succeed(topUpHint(policy, { ...asked, processorConfigured: payments.configured }))
      })
    ).pipe(Context.add(TopUpReports, TopUpReports.of(topUpReportsOver(rows, wallet, trail))))
  })

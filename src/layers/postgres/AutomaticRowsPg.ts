/** Rules of automatic top-ups in Postgres, and the cards that are saved for them. */
import { Effect, Schema } from "effect"
import { type AutomaticTopUp } from "../../domain/AutomaticTopUp.js"
import { TopUpId, WorkspaceId } from "../../domain/Ids.js"
import { Micros } from "../../domain/Micros.js"
import { automaticStops } from "../../domain/PaymentReport.js"
import type { AutomaticRows } from "../accounts/topups/AutomaticRows.js"
import type { Database } from "./Database.js"
import { DatabaseNow } from "./database/Now.js"
import { rowOf, rowsOf } from "./database/Rows.js"

const RuleColumns = Schema.Struct({
  workspaceId: WorkspaceId,
  status: Schema.Literal("on", "off", "disabled"),
  belowMicros: Micros,
  amountMicros: Micros,
  monthlyMaximumMicros: Micros,
  disabledReason: Schema.NullOr(Schema.Literal(...automaticStops)),
  month: Schema.String,
  monthMicros: Micros,
  underWay: Schema.NullOr(
    Schema.Struct({ topUpId: TopUpId, startedAt: Schema.Int, method: Schema.String, stopped: Schema.Boolean })
  ),
  retryAt: Schema.Int,
  updatedAt: Schema.Int
})
const ruleRow = rowOf(RuleColumns)
const dueRows = rowsOf(
  Schema.Struct({
    ...RuleColumns.fields,
    method: Schema.NullOr(Schema.String),
    operatorWorkspace: Schema.Boolean,
    availableMicros: Micros,
    now: Schema.Int
  })
)
const balanceRows = rowsOf(Schema.Struct({ workspaceId: WorkspaceId, availableMicros: Micros }))
const methodRow = rowOf(Schema.Struct({ method: Schema.String, paidAt: Schema.Int }))
const besideRow = rowOf(
  Schema.Struct({ method: Schema.NullOr(Schema.String), operatorWorkspace: Schema.Boolean, now: Schema.Int })
)

const columns = `a.workspace_id as "workspaceId", a.status, a.below_micros as "belowMicros", a.amount_micros as "amountMicros",
  a.monthly_maximum_micros as "monthlyMaximumMicros", a.disabled_reason as "disabledReason", a.month, a.month_micros as "monthMicros",
  case when a.top_up_id is not null then
    json_build_object('topUpId', a.top_up_id, 'startedAt', a.started_at, 'method', a.charged_method,
      'stopped', coalesce(a.stopped_top_up_id = a.top_up_id, false)) end as "underWay",
  a.retry_at as "retryAt", a.updated_at as "updatedAt"`

export const automaticRows = (database: Database["Type"]): Effect.Effect<AutomaticRows> =>
  Effect.map(DatabaseNow, (databaseNow) => {
    const { query, sql } = database
    const shown = sql.literal(columns)
    const standing = (lock: "" | "for update"): AutomaticRows["standing"] =>
      Effect.fnUntraced(function* (workspaceId) {
        const rule = yield* ruleRow(
          query(sql`select ${shown} from automatic_top_ups a where workspace_id = ${workspaceId} ${sql.literal(lock)}`)
        )
        const beside = yield* besideRow(
          query(sql`
          select (select reference from saved_payment_methods where workspace_id = ${workspaceId}) as method,
            exists (select from workspaces where workspace_id = ${workspaceId} and operator) as "operatorWorkspace",
            ${sql.literal(yield* databaseNow)} as now`)
        )
        return beside === null ? yield* Effect.dieMessage("one row was not answered") : { rule, ...beside }
      })
    const put = (rule: AutomaticTopUp) => sql`
      insert into automatic_top_ups (workspace_id, status, below_micros, amount_micros, monthly_maximum_micros, disabled_reason,
        month, month_micros, top_up_id, started_at, charged_method, stopped_top_up_id, retry_at, updated_at)
      values (${rule.workspaceId}, ${rule.status}, ${rule.belowMicros}, ${rule.amountMicros}, ${rule.monthlyMaximumMicros},
        ${rule.disabledReason}, ${rule.month}, ${rule.monthMicros}, ${rule.underWay?.topUpId ?? null},
        ${rule.underWay?.startedAt ?? null}, ${rule.underWay?.method ?? null},
        ${rule.underWay?.stopped === true ? rule.underWay.topUpId : null}, ${Math.ceil(rule.retryAt)}, ${rule.updatedAt})
      on conflict (workspace_id) do update set status = excluded.status, below_micros = excluded.below_micros,
        amount_micros = excluded.amount_micros, monthly_maximum_micros = excluded.monthly_maximum_micros,
        disabled_reason = excluded.disabled_reason, month = excluded.month, month_micros = excluded.month_micros,
        top_up_id = excluded.top_up_id, started_at = excluded.started_at, charged_method = excluded.charged_method,
        stopped_top_up_id = excluded.stopped_top_up_id,
        retry_at = excluded.retry_at, updated_at = excluded.updated_at`
    return {
      standing: standing(""),
      lockRule: standing("for update"),
      putRule: (rule) => Effect.asVoid(query(put(rule))),
      due: Effect.fnUntraced(function* (limit) {
        const now = sql.literal(yield* databaseNow)
        // The condition is that of `isDue`. A workspace that is the operator's by the time it is locked is left out.
        const rows = yield* dueRows(
          query(sql`
          select ${shown}, m.reference as method, o.operator as "operatorWorkspace", w.available_micros as "availableMicros", ${now} as now
          from automatic_top_ups a
          join wallets w on w.workspace_id = a.workspace_id
          join workspaces o on o.workspace_id = a.workspace_id
          left join saved_payment_methods m on m.workspace_id = a.workspace_id
          where (a.top_up_id is not null and a.retry_at <= ${now})
            or (a.top_up_id is null and a.status = 'on' and not o.operator and w.available_micros < a.below_micros and m.reference is not null
              and case when a.month >= to_char(to_timestamp(${now} / 1000.0) at time zone 'UTC', 'YYYY-MM') then a.month_micros else 0 end
                + a.amount_micros <= a.monthly_maximum_micros)
          order by a.retry_at, a.workspace_id limit ${limit} for update of a skip locked for share of o skip locked`)
        )
        // The rules are as they were when they were locked, the balances as they were when the statement began. Another
        // node may have ended a top-up in between, so they are read again: its card would be charged twice.
        const balances = yield* balanceRows(
          query(sql`
          select workspace_id as "workspaceId", available_micros as "availableMicros" from wallets
          where workspace_id = any(${rows.map(({ workspaceId }) => workspaceId)}::text[])`)
        )
        const available = new Map(balances.map((each) => [each.workspaceId, each.availableMicros]))
        return rows.map(({ availableMicros, method, now, operatorWorkspace, ...rule }) => ({
          rule,
          method,
          operatorWorkspace,
          availableMicros: available.get(rule.workspaceId) ?? availableMicros,
          now
        }))
      }),
      savedMethod: (workspaceId) =>
        methodRow(
          query(sql`
          select reference as method, saved_at as "paidAt" from saved_payment_methods where workspace_id = ${workspaceId}`)
        ),
      saveMethod: (workspaceId, { method, paidAt }) =>
        Effect.asVoid(
          query(sql`
          insert into saved_payment_methods (workspace_id, reference, saved_at) values (${workspaceId}, ${method}, ${paidAt})
          on conflict (workspace_id) do update set reference = excluded.reference, saved_at = excluded.saved_at`)
        )
    }
  })

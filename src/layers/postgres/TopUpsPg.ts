/** Top-ups in Postgres: the rows of `topups/TopUpRows`. All decisions are made in `topups/TopUpsOver`. */
import { Effect, Layer, Schema } from "effect"
import { TopUpId, WorkspaceId } from "../../domain/Ids.js"
import { Micros } from "../../domain/Micros.js"
import { type BillingPolicy, topUpStatuses } from "../../domain/TopUp.js"
import { TopUpReason } from "../../domain/TopUpHint.js"
import type { Ids } from "../../services/Ids.js"
import type { Payments } from "../../services/Payments.js"
import type { TopUpReports } from "../../services/TopUpReports.js"
import type { TopUps } from "../../services/TopUps.js"
import type { Wallet } from "../../services/Wallet.js"
import { Database } from "./Database.js"
import { rowOf, rowsOf } from "./database/Rows.js"
import type { TopUpRows } from "../accounts/topups/TopUpRows.js"
import { topUpsOver } from "../accounts/topups/TopUpsOver.js"

const TopUpColumns = Schema.Struct({
  topUpId: TopUpId,
  workspaceId: WorkspaceId,
  status: Schema.Literal(...topUpStatuses),
  amountMicros: Micros,
  checkoutUrl: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(TopUpReason),
  idempotencyKey: Schema.NullOr(Schema.String),
  paymentReference: Schema.NullOr(Schema.String),
  createdAt: Schema.Int,
  paidAt: Schema.NullOr(Schema.Int)
})
const topUpRow = rowOf(TopUpColumns)
const topUpRows = rowsOf(TopUpColumns)

const rows = Effect.map(Database, ({ query, sql, transact }): TopUpRows => {
  const columns = sql.literal(
    `top_up_id as "topUpId", workspace_id as "workspaceId", status, amount_micros as "amountMicros", checkout_url as "checkoutUrl", reason,
     idempotency_key as "idempotencyKey", payment_reference as "paymentReference", created_at as "createdAt", paid_at as "paidAt"`
  )
  return {
    insert: (row) =>
      transact(
        Effect.gen(function* () {
          const [inserted] = yield* sql`
          insert into top_ups (workspace_id, top_up_id, status, amount_micros, idempotency_key, created_at)
          values (${row.workspaceId}, ${row.topUpId}, ${row.status}, ${row.amountMicros}, ${row.idempotencyKey}, ${row.createdAt})
          on conflict (workspace_id, idempotency_key) where idempotency_key is not null do nothing returning 1`
          if (inserted !== undefined) return row
          const before = yield* topUpRow(
            sql`select ${columns} from top_ups where workspace_id = ${row.workspaceId} and idempotency_key = ${row.idempotencyKey}`
          )
          return before ?? (yield* Effect.dieMessage("a top-up refused for its key is not there"))
        })
      ),
    change: (topUpId, change) =>
      transact(
        Effect.gen(function* () {
          const before = yield* topUpRow(sql`select ${columns} from top_ups where top_up_id = ${topUpId} for update`)
          if (before === null) return null
          const after = yield* change(before)
          yield* sql`
          update top_ups set status = ${after.status}, checkout_url = ${after.checkoutUrl}, reason = ${after.reason},
            payment_reference = ${after.paymentReference}, paid_at = ${after.paidAt}
          where workspace_id = ${after.workspaceId} and top_up_id = ${topUpId}`
          return after
        })
      ),
    newest: (workspaceId, { after, limit }) =>
      topUpRows(
        query(sql`
        select ${columns} from top_ups where workspace_id = ${workspaceId} ${after === null ? sql.literal("") : sql`and top_up_id < ${after}`}
        order by top_up_id desc limit ${limit + 1}`)
      )
  }
})

export const TopUpsPg = (
  policy: BillingPolicy
): Layer.Layer<TopUps | TopUpReports, never, Database | Ids | Payments | Wallet> =>
  Layer.effectContext(Effect.flatMap(rows, (found) => topUpsOver(found, policy)))

/** Top-ups and their payments in Postgres: the rows of `topups/TopUpRows`. All decisions are made over them. */
import { Effect, Layer, Schema } from "effect"
import { TopUpId, WorkspaceId } from "../../domain/Ids.js"
import { Micros, zero } from "../../domain/Micros.js"
import { type Payment, reversalStates } from "../../domain/PaymentReport.js"
import { type BillingPolicy, topUpStatuses } from "../../domain/TopUp.js"
import { TopUpReason } from "../../domain/TopUpHint.js"
import type { AuditTrail } from "../../services/AuditTrail.js"
import { automaticRows } from "./AutomaticRowsPg.js"
import { Database } from "./Database.js"
import { rowOf, rowsOf } from "./database/Rows.js"
import type { TopUpRows } from "../accounts/topups/TopUpRows.js"
import { AuditTrailPg } from "./AuditTrailPg.js"
import { type TopUpNeeds, type TopUpServices, topUpsOver } from "../accounts/topups/TopUpsOver.js"

const TopUpColumns = Schema.Struct({
  topUpId: TopUpId,
  workspaceId: WorkspaceId,
  status: Schema.Literal(...topUpStatuses),
  amountMicros: Micros,
  checkoutUrl: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(TopUpReason),
  idempotencyKey: Schema.NullOr(Schema.String),
  paymentReference: Schema.NullOr(Schema.String),
  automatic: Schema.Boolean,
  savesMethod: Schema.Boolean,
  createdAt: Schema.Int,
  paidAt: Schema.NullOr(Schema.Int)
})
const topUpRow = rowOf(TopUpColumns)
const Reversals = Schema.Array(
  Schema.Struct({
    objectId: Schema.String,
    kind: Schema.Literal("refund", "dispute"),
    state: Schema.Literal(...reversalStates),
    amountMicros: Micros
  })
)
const ListedColumns = Schema.Struct({
  ...TopUpColumns.fields,
  reversals: Reversals,
  toTakeMicros: Micros,
  takenMicros: Micros
})
const listedRow = rowOf(ListedColumns)
const listedRows = rowsOf(ListedColumns)
const placeRow = rowOf(Schema.Struct({ workspaceId: WorkspaceId }))
const owedRow = rowOf(Schema.Struct({ micros: Micros }))

const PaymentColumns = Schema.Struct({
  reference: Schema.String,
  topUp: Schema.NullOr(Schema.Struct({ workspaceId: WorkspaceId, topUpId: TopUpId, amountMicros: Micros })),
  reversals: Reversals,
  toTakeMicros: Micros,
  takenMicros: Micros,
  bookings: Schema.Int
})
const paymentRow = rowOf(PaymentColumns)
const paymentRows = rowsOf(PaymentColumns)
const workspaceRows = rowsOf(Schema.Struct({ workspaceId: WorkspaceId }))
const referenceRow = rowOf(Schema.Struct({ reference: Schema.String }))
const payerRow = rowOf(Schema.Struct({ workspaceId: Schema.NullOr(WorkspaceId) }))

const topUpRowsOf = ({ query, sql, transact }: Database["Type"]) => {
  const columns = sql.literal(
    `t.top_up_id as "topUpId", t.workspace_id as "workspaceId", t.status, t.amount_micros as "amountMicros", t.checkout_url as "checkoutUrl", t.reason,
     t.idempotency_key as "idempotencyKey", t.payment_reference as "paymentReference", t.automatic, t.saves_method as "savesMethod",
     t.created_at as "createdAt", t.paid_at as "paidAt"`
  )
  const listed = sql.literal(
    `coalesce(p.takings, '[]') as reversals, coalesce(p.to_take_micros, 0) as "toTakeMicros", coalesce(p.taken_micros, 0) as "takenMicros"
     from top_ups t left join payments p on p.payment_reference = t.payment_reference`
  )
  /** Payment processors name a top-up alone. It never moves to another workspace. */
  const placeOf = (topUpId: TopUpId) =>
    placeRow(query(sql`select workspace_id as "workspaceId" from top_ups where top_up_id = ${topUpId}`))
  const ofKey: TopUpRows["ofKey"] = (workspaceId, key) =>
    topUpRow(
      query(sql`select ${columns} from top_ups t where workspace_id = ${workspaceId} and idempotency_key = ${key}`)
    )
  const rows: Pick<TopUpRows, "insert" | "ofKey" | "get" | "change" | "newest" | "listed" | "owed"> = {
    ofKey,
    insert: (row) =>
      transact(
        Effect.gen(function* () {
          const [inserted] = yield* sql`
          insert into top_ups (workspace_id, top_up_id, status, amount_micros, idempotency_key, automatic, saves_method, created_at)
          values (${row.workspaceId}, ${row.topUpId}, ${row.status}, ${row.amountMicros}, ${row.idempotencyKey}, ${row.automatic}, ${row.savesMethod},
            ${row.createdAt})
          on conflict (workspace_id, idempotency_key) where idempotency_key is not null do nothing returning 1`
          if (inserted !== undefined) return row
          const before = row.idempotencyKey === null ? null : yield* ofKey(row.workspaceId, row.idempotencyKey)
          return before ?? (yield* Effect.dieMessage("a top-up refused for its key is not there"))
        })
      ),
    get: (topUpId) =>
      Effect.flatMap(placeOf(topUpId), (place) =>
        place === null
          ? Effect.succeed(null)
          : topUpRow(
              query(sql`
              select ${columns} from top_ups t where workspace_id = ${place.workspaceId} and top_up_id = ${topUpId}`)
            )
      ),
    change: (topUpId, change) =>
      transact(
        Effect.gen(function* () {
          const place = yield* placeOf(topUpId)
          if (place === null) return null
          const before = yield* topUpRow(
            sql`select ${columns} from top_ups t where workspace_id = ${place.workspaceId} and top_up_id = ${topUpId} for update`
          )
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
      listedRows(
        query(sql`
        select ${columns}, ${listed}
        where t.workspace_id = ${workspaceId} ${after === null ? sql.literal("") : sql`and t.top_up_id < ${after}`}
        order by t.top_up_id desc limit ${limit + 1}`)
      ),
    listed: (workspaceId, topUpId) =>
      listedRow(
        query(sql`select ${columns}, ${listed} where t.workspace_id = ${workspaceId} and t.top_up_id = ${topUpId}`)
      ),
    owed: (workspaceId) =>
      Effect.map(
        owedRow(
          query(sql`
          select coalesce(sum(to_take_micros - taken_micros), 0)::bigint as micros from payments
          where workspace_id = ${workspaceId} and to_take_micros <> taken_micros and to_take_micros > taken_micros`)
        ),
        (row) => row?.micros ?? zero
      )
  }
  return rows
}

const paymentRowsOf = ({ query, sql }: Database["Type"]) => {
  const columns = sql.literal(
    `payment_reference as reference, takings as reversals, to_take_micros as "toTakeMicros", taken_micros as "takenMicros", bookings,
     case when top_up_id is not null then
       json_build_object('workspaceId', workspace_id, 'topUpId', top_up_id, 'amountMicros', amount_micros) end as "topUp"`
  )
  const written = ({ bookings, reference, reversals, takenMicros, toTakeMicros, topUp }: Payment) => sql`
    update payments set workspace_id = ${topUp?.workspaceId ?? null}, top_up_id = ${topUp?.topUpId ?? null},
      amount_micros = ${topUp?.amountMicros ?? null}, takings = ${JSON.stringify(reversals)}::jsonb, to_take_micros = ${toTakeMicros},
      taken_micros = ${takenMicros}, bookings = ${bookings}
    where payment_reference = ${reference}`
  const rows: Pick<TopUpRows, "payer" | "payment" | "putPayment" | "paymentOfReversal" | "unsettled" | "collectable"> =
    {
      payer: (reference) =>
        Effect.map(
          payerRow(
            query(sql`select workspace_id as "workspaceId" from payments where payment_reference = ${reference}`)
          ),
          (row) => row?.workspaceId ?? null
        ),
      payment: Effect.fnUntraced(function* (reference) {
        // Waits for another transaction that makes the same payment.
        yield* query(sql`insert into payments (payment_reference) values (${reference}) on conflict do nothing`)
        const row = yield* paymentRow(
          query(sql`select ${columns} from payments where payment_reference = ${reference} for update`)
        )
        return row ?? (yield* Effect.dieMessage("a payment that was made is not there"))
      }),
      putPayment: (payment) => Effect.asVoid(query(written(payment))),
      paymentOfReversal: Effect.fnUntraced(function* (objectId, reference) {
        // Waits for another transaction that reports the same refund or dispute.
        yield* query(
          sql`insert into payment_takings (object_id, payment_reference) values (${objectId}, ${reference}) on conflict do nothing`
        )
        const row = yield* referenceRow(
          query(sql`select payment_reference as reference from payment_takings where object_id = ${objectId}`)
        )
        return row?.reference ?? (yield* Effect.dieMessage("a refund or dispute that was noted is not there"))
      }),
      unsettled: (workspaceId) =>
        paymentRows(
          query(sql`
        select ${columns} from payments where workspace_id = ${workspaceId} and to_take_micros <> taken_micros
        order by top_up_id for update`)
        ),
      collectable: (limit) =>
        Effect.map(
          workspaceRows(
            query(sql`
          select distinct w.workspace_id as "workspaceId" from payments p join wallets w on w.workspace_id = p.workspace_id
          where p.to_take_micros <> p.taken_micros and w.available_micros > 0 limit ${limit}`)
          ),
          (found) => found.map(({ workspaceId }) => workspaceId)
        )
    }
  return rows
}

const rows = Effect.map(Database, (database): TopUpRows => ({
  transact: (work) => database.transact(work),
  ...topUpRowsOf(database),
  ...paymentRowsOf(database)
}))

export const TopUpsPg = (
  policy: BillingPolicy
): Layer.Layer<TopUpServices, never, Database | Exclude<TopUpNeeds, AuditTrail>> =>
  Layer.effectContext(
    Effect.gen(function* () {
      return yield* topUpsOver(yield* rows, yield* automaticRows(yield* Database), policy)
    })
  ).pipe(Layer.provide(AuditTrailPg))

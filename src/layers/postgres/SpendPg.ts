/**
 * What workspaces were charged, by day, provider and token. Sums are made in the background from the ledger, a portion
 * of one workspace in each transaction. The entries of a workspace are written under the lock of its wallet, so their
 * `seq` is the order in which they were committed, and nothing appears later before the last entry that was summed up.
 * A report adds the entries after that one, so it is complete as of now.
 */
import type * as Statement from "@effect/sql/Statement"
import { Array as Arr, Effect, Order, Schema } from "effect"
import { checkedSpan, dayMillis } from "../../domain/Days.js"
import { TokenId, WorkspaceId } from "../../domain/Ids.js"
import { Micros, zero } from "../../domain/Micros.js"
import type { Charged, Reports } from "../../services/Reports.js"
import type { Database } from "./Database.js"
import { rowOf, rowsOf } from "./database/Rows.js"

/** Entries that one transaction sums up, and the most that a report reads besides the sums. */
const portion = 20_000

type Sql = Database["Type"]["sql"]

const summedRow = rowOf(Schema.Struct({ entries: Schema.Int }))
const workspaceRows = rowsOf(Schema.Struct({ workspaceId: WorkspaceId }))
const providerRows = rowsOf(Schema.Struct({ providerId: Schema.String, calls: Schema.Int, chargeMicros: Micros }))
const reportRows = rowsOf(
  Schema.Struct({
    day: Schema.NullOr(Schema.Int),
    providerId: Schema.NullOr(Schema.String),
    tokenId: Schema.NullOr(TokenId),
    label: Schema.NullOr(Schema.String),
    calls: Schema.Int,
    chargeMicros: Micros,
    completeUntil: Schema.NullOr(Schema.Int)
  })
)

/** `fresh`: the entries of a workspace that are not in its sums. `shares`: what each call has of their charges. */
const freshShares = (sql: Sql, workspaceId: WorkspaceId): Statement.Fragment => sql`
  fresh as materialized (
    select seq, kind, run_id, amount_micros, created_at from ledger_entries
    where workspace_id = ${workspaceId} and seq > coalesce((select through_seq from spend_summed where workspace_id = ${workspaceId}), 0)
    order by seq limit ${portion}
  ), shares as (
    select (c.created_at / ${sql.literal(String(dayMillis))})::int as day, share.provider_id, r.token_id, share.micros
    from fresh c cross join lateral (
      select token_id, provider_id, served_provider_id from runs where workspace_id = ${workspaceId} and run_id = c.run_id
      union all
      -- A run may leave the hot tables before its charge is summed up.
      select token_id, provider_id, served_provider_id from history_runs where workspace_id = ${workspaceId} and run_id = c.run_id
    ) r
    cross join lateral (
      -- The same as \`sharesOf\` in domain/Spend.
      with costs as (
        select provider_id, cost_micros as cost, sum(cost_micros) over (order by n) - cost_micros as before from (
          select n, provider_id, cost_micros from attempts where workspace_id = ${workspaceId} and run_id = c.run_id
          union all
          select n, provider_id, cost_micros from history_attempts where workspace_id = ${workspaceId} and run_id = c.run_id
        ) a where a.cost_micros > 0
      )
      select provider_id, least(cost, -c.amount_micros - before) as micros from costs where before < -c.amount_micros
      union all
      select coalesce(r.served_provider_id, r.provider_id, ''), -c.amount_micros - coalesce(sum(cost), 0) from costs
      having coalesce(sum(cost), 0) < -c.amount_micros
    ) share
    where c.kind = 'charge'
  ), parts as (
    select day, kind, key, count(*) as calls, sum(micros) as charge_micros
    from shares cross join lateral (values ('provider', provider_id), ('token', token_id)) as by (kind, key)
    group by day, kind, key
  )`

/** Workspaces whose ledger has entries that are not summed up. */
export const workspacesToSum = ({ query, sql }: Database["Type"]) =>
  workspaceRows(
    query(sql`
      select w.workspace_id as "workspaceId" from wallets w left join spend_summed s using (workspace_id)
      cross join lateral (select seq from ledger_entries e where e.workspace_id = w.workspace_id order by seq desc limit 1) newest
      where newest.seq > coalesce(s.through_seq, 0) order by w.workspace_id`)
  )

/** Sums up one portion; answers whether there may be more. Under the lock of whoever keeps the reports. */
export const sumUp = ({ query, sql }: Database["Type"], workspaceId: WorkspaceId) =>
  Effect.map(
    summedRow(
      query(sql`
        with ${freshShares(sql, workspaceId)}, summed as (
          insert into spend_sums (workspace_id, day, kind, key, calls, charge_micros)
          select ${workspaceId}::text, day, kind, key, calls, charge_micros from parts
          on conflict (workspace_id, day, kind, key) do update
          set calls = spend_sums.calls + excluded.calls, charge_micros = spend_sums.charge_micros + excluded.charge_micros
        ), through as (
          insert into spend_summed (workspace_id, through_seq) select ${workspaceId}::text, max(seq) from fresh having count(*) > 0
          on conflict (workspace_id) do update set through_seq = excluded.through_seq
        )
        select count(*) as entries from fresh`)
    ),
    (row) => (row?.entries ?? 0) === portion
  )

const highestFirst = Order.mapInput(Order.reverse(Order.number), ({ chargeMicros }: Charged) => chargeMicros)

export const spendReport =
  ({ query, sql }: Database["Type"]): Reports["Type"]["spend"] =>
  (workspaceId, days) =>
    Effect.gen(function* () {
      const { firstDay, lastDay } = yield* checkedSpan(days)
      const rows = yield* reportRows(
        query(sql`
          with ${freshShares(sql, workspaceId)}, charged as (
            select day, kind, key, calls, charge_micros from spend_sums
            where workspace_id = ${workspaceId} and day between ${firstDay} and ${lastDay}
            union all
            select day, kind, key, calls, charge_micros from parts where day between ${firstDay} and ${lastDay}
          ), grouped as (
            select null::int as day, kind, key, sum(calls)::bigint as calls, sum(charge_micros)::bigint as charge_micros
            from charged group by kind, key
            union all
            -- Each charge is in one row by token.
            select day, null, null, sum(calls)::bigint, sum(charge_micros)::bigint from charged
            where kind = 'token' group by grouping sets ((), (day))
          )
          select g.day, case when g.kind = 'provider' then g.key end as "providerId", case when g.kind = 'token' then g.key end as "tokenId", t.label,
            coalesce(g.calls, 0) as calls, coalesce(g.charge_micros, 0) as "chargeMicros",
            (select case when count(*) = ${portion} then max(created_at) end from fresh) as "completeUntil"
          from grouped g left join tokens t on g.kind = 'token' and t.workspace_id = ${workspaceId} and t.token_id = g.key
          order by g.day, g.key`)
      )
      const charged = ({ calls, chargeMicros }: Charged): Charged => ({ calls, chargeMicros })
      const total = rows.find(({ day, providerId, tokenId }) => day === null && providerId === null && tokenId === null)
      return {
        total: total === undefined ? { calls: 0, chargeMicros: zero } : charged(total),
        days: rows.flatMap((row) => (row.day === null ? [] : [{ day: row.day, ...charged(row) }])),
        providers: Arr.sort(
          rows.flatMap((row) => (row.providerId === null ? [] : [{ providerId: row.providerId, ...charged(row) }])),
          highestFirst
        ),
        tokens: Arr.sort(
          rows.flatMap(({ label, tokenId, ...row }) =>
            tokenId === null ? [] : [{ tokenId, label: label ?? "", ...charged(row) }]
          ),
          highestFirst
        ),
        completeUntil: total?.completeUntil ?? null
      }
    })

export const chargedByProvider =
  ({ query, sql }: Database["Type"]): Reports["Type"]["chargedByProvider"] =>
  ({ firstDay, lastDay }) =>
    Effect.map(
      providerRows(
        query(sql`
          select key as "providerId", sum(calls)::bigint as calls, sum(charge_micros)::bigint as "chargeMicros" from spend_sums
          where kind = 'provider' and day between ${firstDay} and ${lastDay} group by key`)
      ),
      (rows) => new Map(rows.map(({ calls, chargeMicros, providerId }) => [providerId, { calls, chargeMicros }]))
    )

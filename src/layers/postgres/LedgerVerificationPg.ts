/**
 * Recomputes all money from ledger entries and runs, over one snapshot of the database, and names the first row that
 * does not add up: the balances, holds and counts of each workspace; what was held, released and charged for each run;
 * and what each token has spent in its month, also through the tokens that it let in. Reads only.
 */
import { Effect, Schema } from "effect"
import type { StorageError } from "../../domain/StorageErrors.js"
import type { LedgerVerification } from "../../services/Wallet.js"
import type { Database } from "./Database.js"

const Row = Schema.Struct({
  entries: Schema.Int,
  workspaces: Schema.Int,
  drift: Schema.Int,
  difference: Schema.NullOr(Schema.String)
})
const decode = Schema.decodeUnknown(Schema.Tuple(Row))

/** One statement of one row: `entries`, `workspaces`, `drift`, `difference`. */
const recomputed = `
  with sums as (
    select workspace_id, count(*) as entries, sum(amount_micros) as available,
      sum(case kind when 'hold' then -amount_micros when 'release' then -amount_micros else 0 end) as reserved
    from ledger_entries group by workspace_id
  ), last_entries as (
    select distinct on (workspace_id) workspace_id, balance_after_micros, reserved_after_micros
    from ledger_entries order by workspace_id, seq desc
  ), live as (
    select workspace_id, sum(hold_micros) as held, count(*) filter (where status in ('queued', 'running')) as inflight
    from runs where status in ('queued', 'running', 'reconciliation_pending') group by workspace_id
  ), workspaces_compared as (
    select w.workspace_id as place, coalesce(s.entries, 0) as entries,
      abs(w.available_micros - coalesce(s.available, 0)) + abs(w.reserved_micros - coalesce(s.reserved, 0))
        + abs(w.reserved_micros - coalesce(l.held, 0))
        + abs(w.available_micros - coalesce(e.balance_after_micros, 0)) + abs(w.reserved_micros - coalesce(e.reserved_after_micros, 0)) as drift,
      w.inflight <> coalesce(l.inflight, 0) as miscounted,
      format('%s: entries give available %s and reserved %s, runs hold %s with %s in flight; stored are %s, %s and %s in flight',
        w.workspace_id, coalesce(s.available, 0), coalesce(s.reserved, 0), coalesce(l.held, 0), coalesce(l.inflight, 0),
        w.available_micros, w.reserved_micros, w.inflight) as story
    from wallets w
    left join sums s using (workspace_id) left join live l using (workspace_id) left join last_entries e using (workspace_id)
  ), by_run as (
    select workspace_id, run_id, -coalesce(sum(amount_micros) filter (where kind = 'hold'), 0) as held,
      coalesce(sum(amount_micros) filter (where kind = 'release'), 0) as released,
      -coalesce(sum(amount_micros) filter (where kind = 'charge'), 0) as charged
    from ledger_entries where run_id is not null group by workspace_id, run_id
  ), money_runs as (
    select workspace_id, run_id, hold_micros as held, case when charge_micros is null then 0 else hold_micros end as released, coalesce(charge_micros, 0) as charged
    from runs where hold_micros > 0
  ), runs_compared as (
    select workspace_id || ' ' || run_id as place,
      abs(coalesce(r.held, 0) - coalesce(e.held, 0)) + abs(coalesce(r.released, 0) - coalesce(e.released, 0)) + abs(coalesce(r.charged, 0) - coalesce(e.charged, 0)) as drift,
      format('%s of %s: entries hold %s, release %s and charge %s; the run holds %s, has released %s and is charged %s', run_id, workspace_id,
        coalesce(e.held, 0), coalesce(e.released, 0), coalesce(e.charged, 0), coalesce(r.held, 0), coalesce(r.released, 0), coalesce(r.charged, 0)) as story
    from money_runs r full join by_run e using (workspace_id, run_id)
    where (r.held, r.released, r.charged) is distinct from (e.held, e.released, e.charged)
  ), spent as (
    select spender.token_id, r.spend_month, sum(coalesce(r.charge_micros, r.hold_micros)) as micros
    from runs r join tokens own on own.token_id = r.token_id cross join lateral unnest(own.token_id || own.ancestors) as spender (token_id)
    where r.hold_micros > 0 group by spender.token_id, r.spend_month
  ), tokens_compared as (
    select t.workspace_id || ' ' || t.token_id as place, abs(t.spend_micros - coalesce(s.micros, 0)) as drift,
      format('%s of %s: its runs of %s come to %s; stored as spent are %s', t.token_id, t.workspace_id, t.spend_month, coalesce(s.micros, 0), t.spend_micros) as story
    from tokens t left join spent s on s.token_id = t.token_id and s.spend_month = t.spend_month
    where t.spend_micros <> coalesce(s.micros, 0)
  ), differences as (
    select 1 as kind, place, drift, story from workspaces_compared where drift <> 0 or miscounted
    union all select 2, place, drift, story from runs_compared
    union all select 3, place, drift, story from tokens_compared
  )
  select (select coalesce(sum(entries), 0)::bigint from workspaces_compared) as entries,
    (select count(*)::bigint from workspaces_compared) as workspaces,
    (select coalesce(sum(drift), 0)::bigint from differences) as drift,
    (select story from differences order by kind, place limit 1) as difference`

const verification = (row: typeof Row.Type): LedgerVerification => ({
  ok: row.difference === null,
  driftMicros: row.drift,
  entries: row.entries,
  workspaces: row.workspaces,
  difference: row.difference
})

export const verifyLedger = ({ sql, survey }: Database["Type"]): Effect.Effect<LedgerVerification, StorageError> =>
  survey(sql`${sql.literal(recomputed)}`).pipe(
    Effect.flatMap((rows) => Effect.orDie(decode(rows))),
    Effect.map(([row]) => verification(row))
  )

/** Any number, the same in all versions of this program. */
const lock = 7_463_120_513

const decodeLocked = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ found: Schema.NullOr(Schema.parseJson(Row)) })))

/**
 * The same, unless another connection is at it: then null. The lock lives as long as the statement, on a connection of
 * its own.
 */
export const verifyLedgerUnlessLocked = ({
  sql,
  survey
}: Database["Type"]): Effect.Effect<LedgerVerification | null, StorageError> =>
  // The subquery depends on nothing, so Postgres runs it when, and only when, the CASE comes to it.
  survey(
    sql`select case when pg_try_advisory_xact_lock(${lock}::bigint) then (select row_to_json(v)::text from (${sql.literal(recomputed)}) v) end as found`
  ).pipe(
    Effect.flatMap((rows) => Effect.orDie(decodeLocked(rows))),
    Effect.map(([{ found }]) => (found === null ? null : verification(found)))
  )

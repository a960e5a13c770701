/**
 * Recomputes all money from ledger entries and runs, over one snapshot of the database, and names the first row that
 * does not add up. It checks the balances, holds and counts of each workspace, the amounts held, released and charged
 * for each run, and for each month whose runs are gone, the spending of each token in its month, including the tokens
 * that it let in, what reports say of each day, the accounts of each entry and the balances behind it, and what was
 * paid for and taken back of each top-up. It does not check what the attempts of a run cost: an operator may charge
 * another sum. It only reads. The statement computes the same as `driftOf` in domain/LedgerVerification, which explains
 * each kind of row.
 */
import { Effect, Schema } from "effect"
import { dayMillis } from "../../domain/Days.js"
import { LedgerDifference, type LedgerVerification, sayDifference } from "../../domain/LedgerVerification.js"
import { accountsOf, LedgerKind } from "../../domain/Ledger.js"
import type { RunStatus } from "../../domain/Run.js"
import { holdsMoney, isInflight, runStatuses } from "../../domain/RunMachine.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import type { Database } from "./Database.js"
import { ledgerCheckLock } from "./database/AdvisoryLocks.js"
import { rowOf } from "./database/Rows.js"

const Found = Schema.Struct({
  entries: Schema.Int,
  workspaces: Schema.Int,
  drift: Schema.Int,
  difference: Schema.NullOr(LedgerDifference)
})
type Found = typeof Found.Type
const foundRow = rowOf(Found)
const lockedRow = rowOf(Schema.Struct({ found: Schema.NullOr(Found) }))

const statuses = (are: (status: RunStatus) => boolean): string =>
  runStatuses
    .filter(are)
    .map((status) => `'${status}'`)
    .join(", ")

/** Whether an entry is between the two accounts of its kind and of the sign of its amount. */
const fits = LedgerKind.literals
  .flatMap((kind) =>
    [1, -1].map((sign) => {
      const { credit, debit } = accountsOf(kind, sign)
      return `kind = '${kind}' and amount_micros ${sign > 0 ? ">" : "<"} 0 and debit = '${debit}' and credit = '${credit}'`
    })
  )
  .join(" or ")

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
    select workspace_id, sum(hold_micros) as held, count(*) filter (where status in (${statuses(isInflight)})) as inflight
    from runs where status in (${statuses(holdsMoney)}) group by workspace_id
  ), workspaces_compared as (
    select workspace_id as place, entries,
      abs(available - entries_available) + abs(reserved - entries_reserved) + abs(reserved - held)
        + abs(available - newest_available) + abs(reserved - newest_reserved) as drift,
      inflight <> runs_inflight as miscounted,
      json_build_object('_tag', 'Workspace', 'workspaceId', workspace_id,
        'entries', json_build_object('available', entries_available, 'reserved', entries_reserved),
        'newest', json_build_object('available', newest_available, 'reserved', newest_reserved),
        'runs', json_build_object('held', held, 'inflight', runs_inflight),
        'stored', json_build_object('available', available, 'reserved', reserved, 'inflight', inflight)) as difference
    from (
      -- A wallet that is gone counts as an empty one.
      select workspace_id, coalesce(s.entries, 0) as entries, coalesce(w.inflight, 0) as inflight, coalesce(l.inflight, 0) as runs_inflight,
        coalesce(w.available_micros, 0) as available, coalesce(w.reserved_micros, 0) as reserved, coalesce(l.held, 0) as held,
        coalesce(s.available, 0) as entries_available, coalesce(s.reserved, 0) as entries_reserved,
        coalesce(e.balance_after_micros, 0) as newest_available, coalesce(e.reserved_after_micros, 0) as newest_reserved
      from wallets w full join sums s using (workspace_id) full join live l using (workspace_id) full join last_entries e using (workspace_id)
    ) sides
  ), by_run as (
    select workspace_id, run_id, -coalesce(sum(amount_micros) filter (where kind = 'hold'), 0) as held,
      coalesce(sum(amount_micros) filter (where kind = 'release'), 0) as released,
      -coalesce(sum(amount_micros) filter (where kind = 'charge'), 0) as charged
    from ledger_entries where run_id is not null group by workspace_id, run_id
  ), kept_runs as (
    select workspace_id, run_id, token_id, spend_month, hold_micros, charge_micros from runs where hold_micros > 0
    union all
    select workspace_id, run_id, token_id, spend_month, hold_micros, charge_micros from history_runs where hold_micros > 0
  ), money_runs as (
    select workspace_id, run_id, hold_micros as held, case when charge_micros is null then 0 else hold_micros end as released, coalesce(charge_micros, 0) as charged
    from kept_runs
  ), gone as (
    select e.workspace_id, m.month, sum(held) as held, sum(released) as released, sum(charged) as charged
    from by_run e join history_months m on m.state = 'gone' and e.run_id >= m.first_run_id and e.run_id < m.end_run_id
    where not exists (select from money_runs r where r.workspace_id = e.workspace_id and r.run_id = e.run_id)
    group by e.workspace_id, m.month
  ), gone_sums as (
    select workspace_id, month, sum(held_micros) as held, sum(held_micros) as released, sum(charged_micros) as charged
    from history_sums join history_months m using (month) where m.state = 'gone' and held_micros > 0 group by workspace_id, month
  ), months_compared as (
    select workspace_id || ' ' || month as place,
      abs(coalesce(s.held, 0) - coalesce(e.held, 0)) + abs(coalesce(s.released, 0) - coalesce(e.released, 0)) + abs(coalesce(s.charged, 0) - coalesce(e.charged, 0)) as drift,
      json_build_object('_tag', 'Month', 'workspaceId', workspace_id, 'month', month,
        'entries', json_build_object('held', coalesce(e.held, 0), 'released', coalesce(e.released, 0), 'charged', coalesce(e.charged, 0)),
        'runs', json_build_object('held', coalesce(s.held, 0), 'released', coalesce(s.released, 0), 'charged', coalesce(s.charged, 0))) as difference
    from gone_sums s full join gone e using (workspace_id, month)
    where (s.held, s.released, s.charged) is distinct from (e.held, e.released, e.charged)
  ), runs_compared as (
    select workspace_id || ' ' || run_id as place,
      abs(coalesce(r.held, 0) - coalesce(e.held, 0)) + abs(coalesce(r.released, 0) - coalesce(e.released, 0)) + abs(coalesce(r.charged, 0) - coalesce(e.charged, 0)) as drift,
      json_build_object('_tag', 'Run', 'workspaceId', workspace_id, 'runId', run_id,
        'entries', json_build_object('held', coalesce(e.held, 0), 'released', coalesce(e.released, 0), 'charged', coalesce(e.charged, 0)),
        'run', json_build_object('held', coalesce(r.held, 0), 'released', coalesce(r.released, 0), 'charged', coalesce(r.charged, 0))) as difference
    from money_runs r full join by_run e using (workspace_id, run_id)
    where (r.held, r.released, r.charged) is distinct from (e.held, e.released, e.charged)
      -- Runs of months that are gone are compared month by month.
      and not (r.held is null and exists (select from history_months m where m.state = 'gone' and run_id >= m.first_run_id and run_id < m.end_run_id))
  ), spent as (
    select r.workspace_id, spender.token_id, r.spend_month, sum(r.micros) as micros
    from (
      select workspace_id, token_id, spend_month, coalesce(charge_micros, hold_micros) as micros from kept_runs
      union all
      select workspace_id, token_id, spend_month, charged_micros from history_sums join history_months m using (month) where m.state = 'gone' and held_micros > 0
    ) r join tokens own on own.workspace_id = r.workspace_id and own.token_id = r.token_id cross join lateral unnest(own.token_id || own.ancestors) as spender (token_id)
    group by r.workspace_id, spender.token_id, r.spend_month
  ), tokens_compared as (
    select t.workspace_id || ' ' || t.token_id as place, abs(t.spend_micros - coalesce(s.micros, 0)) as drift,
      json_build_object('_tag', 'Token', 'workspaceId', t.workspace_id, 'tokenId', t.token_id, 'month', t.spend_month,
        'runs', coalesce(s.micros, 0), 'stored', t.spend_micros) as difference
    from tokens t left join spent s on s.workspace_id = t.workspace_id and s.token_id = t.token_id and s.spend_month = t.spend_month
    where t.spend_micros <> coalesce(s.micros, 0)
  ), charged as (
    select workspace_id, (e.created_at / ${dayMillis})::int as day, -sum(e.amount_micros) as micros
    from ledger_entries e join spend_summed s using (workspace_id) where e.kind = 'charge' and e.seq <= s.through_seq
    group by workspace_id, (e.created_at / ${dayMillis})::int
  ), summed as (
    select workspace_id, day, kind, sum(charge_micros) as micros from spend_sums group by workspace_id, day, kind
  ), sums_compared as (
    select workspace_id || ' ' || day as place, abs(coalesce(s.micros, 0) - coalesce(c.micros, 0)) as drift,
      json_build_object('_tag', 'Sums', 'workspaceId', workspace_id, 'day', day, 'entries', coalesce(c.micros, 0), 'stored', coalesce(s.micros, 0)) as difference
    from (select * from charged cross join (values ('provider'), ('token')) as kinds (kind)) c
    full join summed s using (workspace_id, day, kind)
    where c.micros is distinct from s.micros
  ), steps as (
    select workspace_id, entry_id, amount_micros as available, case when kind in ('hold', 'release') then -amount_micros else 0 end as reserved,
      (${fits}) as fits,
      balance_after_micros - lag(balance_after_micros, 1, 0::bigint) over in_order as available_step,
      reserved_after_micros - lag(reserved_after_micros, 1, 0::bigint) over in_order as reserved_step
    from ledger_entries window in_order as (partition by workspace_id order by seq)
  ), entries_compared as (
    select workspace_id || ' ' || entry_id as place, abs(available_step::numeric - available) + abs(reserved_step::numeric - reserved) as drift,
      json_build_object('_tag', 'Entry', 'workspaceId', workspace_id, 'entryId', entry_id, 'fits', fits,
        'amount', json_build_object('available', available, 'reserved', reserved),
        'balances', json_build_object('available', available_step, 'reserved', reserved_step)) as difference
    from steps where available_step <> available or reserved_step <> reserved or not fits
  ), by_top_up as (
    select workspace_id, coalesce(top_up_id, entry_id) as top_up_id, coalesce(sum(amount_micros) filter (where kind = 'top_up'), 0) as paid,
      coalesce(-sum(amount_micros) filter (where kind <> 'top_up'), 0) as taken
    from ledger_entries where kind = 'top_up' or top_up_id is not null group by workspace_id, coalesce(top_up_id, entry_id)
  ), by_payment as (
    select workspace_id, top_up_id, sum(amount_micros) as paid, sum(taken_micros) as taken from payments where top_up_id is not null group by workspace_id, top_up_id
  ), top_ups_compared as (
    select workspace_id || ' ' || top_up_id as place, abs(stored_paid - paid) + abs(payment_paid - paid) + abs(stored_taken - taken) as drift,
      json_build_object('_tag', 'TopUp', 'workspaceId', workspace_id, 'topUpId', top_up_id,
        'entries', json_build_object('paid', paid, 'taken', taken), 'stored', json_build_object('paid', stored_paid, 'taken', stored_taken), 'payment', payment_paid) as difference
    from (
      select workspace_id, top_up_id, coalesce(e.paid, 0) as paid, coalesce(e.taken, 0) as taken,
        coalesce(t.amount_micros, 0) as stored_paid, coalesce(b.paid, t.amount_micros, 0) as payment_paid, coalesce(b.taken, 0) as stored_taken
      from (select workspace_id, top_up_id, amount_micros from top_ups where status = 'paid') t
      full join by_payment b using (workspace_id, top_up_id) full join by_top_up e using (workspace_id, top_up_id)
    ) sides where paid <> stored_paid or paid <> payment_paid or taken <> stored_taken
  ), differences as (
    -- One row that is wrong makes what is added up of it wrong too, so the single rows come first.
    select 1 as kind, place, drift, difference from entries_compared
    union all select 2, place, drift, difference from runs_compared
    union all select 3, place, drift, difference from top_ups_compared
    union all select 4, place, drift, difference from tokens_compared
    union all select 5, place, drift, difference from sums_compared
    union all select 6, place, drift, difference from months_compared
    union all select 7, place, drift, difference from workspaces_compared where drift <> 0 or miscounted
  )
  select (select coalesce(sum(entries), 0)::bigint from workspaces_compared) as entries,
    (select count(*)::bigint from workspaces_compared) as workspaces,
    (select least(coalesce(sum(drift), 0), ${Number.MAX_SAFE_INTEGER})::bigint from differences) as drift,
    (select difference from differences order by kind, place limit 1) as difference`

const verificationOf = ({ difference, drift, entries, workspaces }: Found): LedgerVerification => ({
  ok: difference === null,
  driftMicros: drift,
  entries,
  workspaces,
  difference: difference === null ? null : sayDifference(difference)
})

const oneRow = <A>(row: A | null): Effect.Effect<A> =>
  row === null ? Effect.dieMessage("the check of the ledger answered no row") : Effect.succeed(row)

export const verifyLedger = ({ sql, survey }: Database["Type"]): Effect.Effect<LedgerVerification, StorageError> =>
  foundRow(survey(sql`${sql.literal(recomputed)}`)).pipe(Effect.flatMap(oneRow), Effect.map(verificationOf))

/**
 * Does the same, unless another connection is doing it; then the answer is null. The statement holds the lock while it
 * runs, on a connection of its own.
 */
export const verifyLedgerUnlessLocked = ({
  sql,
  survey
}: Database["Type"]): Effect.Effect<LedgerVerification | null, StorageError> =>
  // The subquery depends on no row. Postgres therefore runs it only when the CASE needs it.
  lockedRow(
    survey(
      sql`select case when pg_try_advisory_xact_lock(${ledgerCheckLock}::bigint) then (select row_to_json(v) from (${sql.literal(recomputed)}) v) end as found`
    )
  ).pipe(
    Effect.flatMap(oneRow),
    Effect.map(({ found }) => (found === null ? null : verificationOf(found)))
  )

/**
 * Recomputes every balance, hold and in-flight count from ledger entries and runs, over one snapshot of the database, and
 * names the first workspace that does not add up. Reads only.
 */
import { Effect, Schema } from "effect"
import type { StorageError } from "../domain/StorageErrors.js"
import type { LedgerVerification } from "../services/Wallet.js"
import type { Database } from "./Database.js"

const Row = Schema.Struct({
  entries: Schema.Int,
  workspaces: Schema.Int,
  drift: Schema.Int,
  difference: Schema.NullOr(Schema.String)
})
const decode = Schema.decodeUnknown(Schema.Tuple(Row))

export const verifyLedger = ({ sql, survey }: Database["Type"]): Effect.Effect<LedgerVerification, StorageError> =>
  survey(sql`
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
    ), charged as (
      select workspace_id, sum(charge_micros) as charged from runs where charge_micros > 0 group by workspace_id
    ), charges as (
      select workspace_id, -sum(amount_micros) as charged from ledger_entries where kind = 'charge' group by workspace_id
    ), compared as (
      select w.workspace_id, coalesce(s.entries, 0) as entries,
        abs(w.available_micros - coalesce(s.available, 0)) + abs(w.reserved_micros - coalesce(s.reserved, 0))
          + abs(w.reserved_micros - coalesce(l.held, 0)) + abs(coalesce(c.charged, 0) - coalesce(g.charged, 0))
          + abs(w.available_micros - coalesce(e.balance_after_micros, 0)) + abs(w.reserved_micros - coalesce(e.reserved_after_micros, 0)) as drift,
        w.inflight <> coalesce(l.inflight, 0) as miscounted,
        format('%s: entries give available %s and reserved %s, runs hold %s with %s in flight, charges %s of %s; stored are %s, %s and %s in flight',
          w.workspace_id, coalesce(s.available, 0), coalesce(s.reserved, 0), coalesce(l.held, 0), coalesce(l.inflight, 0),
          coalesce(g.charged, 0), coalesce(c.charged, 0), w.available_micros, w.reserved_micros, w.inflight) as story
      from wallets w
      left join sums s using (workspace_id) left join live l using (workspace_id) left join last_entries e using (workspace_id)
      left join charged c using (workspace_id) left join charges g using (workspace_id)
    )
    select coalesce(sum(entries), 0)::bigint as entries, count(*)::bigint as workspaces, coalesce(sum(drift), 0)::bigint as drift,
      (array_agg(story order by workspace_id) filter (where drift <> 0 or miscounted))[1] as difference
    from compared`).pipe(
    Effect.flatMap((rows) => Effect.orDie(decode(rows))),
    Effect.map(([row]) => ({ ok: row.difference === null, driftMicros: row.drift, entries: row.entries, workspaces: row.workspaces, difference: row.difference }))
  )

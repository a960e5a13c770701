/**
 * Statements that fill a database that has no runs with runs, attempts and a ledger that adds up, of new workspaces:
 * one has half of the runs, nine have most of the rest, and the others have a few each. They are spread over the last
 * 90 days. Everything is made inside of Postgres. Each run has a hold, a release and a charge; small adjustments make
 * five entries for each run.
 */
import { WorkspaceId } from "../../src/domain/Ids.js"

export interface Size {
  readonly runs: number
  readonly workspaces: number
  /** Runs that wait for a person. */
  readonly uncertain: number
}

export const days = 90
const providers = 60
const operationsOfEach = 4
const tokensOfEach = 8

/** The workspace that has half of the runs. */
export const largest = WorkspaceId.make(`ws_${"1".padStart(26, "0")}`)

/** The id of workspace or token number `n`, as SQL. */
const workspaceId = (n: string): string => `'ws_' || lpad((${n})::text, 26, '0')`
const tokenId = (workspace: string, n: string): string =>
  `'tok_' || lpad((${workspace})::text, 20, '0') || lpad((${n})::text, 6, '0')`

/** Ids are ordered by time: ten characters of milliseconds in Crockford's base 32, as `domain/Ids.ts` makes them. */
const timeOfId = `
  create function pg_temp.time_of_id(millis bigint) returns text language sql immutable parallel safe as $$
    select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', ((millis >> (5 * place)) & 31)::int + 1, 1), '' order by place desc)
    from generate_series(0, 9) place
  $$`

export const fill = ({ runs, uncertain, workspaces }: Size): ReadonlyArray<string> => [
  "set synchronous_commit = off",
  "set work_mem = '256MB'",
  "set maintenance_work_mem = '512MB'",
  timeOfId,
  `insert into workspaces (workspace_id, name, created_at)
   select ${workspaceId("n")}, 'bench ' || n, (extract(epoch from now()) * 1000)::bigint - ${days + 1} * 86400000::bigint + n from generate_series(1, ${workspaces}) n`,
  `insert into tokens (token_id, workspace_id, label, scopes, digest, created_at)
   select ${tokenId("w", "t")}, ${workspaceId("w")}, 'token ' || t, '{}', sha256((w || ' ' || t)::bytea), 0
   from generate_series(1, ${workspaces}) w, generate_series(1, ${tokensOfEach}) t`,
  // Half of the runs are of the first workspace, four percent each of the next nine, the rest of all.
  `create temp table made as
   select n, w, ${workspaceId("w")} as workspace_id,
     'run_' || pg_temp.time_of_id(at) || lpad(n::text, 16, '0') as run_id,
     at, 'provider-' || p as provider_id, 'provider-' || p || '.operation-' || n % ${operationsOfEach} as endpoint_id,
     ${tokenId("w", `case when n % 100 = 0 then 1 + n % ${tokensOfEach} else 1 + n % 3 end`)} as token_id,
     1000 + (n % 50) * 100 as hold,
     case when ${uncertain === 0 ? "false" : `n % ${Math.max(1, Math.floor(runs / uncertain))} = 0`} then 'reconciliation_pending' when n % 17 = 0 then 'failed' when n % 67 = 0 then 'blocked' else 'completed' end as status
   from (
     select n, case when n % 2 = 0 then 1 when n % 25 < 18 then 2 + (n % 9)::int else 1 + (n * 7919 % ${workspaces})::int end as w,
       1 + floor(${providers} * power((n * 104729 % 10007) / 10007.0, 3))::int as p,
       (extract(epoch from now()) * 1000)::bigint - (${runs} - n) * (${days} * 86400000::bigint / ${runs}) as at
     from generate_series(1::bigint, ${runs}) n
   ) as numbered`,
  "analyze made",
  `insert into runs (workspace_id, run_id, token_id, idempotency_key, request_digest, request_id, requested_endpoint_id, endpoint_id, provider_id,
     contract_version, job, input, plan, status, outcome, outcome_reason, hold_micros, charge_micros, spend_month, error, result, result_bytes, provider_status,
     served_endpoint_id, served_provider_id, created_at, started_at, completed_at)
   select workspace_id, run_id, token_id, 'key-' || n, md5(n::text) || md5(n::text), 'req_' || n,
     case when n % 3 = 0 then 'job:people.email.find' else endpoint_id end, endpoint_id, provider_id, 'v1',
     case when n % 3 = 0 then 'people.email.find' end,
     json_build_object('first_name', 'Ada', 'last_name', 'Example', 'domain', 'example-' || n || '.com'),
     json_build_object('job', null, 'prefer', 'balanced', 'reason', 'asked for', 'skipped', '[]'::json, 'fallback', null, 'connectionId', null, 'capped', false,
       'candidates', json_build_array(json_build_object('endpointId', endpoint_id, 'providerId', provider_id, 'contractVersion', 'v1',
         'effectful', status = 'reconciliation_pending', 'repeatable', false, 'maxMicros', hold))),
     status, case status when 'completed' then 'hit' when 'failed' then 'error' when 'blocked' then 'rejected' end, null,
     case status when 'blocked' then 0 else hold end, case status when 'completed' then hold - 300 when 'reconciliation_pending' then null else 0 end,
     to_char(to_timestamp(at / 1000.0), 'YYYY-MM'), null,
     case status when 'completed' then json_build_object('_tag', 'Json', 'value', json_build_object('email', 'ada@example-' || n || '.com', 'score', n % 100, 'sources', json_build_array(md5(n::text), md5((n + 1)::text)))) end,
     case status when 'completed' then 130 end, case when status in ('completed', 'failed') then 200 end,
     case when status = 'completed' then endpoint_id end, case when status = 'completed' then provider_id end,
     at, case when status <> 'blocked' then at + 5 end, case when status <> 'reconciliation_pending' then at + 900 end
   from made order by n`,
  `insert into attempts (workspace_id, run_id, n, attempt_id, endpoint_id, provider_id, status, outcome, provider_status, latency_ms, cost_micros, billed, receipt_id, receipt, started_at, completed_at)
   select workspace_id, run_id, 1, 'att_' || substr(run_id, 5), endpoint_id, provider_id, case status when 'completed' then 'completed' when 'failed' then 'failed' else 'reconciliation_pending' end,
     case status when 'completed' then 'hit' when 'failed' then 'error' end, 200, 850, case status when 'completed' then hold - 300 when 'failed' then 0 end, status = 'completed', 'rcp_' || substr(run_id, 5),
     json_build_object('requestDigest', md5(n::text), 'responseDigest', null, 'requestBytes', 120, 'responseBytes', 340, 'providerRequestId', 'up-' || n, 'costAnomaly', null, 'sharedWithRunId', null),
     at + 10, case when status <> 'reconciliation_pending' then at + 890 end
   from made where status <> 'blocked' order by n`,
  // What happened to the money of each workspace, in order; the balances follow from it.
  `create temp table moved as
   select workspace_id, at, step, kind, amount, held, run_id from (
     select ${workspaceId("n")} as workspace_id, 0::bigint as at, 0 as step, 'adjustment' as kind, 1000000000000::bigint as amount, 0::bigint as held, null as run_id from generate_series(1, ${workspaces}) n
     union all select workspace_id, at, 1, 'hold', -hold, hold, run_id from made where status <> 'blocked'
     union all select workspace_id, at + 900, 2, 'release', hold, -hold, run_id from made where status in ('completed', 'failed')
     union all select workspace_id, at + 900, 3, 'charge', -(hold - 300), 0, run_id from made where status = 'completed'
     union all select workspace_id, at + 1 + extra, 4, 'adjustment', 10, 0, null from made, generate_series(1, case when n % 5 = 0 then 3 else 2 end) extra
   ) as steps`,
  `insert into ledger_entries (workspace_id, entry_id, kind, debit, credit, amount_micros, balance_after_micros, reserved_after_micros, run_id, reason, created_at)
   select workspace_id, 'led_' || lpad((row_number() over (order by at, workspace_id, step))::text, 26, '0'), kind,
     case kind when 'adjustment' then 'funding' when 'release' then 'reserved' else 'available' end,
     case kind when 'hold' then 'reserved' when 'charge' then 'revenue' else 'available' end, amount,
     sum(amount) over own, sum(held) over own, run_id, case kind when 'adjustment' then 'benchmark' end, greatest(at, (extract(epoch from now()) * 1000)::bigint - ${days + 1} * 86400000::bigint)
   from moved window own as (partition by workspace_id order by at, step, run_id rows unbounded preceding)
   order by workspace_id, at, step, run_id`,
  `insert into wallets (workspace_id, available_micros, reserved_micros)
   select distinct on (workspace_id) workspace_id, balance_after_micros, reserved_after_micros from ledger_entries order by workspace_id, seq desc
   on conflict do nothing`,
  `update tokens t set spend_month = s.spend_month, spend_micros = s.micros
   from (select token_id, spend_month, sum(coalesce(charge_micros, hold_micros)) as micros from runs group by token_id, spend_month) s
   where s.token_id = t.token_id and s.spend_month = to_char(now() at time zone 'utc', 'YYYY-MM')`,
  "drop table made, moved"
]

/**
 * Workspaces, tokens, wallets, the ledger, runs, attempts and media. Every hot table leads with `workspace_id`; live
 * runs have partial indexes of their own, so that finished ones weigh nothing. The invariants of money are stated again
 * as CHECKs.
 */
export const moneyAndRuns = `
create table workspaces (
  workspace_id text primary key,
  name text not null unique,
  inflight_limit integer check (inflight_limit > 0),
  runs_per_minute integer check (runs_per_minute > 0),
  run_cap_micros bigint check (run_cap_micros >= 0),
  created_at bigint not null
);

create table tokens (
  token_id text primary key,
  workspace_id text not null references workspaces,
  label text not null,
  scopes text[] not null,
  -- SHA-256 of the token; the token itself is stored nowhere.
  digest bytea not null unique,
  monthly_limit_micros bigint check (monthly_limit_micros >= 0),
  -- Charges and open holds of one calendar month (UTC). The month only ever moves forward.
  spend_month text not null default '',
  spend_micros bigint not null default 0 check (spend_micros >= 0),
  created_at bigint not null,
  expires_at bigint,
  revoked_at bigint
) with (fillfactor = 70);
create index tokens_by_workspace on tokens (workspace_id);

-- Derived state: what the ledger adds up to. \`gateway ledger verify\` recomputes it.
create table wallets (
  workspace_id text primary key references workspaces,
  available_micros bigint not null default 0 check (available_micros >= 0),
  reserved_micros bigint not null default 0 check (reserved_micros >= 0),
  inflight integer not null default 0 check (inflight >= 0),
  minute_started_at bigint not null default 0,
  minute_count integer not null default 0
) with (fillfactor = 50);

create table ledger_entries (
  workspace_id text not null,
  entry_id text not null,
  -- The order in which entries were made: ids are ordered by time, and this also within one transaction.
  seq bigint generated always as identity,
  kind text not null check (kind in ('top_up', 'hold', 'charge', 'release', 'adjustment')),
  debit text not null check (debit in ('funding', 'available', 'reserved', 'revenue')),
  credit text not null check (credit in ('funding', 'available', 'reserved', 'revenue')),
  amount_micros bigint not null check (amount_micros <> 0),
  balance_after_micros bigint not null check (balance_after_micros >= 0),
  reserved_after_micros bigint not null check (reserved_after_micros >= 0),
  run_id text,
  top_up_id text,
  reason text,
  -- Credits come with a key; the same key credits once.
  credit_key text,
  created_at bigint not null,
  primary key (workspace_id, seq),
  check (debit <> credit)
);
create unique index ledger_credit_once on ledger_entries (workspace_id, credit_key) where credit_key is not null;
create index ledger_by_run on ledger_entries (workspace_id, run_id) where run_id is not null;

create function ledger_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'ledger entries are never changed or deleted' using errcode = 'insufficient_privilege';
end $$;
create trigger ledger_append_only before update or delete on ledger_entries for each row execute function ledger_is_append_only();
create trigger ledger_no_truncate before truncate on ledger_entries for each statement execute function ledger_is_append_only();

create table idempotency_keys (
  workspace_id text not null,
  key text not null,
  request_digest text not null,
  run_id text not null,
  primary key (workspace_id, key)
);

create table runs (
  workspace_id text not null,
  run_id text not null,
  token_id text not null,
  idempotency_key text not null,
  request_digest text not null,
  request_id text not null,
  requested_endpoint_id text not null,
  endpoint_id text not null,
  provider_id text,
  contract_version text,
  job text,
  input json not null,
  plan json,
  status text not null check (status in ('queued', 'running', 'completed', 'failed', 'blocked', 'reconciliation_pending')),
  outcome text check (outcome in ('hit', 'weak', 'miss', 'error', 'rejected')),
  outcome_reason text,
  hold_micros bigint not null check (hold_micros >= 0),
  charge_micros bigint check (charge_micros between 0 and hold_micros),
  spend_month text not null,
  error json,
  result json,
  normalized json,
  result_bytes integer,
  provider_status integer,
  served_endpoint_id text,
  served_provider_id text,
  connection_id text,
  service_agent text,
  cancel_requested boolean not null default false,
  lease_node text,
  lease_token text,
  lease_expires_at bigint,
  created_at bigint not null,
  started_at bigint,
  completed_at bigint,
  primary key (workspace_id, run_id),
  -- A run is finished when its money is: and the other way round.
  check ((status in ('completed', 'failed', 'blocked')) = (charge_micros is not null)),
  check ((status = 'running') = (lease_token is not null))
) with (fillfactor = 60);
create index runs_queued on runs (created_at, run_id) where status = 'queued';
create index runs_leased on runs (lease_expires_at) where status = 'running';
create index runs_uncertain on runs (created_at) where status = 'reconciliation_pending';
create index runs_holding on runs (workspace_id, created_at) where status in ('queued', 'running', 'reconciliation_pending');

create table attempts (
  workspace_id text not null,
  run_id text not null,
  n integer not null check (n between 1 and 1000),
  attempt_id text not null,
  endpoint_id text not null,
  provider_id text not null,
  status text not null check (status in ('running', 'completed', 'failed', 'reconciliation_pending')),
  outcome text,
  reason text,
  error_code text,
  provider_status integer,
  latency_ms integer,
  cost_micros bigint check (cost_micros >= 0),
  billed boolean not null default false,
  receipt_id text,
  receipt json,
  started_at bigint not null,
  completed_at bigint,
  primary key (workspace_id, run_id, n)
) with (fillfactor = 60);

create table media (
  workspace_id text not null,
  run_id text not null,
  media_id text not null,
  content_type text not null,
  filename text,
  sha256 text not null,
  bytes bytea not null,
  primary key (workspace_id, run_id, media_id)
);
alter table media alter column bytes set storage external;
`

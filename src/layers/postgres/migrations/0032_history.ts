/**
 * Where finished runs go from the hot tables: tables of the same keys, in partitions by month. A run belongs to the
 * month of its id, so a run is found by its id in one partition, and a whole month leaves as one table. What a client
 * sent and a provider answered stands apart, because it may leave sooner than the rest of its run.
 */
export const history = `
create table history_months (
  -- A calendar month (UTC), such as 2026-11, with the ids that a run of it can have.
  month text primary key,
  first_run_id text not null,
  end_run_id text not null,
  -- A month is open for runs that leave the hot tables, then closed, then gone. A month that is gone stays listed: its
  -- ledger entries have no runs any more.
  state text not null default 'open' check (state in ('open', 'closed', 'gone')),
  -- The highest id of a run that was moved here: lists look no further where all that they show is newer.
  last_moved_id text,
  file text,
  file_sha256 text,
  gone_at bigint,
  check ((state = 'gone') = (gone_at is not null))
);

create index history_months_moved on history_months (last_moved_id);

-- Who moves runs now, and until when without another word: one process at a time.
create table history_turn (
  only_row boolean primary key default true check (only_row),
  holder text not null,
  until_millis bigint not null
);

create table history_runs (
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
  plan json,
  status text not null check (status in ('completed', 'failed', 'blocked')),
  outcome text,
  outcome_reason text,
  hold_micros bigint not null,
  charge_micros bigint not null check (charge_micros between 0 and hold_micros),
  spend_month text not null,
  error json,
  result_bytes integer,
  provider_status integer,
  served_endpoint_id text,
  served_provider_id text,
  connection_id text,
  cancel_requested boolean not null,
  created_at bigint not null,
  started_at bigint,
  completed_at bigint,
  primary key (workspace_id, run_id)
) partition by range (run_id);
create index history_runs_by_status on history_runs ((workspace_id || ' ' || status), run_id);
create index history_runs_by_job on history_runs ((workspace_id || ' ' || job || ' ' || status), run_id) where job is not null;

create table history_payloads (
  workspace_id text not null,
  run_id text not null,
  input json not null,
  result json,
  normalized json,
  primary key (workspace_id, run_id)
) partition by range (run_id);

create table history_attempts (
  workspace_id text not null,
  run_id text not null,
  n integer not null,
  attempt_id text not null,
  endpoint_id text not null,
  provider_id text not null,
  status text not null,
  outcome text,
  reason text,
  error_code text,
  provider_status integer,
  latency_ms integer,
  cost_micros bigint,
  billed boolean not null,
  receipt_id text,
  receipt json,
  started_at bigint not null,
  completed_at bigint,
  primary key (workspace_id, run_id, n)
) partition by range (run_id);

create table history_media (
  workspace_id text not null,
  run_id text not null,
  media_id text not null,
  content_type text not null,
  filename text,
  sha256 text not null,
  bytes bytea not null,
  primary key (workspace_id, run_id, media_id)
) partition by range (run_id);
alter table history_media alter column bytes set storage external;

-- What the runs of a month that is gone held and were charged: the check of the ledger compares it with their entries.
create table history_sums (
  workspace_id text not null,
  month text not null,
  token_id text not null,
  spend_month text not null,
  runs bigint not null,
  held_micros bigint not null,
  charged_micros bigint not null,
  primary key (workspace_id, month, token_id, spend_month)
);
`

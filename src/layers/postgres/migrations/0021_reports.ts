/**
 * What the console reads and no run writes. All three tables are filled in the background, derived from runs and ledger
 * entries, and may be emptied: they are filled again.
 *
 * Charges are summed up by day, once by provider and once by token, for each workspace up to an entry of its ledger.
 * Runs that ended are described in spans of consecutive runs: which tokens, operations and providers occur in each. A
 * list that is filtered by one of them reads only the spans in which it occurs. Three indexes of `runs` would do the
 * same and cost each run 27 µs of Postgres; a span reads each of its runs once, in the background.
 */
export const reports = `
create table spend_sums (
  workspace_id text not null,
  -- Days since 1970 (UTC) of the charge.
  day integer not null,
  -- Each charge is in one row by its token, and in one by its provider.
  kind text not null check (kind in ('provider', 'token')),
  key text not null,
  calls bigint not null,
  charge_micros bigint not null check (charge_micros > 0),
  primary key (workspace_id, day, kind, key)
) with (fillfactor = 70);

create table spend_summed (
  workspace_id text primary key,
  -- The last ledger entry that is in the sums.
  through_seq bigint not null
) with (fillfactor = 50);

create table run_spans (
  workspace_id text not null,
  first_run_id text not null,
  last_run_id text not null,
  tokens text[] not null,
  endpoints text[] not null,
  providers text[] not null,
  primary key (workspace_id, last_run_id)
);
`

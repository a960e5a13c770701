/**
 * Every filter of a list is a range of an index, read from the newest on. The indexes begin with one text of the
 * workspace and the value filtered by, not with two columns: a statement that asks for that text can use no other
 * index, whatever the planner believes about the rows. Left the choice, it may walk through all rows of a workspace to
 * find the few that match.
 */
export const lists = `
create index runs_by_status on runs ((workspace_id || ' ' || status), run_id);
drop index runs_holding;
-- Runs under way are few, and found by their status.
create index runs_by_job on runs ((workspace_id || ' ' || job || ' ' || status), run_id)
  where job is not null and status in ('completed', 'failed', 'blocked', 'reconciliation_pending');
create index ledger_by_kind on ledger_entries ((workspace_id || ' ' || kind), created_at, seq);
create index connections_kept on connections ((workspace_id || case when revoked_at is null then ' kept' else ' deleted' end), connection_id);
`

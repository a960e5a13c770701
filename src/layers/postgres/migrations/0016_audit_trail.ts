/**
 * Who changed what. Append-only like the ledger. Each filter of its lists is a range of one index, in the order of the
 * list.
 */
export const auditTrail = `
create table audit_entries (
  seq bigint generated always as identity primary key,
  entry_id text not null,
  created_at bigint not null,
  actor json not null,
  -- The actor's id, or its kind where it has none.
  actor_name text not null,
  action text not null,
  subject_kind text not null,
  subject_id text not null,
  workspace_id text,
  before json,
  after json
);
create index audit_by_time on audit_entries (created_at, seq);
create index audit_by_subject on audit_entries (subject_id, created_at, seq);
create index audit_by_actor on audit_entries (actor_name, created_at, seq);
create index audit_by_action on audit_entries (action, created_at, seq);
create index audit_by_workspace on audit_entries (workspace_id, created_at, seq);
create index audit_by_workspace_actor on audit_entries ((workspace_id || ' ' || actor_name), created_at, seq);
create index audit_by_workspace_action on audit_entries ((workspace_id || ' ' || action), created_at, seq);

create function audit_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'audit entries are never changed or deleted' using errcode = 'insufficient_privilege';
end $$;
create trigger audit_append_only before update or delete on audit_entries for each row execute function audit_is_append_only();
create trigger audit_no_truncate before truncate on audit_entries for each statement execute function audit_is_append_only();
`

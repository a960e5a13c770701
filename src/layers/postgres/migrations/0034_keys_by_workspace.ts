/**
 * Keys of tables that are kept by workspace begin with it, so that these tables can be distributed by workspace: a
 * unique key of a distributed table must hold the column by which it is distributed. Tokens, their replaced secrets and
 * top-ups had keys that stood alone. Their ids and digests are made of random bits, or are looked for before they are
 * written (`LoginApprovalsPg.ts`). When tokens were used last moves to a table of its own key.
 *
 * Nodes of the version before go on working: they find rows by the indexes that are made here, they see replaced
 * secrets by a view that has the columns they know (a join of theirs names the workspace by `using`, so one column more
 * would break it), a trigger completes what they insert, and they note uses in `token_uses` as before, which nobody
 * else reads any more.
 *
 * All tables are locked together, in the order in which statements read them: a node that looks for a token would
 * otherwise hold one and wait for another. Requests wait until it ends, less than a second with a hundred thousand
 * tokens and as many top-ups. What needs no lock is done before.
 */
export const keysByWorkspace = `
create table token_last_uses (
  workspace_id text not null,
  token_id text not null,
  last_used_at bigint not null,
  primary key (workspace_id, token_id)
);
insert into token_last_uses (workspace_id, token_id, last_used_at)
  select t.workspace_id, u.token_id, u.last_used_at from token_uses u join tokens t using (token_id);

lock table tokens, replaced_token_secrets, top_ups in access exclusive mode;

alter table replaced_token_secrets rename to superseded_secrets;
alter table superseded_secrets drop constraint replaced_token_secrets_token_id_fkey;
alter table superseded_secrets add column workspace_id text;
update superseded_secrets r set workspace_id = t.workspace_id from tokens t where t.token_id = r.token_id;
alter table superseded_secrets drop constraint replaced_token_secrets_pkey;
alter table superseded_secrets add primary key (workspace_id, digest);
create index superseded_secrets_by_digest on superseded_secrets (digest);
drop index replaced_token_secrets_of_token;
create index superseded_secrets_of_token on superseded_secrets (token_id, workspace_id);
create view replaced_token_secrets as select digest, token_id, works_until from superseded_secrets;

create function superseded_secret_in_workspace() returns trigger language plpgsql as $$
begin
  select t.workspace_id into new.workspace_id from tokens t where t.token_id = new.token_id;
  return new;
end $$;
create trigger superseded_secret_in_workspace before insert on superseded_secrets
  for each row when (new.workspace_id is null) execute function superseded_secret_in_workspace();

create unique index tokens_secret on tokens (workspace_id, digest);
create index tokens_by_digest on tokens (digest);
create index tokens_by_id on tokens (token_id);
alter table tokens drop constraint tokens_pkey;
alter table tokens drop constraint tokens_digest_key;
drop index tokens_newest;
alter table tokens add primary key (workspace_id, token_id);

create index top_ups_named on top_ups (top_up_id);
drop index top_ups_by_id;
`

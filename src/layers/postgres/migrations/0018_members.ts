/**
 * People and how they sign in. Of links and sessions only digests are stored, and rows that are over are deleted.
 * Tokens say by which member they act (`member_id`: a token without a usable secret), or who made them or let them in
 * (`made_by`).
 */
export const members = `
create table members (
  member_id text primary key,
  -- Null for operators of the gateway.
  workspace_id text references workspaces,
  role text not null check (role in ('owner', 'member', 'operator')),
  name text not null,
  email text,
  -- Issuer and subject at an OpenID provider, as one JSON array.
  identity text,
  created_at bigint not null,
  -- The row stays, because the audit trail names it.
  removed_at bigint,
  check ((role = 'operator') = (workspace_id is null))
);
create index members_of_workspace on members (workspace_id, created_at, member_id) where removed_at is null;
create unique index members_by_name on members (coalesce(workspace_id, ''), name) where removed_at is null;
create unique index members_by_email on members (email, coalesce(workspace_id, '')) where removed_at is null and email is not null;
create index members_by_identity on members (identity) where removed_at is null and identity is not null;

create table sign_in_links (
  digest bytea primary key,
  member_id text not null references members,
  created_at bigint not null,
  expires_at bigint not null
);
create index sign_in_links_of_member on sign_in_links (member_id);
create index sign_in_links_over on sign_in_links (expires_at);

create table sessions (
  session_id text primary key,
  digest bytea not null unique,
  member_id text not null references members,
  created_at bigint not null,
  expires_at bigint not null,
  ends_at bigint not null
);
create index sessions_of_member on sessions (member_id);
create index sessions_over on sessions (expires_at);

alter table tokens add column member_id text references members, add column made_by text references members;
create unique index tokens_of_member on tokens (workspace_id, member_id) where member_id is not null;
create index tokens_made_by on tokens (made_by) where made_by is not null;
`

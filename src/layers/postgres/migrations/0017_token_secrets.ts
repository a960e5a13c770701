/**
 * Secrets that a rotation replaced and that still work for a while, and when tokens were used last. Both stand beside
 * \`tokens\`, whose rows every run locks.
 */
export const tokenSecrets = `
create table replaced_token_secrets (
  digest bytea primary key,
  token_id text not null references tokens,
  works_until bigint not null
);
create index replaced_token_secrets_of_token on replaced_token_secrets (token_id);

create table token_uses (
  token_id text primary key,
  last_used_at bigint not null
);
create index tokens_newest on tokens (workspace_id, token_id);
drop index tokens_by_workspace;
`

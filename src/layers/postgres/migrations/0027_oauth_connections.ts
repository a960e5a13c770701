/**
 * Connections to accounts of users at providers with OAuth 2, and the authorizations that have begun and not come back
 * yet. Tokens are sealed. Of the secrets of an authorization there are digests only. Its PKCE verifier comes from the
 * browser.
 */
export const oauthConnections = `
alter table connections
  -- What may be shown of the tokens: scopes, when the access token ends, whether it can be renewed, why not. Null for a key.
  add column oauth json,
  -- The one who renews the tokens now, and until when nobody else may.
  add column renewed_by text,
  add column renewed_until bigint,
  add check ((renewed_by is null) = (renewed_until is null)),
  add check (renewed_by is null or oauth is not null);

create table connection_authorizations (
  -- SHA-256 of the secret in the link that the person opens.
  link_digest bytea primary key,
  workspace_id text not null references workspaces,
  connection_id text not null,
  provider_id text not null,
  label text not null,
  connection_expires_at bigint,
  -- The actor of the audit entry.
  begun_by json not null,
  created_at bigint not null,
  expires_at bigint not null,
  -- SHA-256 of the secret of the browser that went to the provider, of the state that it took along, and of the OAuth
  -- settings with which it went.
  browser_digest bytea,
  state_digest bytea unique,
  settings_digest bytea,
  check (num_nulls(browser_digest, state_digest, settings_digest) in (0, 3))
);
create index connection_authorizations_over on connection_authorizations (expires_at);
`

/**
 * Top-ups, capability requests, connections, platform keys, login approvals, what operators set for providers, and how
 * endpoints have done. Secrets are stored sealed only, and whoever reads a row alone learns nothing.
 */
export const accounts = `
create table top_ups (
  workspace_id text not null references workspaces,
  top_up_id text not null,
  status text not null check (status in ('pending', 'paid', 'expired', 'failed', 'refused')),
  amount_micros bigint not null check (amount_micros > 0),
  checkout_url text,
  reason text,
  idempotency_key text,
  -- What the payment processor calls the payment.
  payment_reference text,
  created_at bigint not null,
  paid_at bigint,
  primary key (workspace_id, top_up_id),
  check ((status = 'paid') = (paid_at is not null))
);
-- A payment processor names the top-up alone.
create unique index top_ups_by_id on top_ups (top_up_id);
create unique index top_ups_once on top_ups (workspace_id, idempotency_key) where idempotency_key is not null;

create table capability_requests (
  workspace_id text not null references workspaces,
  capability_request_id text not null,
  title text not null,
  description text not null,
  desired_inputs text,
  desired_outputs text,
  status text not null check (status in ('open')),
  idempotency_key text not null,
  created_at bigint not null,
  primary key (workspace_id, capability_request_id)
);
create unique index capability_requests_once on capability_requests (workspace_id, idempotency_key);

create table connections (
  workspace_id text not null references workspaces,
  connection_id text not null,
  provider_id text not null,
  label text not null,
  -- Null once deleted: the row stays, so that runs that name it are told apart from runs that name nothing.
  sealed bytea,
  key_id text,
  created_at bigint not null,
  expires_at bigint,
  revoked_at bigint,
  primary key (workspace_id, connection_id),
  check ((sealed is null) = (revoked_at is not null) and (sealed is null) = (key_id is null))
);
create index connections_usable on connections (workspace_id, provider_id, connection_id) where revoked_at is null;
create index connections_by_key on connections (key_id) where revoked_at is null;

create table platform_keys (
  provider_id text primary key,
  sealed bytea not null,
  key_id text not null,
  created_at bigint not null
);

create table login_approvals (
  approval_id text primary key,
  -- SHA-256 of a token that the client made; one approval for each token, ever.
  digest bytea not null unique,
  user_code text not null,
  label text not null,
  scopes text[] not null,
  token_expires_at bigint,
  status text not null check (status in ('pending', 'approved', 'denied')),
  created_at bigint not null,
  expires_at bigint not null
);
create index login_approvals_over on login_approvals (expires_at);

-- Absent: enabled.
create table provider_states (
  provider_id text primary key,
  state text not null check (state in ('enabled', 'draining', 'disabled')),
  changed_at bigint not null
);

create table endpoint_stats (
  -- Days since 1970 (UTC).
  day integer not null,
  endpoint_id text not null,
  -- Number of the latency bucket, see EndpointLatency.
  bucket smallint not null,
  calls bigint not null,
  successes bigint not null,
  primary key (day, endpoint_id, bucket)
) with (fillfactor = 70);
`

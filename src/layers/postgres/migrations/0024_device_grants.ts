/** What a login that began with the device authorization grant (RFC 8628) has beside other logins. */
export const deviceGrants = `
alter table login_approvals
  -- SHA-256 of the device code, which the gateway does not keep. Null for a login whose client made its own token.
  add column device_digest bytea unique,
  -- Together with the device code it gives the token, and without it nothing.
  add column device_salt bytea,
  add column device_interval_seconds integer,
  add column device_polled_at bigint,
  add column device_handed_out_at bigint,
  add check (num_nulls(device_digest, device_salt, device_interval_seconds) in (0, 3));
-- A person types this code, so it must not name two logins.
create unique index login_approvals_user_code on login_approvals (user_code) where device_digest is not null;
`

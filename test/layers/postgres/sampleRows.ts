/**
 * Rows as a gateway of each schema wrote them: for every table a statement that is valid from the migration on that
 * made it, and what changed the rows of it on the way. The money of the rows adds up.
 */

export interface SampleRow {
  /** The number of the migration that made the table or the column. */
  readonly since: number
  readonly statement: string
}

const sha = (of: string): string => `sha256('${of}'::bytea)`

/** `tag` is two characters of every id and name, so that rows can be written twice. */
export const sampleRows = (tag: string): ReadonlyArray<SampleRow> => {
  const id = (kind: string): string => `'${kind}_01m820s0ry0009a5ks9nk0bj${tag}'`
  const ws = id("ws")
  const old = id("run").replace("01m8", "00m8")
  const [settled, uncertain, token, topUp, member] = [
    id("run"),
    id("run").replace("01m8", "02m8"),
    id("tok"),
    id("top"),
    id("mem")
  ]
  return [
    {
      since: 1,
      statement: `
insert into workspaces (workspace_id, name, inflight_limit, created_at) values (${ws}, 'acme ${tag}', 8, 1780000000000);
insert into tokens (token_id, workspace_id, label, scopes, digest, monthly_limit_micros, spend_month, spend_micros, created_at)
  values (${token}, ${ws}, 'ci', '{runs:execute,runs:read}', ${sha(`token ${tag}`)}, 10000000, '2026-05', 15000, 1780000000000);
insert into wallets (workspace_id, available_micros, reserved_micros) values (${ws}, 24985000, 10000);
insert into ledger_entries (workspace_id, entry_id, kind, debit, credit, amount_micros, balance_after_micros, reserved_after_micros, run_id, top_up_id, reason, credit_key, created_at) values
  (${ws}, ${id("led")}, 'adjustment', 'funding', 'available', 25000000, 25000000, 0, null, null, 'start', 'start', 1780000000001),
  (${ws}, ${id("lee")}, 'hold', 'available', 'reserved', -12000, 24988000, 12000, ${settled}, null, null, null, 1780000000002),
  (${ws}, ${id("lef")}, 'release', 'reserved', 'available', 12000, 25000000, 0, ${settled}, null, null, null, 1780000000003),
  (${ws}, ${id("leg")}, 'charge', 'available', 'revenue', -5000, 24995000, 0, ${settled}, null, null, null, 1780000000003),
  (${ws}, ${id("leh")}, 'hold', 'available', 'reserved', -10000, 24985000, 10000, ${uncertain}, null, null, null, 1780000000004);
insert into idempotency_keys (workspace_id, key, request_digest, run_id) values (${ws}, 'first', 'd1', ${settled}), (${ws}, 'second', 'd2', ${uncertain});
insert into runs (workspace_id, run_id, token_id, idempotency_key, request_digest, request_id, requested_endpoint_id, endpoint_id, provider_id, contract_version,
    input, plan, status, outcome, hold_micros, charge_micros, spend_month, result, result_bytes, provider_status, served_endpoint_id, served_provider_id, created_at, started_at, completed_at) values
  (${ws}, ${settled}, ${token}, 'first', 'd1', 'req_1', 'mock-email-find', 'mock-email-find', 'mock', 'v${tag}', '{"domain": "example.com"}', null,
    'completed', 'hit', 12000, 5000, '2026-05', '{"_tag": "Json", "value": {"email":  "ada@example.com"}}', 27, 200, 'mock-email-find', 'mock', 1780000000002, 1780000000002, 1780000000003),
  (${ws}, ${uncertain}, ${token}, 'second', 'd2', 'req_2', 'mock-send-message', 'mock-send-message', 'mock', 'v0', '{"to": "ada@example.com"}', null,
    'reconciliation_pending', null, 10000, null, '2026-05', null, null, null, null, null, 1780000000004, 1780000000004, null);
insert into attempts (workspace_id, run_id, n, attempt_id, endpoint_id, provider_id, status, outcome, cost_micros, billed, receipt_id, receipt, started_at, completed_at) values
  (${ws}, ${settled}, 1, ${id("att")}, 'mock-email-find', 'mock', 'completed', 'hit', 5000, true, ${id("rcp")}, '{"sent": true}', 1780000000002, 1780000000003),
  (${ws}, ${uncertain}, 1, ${id("atu")}, 'mock-send-message', 'mock', 'reconciliation_pending', null, null, false, null, null, 1780000000004, null);
insert into media (workspace_id, run_id, media_id, content_type, filename, sha256, bytes) values (${ws}, ${settled}, ${id("med")}, 'text/csv', 'a.csv', 'x', '\\x612c62')`
    },
    {
      since: 2,
      statement: `
insert into top_ups (workspace_id, top_up_id, status, amount_micros, payment_reference, created_at, paid_at) values (${ws}, ${topUp}, 'paid', 5000000, 'pi_${tag}', 1780000000000, 1780000000001);
insert into ledger_entries (workspace_id, entry_id, kind, debit, credit, amount_micros, balance_after_micros, reserved_after_micros, run_id, top_up_id, reason, credit_key, created_at) values
  (${ws}, ${id("lei")}, 'top_up', 'funding', 'available', 5000000, 29985000, 10000, null, ${topUp}, null, 'payment', 1780000000005);
update wallets set available_micros = 29985000 where workspace_id = ${ws};
insert into capability_requests (workspace_id, capability_request_id, title, description, status, idempotency_key, created_at) values (${ws}, ${id("cap")}, 'Faxes', 'Send one', 'open', 'k', 1780000000000);
insert into connections (workspace_id, connection_id, provider_id, label, sealed, key_id, created_at, revoked_at) values
  (${ws}, ${id("con")}, 'hunter', 'theirs', '\\x00ff', 'k1', 1780000000000, null), (${ws}, ${id("coo")}, 'hunter', 'gone', null, null, 1780000000000, 1780000000001);
insert into platform_keys (provider_id, sealed, key_id, created_at) values ('hunter ${tag}', '\\x00ff', 'k1', 1780000000000);
insert into login_approvals (approval_id, digest, user_code, label, scopes, status, created_at, expires_at) values (${id("log")}, ${sha(`login ${tag}`)}, 'ABCD', 'laptop', '{runs:read}', 'pending', 1780000000000, 1780000600000);
insert into provider_states (provider_id, state, changed_at) values ('hunter ${tag}', 'draining', 1780000000000);
insert into endpoint_stats (day, endpoint_id, bucket, calls, successes) values (20601, 'mock-email-find ${tag}', 3, 10, 9)`
    },
    {
      since: 3,
      statement: `
insert into catalog_contracts (endpoint_id, contract_version, contract) values ('mock-email-find', 'v${tag}', '{"operation": {"job": "people.email.find"}}');
insert into catalog_revisions (revision, jobs, endpoint_ids, contract_versions, published_at) values ('r${tag}', '[]', '{mock-email-find}', '{v${tag}}', 1780000000000)`
    },
    { since: 4, statement: "insert into storage_identity (identity) values ('somewhere') on conflict do nothing" },
    {
      since: 5,
      statement: `insert into tokens (token_id, workspace_id, label, scopes, digest, created_at, ancestors) values (${id("tol")}, ${ws}, 'child', '{runs:read}', ${sha(`child ${tag}`)}, 1780000000001, array[${token}])`
    },
    { since: 7, statement: `update runs set workers_lost = 1 where workspace_id = ${ws}` },
    { since: 9, statement: `update tokens set operator = true where token_id = ${token}` },
    {
      since: 10,
      statement: `
insert into sealing_keys (key_id, check_value, first_used_at) values ('k${tag}', 'c', 1780000000000);
insert into production (since) values (1780000000000) on conflict do nothing`
    },
    {
      since: 11,
      statement:
        "insert into write_probe (slot, filler) values (1, 'x') on conflict (slot) do update set filler = excluded.filler"
    },
    { since: 12, statement: `update wallets set minute_refused = 2 where workspace_id = ${ws}` },
    {
      since: 14,
      statement: `
insert into ledger_checks (checked_at, took_millis, drift_micros, difference) values (1780000000000, 5, 0, null)
  on conflict (only_row) do update set checked_at = excluded.checked_at`
    },
    {
      since: 15,
      statement: `update workspaces set policy = '{"deny": {"effectful": true}}' where workspace_id = ${ws}`
    },
    {
      since: 16,
      statement: `insert into audit_entries (entry_id, created_at, actor, actor_name, action, subject_kind, subject_id, workspace_id, after) values (${id("aud")}, 1780000000000, '{"kind": "command_line"}', 'command_line', 'workspace.created', 'workspace', ${ws}, ${ws}, '{"name": "acme"}')`
    },
    {
      since: 17,
      statement: `
insert into replaced_token_secrets (digest, token_id, works_until) values (${sha(`old ${tag}`)}, ${token}, 1780000600000);
insert into token_uses (token_id, last_used_at) values (${token}, 1780000000004)`
    },
    {
      since: 18,
      statement: `
insert into members (member_id, workspace_id, role, name, email, created_at) values (${member}, ${ws}, 'owner', 'Ada', 'ada@example.com', 1780000000000);
insert into sign_in_links (digest, member_id, created_at, expires_at) values (${sha(`link ${tag}`)}, ${member}, 1780000000000, 1780000600000);
insert into sessions (session_id, digest, member_id, created_at, expires_at, ends_at) values (${id("ses")}, ${sha(`session ${tag}`)}, ${member}, 1780000000000, 1780000600000, 1780000600000);
update tokens set made_by = ${member} where token_id = ${token}`
    },
    {
      since: 19,
      statement: `
insert into payments (payment_reference, workspace_id, top_up_id, amount_micros, takings) values ('pi_${tag}', ${ws}, ${topUp}, 5000000, '[{"objectId": "re_${tag}", "kind": "refund", "state": "reversed", "amountMicros": 0}]');
insert into saved_payment_methods (workspace_id, reference, saved_at) values (${ws}, 'pm_1', 1780000000000);
insert into automatic_top_ups (workspace_id, status, below_micros, amount_micros, monthly_maximum_micros, updated_at) values (${ws}, 'on', 1000000, 20000000, 100000000, 1780000000000)`
    },
    {
      since: 21,
      statement: `
insert into spend_sums (workspace_id, day, kind, key, calls, charge_micros) values (${ws}, 20601, 'provider', 'mock', 1, 5000), (${ws}, 20601, 'token', ${token}, 1, 5000);
insert into spend_summed (workspace_id, through_seq) select workspace_id, max(seq) from ledger_entries where workspace_id = ${ws} group by workspace_id;
insert into run_spans (workspace_id, first_run_id, last_run_id, tokens, endpoints, providers) values (${ws}, ${settled}, ${settled}, array[${token}], '{mock-email-find}', '{mock}')`
    },
    {
      since: 22,
      statement: `insert into resolution_proposals (workspace_id, run_id, proposal_id, verdict, charge_micros, reason, proposed_by, proposed_at, status) values (${ws}, ${uncertain}, ${id("pro")}, 'released', 0, 'not in their log', '{"kind": "command_line"}', 1780000000005, 'open')`
    },
    {
      since: 23,
      statement: `insert into payment_takings (object_id, payment_reference) values ('re_2${tag}', 'pi_${tag}')`
    },
    {
      since: 24,
      statement: `insert into login_approvals (approval_id, digest, user_code, label, scopes, status, created_at, expires_at, device_digest, device_salt, device_interval_seconds) values (${id("dev")}, ${sha(`device login ${tag}`)}, 'WXYZ${tag}', 'television', '{runs:read}', 'pending', 1780000000000, 1780000600000, ${sha(`device ${tag}`)}, '\\x01', 5)`
    },
    {
      since: 25,
      statement: `
update workspaces set learns_from_use = true where workspace_id = ${ws};
insert into search_shown (workspace_id, item_id, shown_at) values (${ws}, 'job:people.email.find', 1780000000000);
insert into search_uses (workspace_id, item_id, weight, used_at) values (${ws}, 'mock-email-find', 1.5, 1780000000000)`
    },
    { since: 26, statement: `update connections set variables = '{"host": "eu"}' where workspace_id = ${ws}` },
    {
      since: 27,
      statement: `
update connections set oauth = '{"scopes": ["read"]}' where workspace_id = ${ws} and sealed is not null;
insert into connection_authorizations (link_digest, workspace_id, connection_id, provider_id, label, begun_by, created_at, expires_at) values (${sha(`authorization ${tag}`)}, ${ws}, ${id("con")}, 'hunter', 'theirs', '{"kind": "command_line"}', 1780000000000, 1780000600000)`
    },
    {
      since: 28,
      statement: `insert into compared_answers (day, contract_version, compared, broken) values (20601, 'v${tag}', 10, 0)`
    },
    {
      since: 30,
      statement: `insert into request_rates (tenant, full_at) values (${ws}, 1780000000000000)`
    },
    {
      since: 32,
      // The partitions of a gateway are those of months; here each tag has its own.
      statement: `
${["runs", "payloads", "attempts", "media"]
  .map(
    (table) =>
      `create table history_${table}_${tag} partition of history_${table} for values from (${old}) to (${old.slice(0, -1)}0')`
  )
  .join(";\n")};
insert into history_months (month, first_run_id, end_run_id) values ('1970-${tag}', 'run_00m8', 'run_00m9');
insert into history_turn (holder, until_millis) values ('${tag}', 0) on conflict do nothing;
insert into history_sums (workspace_id, month, token_id, spend_month, runs, held_micros, charged_micros) values (${ws}, '1970-${tag}', ${token}, '1970-01', 1, 0, 0);
insert into history_runs (workspace_id, run_id, token_id, idempotency_key, request_digest, request_id, requested_endpoint_id, endpoint_id, status, hold_micros, charge_micros, spend_month, cancel_requested, created_at)
  values (${ws}, ${old}, ${token}, 'old', '', '', 'e', 'e', 'completed', 0, 0, '1970-01', false, 1);
insert into history_payloads (workspace_id, run_id, input) values (${ws}, ${old}, '{}');
insert into history_attempts (workspace_id, run_id, n, attempt_id, endpoint_id, provider_id, status, billed, started_at)
  values (${ws}, ${old}, 1, 'a', 'e', 'p', 'completed', false, 1);
insert into history_media (workspace_id, run_id, media_id, content_type, sha256, bytes) values (${ws}, ${old}, 'm', 'text/plain', '', '')`
    },
    {
      since: 33,
      statement: `insert into nodes (node_id, role, version, host, started_at, last_seen_at) values ('node ${tag}', 'all', '0.1.0', 'one', 1780000000000, 1780000000001)`
    },
    {
      since: 34,
      // A token of which the migration knows no use yet.
      statement: `insert into token_last_uses (workspace_id, token_id, last_used_at) values (${ws}, ${token.replace("01m8", "02m8")}, 1780000000004)`
    }
  ]
}

/** The ids by which a test asks for the runs of these rows. */
export const sampleRunIds = (tag: string) => ({
  workspaceId: `ws_01m820s0ry0009a5ks9nk0bj${tag}`,
  settled: `run_01m820s0ry0009a5ks9nk0bj${tag}`,
  uncertain: `run_02m820s0ry0009a5ks9nk0bj${tag}`
})

/** Columns whose values a migration changes on purpose, in rows of before it. */
export const changedOnPurpose: ReadonlyArray<{
  readonly migration: number
  readonly table: string
  readonly column: string
}> = [
  // The job of a tool's run is taken from its contract.
  { migration: 13, table: "runs", column: "job" }
]

/**
 * The statements that do not name a workspace for every table that is kept by workspace. All others must; `judging.ts`
 * looks at each statement that the tests make the gateway send. A row here says what the statement does, as the table
 * of docs/scaling.md says it, and has a piece of its text.
 */

interface Crossing {
  /** As docs/scaling.md says it. */
  readonly what: string
  readonly text: string
}

export const crossings: ReadonlyArray<Crossing> = [
  {
    what: "Finding the workspace of a token by its secret",
    text: `select encode(digest, 'hex') as digest, workspace_id as "workspaceId" from tokens`
  },
  {
    what: "Finding the workspace of a token by its id",
    text: `select workspace_id as "workspaceId" from tokens where token_id`
  },
  {
    what: "Finding the workspace of a top-up by its id",
    text: `select workspace_id as "workspaceId" from top_ups where top_up_id`
  },
  { what: "A login that begins", text: "insert into login_approvals" },
  { what: "The tokens of a member", text: "update tokens set label =" },
  { what: "The tokens of a member", text: "update tokens set revoked_at =" },
  { what: "The tokens of a member", text: `select token_id as "tokenId" from tokens where made_by` },
  { what: "Taking queued and lost runs", text: "with wanted as materialized" },
  { what: "Queued runs that waited too long", text: "with late as materialized" },
  { what: "Runs that wait for a person", text: "from runs r where r.status = 'reconciliation_pending'" },
  { what: "The age of the oldest queued run", text: "select min(created_at) as since from runs" },
  { what: "Finding the workspace of a run by its id", text: "from workspaces w join runs r" },
  {
    what: "Finding a run by the id of its request",
    text: "join runs r on r.workspace_id = w.workspace_id and r.run_id >="
  },
  {
    what: "Finding a run by the id of its request",
    text: "join history_runs r on r.workspace_id = w.workspace_id and r.run_id >="
  },
  { what: "Forgetting refused runs", text: "with old as materialized" },
  { what: "Automatic top-ups that are due", text: "from automatic_top_ups a\n          join wallets w" },
  {
    what: "Refunds and disputes that wait for money",
    text: "from payments p join wallets w on w.workspace_id = p.workspace_id"
  },
  {
    what: "Workspaces whose reports are behind",
    text: "from wallets w left join spend_summed s using (workspace_id)\n      cross join lateral"
  },
  {
    what: "Finding the workspace of a run by its id",
    text: "join history_runs r on r.workspace_id = w.workspace_id and r.run_id ="
  },
  { what: "What a retention would move and drop", text: "select count(*) as runs, count(*) filter (where r.run_id <" },
  {
    what: "What a retention would move and drop",
    text: "select (select count(*) from history_runs r where r.run_id >="
  },
  { what: "Workspaces with runs to move or payloads to drop", text: "from workspaces w\n        cross join lateral (" },
  { what: "Months that need tables", text: `select min(o.run_id) as "runId" from workspaces w` },
  {
    what: "What is in the way of the end of a month",
    text: `select w.workspace_id as "workspaceId", o.run_id as "runId", o.status`
  },
  {
    what: "What is in the way of the end of a month",
    text: "from wallets w left join spend_summed s using (workspace_id)\n        where exists"
  },
  { what: "The end of a month", text: "insert into history_sums (" },
  { what: "The end of a month", text: "from history_sums where month =" },
  { what: "The end of a month", text: "with sized as materialized (\n        select workspace_id, run_id, sum(bytes)" },
  { what: "The end of a month", text: "with portion as materialized (" },
  { what: "The end of a month", text: "delete from run_spans s using workspaces w" },
  { what: "The operator's pages", text: `select key as "providerId", sum(calls)` },
  { what: "The operator's pages", text: "from workspaces w join wallets m using (workspace_id)" },
  { what: "The operator's pages", text: `as "oldestQueuedMillis"` },
  { what: "Which providers workspaces have connections to", text: "from connections where revoked_at is null" },
  { what: "Sealing with a new key", text: "from connections where revoked_at is null and key_id <>" },
  { what: "Marking runs of a restored storage", text: "update runs set restored = true" },
  { what: "The check of the whole ledger", text: "with sums as (" }
]

/** What one operator proposes to do with the money of an uncertain run, and what another one said about it. */
export const resolutionProposals = `
create table resolution_proposals (
  workspace_id text not null references workspaces,
  run_id text not null,
  proposal_id text not null,
  verdict text not null check (verdict in ('charged', 'released', 'partly_charged')),
  charge_micros bigint not null check (charge_micros >= 0),
  reason text not null,
  proposed_by jsonb not null,
  proposed_at bigint not null,
  status text not null check (status in ('open', 'confirmed', 'rejected', 'closed')),
  decided_by jsonb,
  decided_at bigint,
  decision_reason text,
  primary key (workspace_id, run_id, proposal_id),
  check ((status = 'open') = (decided_at is null))
);
create unique index resolution_proposals_open on resolution_proposals (workspace_id, run_id) where status = 'open';
`

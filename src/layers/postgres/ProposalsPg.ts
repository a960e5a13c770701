/** Proposals in Postgres. An index allows one open proposal of a run. */
import { Effect, Layer } from "effect"
import { canonical } from "../../domain/Json.js"
import { Proposal } from "../../domain/Resolution.js"
import { Changing } from "../../services/AuditTrail.js"
import { Proposals } from "../../services/Proposals.js"
import { Database } from "./Database.js"
import { rowOf, rowsOf } from "./database/Rows.js"

const proposalRow = rowOf(Proposal)
const proposalRows = rowsOf(Proposal)

const columns = (
  status: string
) => `p.proposal_id as "proposalId", p.workspace_id as "workspaceId", p.run_id as "runId", p.verdict, p.charge_micros as "chargeMicros",
  p.reason, p.proposed_by as "proposedBy", p.proposed_at as "proposedAt", ${status} as status, p.decided_by as "decidedBy", p.decided_at as "decidedAt", p.decision_reason as "decisionReason"`

export const ProposalsPg: Layer.Layer<Proposals, never, Database> = Layer.effect(
  Proposals,
  Effect.map(Database, ({ query, sql }) =>
    Proposals.of({
      insert: (proposal) =>
        Effect.zipRight(
          Changing,
          Effect.map(
            query(sql`
              insert into resolution_proposals (workspace_id, run_id, proposal_id, verdict, charge_micros, reason, proposed_by, proposed_at, status)
              values (${proposal.workspaceId}, ${proposal.runId}, ${proposal.proposalId}, ${proposal.verdict}, ${proposal.chargeMicros}, ${proposal.reason},
                ${canonical({ ...proposal.proposedBy })}::jsonb, ${proposal.proposedAt}, 'open')
              on conflict (workspace_id, run_id) where status = 'open' do nothing returning 1`),
            (rows) => rows.length > 0
          )
        ),
      lockNewest: ({ runId, workspaceId }) =>
        proposalRow(
          query(sql`
            select ${sql.literal(columns("p.status"))} from resolution_proposals p
            where p.workspace_id = ${workspaceId} and p.run_id = ${runId} order by p.proposal_id desc limit 1 for update`)
        ),
      decide: ({ decidedAt, decidedBy, decisionReason, proposalId, runId, status, workspaceId }) =>
        Effect.zipRight(
          Changing,
          Effect.asVoid(
            query(sql`
              update resolution_proposals set status = ${status}, decided_by = ${decidedBy === null ? null : canonical({ ...decidedBy })}::jsonb,
                decided_at = ${decidedAt}, decision_reason = ${decisionReason}
              where workspace_id = ${workspaceId} and run_id = ${runId} and proposal_id = ${proposalId}`)
          )
        ),
      ofRuns: (runs) =>
        proposalRows(
          query(sql`
            select ${sql.literal(columns("case when p.status = 'open' and r.status is distinct from 'reconciliation_pending' then 'closed' else p.status end"))}
            from unnest(${runs.map(({ workspaceId }) => workspaceId)}::text[], ${runs.map(({ runId }) => runId)}::text[]) as k (workspace_id, run_id)
            join resolution_proposals p on p.workspace_id = k.workspace_id and p.run_id = k.run_id
            -- The run itself may have moved to the history.
            left join runs r on r.workspace_id = p.workspace_id and r.run_id = p.run_id
            order by p.proposal_id desc`)
        )
    })
  )
)

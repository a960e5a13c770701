/**
 * The statement that renews leases: what it is given, and the runs whose lease is still held. In one place for all who
 * send it.
 */
import type { HeldLease } from "../../../services/RunStore.js"

/**
 * `now` is the database's clock as an expression. Answers `runId` and `cancelRequested` of each. The rows are locked in
 * the order of `RunStore.lock`, so that a renewal and a settlement of the same runs never wait for each other.
 */
export const renewal = (now: string): string => `
  with held as materialized (
    select r.workspace_id, r.run_id
    from unnest($1::text[], $2::text[], $3::text[]) as l (workspace_id, run_id, token)
    join runs r on r.workspace_id = l.workspace_id and r.run_id = l.run_id and r.lease_token = l.token
    order by r.workspace_id, r.run_id
    for no key update of r
  )
  update runs r set lease_expires_at = ${now} + $4::bigint
  from held h where r.workspace_id = h.workspace_id and r.run_id = h.run_id
  returning r.run_id as "runId", r.cancel_requested as "cancelRequested"`

export const renewalValues = (leases: ReadonlyArray<HeldLease>, leaseMillis: number): Array<unknown> => [
  leases.map(({ workspaceId }) => workspaceId),
  leases.map(({ runId }) => runId),
  leases.map(({ token }) => token),
  leaseMillis
]

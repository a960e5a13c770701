/**
 * The statement that renews leases: what it is given, and the runs whose lease is still held. In one place for all who
 * send it.
 */
import type { HeldLease } from "../../../services/RunStore.js"

/**
 * `now` is the database's clock as an expression. Answers `runId`, `cancelRequested` and `renewed` of each run whose
 * lease is held. A run that somebody has locked, such as its settlement, is held and renewed the next time: a renewal
 * waits for nobody, so that one locked run costs no other its lease, and a settlement of the same runs cannot deadlock
 * with it.
 */
export const renewal = (now: string): string => `
  with held as materialized (
    select r.workspace_id, r.run_id, r.lease_token, r.cancel_requested
    from unnest($1::text[], $2::text[], $3::text[]) as l (workspace_id, run_id, token)
    join runs r on r.workspace_id = l.workspace_id and r.run_id = l.run_id and r.lease_token = l.token
  ), free as materialized (
    select r.workspace_id, r.run_id
    from held h join runs r on r.workspace_id = h.workspace_id and r.run_id = h.run_id and r.lease_token = h.lease_token
    for no key update of r skip locked
  ), renewed as (
    update runs r set lease_expires_at = ${now} + $4::bigint
    from free f where r.workspace_id = f.workspace_id and r.run_id = f.run_id
  )
  select h.run_id as "runId", h.cancel_requested as "cancelRequested", f.run_id is not null as renewed
  from held h left join free f on f.workspace_id = h.workspace_id and f.run_id = h.run_id`

export const renewalValues = (leases: ReadonlyArray<HeldLease>, leaseMillis: number): Array<unknown> => [
  leases.map(({ workspaceId }) => workspaceId),
  leases.map(({ runId }) => runId),
  leases.map(({ token }) => token),
  leaseMillis
]

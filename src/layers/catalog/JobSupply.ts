/** The providers of a job in the order in which a run would try them. */
import type { Access } from "../../domain/CatalogRow.js"
import type { Endpoint } from "../../domain/Manifest.js"
import type { Prefer } from "../../domain/RoutePlan.js"
import type { RoutingCandidate } from "../../domain/Routing.js"
import { placeJob } from "./Ranking.js"
import { flags, isFlagged } from "./Revision.js"
import type { CallerView, Seen } from "./ServedRevision.js"

export interface SupplyOptions {
  /** False in production: then no fixture serves a job. */
  readonly jobsMayPickFixtures: boolean
}

export interface Supplier {
  readonly endpoint: Endpoint
  readonly access: Access
  /** One short sentence that says why the provider has this place in the order. */
  readonly reason: string
}

/**
 * Without a workspace it is not known whose account there is. Operations that need an account then count like those
 * that need none.
 */
const obstacleTo =
  ({ table, workspaceId }: CallerView) =>
  (number: number): RoutingCandidate["obstacle"] => {
    const { access, runnableNow } = table.of(number)
    return runnableNow ? 0 : access !== "needs_your_account" ? 2 : workspaceId === null ? 0 : 1
  }

/** Empty for a job that no operation does. */
export const suppliersOf = (
  { served: { revision }, view }: Seen,
  jobId: string,
  prefer: Prefer,
  { jobsMayPickFixtures }: SupplyOptions
): ReadonlyArray<Supplier> => {
  const numbers = (revision.numbersOfJob.get(jobId) ?? []).filter(
    (number) => jobsMayPickFixtures || !isFlagged(revision, number, flags.mock)
  )
  return placeJob(revision, numbers, prefer, view.statistics, obstacleTo(view)).flatMap(({ number, reason }) => {
    const endpoint = revision.endpoints[number]
    return endpoint === undefined ? [] : [{ endpoint, reason, access: view.table.of(number).access }]
  })
}

/**
 * The data that every question to the catalog reads: the revision that is served now, and how one caller sees it. A
 * revision never changes. Statistics, keys and the health of providers do change, so they are not part of it.
 */
import type { WorkspaceId } from "../../domain/Ids.js"
import type { Endpoint } from "../../domain/Manifest.js"
import type { AccessTable } from "./AccessTable.js"
import { CatalogRows, type Statistics } from "./CatalogRows.js"
import { JobOrders } from "./Ranking.js"
import type { Revision } from "./Revision.js"

/** A revision, and the data that is kept with it while it is served. */
export interface ServedRevision {
  readonly revision: Revision
  readonly rows: CatalogRows
  readonly orders: JobOrders
}

export const serve = (revision: Revision): ServedRevision => ({
  revision,
  rows: new CatalogRows(revision),
  orders: new JobOrders(revision)
})

/** How one caller sees a revision now. */
export interface CallerView {
  /** Null for a caller who is not known. */
  readonly workspaceId: WorkspaceId | null
  readonly table: AccessTable
  readonly statistics: Statistics
  /**
   * Whether operations that run now come first inside their job, before the preference: a new user's first try should
   * work.
   */
  readonly runnableFirst: boolean
}

export interface Seen {
  readonly served: ServedRevision
  readonly view: CallerView
}

export const endpointOf = (revision: Revision, endpointId: string): Endpoint | null => {
  const number = revision.numberOf.get(endpointId)
  return number === undefined ? null : (revision.endpoints[number] ?? null)
}

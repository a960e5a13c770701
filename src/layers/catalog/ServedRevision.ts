/**
 * The data that every question to the catalog reads: the revision that is served now, and how one caller sees it. A
 * revision never changes. Statistics, keys and the health of providers do change, so they are not part of it.
 */
import type { WorkspaceId } from "../../domain/Ids.js"
import type { Endpoint } from "../../domain/Manifest.js"
import type { ListedProvider } from "../../services/Catalog.js"
import type { UseWeights } from "../../services/SearchUses.js"
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
  /** What the workspace used after its searches; empty unless it learns from that. */
  readonly uses: UseWeights
}

export interface Seen {
  readonly served: ServedRevision
  readonly view: CallerView
}

export const providersOf = (revision: Revision): ReadonlyArray<ListedProvider> => {
  const byId = new Map<string, { readonly provider: Endpoint["provider"]; readonly endpointIds: Array<string> }>()
  for (const { operation, provider } of revision.endpoints) {
    const known = byId.get(provider.id)
    if (known === undefined) byId.set(provider.id, { provider, endpointIds: [operation.id] })
    else known.endpointIds.push(operation.id)
  }
  return [...byId.values()].sort((a, b) => (a.provider.id < b.provider.id ? -1 : 1))
}

export const endpointOf = (revision: Revision, endpointId: string): Endpoint | null => {
  const number = revision.numberOf.get(endpointId)
  return number === undefined ? null : (revision.endpoints[number] ?? null)
}

/**
 * Hits in the order that they have with what a workspace used after its searches (`domain/SearchUse`). An operation is
 * raised by its own uses and by those of its job.
 */
import type { CatalogRow } from "../../../domain/CatalogRow.js"
import { jobEndpointId } from "../../../domain/EndpointIds.js"
import { shareOfUses } from "../../../domain/SearchUse.js"
import type { UseWeights } from "../../../services/SearchUses.js"
import type { Revision } from "../Revision.js"
import type { SearchHits } from "../search/SearchHits.js"

export const noUses: UseWeights = new Map()

export type ShownRow = Pick<CatalogRow, "capability" | "endpointId">

/** The ids under which a run of this operation, or of its job, may be counted. */
export const usedIds = ({ capability, endpointId }: ShownRow): ReadonlyArray<string> =>
  capability === undefined ? [endpointId] : [endpointId, jobEndpointId(capability)]

const shareFor = (row: ShownRow, uses: UseWeights): number =>
  shareOfUses(usedIds(row).reduce((sum, id) => sum + (uses.get(id) ?? 0), 0))

/** Raises the first `count` hits. */
export const raisedByUse = ({ endpoints }: Revision, hits: SearchHits, uses: UseWeights, count: number): SearchHits =>
  uses.size === 0
    ? hits
    : hits.raised(count, (doc) => {
        const operation = endpoints[doc]?.operation
        return operation === undefined
          ? 0
          : shareFor(
              { endpointId: operation.id, ...(operation.job === undefined ? {} : { capability: operation.job }) },
              uses
            )
      })

/** What the row says about it; nothing where it adds nothing. */
export const shownRaise = (row: ShownRow, uses: UseWeights, unmatched: boolean): Pick<CatalogRow, "raisedByUse"> => {
  const share = uses.size === 0 || unmatched ? 0 : Math.round(shareFor(row, uses) * 10_000) / 10_000
  return share === 0 ? {} : { raisedByUse: share }
}

/** Which id of the catalog was probably meant by one that it does not have. */
import { editDistance } from "../../domain/EditDistance.js"
import { jobEndpointId } from "../../domain/EndpointIds.js"
import { jobNamed } from "./JobNames.js"
import type { Revision } from "./Revision.js"

/** The wrong letters that an id may have; a short one only one. */
const editsMax = (id: string): number => (id.length < 8 ? 1 : 2)

/** The id with the fewest wrong letters. Ids of other lengths cost nothing, so 40,000 take some milliseconds. */
const nearest = (id: string, known: Iterable<string>): string | null => {
  let found: string | null = null
  let allowed = editsMax(id)
  for (const other of known) {
    const edits = editDistance(id, other, allowed)
    if (edits > allowed) continue
    found = other
    allowed = edits - 1
  }
  return found
}

/** `job:<id>` for a job's id without `job:`, underscores or dots; else the endpoint that is one typing error away. */
export const idMeant = (revision: Revision, endpointId: string): string | null => {
  const job = jobNamed(revision, endpointId)
  if (job !== null) return jobEndpointId(job)
  return revision.numberOf.has(endpointId) ? null : nearest(endpointId, revision.numberOf.keys())
}

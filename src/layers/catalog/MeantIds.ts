/** Which id of the catalog was probably meant by one that it does not have. */
import { jobEndpointId } from "../../domain/EndpointIds.js"
import { nearest } from "../../domain/Similar.js"
import { jobNamed } from "./JobNames.js"
import type { Revision } from "./Revision.js"

/** `job:<id>` for a job's id without `job:`, underscores or dots; else the endpoint that is one typing error away. */
export const idMeant = (revision: Revision, endpointId: string): string | null => {
  const job = jobNamed(revision, endpointId)
  if (job !== null) return jobEndpointId(job)
  return revision.numberOf.has(endpointId) ? null : nearest(endpointId, revision.numberOf.keys())
}

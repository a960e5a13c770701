/** How clients write the id of a job: with dots or underscores, with or without `job:`. */
import { jobEndpointId } from "../../domain/EndpointIds.js"
import type { Revision } from "./Revision.js"

const underscored = (id: string): string => id.replaceAll(".", "_")

/** The job whose id this is, with dots or underscores. */
export const jobNamed = ({ jobs }: Pick<Revision, "jobs">, capability: string): string | null =>
  jobs.has(capability)
    ? capability
    : (Array.from(jobs.keys()).find((id) => underscored(id) === underscored(capability)) ?? null)

/** `job:<id>` where an endpoint id is a job's id without `job:`; null where it is none. */
export const jobMeant = (revision: Revision, endpointId: string): string | null => {
  const found = jobNamed(revision, endpointId)
  return found === null ? null : jobEndpointId(found)
}

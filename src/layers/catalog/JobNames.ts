/** How clients write the id of a job: with dots or underscores. */
import type { Revision } from "./Revision.js"

const underscored = (id: string): string => id.replaceAll(".", "_")

/** The job with this id; the id may be written with dots or underscores. */
export const jobNamed = ({ jobs }: Pick<Revision, "jobs">, capability: string): string | null =>
  jobs.has(capability)
    ? capability
    : (Array.from(jobs.keys()).find((id) => underscored(id) === underscored(capability)) ?? null)

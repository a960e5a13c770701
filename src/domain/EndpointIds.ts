/** The ids that a client names an endpoint by: a tool's own id, or `job:<job_id>`. */

const prefix = "job:"

export const jobEndpointId = (jobId: string): string => `${prefix}${jobId}`

/** The job that an endpoint id names; null for the id of a tool. */
export const jobNamedBy = (endpointId: string): string | null =>
  endpointId.startsWith(prefix) ? endpointId.slice(prefix.length) : null

/** The id without blanks around it and after `job:`, which copying often adds. */
export const trimmedEndpointId = (typed: string): string => {
  const id = typed.trim()
  const job = jobNamedBy(id)
  return job === null ? id : jobEndpointId(job.trim())
}

/**
 * Merges two catalogs: an operation or job of the second replaces the one with the same id in the first, and all others
 * stay. The folders of `GATEWAY_CATALOG` and publications are merged by this same rule.
 */
import { counted } from "../../domain/Counted.js"
import type { Endpoint, JobManifest } from "../../domain/Manifest.js"
import type { CatalogContent } from "../../services/CatalogPublisher.js"

/** Ids that stand in both. */
export interface Overridden {
  readonly jobs: ReadonlyArray<string>
  readonly operations: ReadonlyArray<string>
}

export const overriddenBy = (base: CatalogContent, over: CatalogContent): Overridden => {
  const jobs = new Set<string>(base.jobs.map(({ id }) => id))
  const operations = new Set<string>(base.endpoints.map(({ operation }) => operation.id))
  return {
    jobs: over.jobs.map(({ id }) => id).filter((id) => jobs.has(id)),
    operations: over.endpoints.map(({ operation }) => operation.id).filter((id) => operations.has(id))
  }
}

export const mergeCatalogs = (base: CatalogContent, over: CatalogContent): CatalogContent => {
  const jobs = new Map<string, JobManifest>([...base.jobs, ...over.jobs].map((job) => [job.id, job]))
  const endpoints = new Map<string, Endpoint>(
    [...base.endpoints, ...over.endpoints].map((endpoint) => [endpoint.operation.id, endpoint])
  )
  return { jobs: Array.from(jobs.values()), endpoints: Array.from(endpoints.values()) }
}

/** The first catalog without the operations and jobs that have an id in the second. */
export const without = (base: CatalogContent, gone: CatalogContent): CatalogContent => {
  const jobs = new Set<string>(gone.jobs.map(({ id }) => id))
  const operations = new Set<string>(gone.endpoints.map(({ operation }) => operation.id))
  return {
    jobs: base.jobs.filter(({ id }) => !jobs.has(id)),
    endpoints: base.endpoints.filter(({ operation }) => !operations.has(operation.id))
  }
}

const idsShown = 20

/** Ids for one line. */
export const idsInLine = (ids: ReadonlyArray<string>): string =>
  [...ids.slice(0, idsShown), ...(ids.length > idsShown ? [`and ${ids.length - idsShown} more`] : [])].join(", ")

/** Ids for a line of the log. */
export const listed = ({ jobs, operations }: Overridden) => ({
  ...(jobs.length > 0 ? { jobs: idsInLine(jobs) } : {}),
  ...(operations.length > 0 ? { operations: idsInLine(operations) } : {})
})

/** For people, a sentence for each kind: what of the catalog below gives way to it. */
export const overriddenWords = ({ jobs, operations }: Overridden): ReadonlyArray<string> =>
  [
    { ids: operations, kind: "operation" },
    { ids: jobs, kind: "job" }
  ].flatMap(({ ids, kind }) =>
    ids.length === 0
      ? []
      : [
          `Replaces ${counted(ids.length, kind)} of the same id that ${ids.length === 1 ? "is" : "are"} built in or in GATEWAY_CATALOG: ${idsInLine(ids)}`
        ]
  )

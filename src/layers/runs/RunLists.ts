/**
 * The list of runs that a client asks for. A filter by job takes the id with dots or underscores, and an unknown job is
 * refused. A job that the catalog no longer has is still known while the workspace has a run of it.
 */
import { Effect } from "effect"
import { type CatalogLoading, ValidationError } from "../../domain/ApiErrors.js"
import { cutText } from "../../domain/Characters.js"
import { jobNamedBy } from "../../domain/EndpointIds.js"
import { listedResultBytesMax } from "../../domain/limits/Lists.js"
import type { Catalog } from "../../services/Catalog.js"
import type { Runs } from "../../services/Runs.js"
import type { RunStore } from "../../services/RunStore.js"

/** The job of a request: the one that it asks for, or the one that its tool does. */
export const jobOf = (catalog: Catalog["Type"], endpointId: string): Effect.Effect<string | null, CatalogLoading> => {
  const asked = jobNamedBy(endpointId)
  return asked === null
    ? Effect.map(catalog.endpoint(endpointId), (endpoint) => endpoint?.operation.job ?? null)
    : Effect.map(catalog.jobNamed(asked), (job) => (job === asked ? job : null))
}

export const runLists = (catalog: Catalog["Type"], store: RunStore["Type"]): Runs["Type"]["list"] => {
  const unknownJob = Effect.fnUntraced(function* (capability: string) {
    const close = yield* Effect.orElseSucceed(catalog.similarJobs(capability), (): ReadonlyArray<string> => [])
    const hint = close.length === 0 ? "" : `; close to it are ${close.join(", ")}`
    return yield* ValidationError.of(
      "capability",
      `must be the id of a job, and ${cutText(capability, 100)} is none, nor did a run of this workspace do it${hint}`
    )
  })

  return Effect.fnUntraced(function* (workspaceId, filter, page, includeResult) {
    const resultBytesMax = includeResult ? listedResultBytesMax : null
    const { capability: asked, ...others } = filter
    if (asked === undefined) return yield* store.list(workspaceId, filter, page, resultBytesMax)
    // Before the catalog is loaded, only the job ids stored with the runs are known.
    const known = yield* Effect.orElseSucceed(catalog.jobNamed(asked), () => null)
    const spellings = known === null ? [...new Set([asked, asked.replaceAll("_", ".")])] : [known]
    for (const capability of spellings) {
      const found = yield* store.list(workspaceId, { ...others, capability }, page, resultBytesMax)
      if (known !== null || found.items.length > 0) return found
      const {
        items: [any]
      } = yield* store.list(workspaceId, { capability }, { limit: 1, after: null }, null)
      if (any !== undefined) return found
    }
    return yield* unknownJob(asked)
  })
}

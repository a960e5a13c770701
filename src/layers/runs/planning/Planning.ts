/**
 * From a request to the plan of its run; fails with the reason when no provider can be called. The same function serves
 * a run and its quote. Reads the catalog, the keys that are there and the providers' health; writes nothing and calls
 * nobody.
 */
import { Effect } from "effect"
import { type CatalogLoading, RowsModeUnsupported } from "../../../domain/ApiErrors.js"
import { jobNamedBy } from "../../../domain/EndpointIds.js"
import type { RoutePlan } from "../../../domain/RoutePlan.js"
import type { StorageError } from "../../../domain/StorageErrors.js"
import type { Principal } from "../../../services/Accounts.js"
import type { RunRequest } from "../../../services/Runs.js"
import type { PlanningParts, PlanRequest } from "./Candidates.js"
import type { Denial } from "./Denials.js"
import { planJob } from "./PlanJob.js"
import { planTool } from "./PlanTool.js"

export const plan = (
  parts: PlanningParts,
  { policy, workspaceId }: Principal,
  request: PlanRequest & Pick<RunRequest, "outputMode">
): Effect.Effect<RoutePlan, Denial | RowsModeUnsupported | CatalogLoading | StorageError> => {
  if (request.outputMode === "canonical")
    return Effect.fail(new RowsModeUnsupported({ reason: "canonical rows are not stored by this gateway; use raw" }))
  const asked = { workspaceId, policy, request }
  const jobId = jobNamedBy(request.endpointId)
  return jobId === null ? planTool(parts, asked) : planJob(parts, asked, jobId)
}

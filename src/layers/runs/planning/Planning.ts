/**
 * From a request to the plan of its run; fails with the reason when no provider can be called. The same function serves
 * a run and its quote. Reads the catalog, the keys that are there and the providers' health; writes nothing and calls
 * nobody.
 */
import type { Effect } from "effect"
import type { CatalogLoading } from "../../../domain/ApiErrors.js"
import { jobNamedBy } from "../../../domain/EndpointIds.js"
import type { RoutePlan } from "../../../domain/RoutePlan.js"
import type { StorageError } from "../../../domain/StorageErrors.js"
import type { Principal } from "../../../services/Accounts.js"
import type { Denial } from "./Denials.js"
import type { PlanningParts, PlanRequest } from "./Candidates.js"
import { planJob } from "./PlanJob.js"
import { planTool } from "./PlanTool.js"

export const plan =
  (parts: PlanningParts) =>
  (principal: Principal, request: PlanRequest): Effect.Effect<RoutePlan, Denial | CatalogLoading | StorageError> => {
    const jobId = jobNamedBy(request.endpointId)
    const asked = { workspaceId: principal.workspaceId, request }
    return jobId === null ? planTool(parts, asked) : planJob(parts, asked, jobId)
  }

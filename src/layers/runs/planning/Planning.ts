/**
 * From a request to the plan of its run; fails with the reason when no provider can be called. The same function serves
 * a run and its quote. Reads the catalog, the keys that are there and the providers' health; writes nothing and calls
 * nobody.
 */
import { Effect } from "effect"
import { type CatalogLoading, Forbidden, RowsModeUnsupported } from "../../../domain/ApiErrors.js"
import { jobNamedBy } from "../../../domain/EndpointIds.js"
import { isObject, type Json } from "../../../domain/Json.js"
import type { RoutePlan } from "../../../domain/RoutePlan.js"
import { mediaNamedBy } from "../../../domain/Run.js"
import type { StorageError } from "../../../domain/StorageErrors.js"
import type { Principal } from "../../../services/Accounts.js"
import type { RunRequest } from "../../../services/Runs.js"
import type { PlanningParts, PlanRequest } from "./Candidates.js"
import type { Denial } from "./Denials.js"
import { planJob } from "./PlanJob.js"
import { planTool } from "./PlanTool.js"

/**
 * Whether a value of an input names a stored file, whatever the operation does with it. A provider may give back what
 * it was sent, so that naming a file is as good as reading it.
 */
const namesFile = (value: Json): boolean =>
  Array.isArray(value)
    ? value.some(namesFile)
    : isObject(value) && typeof value["media"] === "string" && mediaNamedBy(value["media"]) !== null

export const plan = (
  parts: PlanningParts,
  { policy, scopes, workspaceId }: Principal,
  request: PlanRequest & Pick<RunRequest, "outputMode">
): Effect.Effect<RoutePlan, Denial | Forbidden | RowsModeUnsupported | CatalogLoading | StorageError> => {
  if (request.outputMode === "canonical")
    return Effect.fail(new RowsModeUnsupported({ reason: "canonical rows are not stored by this gateway; use raw" }))
  if (!scopes.includes("runs:read") && Object.values(request.input).some(namesFile))
    return Effect.fail(new Forbidden({ scope: "runs:read" }))
  const asked = { workspaceId, policy, request }
  const jobId = jobNamedBy(request.endpointId)
  return jobId === null ? planTool(parts, asked) : planJob(parts, asked, jobId)
}

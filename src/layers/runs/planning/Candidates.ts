/** What tools and jobs ask alike of an endpoint before it becomes a candidate of a plan. Calls nobody. */
import { Effect, Either } from "effect"
import type { CatalogLoading } from "../../../domain/ApiErrors.js"
import type { WorkspaceId } from "../../../domain/Ids.js"
import type { JsonObject } from "../../../domain/Json.js"
import type { Endpoint } from "../../../domain/Manifest.js"
import type { Credential } from "../../../domain/ProviderCall.js"
import type { Candidate } from "../../../domain/RoutePlan.js"
import { ActivationBlocked, ProviderDisabled, ProviderDraining } from "../../../domain/RunFailures.js"
import type { StorageError } from "../../../domain/StorageErrors.js"
import { denialOf, isUnrestricted, type PolicyDenial, type WorkspacePolicy } from "../../../domain/WorkspacePolicy.js"
import type { Catalog } from "../../../services/Catalog.js"
import type { CredentialFailure, Credentials } from "../../../services/Credentials.js"
import type { Health, ProviderHealth } from "../../../services/ProviderHealth.js"
import type { ProviderState } from "../../../services/ProviderStates.js"
import type { InputProblem, Providers } from "../../../services/Providers.js"
import type { RunRequest } from "../../../services/Runs.js"
import { holdFor } from "../../providers/PriceByInput.js"
import type { NotRunnable } from "./Denials.js"

export type PlanRequest = Pick<RunRequest, "endpointId" | "input" | "fallback" | "connectionId">

/** A request, and the workspace that it is planned for. */
export interface Asked {
  readonly workspaceId: WorkspaceId
  readonly policy: WorkspacePolicy
  readonly request: PlanRequest
}

export interface PlanningParts {
  readonly catalog: Catalog["Type"]
  readonly credentials: Credentials["Type"]
  readonly health: ProviderHealth["Type"]
  readonly providers: Providers["Type"]
}

/** `input` is in the operation's own fields. Left: why a call with it has no price. */
export const candidateOf = (endpoint: Endpoint, input: JsonObject): Either.Either<Candidate, InputProblem> => {
  const { contractVersion, operation, provider } = endpoint
  return Either.map(holdFor(endpoint, input), (maxMicros) => ({
    endpointId: operation.id,
    providerId: provider.id,
    contractVersion,
    effectful: operation.effect === "effectful",
    repeatable: operation.repeatable,
    input,
    maxMicros
  }))
}

const allowed = Effect.succeed(null)

/** What the policy of the workspace has against the endpoint; null when it allows it. */
export const policyDenial = (
  { catalog }: PlanningParts,
  { policy }: Asked,
  endpoint: Endpoint
): Effect.Effect<PolicyDenial | null, CatalogLoading> =>
  isUnrestricted(policy)
    ? allowed
    : Effect.map(catalog.placement(endpoint), ({ category }) =>
        denialOf(policy, {
          endpoint: endpoint.operation.id,
          provider: endpoint.provider.id,
          category,
          effectful: endpoint.operation.effect === "effectful"
        })
      )

/** Whether the operator has switched the provider off; then nothing is sent to it, for no run. */
export const switchedOff = ({ provider }: Endpoint, state: ProviderState): ProviderDisabled | null =>
  state === "disabled" ? new ProviderDisabled({ detail: `The operator has switched ${provider.name} off.` }) : null

/** What the operator has decided about the operation or its provider; null when it takes new runs. */
export const notRunnable = (endpoint: Endpoint, health: Health): NotRunnable | null => {
  const { operation, provider } = endpoint
  if (!operation.activated) return new ActivationBlocked()
  const off = switchedOff(endpoint, health.state)
  if (off !== null) return off
  if (health.state === "draining")
    return new ProviderDraining({ detail: `The operator is emptying ${provider.name}; it takes no new runs.` })
  return null
}

/** Whose key the run would use; fails when there is none that it may use. */
export const keyOf = (
  { credentials }: PlanningParts,
  { request: { connectionId }, workspaceId }: Asked,
  { provider }: Endpoint
): Effect.Effect<Credential["_tag"], CredentialFailure | StorageError> =>
  provider.auth.type === "none" && connectionId === null
    ? Effect.succeed("None")
    : Effect.map(credentials.resolve({ workspaceId, provider, connectionId }), ({ _tag }) => _tag)

export const isCredentialFailure = (error: CredentialFailure | StorageError): error is CredentialFailure =>
  "whoseError" in error

/** The plan of a run that names one operation: that one, or the reason why it cannot be called. */
import { Effect, Either } from "effect"
import type { CatalogLoading } from "../../../domain/ApiErrors.js"
import { cutText } from "../../../domain/Characters.js"
import { refusedFields } from "../../../domain/InputExtras.js"
import type { Endpoint } from "../../../domain/Manifest.js"
import type { RoutePlan } from "../../../domain/RoutePlan.js"
import { EligibilityBlocked, EndpointNotFound, InputRejected } from "../../../domain/RunFailures.js"
import { didYouMean } from "../../../domain/Similar.js"
import type { StorageError } from "../../../domain/StorageErrors.js"
import { sayDenial } from "../../../domain/WorkspacePolicy.js"
import type { InputProblem } from "../../../services/Providers.js"
import {
  type Asked,
  candidateOf,
  isCredentialFailure,
  keyOf,
  notRunnable,
  policyDenial,
  type PlanningParts
} from "./Candidates.js"
import { ToolDenied } from "./Denials.js"
import { sayProblems } from "./InputProblems.js"

/** `meant` is the id that the client probably meant. */
const unknownEndpoint = (endpointId: string, meant: string | null): EndpointNotFound => {
  const detail = `There is no endpoint with the id ${cutText(endpointId, 200)}`
  return meant === null
    ? new EndpointNotFound({ detail: `${detail}.` })
    : new EndpointNotFound({
        detail: `${detail}${didYouMean([meant])}`,
        hint: `Send the endpointId ${meant} with a new idempotency key.`
      })
}

/** How the operation is refused. */
const denialsOf = ({ contractVersion, provider }: Endpoint) => {
  const operation = { contractVersion, providerId: provider.id }
  return {
    denied: (failure: ToolDenied["failure"]) => new ToolDenied({ failure, operation }),
    inputDenied: (problems: ReadonlyArray<InputProblem>) =>
      new ToolDenied({
        failure: new InputRejected({ detail: sayProblems(problems) }),
        operation,
        problems
      })
  }
}

/**
 * What a client cannot mend is told first: a policy or an operator that is against the run, or a missing key. Otherwise
 * it would correct its input for nothing.
 */
export const planTool: (
  parts: PlanningParts,
  asked: Asked
) => Effect.Effect<RoutePlan, ToolDenied | CatalogLoading | StorageError> = Effect.fnUntraced(function* (parts, asked) {
  const { catalog, health, providers } = parts
  const { connectionId, endpointId, input } = asked.request
  const endpoint = yield* catalog.endpoint(endpointId)
  if (endpoint === null)
    return yield* new ToolDenied({
      failure: unknownEndpoint(endpointId, yield* catalog.idMeant(endpointId)),
      operation: null
    })
  const { denied, inputDenied } = denialsOf(endpoint)
  const denial = yield* policyDenial(parts, asked, endpoint)
  if (denial !== null) return yield* denied(new EligibilityBlocked({ detail: sayDenial(denial) }))
  const blocked = notRunnable(endpoint, yield* health.health(endpoint.provider.id))
  if (blocked !== null) return yield* denied(blocked)
  const key = yield* Effect.mapError(keyOf(parts, asked, endpoint), (error) =>
    isCredentialFailure(error) ? denied(error) : error
  )
  const prepared = providers.prepare(endpoint, input)
  if (prepared._tag === "Rejected") return yield* inputDenied(prepared.problems)
  const refused = refusedFields(endpoint, key, prepared.input)
  if (refused.length > 0) return yield* inputDenied(refused.map((each) => ({ _tag: "Invalid", ...each })))
  const candidate = candidateOf(endpoint, prepared.input)
  if (Either.isLeft(candidate)) return yield* inputDenied([candidate.left])
  return {
    job: null,
    prefer: "balanced",
    reason: "The request names this endpoint.",
    candidates: [candidate.right],
    skipped: [],
    fallback: null,
    connectionId,
    capped: false
  }
})

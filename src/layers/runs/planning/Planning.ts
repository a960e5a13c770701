/**
 * From a request to the plan of its run, or to the reason why no provider will be called. The same function serves a
 * run and its quote. Reads the catalog, the keys that are there and the providers' health; writes nothing and calls
 * nobody.
 */
import { Effect, Either, Option, Schema } from "effect"
import { cutText } from "../../../domain/Characters.js"
import type { CatalogLoading } from "../../../domain/ApiErrors.js"
import { jobEndpointId, jobNamedBy } from "../../../domain/EndpointIds.js"
import { refusedFields, withoutRefusedUnknown } from "../../../domain/InputExtras.js"
import type { JsonObject } from "../../../domain/Json.js"
import { commonNameOf } from "../../../domain/InputMapping.js"
import { type Endpoint, JobId } from "../../../domain/Manifest.js"
import { dollars } from "../../../domain/Micros.js"
import type { Credential } from "../../../domain/ProviderCall.js"
import { maxPrice } from "../../../domain/Pricing.js"
import type { Candidate, RoutePlan, Skipped } from "../../../domain/RoutePlan.js"
import {
  ActivationBlocked,
  EndpointNotFound,
  InputRejected,
  ProviderDisabled,
  ProviderDraining,
  type RunFailure,
  type RunFailureCode
} from "../../../domain/RunFailures.js"
import type { StorageError } from "../../../domain/StorageErrors.js"
import type { Principal } from "../../../services/Accounts.js"
import type { Catalog, RankedEndpoint } from "../../../services/Catalog.js"
import type { CredentialFailure, Credentials } from "../../../services/Credentials.js"
import type { Health, ProviderHealth } from "../../../services/ProviderHealth.js"
import type { InputProblem, Providers } from "../../../services/Providers.js"
import type { RunRequest } from "../../../services/Runs.js"
import {
  deny,
  type Denial,
  noSupply,
  refuseRoute,
  sayProblem,
  skipForInput,
  unknownJob,
  type Unusable
} from "./RouteRefusals.js"

export type PlanRequest = Pick<RunRequest, "endpointId" | "input" | "fallback" | "connectionId">

export interface PlanningParts {
  readonly catalog: Catalog["Type"]
  readonly credentials: Credentials["Type"]
  readonly health: ProviderHealth["Type"]
  readonly providers: Providers["Type"]
}

type Planned = Effect.Effect<Either.Either<RoutePlan, Denial>, CatalogLoading | StorageError>

export const plan =
  (parts: PlanningParts) =>
  (principal: Principal, request: PlanRequest): Planned => {
    const job = jobNamedBy(request.endpointId)
    return job === null ? planTool(parts, principal, request) : planJob(parts, principal, request, job)
  }

const candidateOf = ({ contractVersion, operation, provider }: Endpoint, input: JsonObject): Candidate => ({
  endpointId: operation.id,
  providerId: provider.id,
  contractVersion,
  effectful: operation.effect === "effectful",
  repeatable: operation.repeatable,
  input,
  maxMicros: maxPrice(operation, input)
})

const notRunnable = ({ operation, provider }: Endpoint, health: Health): RunFailure | null => {
  if (!operation.activated) return new ActivationBlocked()
  if (health.state === "disabled")
    return new ProviderDisabled({ detail: `The operator has switched ${provider.name} off.` })
  if (health.state === "draining")
    return new ProviderDraining({ detail: `The operator is emptying ${provider.name}; it takes no new runs.` })
  return null
}

const unknownEndpoint = (endpointId: string, meant: string | null) => {
  const detail = `There is no endpoint with the id ${cutText(endpointId, 200)}`
  return deny(
    meant === null
      ? new EndpointNotFound({ detail: `${detail}.` })
      : new EndpointNotFound({
          detail: `${detail}; did you mean ${meant}?`,
          hint: `Send the endpointId ${meant} with a new idempotency key.`
        })
  )
}

const planTool: (parts: PlanningParts, principal: Principal, request: PlanRequest) => Planned = Effect.fnUntraced(
  function* (parts, principal, request) {
    const endpoint = yield* parts.catalog.endpoint(request.endpointId)
    if (endpoint === null) return unknownEndpoint(request.endpointId, yield* parts.catalog.jobMeant(request.endpointId))
    const blocked = notRunnable(endpoint, yield* parts.health.health(endpoint.provider.id))
    if (blocked !== null) return deny(blocked)
    const prepared = parts.providers.prepare(endpoint, request.input)
    if (prepared._tag === "Rejected")
      return deny(new InputRejected({ detail: prepared.problems.map(sayProblem).join("; ") }))
    const key = yield* keyOf(parts, principal, endpoint, request.connectionId)
    if (Either.isLeft(key)) return deny(key.left)
    const refused = refusedFields(endpoint, key.right, prepared.input)
    if (refused.length > 0)
      return deny(
        new InputRejected({ detail: refused.map((each) => sayProblem({ _tag: "Invalid", ...each })).join("; ") })
      )
    return Either.right<RoutePlan>({
      job: null,
      prefer: "balanced",
      reason: "The request names this endpoint.",
      candidates: [candidateOf(endpoint, prepared.input)],
      skipped: [],
      fallback: null,
      connectionId: request.connectionId,
      capped: false
    })
  }
)

/** Whose key the run would use; Left: why there is none that it may use. */
const keyOf = (
  parts: PlanningParts,
  principal: Principal,
  endpoint: Endpoint,
  connectionId: string | null
): Effect.Effect<Either.Either<Credential["_tag"], CredentialFailure>, StorageError> =>
  endpoint.provider.auth.type === "none" && connectionId === null
    ? Effect.succeed(Either.right("None"))
    : parts.credentials.resolve({ workspaceId: principal.workspaceId, provider: endpoint.provider, connectionId }).pipe(
        Effect.map(({ _tag }) => Either.right(_tag)),
        Effect.catchIf(isCredentialFailure, (failure) => Effect.succeed(Either.left(failure)))
      )

const needsKey: ReadonlySet<RunFailureCode> = new Set(["platform_key_missing", "connection_not_found"])

const isCredentialFailure = (error: CredentialFailure | StorageError): error is CredentialFailure =>
  "whoseError" in error

const planJob: (parts: PlanningParts, principal: Principal, request: PlanRequest, jobId: string) => Planned =
  Effect.fnUntraced(function* (parts, principal, request, jobId) {
    const supply = yield* parts.catalog.supply(jobId, preferOf(request))
    if (supply === null) {
      const suggestions = yield* parts.catalog.similarJobs(jobId)
      const named = Option.getOrNull(toJobId(jobId))
      const route = named === null ? null : { ...routeTo(named, request), reason: "There is no such job." }
      return unknownJob(jobId, suggestions.map(jobEndpointId), route)
    }
    const problems = parts.providers.checkCommon(request.input)
    if (problems.length > 0) return deny(new InputRejected({ detail: problems.map(sayProblem).join("; ") }))
    if (supply.endpoints.length === 0) return noSupply(jobId)

    const judged = yield* Effect.forEach(supply.endpoints, (ranked) => judge(parts, principal, request, ranked))
    const fits = judged.flatMap((verdict) => (verdict._tag === "Fits" ? [verdict] : []))
    // A fixture stands in only where no real provider can run at all.
    const real = fits.filter(({ mock }) => !mock)
    const chosen = real.length > 0 ? real : fits
    const unusable = judged.flatMap((verdict) => (verdict._tag === "Skipped" ? [verdict] : []))
    const skipped = unusable.map((each) => each.skipped)
    const first = chosen[0]
    const route: RoutePlan = {
      ...routeTo(supply.job.id, request),
      ...(first === undefined ? {} : { reason: first.reason }),
      candidates: candidatesOf(
        chosen.map(({ candidate }) => candidate),
        request.fallback?.enabled === true
      ),
      skipped,
      capped: skipped.some(({ code }) => code === "over_cost_cap")
    }
    return first === undefined
      ? refuseRoute(route, unusable, stillNeeded(supply.job.needs, request.input))
      : Either.right(route)
  })

const toJobId = Schema.decodeOption(JobId)

const preferOf = ({ fallback }: PlanRequest) => fallback?.prefer ?? "balanced"

/** The route of a job before anybody is found for it. */
const routeTo = (job: JobId, request: PlanRequest): RoutePlan => ({
  job,
  prefer: preferOf(request),
  reason: "No provider could be picked.",
  candidates: [],
  skipped: [],
  fallback:
    request.fallback === null
      ? null
      : {
          enabled: request.fallback.enabled,
          maxAttempts: request.fallback.maxAttempts,
          maxCostMicros: request.fallback.maxCostMicros,
          stopAtFirstMiss: request.fallback.stopAtFirstMiss
        },
  connectionId: request.connectionId,
  capped: false
})

/**
 * Of the sets of fields of which a job needs one, those that the input does not hold already: to ask for these would
 * help nobody.
 */
const stillNeeded = (
  needs: ReadonlyArray<ReadonlyArray<string>>,
  input: JsonObject
): ReadonlyArray<ReadonlyArray<string>> => {
  const given = new Set(
    Object.entries(input).flatMap(([key, value]) => (value === null ? [] : [key, commonNameOf(key) ?? key]))
  )
  return needs.filter((set) => !set.every((name) => given.has(name)))
}

/** Without fallback only the first can be tried; an effectful operation is attempted once, and never after another. */
const candidatesOf = (fitting: ReadonlyArray<Candidate>, fallback: boolean): ReadonlyArray<Candidate> => {
  const [first] = fitting
  if (first === undefined || !fallback || first.effectful) return fitting.slice(0, 1)
  return fitting.filter(({ effectful }) => !effectful)
}

type Verdict =
  { readonly _tag: "Fits"; readonly candidate: Candidate; readonly reason: string; readonly mock: boolean } | Unusable

const judge: (
  parts: PlanningParts,
  principal: Principal,
  request: PlanRequest,
  ranked: RankedEndpoint
) => Effect.Effect<Verdict, StorageError> = Effect.fnUntraced(function* (
  parts,
  principal,
  request,
  { endpoint, reason }
) {
  const { operation, provider } = endpoint
  const skip = (
    code: Skipped["code"],
    why: string,
    more: Partial<Pick<Unusable, "problems" | "wantsKey" | "maxMicros" | "pausedSeconds">> = {}
  ): Verdict => ({
    _tag: "Skipped",
    skipped: { endpointId: operation.id, code, reason: why },
    provider,
    problems: more.problems ?? [],
    wantsKey: more.wantsKey ?? false,
    pausedSeconds: more.pausedSeconds ?? 0,
    maxMicros: more.maxMicros ?? null
  })
  if (request.fallback?.exclude.some((id) => id === operation.id || id === provider.id) === true)
    return skip("excluded", "excluded by the request")
  const health = yield* parts.health.health(provider.id)
  const blocked = notRunnable(endpoint, health)
  if (blocked !== null) return skip("not_runnable", blocked.message)
  const key = yield* keyOf(parts, principal, endpoint, request.connectionId)
  if (Either.isLeft(key))
    return skip("not_runnable", key.left.message, {
      wantsKey: request.connectionId === null && needsKey.has(key.left.code)
    })
  if (health.openForSeconds > 0) {
    return skip("not_runnable", `${provider.name} is failing and is left alone for ${health.openForSeconds} s`, {
      pausedSeconds: health.openForSeconds
    })
  }
  const prepared = parts.providers.prepareJob(endpoint, request.input)
  if (prepared._tag === "Rejected") {
    const { code, reason: why } = skipForInput(prepared.problems)
    return skip(code, why, { problems: prepared.problems })
  }
  const input = withoutRefusedUnknown(endpoint, key.right, prepared.input)
  const refused = refusedFields(endpoint, key.right, input).map((each): InputProblem => ({ _tag: "Invalid", ...each }))
  if (refused.length > 0) return skip("rejected_input", refused.map(sayProblem).join("; "), { problems: refused })
  const candidate = candidateOf(endpoint, input)
  const cap = request.fallback?.maxCostMicros ?? null
  if (cap !== null && candidate.maxMicros > cap)
    return skip("over_cost_cap", `costs up to ${dollars(candidate.maxMicros)}, and the cap is ${dollars(cap)}`, {
      maxMicros: candidate.maxMicros
    })
  return { _tag: "Fits", candidate, reason, mock: provider.mock }
})

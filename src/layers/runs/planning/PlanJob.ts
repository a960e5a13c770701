/**
 * The plan of a run that names a job: the endpoints that can do it, in the order in which they are tried, and why the
 * others are skipped; or the reason why none of them can be called.
 */
import { Effect, Either, Option, Schema } from "effect"
import type { CatalogLoading } from "../../../domain/ApiErrors.js"
import { jobEndpointId } from "../../../domain/EndpointIds.js"
import { refusedFields, withoutRefusedUnknown } from "../../../domain/InputExtras.js"
import { commonNameOf } from "../../../domain/InputMapping.js"
import type { JsonObject } from "../../../domain/Json.js"
import { JobId } from "../../../domain/Manifest.js"
import { longInputFields } from "../../../domain/limits/Runs.js"
import { dollars } from "../../../domain/Micros.js"
import { type Candidate, type RoutePlan, type Skipped, withCapped } from "../../../domain/RoutePlan.js"
import type { StorageError } from "../../../domain/StorageErrors.js"
import { isUnrestricted, sayDenial, unrestricted } from "../../../domain/WorkspacePolicy.js"
import type { RankedEndpoint } from "../../../services/Catalog.js"
import type { InputProblem } from "../../../services/Providers.js"
import { nextSlice } from "../../../services/Slices.js"
import {
  type Asked,
  candidateOf,
  isCredentialFailure,
  keyOf,
  notRunnable,
  policyDenial,
  type PlanningParts,
  type PlanRequest
} from "./Candidates.js"
import type { JobDenied } from "./Denials.js"
import { sayProblems, skipForInput } from "./InputProblems.js"
import { commonInputRejected, noSupply, refuseRoute, unknownJob, type Unusable } from "./RouteRefusals.js"

export const planJob: (
  parts: PlanningParts,
  asked: Asked,
  jobId: string
) => Effect.Effect<RoutePlan, JobDenied | CatalogLoading | StorageError> = Effect.fnUntraced(
  function* (parts, asked, jobId) {
    const { request } = asked
    const supply = yield* parts.catalog.supply(jobId, preferOf(request))
    if (supply === null)
      return yield* unknownJob(
        jobId,
        (yield* parts.catalog.similarJobs(jobId)).map(jobEndpointId),
        routeToUnknown(jobId, request)
      )
    const problems = parts.providers.checkCommon(request.input)
    if (problems.length > 0) return yield* commonInputRejected(routeTo(supply.job.id, request, nobody), problems)
    if (supply.endpoints.length === 0) return yield* noSupply(routeTo(supply.job.id, request, nobody))

    const verdicts = yield* verdictsOn(parts, asked, supply.endpoints)
    const { chosen, unusable } = yield* choiceOf(parts, asked, supply.endpoints, verdicts)
    const [first] = chosen
    const route = routeTo(supply.job.id, request, { chosen, unusable })
    if (first === undefined)
      return yield* refuseRoute(route, {
        skipped: unusable,
        withoutPolicy: yield* skippedWithoutPolicy(parts, asked, supply.endpoints),
        alternatives: stillNeeded(supply.job.needs, request.input)
      })
    return route
  }
)

const preferOf = ({ fallback }: PlanRequest) => fallback?.prefer ?? "balanced"

/** An endpoint that can do the job. */
interface Fitting {
  readonly _tag: "Fits"
  readonly candidate: Candidate
  /** Why it stands where it stands in the order. */
  readonly reason: string
  /** It is a fixture. */
  readonly mock: boolean
}

interface Choice {
  readonly chosen: ReadonlyArray<Fitting>
  readonly unusable: ReadonlyArray<Unusable>
}

/** Whether a key is there that this real provider would be called with, whatever else stands against it. */
const hasKey = (
  parts: PlanningParts,
  asked: Asked,
  { endpoint }: RankedEndpoint
): Effect.Effect<boolean, StorageError> =>
  endpoint.provider.mock
    ? Effect.succeed(false)
    : Effect.catchAll(
        Effect.map(keyOf(parts, asked, endpoint), (key) => key !== "None"),
        (error) => (isCredentialFailure(error) ? Effect.succeed(false) : Effect.fail(error))
      )

/**
 * A fixture stands in only while no real provider of the job has a key. Where one has, made-up data would be taken for
 * real: the run is refused for what stands against the real ones, and nothing is said of the fixtures.
 */
const choiceOf = Effect.fnUntraced(function* (
  parts: PlanningParts,
  asked: Asked,
  endpoints: ReadonlyArray<RankedEndpoint>,
  verdicts: ReadonlyArray<Fitting | Unusable>
) {
  const fitting = verdicts.flatMap((verdict) => (verdict._tag === "Fits" ? [verdict] : []))
  const unusable = verdicts.flatMap((verdict) => (verdict._tag === "Skipped" ? [verdict] : []))
  const real = fitting.filter(({ mock }) => !mock)
  if (real.length > 0) return { chosen: real, unusable }
  const hasFixtures = endpoints.some(({ endpoint }) => endpoint.provider.mock)
  if (!hasFixtures || !(yield* Effect.exists(endpoints, (ranked) => hasKey(parts, asked, ranked))))
    return { chosen: fitting, unusable }
  return { chosen: [], unusable: unusable.filter(({ provider }) => !provider.mock) }
})

/** No provider was looked at. */
const nobody: Choice = { chosen: [], unusable: [] }

const routeTo = (job: JobId, request: PlanRequest, { chosen, unusable }: Choice): RoutePlan => {
  const { connectionId, fallback } = request
  return withCapped({
    job,
    prefer: preferOf(request),
    reason: chosen[0]?.reason ?? "No provider could be picked.",
    candidates: candidatesOf(
      chosen.map(({ candidate }) => candidate),
      fallback?.enabled === true
    ),
    skipped: unusable.map((each) => each.skipped),
    fallback:
      fallback === null
        ? null
        : {
            enabled: fallback.enabled,
            maxAttempts: fallback.maxAttempts,
            maxCostMicros: fallback.maxCostMicros,
            stopAtFirstMiss: fallback.stopAtFirstMiss
          },
    connectionId
  })
}

const toJobId = Schema.decodeOption(JobId)

/** Null when the id is not even of a job's form. */
const routeToUnknown = (jobId: string, request: PlanRequest): RoutePlan | null =>
  Option.getOrNull(
    Option.map(toJobId(jobId), (job) => ({
      ...routeTo(job, request, nobody),
      reason: "There is no such job."
    }))
  )

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

/** A job run goes on without an endpoint that it cannot use. */
const verdictsOn = (
  parts: PlanningParts,
  asked: Asked,
  endpoints: ReadonlyArray<RankedEndpoint>
): Effect.Effect<ReadonlyArray<Fitting | Unusable>, CatalogLoading | StorageError> => {
  const isLong = Object.keys(asked.request.input).length >= longInputFields
  return Effect.forEach(endpoints, (ranked) => {
    const verdict = Effect.catchTag(judge(parts, asked, ranked), "Skipped", (unusable) => Effect.succeed(unusable))
    return isLong ? Effect.zipRight(nextSlice, verdict) : verdict
  })
}

/** What stands against each endpoint but for the policy of the workspace; empty where there is no policy. */
const skippedWithoutPolicy = (parts: PlanningParts, asked: Asked, endpoints: ReadonlyArray<RankedEndpoint>) =>
  isUnrestricted(asked.policy)
    ? Effect.succeed(new Map<string, Skipped | null>())
    : Effect.map(
        verdictsOn(parts, { ...asked, policy: unrestricted }, endpoints),
        (verdicts) =>
          new Map(
            verdicts.map((verdict) =>
              verdict._tag === "Fits"
                ? ([verdict.candidate.endpointId, null] as const)
                : ([verdict.skipped.endpointId, verdict.skipped] as const)
            )
          )
      )

type Circumstances = Partial<Omit<Unusable, "_tag" | "skipped" | "provider">>

/** Fails with what stands against the endpoint. */
const judge: (
  parts: PlanningParts,
  asked: Asked,
  ranked: RankedEndpoint
) => Effect.Effect<Fitting, Unusable | CatalogLoading | StorageError> = Effect.fnUntraced(function* (
  parts,
  asked,
  { endpoint, reason }
) {
  const { operation, provider } = endpoint
  const { fallback, input: sent } = asked.request
  const unusable = (code: Skipped["code"], why: string, circumstances: Circumstances = {}): Unusable => ({
    _tag: "Skipped",
    skipped: { endpointId: operation.id, code, reason: why },
    provider,
    denial: null,
    problems: [],
    keyFailure: null,
    pausedSeconds: 0,
    maxMicros: null,
    ...circumstances
  })
  if (fallback?.exclude.some((id) => id === operation.id || id === provider.id) === true)
    return yield* Effect.fail(unusable("excluded", "excluded by the request"))
  const denial = yield* policyDenial(parts, asked, endpoint)
  if (denial !== null) return yield* Effect.fail(unusable("not_runnable", sayDenial(denial), { denial }))
  const blocked = notRunnable(endpoint, yield* parts.health.health(provider.id))
  if (blocked !== null) return yield* Effect.fail(unusable("not_runnable", blocked.message))
  const key = yield* Effect.mapError(keyOf(parts, asked, endpoint), (error) =>
    isCredentialFailure(error) ? unusable("not_runnable", error.message, { keyFailure: error }) : error
  )
  // The pause is that of the platform's own address. A connection with an address of its own does not share it.
  const hasOwnAddress = key === "Connection" && provider.variables !== undefined
  const { openForSeconds: pausedSeconds } = yield* parts.health.health(provider.id, key)
  if (pausedSeconds > 0 && !hasOwnAddress) {
    const why = `${provider.name} is failing and is left alone for ${pausedSeconds} s`
    return yield* Effect.fail(unusable("not_runnable", why, { pausedSeconds }))
  }
  const prepared = parts.providers.prepareJob(endpoint, sent)
  if (prepared._tag === "Rejected") {
    const { code, reason: why } = skipForInput(prepared.problems)
    return yield* Effect.fail(unusable(code, why, { problems: prepared.problems }))
  }
  const input = withoutRefusedUnknown(endpoint, key, prepared.input)
  const rejected = (problems: ReadonlyArray<InputProblem>) =>
    Effect.fail(unusable("rejected_input", sayProblems(problems), { problems }))
  const refused = refusedFields(endpoint, key, input).map((each): InputProblem => ({ _tag: "Invalid", ...each }))
  if (refused.length > 0) return yield* rejected(refused)
  const priced = candidateOf(endpoint, input)
  if (Either.isLeft(priced)) return yield* rejected([priced.left])
  const candidate = priced.right
  const cap = fallback?.maxCostMicros ?? null
  if (cap !== null && candidate.maxMicros > cap) {
    const why = `costs up to ${dollars(candidate.maxMicros)}, and the cap is ${dollars(cap)}`
    return yield* Effect.fail(unusable("over_cost_cap", why, { maxMicros: candidate.maxMicros }))
  }
  return { _tag: "Fits", candidate, reason, mock: provider.mock } as const
})

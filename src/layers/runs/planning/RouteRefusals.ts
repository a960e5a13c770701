/**
 * Why a job is refused before anybody is called, and what would help: a field, a higher cap, another value, a key. A
 * refused job run has the code `validation_error` (or `route_capped`, `route_no_fit`) and says in `result.code` which
 * of the reasons it is (completions, section 3). Pure.
 */
import { cutText } from "../../../domain/Characters.js"
import type { JsonObject } from "../../../domain/Json.js"
import type { Endpoint } from "../../../domain/Manifest.js"
import { dollars, type Micros } from "../../../domain/Micros.js"
import type { RoutePlan, Skipped } from "../../../domain/RoutePlan.js"
import {
  ConnectionNotFound,
  EligibilityBlocked,
  InputRejected,
  NoRouteCandidate,
  RouteCapped,
  RouteNoFit,
  type RunFailureCode
} from "../../../domain/RunFailures.js"
import { didYouMean } from "../../../domain/Similar.js"
import { denialText, type PolicyDenial } from "../../../domain/WorkspacePolicy.js"
import type { CredentialFailure } from "../../../services/Credentials.js"
import type { InputProblem } from "../../../services/Providers.js"
import { JobDenied } from "./Denials.js"
import { anyOf, field, missingOf, namedMax, sayProblems, typoOf } from "./InputProblems.js"

/** An endpoint of a job that this run cannot use. */
export interface Unusable {
  readonly _tag: "Skipped"
  readonly skipped: Skipped
  readonly provider: Endpoint["provider"]
  /** What the policy of the workspace has against it; nothing else was asked then. */
  readonly denial: PolicyDenial | null
  /** What it has against the input. */
  readonly problems: ReadonlyArray<InputProblem>
  /** Why there is no key that the run could use for it; null when there is one, or when it was not looked for. */
  readonly keyFailure: CredentialFailure | null
  /** It is left alone for so long because it was failing; 0 when it is not. */
  readonly pausedSeconds: number
  /** What it would cost at most, when that is what stands against it. */
  readonly maxMicros: Micros | null
}

interface Explained {
  readonly hint?: string
  readonly gatewaysFault?: boolean
  readonly extra?: JsonObject
  readonly route?: RoutePlan
}

const refuseJob = (code: string, message: string, { extra = {}, gatewaysFault = false, hint, route }: Explained = {}) =>
  new JobDenied({
    failure: new InputRejected({
      detail: message,
      ...(hint === undefined ? {} : { hint }),
      ...(gatewaysFault ? { blames: "gateway" as const } : {})
    }),
    result: { code, message, ...extra },
    plan: route ?? null
  })

/** Fields that every job shares are wrong: no provider was looked at. */
export const commonInputRejected = (route: RoutePlan, problems: ReadonlyArray<InputProblem>) => {
  const message = sayProblems(problems)
  return new JobDenied({
    failure: new InputRejected({ detail: message }),
    result: { code: "rejected_input", message },
    plan: { ...route, reason: message },
    problems
  })
}

/** `suggestions` are `job:…` ids that look like this one. */
export const unknownJob = (jobId: string, suggestions: ReadonlyArray<string>, route: RoutePlan | null) => {
  const guess = didYouMean(suggestions) || "."
  return refuseJob("unknown_job", `There is no job ${cutText(jobId, 200)}${guess}`, {
    hint: "Search the catalog for the job, or take one of result.suggestions.",
    extra: { suggestions },
    ...(route === null ? {} : { route })
  })
}

export const noSupply = (route: RoutePlan) => {
  const message = `No provider does the job ${route.job}.`
  return refuseJob("no_supply_for_job", message, {
    gatewaysFault: true,
    hint: "Request the capability (POST /v1/capability-requests), or search the catalog for another job.",
    route: { ...route, reason: message }
  })
}

const needsInput = (
  route: RoutePlan,
  skipped: ReadonlyArray<Unusable>,
  alternatives: ReadonlyArray<ReadonlyArray<string>>
) => {
  const lacking = skipped.filter(({ skipped: { code } }) => code === "needs_identity")
  const needs = lacking.map(({ problems, provider, skipped: { endpointId } }) => {
    const missing = missingOf(problems)
    const instead = missing.flatMap((problem) => problem.instead ?? [])
    return {
      endpointId,
      provider: provider.id,
      fields: missing.map((problem) => problem.field),
      ...(instead.length === 0 ? {} : { instead })
    }
  })
  /** A field that several providers lack stands once, with what can be given instead if one of them takes it. */
  const fields = new Map<string, string>()
  for (const problem of lacking.flatMap(({ problems }) => missingOf(problems))) {
    const said = field(problem)
    if (said.length > (fields.get(problem.field)?.length ?? 0)) fields.set(problem.field, said)
  }
  const typos = new Set(lacking.flatMap(({ problems }) => missingOf(problems).map(typoOf)))
  return refuseJob(
    "needs_input",
    `This job needs more input: ${[...fields.values()].join(", ")}${[...typos].join("")}.`,
    {
      hint:
        alternatives.length === 0
          ? "Give what one provider of result.needs asks for."
          : `Give ${alternatives.map((set) => set.join(" and ")).join(", or ")}; result.needs says what each provider asks for.`,
      extra: { needs, ...(alternatives.length === 0 ? {} : { inputAlternatives: alternatives }) },
      route
    }
  )
}

const overCap = (route: RoutePlan, skipped: ReadonlyArray<Unusable>) => {
  const cheapest = dollars(Math.min(...skipped.flatMap(({ maxMicros }) => maxMicros ?? [])))
  const message = `Every provider of this job costs more than the cap: the cheapest up to ${cheapest}.`
  return new JobDenied({
    failure: new RouteCapped({
      detail: message,
      hint: `Raise fallback.maxCostUsd to ${cheapest} at least, or ask for less.`
    }),
    result: { code: "route_capped", message },
    plan: route
  })
}

const noFit = (route: RoutePlan, skipped: ReadonlyArray<Unusable>) => {
  const reasons = skipped
    .filter(({ skipped: { code } }) => code === "rejected_input")
    .map(({ skipped: { endpointId, reason } }) => `${reason} (${endpointId})`)
  const shown = reasons.slice(0, namedMax).join("; ")
  return new JobDenied({
    failure: new RouteNoFit({
      detail: `No provider of this job takes this input: ${shown}.`,
      hint: `Change what stood against it, for one provider at least: ${shown}.`
    }),
    result: { code: "route_no_fit", message: "No provider of this job can take this input." },
    plan: route
  })
}

const allExcluded = (route: RoutePlan) =>
  new JobDenied({
    failure: new RouteNoFit({
      detail: "The request excludes every provider of this job.",
      hint: "Take one of the ids out of fallback.exclude."
    }),
    result: { code: "route_no_fit", message: "The request excludes every provider of this job." },
    plan: route
  })

/** Somebody could run this but for a pause: the same input works when that is over. */
const allPaused = (route: RoutePlan, paused: ReadonlyArray<Unusable>) => {
  const seconds = Math.min(...paused.map(({ pausedSeconds }) => pausedSeconds))
  const message = `The providers that could run this job were failing and are left alone, the first of them for ${seconds} s more.`
  return new JobDenied({
    failure: new NoRouteCandidate({ detail: message, retryAfterSeconds: seconds }),
    result: { code: "no_runnable_provider", message },
    plan: route
  })
}

/** Those that could run this are denied by the policy of the workspace; the others cannot run it for other reasons. */
const deniedByPolicy = (route: RoutePlan, denials: ReadonlyArray<PolicyDenial>) => {
  const reasons = [...new Set(denials.map(denialText))]
  const more = reasons.length > namedMax ? `; it has ${reasons.length - namedMax} more reasons like these` : ""
  const message = `The policy of this workspace ${reasons.slice(0, namedMax).join("; it ")}${more}; no other provider can run this job now.`
  return new JobDenied({
    failure: new EligibilityBlocked({
      detail: message,
      hint: "Ask the operator of this gateway to allow one of them; requestedJob.skipped says what stands against each provider."
    }),
    result: { code: "eligibility_blocked", message },
    plan: route
  })
}

/** What a client can change by itself: fields of the input, or the cap. */
const changeable: ReadonlySet<Skipped["code"]> = new Set(["needs_identity", "rejected_input", "over_cost_cap"])

/** Of the denied endpoints those that could run if they were allowed and the request changed, and what would change. */
const askToAllow = (skipped: ReadonlyArray<Unusable>, withoutPolicy: Refused["withoutPolicy"]): string | null => {
  const denied = skipped.flatMap(({ denial, provider, skipped: { endpointId } }) => {
    const other = withoutPolicy.get(endpointId) ?? null
    return denial !== null && other !== null && changeable.has(other.code)
      ? [{ provider: provider.id, why: `${other.reason} (${endpointId})` }]
      : []
  })
  if (denied.length === 0) return null
  const providers = anyOf([...new Set(denied.map(({ provider }) => provider))])
  const why = denied.slice(0, namedMax).map((each) => each.why)
  return `ask the operator of this gateway to allow ${providers}, which the policy of this workspace denies, and change what else stands against it: ${why.join("; ")}`
}

/** What helps where the connection that the request names does not. */
const otherConnection = "Use a connection to one of this job's providers, or leave connectionId out"

/**
 * What is wrong with the connection that the request names, whichever provider it is for: a job run says it as a run of
 * a tool does. Providers that the connection does not belong to are denied the credential, which says nothing of it.
 */
const badConnection = (route: RoutePlan, skipped: ReadonlyArray<Unusable>): JobDenied | null => {
  if (route.connectionId === null) return null
  for (const { keyFailure } of skipped) {
    switch (keyFailure?._tag) {
      case "connection_not_found":
      case "connection_invalid":
      case "connection_unusable": {
        const { code, message } = keyFailure
        const failure =
          code === "connection_not_found"
            ? new ConnectionNotFound({ detail: message, hint: `${otherConnection}.` })
            : keyFailure
        return new JobDenied({ failure, result: { code, message }, plan: route })
      }
    }
  }
  return null
}

/** Failures that a key would mend. */
const needsKey: ReadonlySet<RunFailureCode> = new Set(["platform_key_missing", "connection_not_found"])

const noRunnable = (route: RoutePlan, { skipped, withoutPolicy }: Refused) => {
  const message = "No provider of this job can run for this workspace now."
  const allowance = askToAllow(skipped, withoutPolicy)
  const orAllow = allowance === null ? "" : `; or ${allowance}`
  if (route.connectionId !== null) {
    return refuseJob("no_runnable_provider", message, {
      hint: `${otherConnection}; requestedJob.skipped says what stood against each${orAllow}.`,
      route
    })
  }
  const keyless = [
    ...new Map(
      skipped
        .filter(({ keyFailure }) => keyFailure !== null && needsKey.has(keyFailure.code))
        .map(({ provider }) => [provider.id, provider])
    ).values()
  ]
  const own = keyless.filter(({ ownKey }) => ownKey).map(({ id }) => id)
  const platform = keyless.filter(({ platformKey }) => platformKey).map(({ id }) => id)
  const excluded = skipped.some(({ skipped: { code } }) => code === "excluded")
  const ways = [
    ...(excluded ? ["take an id out of fallback.exclude"] : []),
    ...(own.length === 0 ? [] : [`connect an account of your own at ${anyOf(own)}`]),
    ...(platform.length === 0 ? [] : [`ask the operator of this gateway to set a platform key for ${anyOf(platform)}`])
  ]
  return refuseJob("no_runnable_provider", message, {
    // The client has excluded some, and one of these might run.
    gatewaysFault: !excluded,
    hint:
      ways.length === 0
        ? `Try again later; requestedJob.skipped says what stands against each provider${orAllow}.`
        : `${excluded ? "This would help" : "A key would help"}: ${ways.join(", or ")}${orAllow}.`,
    extra: { missingKeys: keyless.map(({ id, ownKey, platformKey }) => ({ provider: id, ownKey, platformKey })) },
    route
  })
}

export interface Refused {
  readonly skipped: ReadonlyArray<Unusable>
  /** What stands against each endpoint but for the policy of the workspace, by its id; null: nothing. */
  readonly withoutPolicy: ReadonlyMap<string, Skipped | null>
  /** The sets of fields of which the job needs one and which the input does not hold already. */
  readonly alternatives: ReadonlyArray<ReadonlyArray<string>>
}

/**
 * A connection that nobody can use stands against every provider. Of other reasons, the one that a client can do most
 * about comes first: give a field, raise the cap, change the input, wait. Then the policy of the workspace, where
 * nothing else stands against a provider, or where it stands against them all.
 */
export const refuseRoute = (route: RoutePlan, refused: Refused): JobDenied => {
  const { alternatives, skipped, withoutPolicy } = refused
  const ofConnection = badConnection(route, skipped)
  if (ofConnection !== null) return ofConnection
  const codes = new Set(skipped.map(({ skipped: { code } }) => code))
  if (codes.has("needs_identity")) return needsInput(route, skipped, alternatives)
  if (codes.has("over_cost_cap")) return overCap(route, skipped)
  if (codes.has("rejected_input")) return noFit(route, skipped)
  if (codes.size === 1 && codes.has("excluded")) return allExcluded(route)
  const paused = skipped.filter(({ pausedSeconds }) => pausedSeconds > 0)
  if (paused.length > 0) return allPaused(route, paused)
  const alone = skipped.filter(({ skipped: { endpointId } }) => withoutPolicy.get(endpointId) === null)
  const denied = skipped.filter(({ denial }) => denial !== null)
  const against = alone.length > 0 ? alone : denied.length === skipped.length ? denied : []
  const denials = against.flatMap(({ denial }) => denial ?? [])
  return denials.length > 0 ? deniedByPolicy(route, denials) : noRunnable(route, refused)
}

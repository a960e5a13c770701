/**
 * What planning fails with: the reasons why no provider is called for a run. Admission records a denial as the refusal
 * of its run, and a quote shows it. Neither answers an HTTP error.
 */
import { Data } from "effect"
import type { JsonObject } from "../../../domain/Json.js"
import type { Candidate, RoutePlan } from "../../../domain/RoutePlan.js"
import type {
  ActivationBlocked,
  ConnectionInvalid,
  ConnectionNotFound,
  ConnectionUnusable,
  EligibilityBlocked,
  EndpointNotFound,
  InputRejected,
  NoRouteCandidate,
  ProviderDisabled,
  ProviderDraining,
  RouteCapped,
  RouteNoFit
} from "../../../domain/RunFailures.js"
import type { CredentialFailure } from "../../../services/Credentials.js"
import type { InputProblem } from "../../../services/Providers.js"

/** Why a provider takes no run, whatever the input. */
export type NotRunnable = ActivationBlocked | ProviderDisabled | ProviderDraining

/** What is known of an operation once it is found, whether it may be called or not. */
export type Operation = Pick<Candidate, "contractVersion" | "providerId">

/** The tool that the request names cannot be called. */
export class ToolDenied extends Data.TaggedError("ToolDenied")<{
  readonly failure: EndpointNotFound | EligibilityBlocked | NotRunnable | InputRejected | CredentialFailure
  /** The operation that the request names; null when there is none. */
  readonly operation: Operation | null
  /** What the operation has against the input; none when something else stands against the run. */
  readonly problems?: ReadonlyArray<InputProblem>
}> {
  readonly result = null
  readonly plan = null
}

/** No provider of the job can be called. */
export class JobDenied extends Data.TaggedError("JobDenied")<{
  readonly failure:
    | ConnectionInvalid
    | ConnectionNotFound
    | ConnectionUnusable
    | EligibilityBlocked
    | InputRejected
    | RouteCapped
    | RouteNoFit
    | NoRouteCandidate
  /** The body of the refused job; `result.code` says which of the reasons it is (completions, section 3). */
  readonly result: JsonObject | null
  /** The route without candidates, which says why each provider was skipped; null when none was looked at. */
  readonly plan: RoutePlan | null
  /** What every provider of the job has against the input. */
  readonly problems?: ReadonlyArray<InputProblem>
}> {
  readonly operation = null
}

export type Denial = ToolDenied | JobDenied

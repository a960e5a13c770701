/**
 * Says how much a run would hold, which providers it would try and what would refuse it. It uses the same functions
 * that create a run. It writes nothing and costs nothing. The verdicts hold for the moment in which the wallet was
 * read.
 */
import { Effect } from "effect"
import { type Refusal, refusals } from "../../domain/Admission.js"
import { RunId } from "../../domain/Ids.js"
import { zero } from "../../domain/Micros.js"
import { holdOf, type RoutePlan } from "../../domain/RoutePlan.js"
import { monthOf } from "../../domain/Run.js"
import { toRunError } from "../../domain/FailedRun.js"
import type { Ids } from "../../services/Ids.js"
import type { LimitVerdict, Quote, Runs } from "../../services/Runs.js"
import type { Wallet } from "../../services/Wallet.js"
import type { PlanningParts } from "./planning/Candidates.js"
import type { Denial } from "./planning/Denials.js"
import { plan } from "./planning/Planning.js"
import { problemOf } from "./planning/InputProblems.js"

export interface QuotingParts extends PlanningParts {
  readonly ids: Ids["Type"]
  readonly wallet: Wallet["Type"]
}

type Routed = Omit<Quote, "limits">

const routed = (route: RoutePlan): Routed => ({
  plan: route,
  holdMicros: holdOf(route),
  refusal: null,
  refusalResult: null,
  problems: []
})

export const quote = (parts: QuotingParts): Runs["Type"]["quote"] =>
  Effect.fn("Runs.quote")(function* (principal, request) {
    const denied = ({ failure, plan: route, problems = [], result }: Denial): Effect.Effect<Routed> =>
      Effect.succeed({
        plan: route,
        holdMicros: zero,
        refusal: toRunError(failure, request.requestId),
        refusalResult: result,
        problems: problems.map(problemOf)
      })
    const found = yield* plan(parts, principal, request).pipe(
      Effect.map(routed),
      Effect.catchTags({ ToolDenied: denied, JobDenied: denied })
    )
    const { now, spends, walletState } = yield* parts.wallet.read(principal)
    const against = refusals(walletState, spends, {
      runId: RunId.make(`run_${yield* parts.ids.suffix}`),
      holdMicros: found.holdMicros,
      now,
      month: monthOf(now)
    })
    return { ...found, limits: verdicts(against) }
  })

/** In the order in which admission checks them. */
const limits: { readonly [Tag in Refusal["_tag"]]: LimitVerdict["limit"] } = {
  RunCapExceeded: "run_cap",
  run_rate_limited: "runs_per_minute",
  too_many_inflight_runs: "inflight",
  key_spend_limit_reached: "key_month",
  BalanceTooLow: "balance"
}

const verdicts = (against: ReadonlyArray<Refusal>): ReadonlyArray<LimitVerdict> => {
  const messages = new Map(against.map(({ _tag, message }) => [limits[_tag], message]))
  return Object.values(limits).map((limit) => ({
    limit,
    admits: !messages.has(limit),
    message: messages.get(limit) ?? null
  }))
}

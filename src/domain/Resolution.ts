/**
 * What a person decides about a run whose effectful call was lost, as plain data. Above a configured amount two people
 * decide: the first decision is a proposal, and another operator confirms or rejects it. The amount is what the run
 * holds, because that is what a wrong decision moves: to the customer, or from them.
 */
import { Either, Schema } from "effect"
import { ValidationError } from "./ApiErrors.js"
import { Actor } from "./AuditEntry.js"
import { ProposalId, RunId, WorkspaceId } from "./Ids.js"
import { reasonProblem } from "./Labels.js"
import { dollars, Micros, zero } from "./Micros.js"
import type { Run } from "./Run.js"

export const verdicts = ["charged", "released", "partly_charged"] as const
export const Verdict = Schema.Literal(...verdicts)
export type Verdict = typeof Verdict.Type

export interface Resolution {
  readonly runId: RunId
  readonly verdict: Verdict
  /** At most the hold, and only with `partly_charged`: the other verdicts say the amount themselves. */
  readonly chargeMicros: Micros | null
  readonly reason: string
}

/** Who may decide. The command line is somebody on the gateway's own machine and names no person. */
export type Decider = Extract<Actor, { readonly kind: "command_line" | "operator" }>
/** Who may confirm or reject a proposal: a person with a name, so that it is known not to be the one who made it. */
export type OperatorActing = Extract<Actor, { readonly kind: "operator" }>

/** `closed`: the run was settled meanwhile, for example by the late answer of its provider. */
export const ProposalStatus = Schema.Literal("open", "confirmed", "rejected", "closed")
export type ProposalStatus = typeof ProposalStatus.Type

export const Proposal = Schema.Struct({
  proposalId: ProposalId,
  workspaceId: WorkspaceId,
  runId: RunId,
  verdict: Verdict,
  /** What the run is charged if the proposal is confirmed. */
  chargeMicros: Micros,
  reason: Schema.String,
  proposedBy: Actor,
  proposedAt: Schema.Int,
  status: ProposalStatus,
  decidedBy: Schema.NullOr(Actor),
  decidedAt: Schema.NullOr(Schema.Int),
  /** Why it was rejected. */
  decisionReason: Schema.NullOr(Schema.String)
})
export type Proposal = typeof Proposal.Type

/** The run as far as a decision needs it. */
export type UncertainRun = Pick<Run, "holdMicros" | "runId" | "status">

export const notWaiting = ({ runId, status }: Pick<Run, "runId" | "status">): ValidationError =>
  ValidationError.of("runId", `${runId} is ${status}; only a run in reconciliation_pending can be resolved`)

const chargeOf = (
  { chargeMicros, verdict }: Resolution,
  holdMicros: Micros
): Either.Either<Micros, ValidationError> => {
  const refused = (message: string) => Either.left(ValidationError.of("chargeMicros", message))
  if (verdict !== "partly_charged") {
    return chargeMicros === null
      ? Either.right(verdict === "charged" ? holdMicros : zero)
      : refused(`goes with partly_charged only; ${verdict} says the amount itself`)
  }
  if (chargeMicros === null) return refused("must be given for partly_charged")
  return chargeMicros > 0 && chargeMicros < holdMicros
    ? Either.right(chargeMicros)
    : refused(`must be above 0 and below the hold of ${dollars(holdMicros)} for partly_charged`)
}

/** What a first decision does: it settles the run at this charge, or proposes to. */
export interface Decision {
  readonly _tag: "Propose" | "Settle"
  readonly chargeMicros: Micros
}

/** Whether two people decide about a run. Null: one is enough for any amount. */
export const needsTwo = (run: Pick<Run, "holdMicros">, twoPersonAboveMicros: Micros | null): boolean =>
  twoPersonAboveMicros !== null && run.holdMicros > twoPersonAboveMicros

export const decide = (
  run: UncertainRun,
  /** The proposal that waits for a second person. */
  open: Proposal | null,
  resolution: Resolution,
  twoPersonAboveMicros: Micros | null
): Either.Either<Decision, ValidationError> => {
  const problem = reasonProblem(resolution.reason)
  if (problem !== null) return Either.left(new ValidationError({ details: [problem] }))
  if (run.status !== "reconciliation_pending") return Either.left(notWaiting(run))
  if (open !== null) {
    return Either.left(
      ValidationError.of("runId", `${run.runId} has a proposal that another operator must confirm or reject first`)
    )
  }
  return Either.map(chargeOf(resolution, run.holdMicros), (chargeMicros) => ({
    _tag: needsTwo(run, twoPersonAboveMicros) ? "Propose" : "Settle",
    chargeMicros
  }))
}

/** Why this operator may not confirm or reject the proposal, or null. */
export const secondWordProblem = (proposal: Proposal, by: OperatorActing): ValidationError | null => {
  const { proposalId, proposedBy, status } = proposal
  if (status !== "open") return ValidationError.of("proposalId", `${proposalId} is ${status} already`)
  return proposedBy.kind === "operator" && proposedBy.memberId === by.memberId
    ? ValidationError.of("proposalId", `${proposalId} is your own proposal; another operator must confirm or reject it`)
    : null
}

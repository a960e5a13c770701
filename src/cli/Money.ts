/**
 * `ledger` and `runs`: whether all money is where it should be, and the runs whose money a person has to decide about.
 */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { Clock, Effect, Option } from "effect"
import { counted } from "../domain/Counted.js"
import { actorName, commandLine } from "../domain/AuditEntry.js"
import { decide, type Decision, type Proposal, type Resolution, verdicts } from "../domain/Resolution.js"
import type { Run } from "../domain/Run.js"
import { Reconciliation } from "../services/Reconciliation.js"
import { Wallet } from "../services/Wallet.js"
import { dollars, toUsd } from "../domain/Micros.js"
import { shellQuoted } from "../domain/ShellQuoting.js"
import { everyRow } from "../domain/Pages.js"
import { announced, dryRun } from "./Announced.js"
import { answer, isoTime } from "./Answer.js"
import * as Inputs from "./Inputs.js"
import { orTell } from "./Unconfirmed.js"

const verify = Command.make("verify", { json: Inputs.json }, ({ json }) =>
  answer(
    json,
    Effect.gen(function* () {
      const { difference, driftMicros, entries, ok, workspaces } = yield* (yield* Wallet).verify
      const sizes = { entries, workspaces }
      return ok
        ? {
            json: { ok, driftMicros, ...sizes },
            text: `All adds up: ${counted(entries, "entry", "entries")} of ${counted(workspaces, "workspace")}, drift 0`
          }
        : {
            ok,
            json: { ok, driftMicros, ...sizes, difference },
            text: `Does not add up: drift of ${dollars(driftMicros)}, first at ${difference}`
          }
    })
  )
).pipe(
  Command.withDescription(
    "Recompute every balance and hold from entries and runs; ends with 1 when something does not add up"
  )
)

export const ledger = Command.make("ledger").pipe(
  Command.withDescription("The double-entry ledger"),
  Command.withSubcommands([verify])
)

const decisionText = ({ holdMicros, runId, workspaceId }: Run, { _tag, chargeMicros }: Decision): string =>
  `${_tag === "Settle" ? "Settles" : "Proposes to settle"} ${runId} of ${workspaceId}, which holds ${dollars(holdMicros)}: ${dollars(chargeMicros)} charged, ${dollars(holdMicros - chargeMicros)} released${_tag === "Settle" ? "; a run is settled once" : "; another operator confirms or rejects it"}`

const unconfirmed = ({ chargeMicros, reason, runId, verdict }: Resolution): string =>
  `Whether it was decided is not known. This tells, and without --dry-run it decides once: gateway runs resolve ${runId} --as ${verdict}${chargeMicros === null ? "" : ` --charge-usd ${toUsd(chargeMicros)}`} --reason ${shellQuoted(reason)} --dry-run`

const resolved = ({ resolve }: Reconciliation["Type"], resolution: Resolution) =>
  Effect.gen(function* () {
    const { runId } = resolution
    const done = yield* resolve(resolution, commandLine).pipe(orTell(unconfirmed(resolution)))
    if (done._tag === "Proposed") {
      const { chargeMicros, proposalId, workspaceId } = done.proposal
      return {
        json: {
          runId,
          workspaceId,
          status: "reconciliation_pending",
          proposalId,
          proposedChargeMicros: chargeMicros
        },
        text: `${runId} waits for a second person: ${proposalId} proposes to charge ${dollars(chargeMicros)}. An operator confirms or rejects it in the console`
      }
    }
    const { run } = done.detail
    const chargedMicros = run.chargeMicros ?? 0
    const releasedMicros = run.holdMicros - chargedMicros
    return {
      json: {
        runId,
        workspaceId: run.workspaceId,
        status: run.status,
        outcome: run.outcome,
        chargedMicros,
        releasedMicros
      },
      text: `${runId} is ${run.status}: ${dollars(chargedMicros)} charged, ${dollars(releasedMicros)} released`
    }
  })

export const resolve = Command.make(
  "resolve",
  {
    runId: Inputs.runArgument,
    verdict: Options.choice("as", verdicts).pipe(Options.withDescription("What became of the money")),
    chargeUsd: Inputs.chargeUsd,
    reason: Inputs.reason,
    dryRun,
    json: Inputs.json
  },
  ({ chargeUsd, reason, runId, verdict, ...asked }) =>
    announced(
      asked,
      Effect.gen(function* () {
        const reconciliation = yield* Reconciliation
        const resolution = { runId, verdict, chargeMicros: Option.getOrNull(chargeUsd), reason }
        const { proposals, run } = yield* reconciliation.about(runId)
        const open = proposals.find(({ status }) => status === "open") ?? null
        const decision = yield* decide(run, open, resolution, reconciliation.twoPersonAboveMicros)
        return { will: [decisionText(run, decision)], work: resolved(reconciliation, resolution) }
      })
    )
).pipe(Command.withDescription("Settle a run in reconciliation_pending"))

/** A run with one waits for another operator, in the console. */
const openOf = (proposals: ReadonlyArray<Proposal>) => {
  const open = proposals.find(({ status }) => status === "open")
  return open === undefined
    ? null
    : {
        proposalId: open.proposalId,
        verdict: open.verdict,
        chargeMicros: open.chargeMicros,
        reason: open.reason,
        proposedBy: actorName(open.proposedBy),
        proposedAt: isoTime(open.proposedAt)
      }
}

export const uncertain = Command.make("uncertain", { json: Inputs.json }, ({ json }) =>
  answer(
    json,
    Effect.gen(function* () {
      const waiting = yield* everyRow((yield* Reconciliation).uncertain)
      const now = yield* Clock.currentTimeMillis
      const runs = waiting.map(({ proposals, run }) => ({
        runId: run.runId,
        workspaceId: run.workspaceId,
        endpointId: run.endpointId,
        providerId: run.providerId,
        heldMicros: run.holdMicros,
        createdAt: isoTime(run.createdAt),
        ageSeconds: Math.max(0, Math.floor((now - run.createdAt) / 1000)),
        reason: run.outcomeReason,
        openProposal: openOf(proposals)
      }))
      const lines = runs.map((run) =>
        [
          run.runId,
          run.createdAt,
          `${dollars(run.heldMicros)} held`,
          run.endpointId,
          run.workspaceId,
          ...(run.openProposal === null
            ? []
            : [
                `${run.openProposal.proposalId} proposes to charge ${dollars(run.openProposal.chargeMicros)} and waits for a second person`
              ]),
          ...(run.reason === null ? [] : [run.reason])
        ].join("  ")
      )
      return { json: { runs }, text: lines.length === 0 ? "No run waits for a person" : lines.join("\n") }
    })
  )
).pipe(Command.withDescription("Runs that wait for a person, oldest first"))

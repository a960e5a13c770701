/**
 * One uncertain run: the evidence, and the decision about its money. Before money moves, the decision is shown once
 * more with what it means. What was decided before stands below. A run that is settled already shows how.
 */
import { Effect, Schema } from "effect"
import { NotFound } from "../../../domain/ApiErrors.js"
import { type Actor, actorName, knownName } from "../../../domain/AuditEntry.js"
import { evidenceOf } from "../../../domain/Evidence.js"
import { ProposalId } from "../../../domain/Ids.js"
import { reasonCharsMax } from "../../../domain/limits/Workspaces.js"
import {
  type Decision,
  decide,
  needsTwo,
  type Proposal,
  secondWordProblem,
  Verdict
} from "../../../domain/Resolution.js"
import type { Attempt, Run } from "../../../domain/Run.js"
import { Catalog } from "../../../services/Catalog.js"
import { Accounts } from "../../../services/Accounts.js"
import { Members } from "../../../services/Members.js"
import { Reconciliation } from "../../../services/Reconciliation.js"
import { Reports } from "../../../services/Reports.js"
import { idReader, runIdOf } from "../../GivenId.js"
import { code, dash, instant, linkTo, money, moneyOrDash, statusBadge } from "../Figures.js"
import { areaField, button, Confirmed, type Filled, form as formHtml } from "../Forms.js"
import { selectField, toldOf, type Typed, typedAgain, unfilled } from "../Forms.js"
import { html, type Html, nothing, to } from "../Html.js"
import { operatorForm, operatorPage, type OperatorVisit, redirect, screen } from "../Page.js"
import { usdField } from "../Money.js"
import { facts, notice, noticeOf, section, tiles } from "../Parts.js"
import { type Column, table } from "../Tables.js"
import { blankOr, usdParam } from "../workspace/Fields.js"
import { evidenceSection } from "./EvidenceSection.js"

const verdictTexts: { readonly [V in Verdict]: string } = {
  charged: "charged: the provider did it and bills it",
  released: "released: the call never reached the provider",
  partly_charged: "partly charged: the provider bills a part"
}

const meanings: { readonly [V in Verdict]: string } = {
  charged: "The workspace pays all that is held.",
  released:
    "The workspace pays nothing. All that is held is available to it again. The client is told to send the run again, so an effect that took place would take place twice.",
  partly_charged: "The workspace pays a part of what is held. The rest is available to it again."
}

const words = (verdict: Verdict): string => verdict.replaceAll("_", " ")

type Names = ReadonlyMap<string, string>
const who = (actor: Actor | null, names: Names): Html => {
  if (actor === null) return dash
  const name = knownName(actor, names)
  return name === undefined ? html`${actorName(actor).replaceAll("_", " ")}` : html`<bdi>${name}</bdi>`
}

const proposalColumns = (names: Names): ReadonlyArray<Column<Proposal>> => [
  { label: "Proposed", cell: ({ proposedAt }) => instant(proposedAt) },
  { label: "By", cell: ({ proposedBy }) => who(proposedBy, names) },
  { label: "Decision", cell: ({ verdict }) => words(verdict) },
  { label: "Charge", numeric: true, cell: ({ chargeMicros }) => money(chargeMicros) },
  { label: "Reason", cell: ({ reason }) => reason },
  { label: "Status", cell: ({ status }) => statusBadge(status) },
  {
    label: "Decided by",
    cell: ({ decidedBy, decisionReason }) =>
      html`${who(decidedBy, names)}${decisionReason !== null && html`<br /><small>${decisionReason}</small>`}`
  }
]

const decisionForm = (run: Run, form: Filled, two: boolean): Html =>
  section(
    "Decide",
    html`${
      two &&
      notice("Your decision is a proposal. Another operator confirms or rejects it before any money moves.", "wait")
    }
      ${toldOf(form, ["verdict", "chargeMicros", "reason"])}
      ${formHtml({
        action: to(["operator", "desk", run.runId, "resolve"]),
        label: "Decide",
        content: html`${selectField({
          form,
          name: "verdict",
          label: "What became of the money",
          required: true,
          choices: [
            { value: "", label: "Choose" },
            ...Verdict.literals.map((value) => ({ value, label: verdictTexts[value] }))
          ]
        })}
        ${usdField({
          form,
          name: "chargeMicros",
          label: "Charge in US dollars",
          hint: html`Only for a part: above 0 and below ${money(run.holdMicros)}.`
        })}
        ${areaField({
          form,
          name: "reason",
          label: "Reason",
          hint: "It stands on the ledger, for the workspace too.",
          required: true,
          rows: 2,
          charsMax: reasonCharsMax
        })}
        ${button("Go on")}`
      })}`
  )

/** The decision once more, before it holds: about which run and whose money, and what happens then. */
const askedAgain = (
  { holdMicros, requestedEndpointId, runId, workspaceId }: Run,
  asked: Decision & { readonly verdict: Verdict; readonly reason: string; readonly typed: Typed },
  action: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    const { _tag, chargeMicros, reason, typed, verdict } = asked
    const { name } = yield* (yield* Reports).workspace(workspaceId)
    const settles = _tag === "Settle"
    return screen({
      title: settles ? "Settle this run?" : "Propose this decision?",
      content: html`${facts([
        ["Workspace", html`<bdi>${name}</bdi> ${code(workspaceId)}`],
        ["Run", code(runId)],
        ["Asked for", requestedEndpointId],
        ["Held", money(holdMicros)],
        ["Decision", words(verdict)],
        ["Charged", money(chargeMicros)],
        ["Released", money(holdMicros - chargeMicros)],
        ["Reason", reason]
      ])}
        <p>${meanings[verdict]} ${
          settles
            ? "This is final: both entries stay on the ledger, and the run is not sent again."
            : "No money moves until another operator confirms it."
        }</p>
        ${formHtml({
          action: to(action),
          label: settles ? "Settle the run" : "Propose the decision",
          content: html`${typedAgain(typed)}
          <div class="actions">${button(settles ? "Settle the run" : "Propose", { kind: "danger" })} <a href=${to(["operator", "desk", runId])}>Cancel</a></div>`
        })}`
    })
  })

const secondWord = (run: Run, proposal: Proposal, form: Filled, visit: OperatorVisit, names: Names): Html => {
  const { chargeMicros, proposalId, proposedBy, reason, verdict } = proposal
  const own = proposedBy.kind === "operator" && proposedBy.memberId === visit.by.memberId
  const place = ["operator", "desk", run.runId, "proposals", proposalId]
  return section(
    "Proposal",
    html`<p>${who(proposedBy, names)} proposes: ${words(verdict)}, ${money(chargeMicros)} charged, ${money(run.holdMicros - chargeMicros)} released. Reason: ${reason}</p>
      ${
        own
          ? notice("This is your own proposal. Another operator must confirm or reject it.", "wait")
          : html`${toldOf(form, ["reason"])}
              ${formHtml({ action: to([...place, "confirm"]), label: "Confirm the proposal", class: "act", content: button("Confirm the proposal") })}
              ${formHtml({
                action: to([...place, "reject"]),
                label: "Reject the proposal",
                content: html`${areaField({ form, name: "reason", label: "Why not", required: true, rows: 2, charsMax: reasonCharsMax })}
                ${button("Reject", { kind: "plain" })}`
              })}`
      }`
  )
}

const operationAt = (run: Run, attempt: Attempt) =>
  Effect.gen(function* () {
    const catalog = yield* Catalog
    const version = run.plan?.candidates.find(({ endpointId }) => endpointId === attempt.endpointId)?.contractVersion
    return version === undefined
      ? yield* catalog.endpoint(attempt.endpointId)
      : yield* catalog.endpointAt(attempt.endpointId, version)
  })

const caseScreen = (visit: OperatorVisit, form: Filled) =>
  Effect.gen(function* () {
    const reconciliation = yield* Reconciliation
    const runId = yield* runIdOf(visit.path.get("runId"))
    const { attempts, proposals, run } = yield* reconciliation.about(runId)
    const operators = yield* (yield* Members).list(null)
    const names: Names = new Map(operators.map(({ memberId, name }) => [memberId, name]))
    const { name: workspaceName } = yield* (yield* Accounts).workspace(run.workspaceId)
    const waits = run.status === "reconciliation_pending"
    const open = proposals.find(({ status }) => status === "open")
    const lost = attempts.filter(({ status }) => status === "reconciliation_pending")
    const evidence = yield* Effect.forEach(lost.length > 0 ? lost : attempts.slice(-1), (attempt) =>
      Effect.map(operationAt(run, attempt), (endpoint) => evidenceOf(run, attempt, endpoint))
    )
    return screen({
      title: "Uncertain run",
      actions: html`<a class="button plain" href=${to([run.workspaceId, "runs", runId])}>The run as its workspace sees it</a>`,
      content: html`${noticeOf(visit.notice, {
        settled: "The run is settled.",
        proposed: "Your proposal waits for another operator.",
        rejected: "The proposal was rejected. The run waits on."
      })}
        ${!waits && notice(html`This run is ${statusBadge(run.status)} and waits for nobody.`, "good")}
        ${tiles([
          { label: "Status", value: statusBadge(run.status) },
          waits
            ? { label: "Held", value: money(run.holdMicros) }
            : { label: "Was held", value: money(run.holdMicros), note: "Nothing is held any more" },
          {
            label: "Charged",
            value: moneyOrDash(run.chargeMicros),
            ...(run.chargeMicros === null ? {} : { link: to([run.workspaceId, "ledger"], { run: runId }) })
          },
          {
            label: "Released",
            value: moneyOrDash(run.chargeMicros === null ? null : run.holdMicros - run.chargeMicros)
          }
        ])}
        ${facts([
          ["Run", code(runId)],
          [
            "Workspace",
            html`${linkTo(to(["operator", "workspaces", run.workspaceId]), html`<bdi>${workspaceName}</bdi>`)} ${code(run.workspaceId)}`
          ],
          ["Asked for", run.requestedEndpointId],
          ["Created", instant(run.createdAt)],
          ["Request", code(run.requestId)],
          ["Digest of the request", code(run.requestDigest)],
          [waits ? "Why it waits" : "Reason", run.outcomeReason]
        ])}
        ${
          !waits
            ? nothing
            : open === undefined
              ? decisionForm(run, form, needsTwo(run, reconciliation.twoPersonAboveMicros))
              : secondWord(run, open, form, visit, names)
        }
        ${evidence.map(evidenceSection)}
        ${
          proposals.length > 0 &&
          section(
            "Proposals",
            table({
              caption: "Proposals about this run",
              columns: proposalColumns(names),
              rows: proposals,
              empty: null
            })
          )
        }
        <p><a href=${to(["operator", "audit"], { subject: runId })}>Its entries of the audit trail</a></p>`
    })
  })

export const casePage = operatorPage({ path: "desk/:runId", show: (visit) => caseScreen(visit, unfilled) })

const proposalIdOf = idReader("proposal", ProposalId)

const backToCase = (runId: string, notice: string) => redirect(to(["operator", "desk", runId]), { notice })

export const resolveRun = operatorForm({
  path: "desk/:runId/resolve",
  fields: Schema.Struct({
    verdict: Verdict.annotations({ message: () => ({ message: "must be chosen", override: true }) }),
    chargeMicros: blankOr(usdParam),
    reason: Schema.Trim,
    confirmed: Confirmed
  }),
  act: (visit, { chargeMicros, confirmed, reason, verdict }, typed) =>
    Effect.gen(function* () {
      const runId = yield* runIdOf(visit.path.get("runId"))
      const reconciliation = yield* Reconciliation
      const resolution = { runId, verdict, chargeMicros, reason }
      if (confirmed === undefined) {
        const { proposals, run } = yield* reconciliation.about(runId)
        const open = proposals.find(({ status }) => status === "open") ?? null
        const decision = yield* decide(run, open, resolution, reconciliation.twoPersonAboveMicros)
        return yield* askedAgain(run, { ...decision, verdict, reason, typed }, ["operator", "desk", runId, "resolve"])
      }
      const done = yield* reconciliation.resolve(resolution, visit.by)
      return backToCase(runId, done._tag === "Settled" ? "settled" : "proposed")
    }),
  again: caseScreen
})

export const confirmProposal = operatorForm({
  path: "desk/:runId/proposals/:proposalId/confirm",
  fields: Schema.Struct({ confirmed: Confirmed }),
  act: (visit, { confirmed }, typed) =>
    Effect.gen(function* () {
      const runId = yield* runIdOf(visit.path.get("runId"))
      const proposalId = yield* proposalIdOf(visit.path.get("proposalId"))
      const reconciliation = yield* Reconciliation
      if (confirmed === undefined) {
        const { proposals, run } = yield* reconciliation.about(runId)
        const proposal = proposals.find((each) => each.proposalId === proposalId)
        if (proposal === undefined) return yield* new NotFound({ what: "proposal", id: proposalId })
        const problem = secondWordProblem(proposal, visit.by)
        if (problem !== null) return yield* problem
        const place = ["operator", "desk", runId, "proposals", proposalId, "confirm"]
        return yield* askedAgain(run, { ...proposal, _tag: "Settle", typed }, place)
      }
      yield* reconciliation.confirm({ runId, proposalId }, visit.by)
      return backToCase(runId, "settled")
    }),
  again: caseScreen
})

export const rejectProposal = operatorForm({
  path: "desk/:runId/proposals/:proposalId/reject",
  fields: Schema.Struct({ reason: Schema.Trim }),
  act: (visit, { reason }) =>
    Effect.gen(function* () {
      const runId = yield* runIdOf(visit.path.get("runId"))
      const proposalId = yield* proposalIdOf(visit.path.get("proposalId"))
      yield* (yield* Reconciliation).reject({ runId, proposalId, reason }, visit.by)
      return backToCase(runId, "rejected")
    }),
  again: caseScreen
})

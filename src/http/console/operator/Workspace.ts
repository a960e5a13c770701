/**
 * One workspace as its operator sees it: its money, and what an operator may change of it. A credit is shown once more
 * before it is booked, and its key books it once, however often the form is sent.
 */
import { Effect, Either, Schema } from "effect"
import { ValidationError } from "../../../domain/ApiErrors.js"
import { cutText } from "../../../domain/Characters.js"
import { reasonProblem } from "../../../domain/Labels.js"
import { operatorCreditKey } from "../../../domain/Ledger.js"
import { labelCharsMax } from "../../../domain/limits/Access.js"
import { reasonCharsMax, workspaceCountMax } from "../../../domain/limits/Workspaces.js"
import { toUsd } from "../../../domain/Micros.js"
import { readRule, rulesOf, ruleText } from "../../../domain/WorkspacePolicy.js"
import { Accounts } from "../../../services/Accounts.js"
import { Members } from "../../../services/Members.js"
import { Reports } from "../../../services/Reports.js"
import { Wallet } from "../../../services/Wallet.js"
import { line } from "../../Fields.js"
import { workspaceIdOf } from "../../GivenId.js"
import { intParam } from "../../Query.js"
import { code, count, instant, instantOrDash, money, signedMoney } from "../Figures.js"
import {
  button,
  Confirmed,
  type Filled,
  filledWith,
  form as formHtml,
  formKey,
  hiddenField,
  selectField,
  textField,
  toldOf,
  typedAgain,
  unfilled
} from "../Forms.js"
import { html, type Html, to } from "../Html.js"
import { operatorForm, operatorPage, type OperatorVisit, redirect, screen } from "../Page.js"
import { balanceTiles, usdField } from "../Money.js"
import { facts, noticeOf, section, tiles } from "../Parts.js"
import { table } from "../Tables.js"
import { blankOr, signedUsdParam, usdParam } from "../workspace/Fields.js"
import { formOf, limitNames, limitsSection, place, policySection, Seen } from "./WorkspaceSettings.js"

const creditSection = (workspaceId: string, form: Filled, key: string): Html =>
  section(
    "Credit",
    html`${toldOf(form, ["amountUsd", "reason"])}
    ${formHtml({
      action: to(place(workspaceId, "credit")),
      label: "Credit",
      content: html`${hiddenField("key", key)}
        ${usdField({ form, name: "amountUsd", label: "Amount in US dollars", hint: "Below zero takes money back.", required: true })}
        ${textField({ form, name: "reason", label: "Reason", hint: "It stands on the ledger, for the workspace too.", required: true, charsMax: reasonCharsMax })}
        ${button("Go on")}`
    })}`
  )

const learningSection = (workspaceId: string, form: Filled): Html =>
  section(
    "Search",
    html`${toldOf(form, ["learnsFromUse"])}
    ${formHtml({
      action: to(place(workspaceId, "search")),
      label: "Search",
      content: html`${selectField({
        form,
        name: "learnsFromUse",
        label: "Learning from use",
        hint: "What this workspace runs after a search comes earlier in its next searches. Off forgets what was learned.",
        choices: [
          { value: "off", label: "Off" },
          { value: "on", label: "On" }
        ]
      })}
        ${button("Save")}`
    })}`
  )

const workspaceScreen = (visit: OperatorVisit, form: Filled) =>
  Effect.gen(function* () {
    const workspaceId = yield* workspaceIdOf(visit.path.get("workspace"))
    const standing = yield* (yield* Reports).workspace(workspaceId)
    const workspace = yield* (yield* Accounts).workspace(workspaceId)
    const { inflightLimit, learnsFromUse, policy, runCapMicros, runsPerMinute } = workspace
    const members = yield* (yield* Members).list(workspaceId)
    const { allow, deny } = rulesOf(policy)
    const text = (value: number | null) => (value === null ? null : String(value))
    const key = yield* formKey(form)
    return screen({
      title: standing.name,
      actions: html`<a class="button plain" href=${to([workspaceId, "overview"])}>Overview</a>
        <a class="button plain" href=${to([workspaceId, "runs"])}>Runs</a>
        <a class="button plain" href=${to([workspaceId, "ledger"])}>Ledger</a>
        <a class="button plain" href=${to(["operator", "audit"], { workspace: workspaceId })}>Audit</a>`,
      content: html`${noticeOf(visit.notice, {
        credited: "The credit is on the ledger.",
        limits: "The limits were saved. They hold from the next run.",
        policy: "The policy was saved. It holds from the next request.",
        search: "Learning from use was saved. It holds from the next search."
      })}
        ${tiles([
          ...balanceTiles(workspaceId, standing),
          { label: "Runs under way", value: count(standing.inflight), link: to([workspaceId, "runs"]) }
        ])}
        ${facts([
          ["Workspace", code(workspaceId)],
          ["Made", instant(standing.createdAt)],
          ["Last run", instantOrDash(standing.lastRunAt)]
        ])}
        ${creditSection(workspaceId, formOf(form, ["amountUsd", "reason"], unfilled), key)}
        ${limitsSection(
          workspaceId,
          formOf(
            form,
            limitNames,
            filledWith({
              inflightLimit: text(inflightLimit),
              runsPerMinute: text(runsPerMinute),
              runCapUsd: runCapMicros === null ? null : String(toUsd(runCapMicros))
            })
          ),
          workspace
        )}
        ${policySection(
          workspaceId,
          formOf(
            form,
            ["allow", "deny"],
            filledWith({ allow: allow.map(ruleText).join("\n"), deny: deny.map(ruleText).join("\n") })
          ),
          workspace
        )}
        ${learningSection(
          workspaceId,
          formOf(form, ["learnsFromUse"], filledWith({ learnsFromUse: learnsFromUse ? "on" : "off" }))
        )}
        ${section(
          "Members",
          table({
            caption: "Members of the workspace",
            columns: [
              { label: "Name", cell: ({ name }) => html`<bdi>${name}</bdi>` },
              { label: "Role", cell: ({ role }) => role },
              { label: "Since", cell: ({ createdAt }) => instant(createdAt) }
            ],
            rows: members,
            empty: html`<p>Nobody yet. Add an owner on the command line: <code>gateway member add --help</code>.</p>`
          })
        )}`
    })
  })

export const workspacePage = operatorPage({
  path: "workspaces/:workspace",
  show: (visit) => workspaceScreen(visit, unfilled)
})

export const creditWorkspace = operatorForm({
  path: "workspaces/:workspace/credit",
  fields: Schema.Struct({
    amountUsd: signedUsdParam,
    reason: Schema.Trim,
    key: line(labelCharsMax),
    confirmed: Confirmed
  }),
  act: (visit, { amountUsd: micros, confirmed, key, reason }, typed) =>
    Effect.gen(function* () {
      const workspaceId = yield* workspaceIdOf(visit.path.get("workspace"))
      if (micros === 0) return yield* ValidationError.of("amountUsd", "must not be 0")
      const problem = reasonProblem(reason)
      if (problem !== null) return yield* new ValidationError({ details: [problem] })
      if (confirmed === undefined) {
        const { availableMicros, name } = yield* (yield* Reports).workspace(workspaceId)
        return screen({
          title: micros > 0 ? "Credit this amount?" : "Take this amount back?",
          content: html`${facts([
            ["Workspace", html`<bdi>${name}</bdi> ${code(workspaceId)}`],
            ["Amount", signedMoney(micros)],
            ["Available now", money(availableMicros)],
            ["Reason", reason]
          ])}
            ${formHtml({
              action: to(place(workspaceId, "credit")),
              label: "Confirm the credit",
              content: html`${typedAgain(typed)}
              <div class="actions">${button(micros > 0 ? "Credit" : "Take back", { kind: micros > 0 ? "main" : "danger" })} <a href=${to(place(workspaceId))}>Cancel</a></div>`
            })}`
        })
      }
      yield* (yield* Wallet).credit(
        { workspaceId, kind: "adjustment", micros, reason, topUpId: null, key: operatorCreditKey(key) },
        visit.by
      )
      return redirect(to(place(workspaceId)), { notice: "credited" })
    }),
  again: workspaceScreen
})

const countParam = blankOr(intParam(1, workspaceCountMax))

export const saveLimits = operatorForm({
  path: "workspaces/:workspace/limits",
  fields: Schema.Struct({
    inflightLimit: countParam,
    runsPerMinute: countParam,
    runCapUsd: blankOr(usdParam),
    seen: Seen
  }),
  act: (visit, { inflightLimit, runCapUsd, runsPerMinute, seen }) =>
    Effect.gen(function* () {
      const workspaceId = yield* workspaceIdOf(visit.path.get("workspace"))
      const limits = { inflightLimit, runsPerMinute, runCapMicros: runCapUsd }
      yield* (yield* Accounts).setLimits(workspaceId, limits, visit.by, seen)
      return redirect(to(place(workspaceId)), { notice: "limits" })
    }),
  again: workspaceScreen
})

const rulesIn = (field: string, text: string) =>
  Either.all(
    text
      .split(/\r?\n/)
      .map((each) => each.trim())
      .filter((each) => each !== "")
      .map((each) =>
        Either.mapLeft(readRule(each), (problem) => ValidationError.of(field, `${cutText(each, 100)} ${problem}`))
      )
  )

export const savePolicy = operatorForm({
  path: "workspaces/:workspace/policy",
  fields: Schema.Struct({ allow: Schema.String, deny: Schema.String, seen: Seen }),
  act: (visit, { allow, deny, seen }) =>
    Effect.gen(function* () {
      const workspaceId = yield* workspaceIdOf(visit.path.get("workspace"))
      const change = { reset: true, allow: yield* rulesIn("allow", allow), deny: yield* rulesIn("deny", deny) }
      yield* (yield* Accounts).setPolicy(workspaceId, change, visit.by, seen)
      return redirect(to(place(workspaceId)), { notice: "policy" })
    }),
  again: workspaceScreen
})

export const saveLearning = operatorForm({
  path: "workspaces/:workspace/search",
  fields: Schema.Struct({ learnsFromUse: Schema.Literal("on", "off") }),
  act: (visit, { learnsFromUse }) =>
    Effect.gen(function* () {
      const workspaceId = yield* workspaceIdOf(visit.path.get("workspace"))
      yield* (yield* Accounts).setSearchLearning(workspaceId, learnsFromUse === "on", visit.by)
      return redirect(to(place(workspaceId)), { notice: "search" })
    }),
  again: workspaceScreen
})

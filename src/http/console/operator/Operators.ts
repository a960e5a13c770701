/**
 * The operators of the gateway: add one and give them a one-time link, sign them out, remove them. The last one stays:
 * only the command line, on the gateway's own machine, removes the last operator. Each change is in the audit trail.
 */
import { Effect, Schema } from "effect"
import { labelCharsMax } from "../../../domain/limits/Access.js"
import type { Member } from "../../../domain/Member.js"
import { Members } from "../../../services/Members.js"
import { Sessions } from "../../../services/Sessions.js"
import { label } from "../../Fields.js"
import { code, instant } from "../Figures.js"
import { actForm, boxField, button, Confirmed, type Filled, form as formHtml } from "../Forms.js"
import { textField, toldOf, typedAgain, unfilled } from "../Forms.js"
import { type Content, html, nothing, to } from "../Html.js"
import { operatorForm, operatorPage, type OperatorVisit, redirect, screen } from "../Page.js"
import { facts, noticeOf, section } from "../Parts.js"
import { table } from "../Tables.js"
import { blankOr } from "../workspace/Fields.js"
import { emailField, memberIn, newLink } from "../workspace/Members.js"

const place = ["operator", "operators"]
const fieldNames = ["name", "email"]

/** The last operator stays, so that nobody is offered what would be refused. */
const actionsOf =
  (isLast: boolean) =>
  ({ memberId, name }: Member) => {
    const unseen = html`<span class="unseen"> ${name}</span>`
    const action = (act: string) => to([...place, memberId, act])
    return html`<div class="actions">
    ${actForm({ action: action("link"), label: html`Make a sign-in link${unseen}` })}
    ${actForm({ action: action("sign-out"), label: html`Sign out everywhere${unseen}` })}
    ${!isLast && actForm({ action: action("remove"), label: html`Remove${unseen}`, kind: "danger" })}
  </div>`
  }

const operatorsScreen = (visit: OperatorVisit, form: Filled, signInLink: Content = nothing) =>
  Effect.gen(function* () {
    const operators = yield* (yield* Members).list(null)
    return screen({
      title: "Operators",
      actions: html`<a class="button plain" href=${to(["operator", "audit"])}>Audit</a>`,
      content: html`${signInLink}
        ${noticeOf(visit.notice, {
          out: "Their sessions are over.",
          removed: "They were removed and are signed out everywhere."
        })}
        ${toldOf(form, fieldNames)}
        <p>An operator sees and changes every workspace, decides about uncertain runs, and adds and removes operators.</p>
        ${table({
          caption: "Operators of this gateway",
          columns: [
            {
              label: "Name",
              cell: ({ memberId, name }) => html`<bdi>${name}</bdi>${memberId === visit.by.memberId && " (you)"}`
            },
            { label: "E-mail", cell: ({ email }) => email !== null && html`<bdi>${email}</bdi>` },
            { label: "Since", minor: true, cell: ({ createdAt }) => instant(createdAt) },
            { label: "", cell: actionsOf(operators.length === 1) }
          ],
          rows: operators,
          empty: null
        })}
        ${section(
          "Add an operator",
          formHtml({
            action: to(place),
            label: "Add an operator",
            content: html`${textField({ form, name: "name", label: "Name", required: true, charsMax: labelCharsMax })}
            ${emailField(form)}
            ${button("Add and make a sign-in link")}`
          })
        )}`
    })
  })

const operatorsPage = operatorPage({
  path: "operators",
  navigation: { label: "Operators", order: 45 },
  show: (visit) => operatorsScreen(visit, unfilled)
})

const asOperators = ({ by }: OperatorVisit) => ({ by, workspaceId: null })

const addOperator = operatorForm({
  path: "operators",
  fields: Schema.Struct({ name: label, email: blankOr(Schema.String) }),
  act: (visit, { email, name }) =>
    Effect.gen(function* () {
      const { memberId } = yield* (yield* Members).add({ workspaceId: null, role: "operator", name, email }, visit.by)
      return yield* operatorsScreen(visit, unfilled, yield* newLink(asOperators(visit), memberId))
    }),
  again: operatorsScreen
})

const linkOperator = operatorForm({
  path: "operators/:memberId/link",
  fields: Schema.Struct({}),
  act: (visit) =>
    Effect.gen(function* () {
      return yield* operatorsScreen(visit, unfilled, yield* newLink(asOperators(visit), yield* memberIn(visit)))
    }),
  again: operatorsScreen
})

const signOutOperator = operatorForm({
  path: "operators/:memberId/sign-out",
  fields: Schema.Struct({}),
  act: (visit) =>
    Effect.gen(function* () {
      yield* (yield* Sessions).signOutEverywhere(null, yield* memberIn(visit), visit.by)
      return redirect(to(place), { notice: "out" })
    }),
  again: operatorsScreen
})

const removeOperator = operatorForm({
  path: "operators/:memberId/remove",
  fields: Schema.Struct({ confirmed: Confirmed, revokeTokens: Schema.optional(Schema.String) }),
  act: (visit, { confirmed, revokeTokens }, typed) =>
    Effect.gen(function* () {
      const members = yield* Members
      const memberId = yield* memberIn(visit)
      if (confirmed === undefined) {
        const { email, name } = yield* members.get(null, memberId)
        return screen({
          title: "Remove this operator?",
          content: html`${facts([
            ["Name", html`<bdi>${name}</bdi>`],
            ["E-mail", email],
            ["Operator", code(memberId)]
          ])}
            <p>Their sessions and sign-in links end at once.${memberId === visit.by.memberId && " This is you: you are signed out."}</p>
            ${formHtml({
              action: to([...place, memberId, "remove"]),
              label: "Remove the operator",
              content: html`${typedAgain(typed)}
              ${boxField({
                form: unfilled,
                name: "revokeTokens",
                label: "Also revoke the tokens that they made or approved",
                hint: "Without this, these tokens go on working."
              })}
              <div class="actions">${button("Remove", { kind: "danger" })} <a href=${to(place)}>Cancel</a></div>`
            })}`
        })
      }
      yield* members.remove(null, memberId, { revokeTokens: revokeTokens !== undefined }, visit.by)
      return redirect(to(place), { notice: "removed" })
    }),
  again: operatorsScreen
})

export const operatorMemberPages = [operatorsPage, addOperator, linkOperator, signOutOperator, removeOperator]

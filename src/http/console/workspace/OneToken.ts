/**
 * One token of a workspace: give it a new secret, with a time in which both work; change its name, limit and end;
 * revoke it. For owners.
 */
import { Clock, Effect, Schema } from "effect"
import { daySeconds, hourSeconds } from "../../../domain/Days.js"
import { rotationOverlapSecondsMax } from "../../../domain/limits/Access.js"
import { toUsd } from "../../../domain/Micros.js"
import { Tokens } from "../../../services/Tokens.js"
import { says, timeOrNull } from "../../Fields.js"
import { tokenIdOf } from "../../GivenId.js"
import { code, dash, instant, linkTo, money, statusBadge } from "../Figures.js"
import {
  actForm,
  button,
  type Filled,
  filledWith,
  form as formHtml,
  selectField,
  toldOf,
  typedOf,
  unfilled
} from "../Forms.js"
import { html, to } from "../Html.js"
import { redirect, screen, workspaceForm, workspacePage, type WorkspaceVisit } from "../Page.js"
import { facts, noticeOf, section } from "../Parts.js"
import { scopeMeanings } from "../Scopes.js"
import { changeable, changeableFields, changeableNames, shownOnce, statusOf } from "./Tokens.js"

/** How long the old secret may work on. */
const overlaps = [
  { value: "0", label: "Not at all" },
  { value: String(hourSeconds), label: "One hour" },
  { value: String(daySeconds), label: "One day" },
  { value: String(rotationOverlapSecondsMax), label: `${rotationOverlapSecondsMax / daySeconds} days` }
]

const tokenScreen = (visit: WorkspaceVisit, form: Filled) =>
  Effect.gen(function* () {
    const { workspaceId } = visit
    const tokenId = yield* tokenIdOf(visit.path.get("tokenId"))
    const token = yield* (yield* Tokens).get(workspaceId, tokenId)
    const status = statusOf(token, yield* Clock.currentTimeMillis)
    const segments = [workspaceId, "tokens", tokenId]
    const change =
      typedOf(form, "label") === null
        ? {
            ...form,
            typed: filledWith({
              label: token.label,
              monthlyLimitUsd: token.monthlyLimitMicros === null ? null : String(toUsd(token.monthlyLimitMicros)),
              expiresAt: timeOrNull(token.expiresAt)
            }).typed
          }
        : form
    return screen({
      title: token.label,
      content: html`${noticeOf(visit.notice, { changed: "The token was changed." })}
        ${toldOf(form, [...changeableNames, "overlapSeconds"])}
        ${section(
          "Token",
          facts([
            ["Status", statusBadge(status)],
            ["Token", code(token.tokenId)],
            [
              "It may",
              html`<ul class="changes">${token.scopes.map((scope) => html`<li>${scopeMeanings[scope]} <small>${code(scope)}</small></li>`)}</ul>`
            ],
            ["Made", instant(token.createdAt)],
            ["Last used", token.lastUsedAt === null ? html`not yet` : instant(token.lastUsedAt)],
            ["Ends", token.expiresAt === null ? html`never` : instant(token.expiresAt)],
            ["Revoked", token.revokedAt === null ? null : instant(token.revokedAt)],
            [
              "Spent this month",
              html`${linkTo(to([workspaceId, "runs"], { token: tokenId }), money(token.monthSpendMicros))} <small>with what is held for its runs, and with the tokens that come from it</small>`
            ],
            ["Monthly limit", token.monthlyLimitMicros === null ? dash : money(token.monthlyLimitMicros)]
          ])
        )}
        ${
          status === "revoked"
            ? html`<p><a href=${to([workspaceId, "tokens"])}>All tokens</a></p>`
            : html`<div class="grid2">
                ${section(
                  "Change it",
                  formHtml({
                    action: to(segments),
                    label: "Change this token",
                    content: html`${changeable(change)} ${button("Save", { kind: "plain" })}`
                  })
                )}
                <div>${section(
                  "Give it a new secret",
                  formHtml({
                    action: to([...segments, "rotate"]),
                    label: "Give this token a new secret",
                    content: html`${selectField({
                      form,
                      name: "overlapSeconds",
                      label: "The old secret works on for",
                      choices: overlaps
                    })}
                    ${button("New secret", { kind: "plain" })}`
                  })
                )}
                ${section(
                  "Revoke it",
                  html`<p>It stops working at once, on every node, with every token that it let in.</p>
                    ${actForm({
                      action: to([...segments, "revoke"]),
                      label: "Revoke token",
                      kind: "danger",
                      confirm: `Revoke ${token.label}? Whatever uses it stops working at once.`
                    })}`
                )}</div>
              </div>`
        }`
    })
  })

export const tokenPage = workspacePage({
  path: "tokens/:tokenId",
  sees: "owner",
  show: (visit) => tokenScreen(visit, unfilled)
})

export const changeToken = workspaceForm({
  path: "tokens/:tokenId",
  sees: "owner",
  fields: Schema.Struct(changeableFields),
  act: (visit, { expiresAt, label, monthlyLimitUsd }) =>
    Effect.gen(function* () {
      const tokenId = yield* tokenIdOf(visit.path.get("tokenId"))
      const tokens = yield* Tokens
      const before = yield* tokens.get(visit.workspaceId, tokenId)
      // An end that is left as it is may lie in the past.
      const end = expiresAt === before.expiresAt ? {} : { expiresAt }
      yield* tokens.change(visit.principal, tokenId, { label, monthlyLimitMicros: monthlyLimitUsd, ...end }, visit.by)
      return redirect(to([visit.workspaceId, "tokens", tokenId]), { notice: "changed" })
    }),
  again: tokenScreen
})

export const rotateToken = workspaceForm({
  path: "tokens/:tokenId/rotate",
  sees: "owner",
  fields: Schema.Struct({
    overlapSeconds: Schema.NumberFromString.pipe(Schema.int(), Schema.annotations(says("must be one of the choices")))
  }),
  act: (visit, { overlapSeconds }) =>
    Effect.gen(function* () {
      const tokenId = yield* tokenIdOf(visit.path.get("tokenId"))
      const shown = yield* (yield* Tokens).rotate(visit.principal, tokenId, overlapSeconds, visit.by)
      return shownOnce(shown, visit.workspaceId, "The new secret")
    }),
  again: tokenScreen
})

export const revokeToken = workspaceForm({
  path: "tokens/:tokenId/revoke",
  sees: "owner",
  fields: Schema.Struct({}),
  act: (visit) =>
    Effect.gen(function* () {
      yield* (yield* Tokens).revoke(visit.principal, yield* tokenIdOf(visit.path.get("tokenId")), visit.by)
      return redirect(to([visit.workspaceId, "tokens"]), { notice: "revoked" })
    }),
  again: tokenScreen
})

/** The tokens of a workspace, and a new one, whose secret is shown once. For owners. */
import { Clock, Effect, Redacted, Schema } from "effect"
import { labelCharsMax } from "../../../domain/limits/Access.js"
import { toUsd } from "../../../domain/Micros.js"
import { Scope, scopes as allScopes } from "../../../domain/Scope.js"
import { type ShownToken, type Token, Tokens } from "../../../services/Tokens.js"
import { line, says, time, timeOrNull } from "../../Fields.js"
import { instantParam } from "../../Query.js"
import {
  code,
  copyOnceButton,
  instant,
  instantOrDash,
  linkTo,
  money,
  moneyOrDash,
  shortId,
  statusBadge
} from "../Figures.js"
import { boxesField, button, type Filled, filledWith, form as formHtml, textField, toldOf } from "../Forms.js"
import { html, type Html, to } from "../Html.js"
import { usdField } from "../Money.js"
import { momentField } from "../Moments.js"
import { type Screen, screen, workspaceForm, workspacePage, type WorkspaceVisit } from "../Page.js"
import { facts, notice, noticeOf, section } from "../Parts.js"
import { scopeMeanings } from "../Scopes.js"
import { type Column, listing, noFilters } from "../Tables.js"
import { blankOr, manyOf, usdParam } from "./Fields.js"

export const statusOf = ({ expiresAt, revokedAt }: Token, now: number): "active" | "expired" | "revoked" =>
  revokedAt !== null ? "revoked" : expiresAt !== null && expiresAt <= now ? "expired" : "active"

const columns = (workspaceId: string, now: number): ReadonlyArray<Column<Token>> => [
  {
    label: "Name",
    cell: ({ label, tokenId }) => linkTo(to([workspaceId, "tokens", tokenId]), html`<bdi>${label}</bdi>`),
    csv: ({ label }) => label
  },
  {
    label: "Token",
    minor: true,
    cell: ({ tokenId }) => shortId(tokenId, to([workspaceId, "tokens", tokenId])),
    csv: ({ tokenId }) => tokenId
  },
  { label: "Status", cell: (token) => statusBadge(statusOf(token, now)), csv: (token) => statusOf(token, now) },
  {
    label: "May",
    minor: true,
    cell: ({ scopes }) =>
      scopes.length === allScopes.length ? "everything" : html`${scopes.map((scope) => html`${code(scope)} `)}`,
    csv: ({ scopes }) => scopes.join(" ")
  },
  {
    label: "Spent this month",
    numeric: true,
    cell: ({ monthSpendMicros, tokenId }) =>
      linkTo(to([workspaceId, "runs"], { token: tokenId }), money(monthSpendMicros)),
    csv: ({ monthSpendMicros }) => toUsd(monthSpendMicros)
  },
  {
    label: "Monthly limit",
    numeric: true,
    cell: ({ monthlyLimitMicros }) => moneyOrDash(monthlyLimitMicros),
    csv: ({ monthlyLimitMicros }) => (monthlyLimitMicros === null ? null : toUsd(monthlyLimitMicros))
  },
  {
    label: "Made",
    minor: true,
    cell: ({ createdAt }) => instant(createdAt),
    csv: ({ createdAt }) => time(createdAt)
  },
  {
    label: "Last used",
    cell: ({ lastUsedAt }) => instantOrDash(lastUsedAt),
    csv: ({ lastUsedAt }) => timeOrNull(lastUsedAt)
  },
  {
    label: "Ends",
    minor: true,
    cell: ({ expiresAt }) => instantOrDash(expiresAt),
    csv: ({ expiresAt }) => timeOrNull(expiresAt)
  }
]

/** Name, limit and end: what can be changed later too. */
export const changeable = (form: Filled): Html =>
  html`${textField({ form, name: "label", label: "Name", hint: "What it is for.", required: true, charsMax: labelCharsMax })}
    ${usdField({
      form,
      name: "monthlyLimitUsd",
      label: "Monthly limit in US dollars",
      hint: "Empty: no limit of its own."
    })}
    ${momentField({ form, name: "expiresAt", label: "Ends (UTC)", hint: "Empty: never." })}`

export const changeableFields = {
  label: line(labelCharsMax),
  monthlyLimitUsd: blankOr(usdParam),
  expiresAt: blankOr(instantParam)
}
export const changeableNames = ["label", "monthlyLimitUsd", "expiresAt"]

/** The one time that a secret is seen. */
export const shownOnce = ({ secret, token }: ShownToken, workspaceId: string, title: string): Screen =>
  screen({
    title,
    content: html`${notice(
      html`<p>Copy it now. It is stored nowhere and never shown again.</p>
        <code class="secret" id="secret" tabindex="0">${Redacted.value(secret)}</code>
        ${copyOnceButton(Redacted.value(secret))}
        <p>Send it as <code>Authorization: Bearer …</code>, and keep it on the server.</p>`
    )}
    ${facts([
      ["Name", html`<bdi>${token.label}</bdi>`],
      ["Token", code(token.tokenId)]
    ])}
    <p class="actions"><a class="button plain" href=${to([workspaceId, "tokens"])}>I have it</a></p>`
  })

const tokensScreen = (visit: WorkspaceVisit, form: Filled) =>
  Effect.gen(function* () {
    const tokens = yield* Tokens
    const { workspaceId } = visit
    const now = yield* Clock.currentTimeMillis
    const listed = yield* listing({
      visit,
      name: "tokens",
      owner: workspaceId,
      segments: [workspaceId, "tokens"],
      caption: "Tokens",
      columns: columns(workspaceId, now),
      filters: noFilters,
      keyOf: ({ tokenId }) => tokenId,
      empty: html`<p>No token yet.</p><p>Programs use this workspace with a token. Make one below.</p>`,
      read: (_, page) => tokens.list(workspaceId, page)
    })
    if (listed._tag === "File") return listed
    return screen({
      title: "Tokens",
      content: html`${noticeOf(visit.notice, { revoked: "The token is revoked. It works nowhere any more." })}
        ${listed.content}
        ${section(
          "Make a token",
          html`${toldOf(form, [...changeableNames, "scopes"])}${formHtml({
            action: to([workspaceId, "tokens"]),
            label: "Make a token",
            content: html`${changeable(form)}
              ${boxesField({
                form,
                name: "scopes",
                label: "It may",
                choices: allScopes.map((scope) => ({ value: scope, label: scopeMeanings[scope], hint: code(scope) }))
              })}
              ${button("Make token")}`
          })}`
        )}`
    })
  })

/** What most programs need. */
const usual = filledWith({ scopes: ["catalog:read", "runs:read", "runs:execute", "usage:read"] })

export const tokensPage = workspacePage({
  path: "tokens",
  sees: "owner",
  navigation: { label: "Tokens", order: 40 },
  show: (visit) => tokensScreen(visit, usual)
})

export const makeToken = workspaceForm({
  path: "tokens",
  sees: "owner",
  fields: Schema.Struct({
    ...changeableFields,
    scopes: manyOf(Scope.annotations(says(`must be some of ${allScopes.join(", ")}`)))
  }),
  act: (visit, { expiresAt, label, monthlyLimitUsd, scopes }) =>
    Effect.gen(function* () {
      const shown = yield* (yield* Tokens).create(
        visit.principal,
        { label, scopes, monthlyLimitMicros: monthlyLimitUsd, expiresAt },
        visit.by
      )
      return shownOnce(shown, visit.workspaceId, "Your new token")
    }),
  again: tokensScreen
})

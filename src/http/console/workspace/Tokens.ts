/**
 * The tokens of a workspace: make one, shown once; give one a new secret, with a time in which both work; change its
 * name, limit and end; revoke it. For owners.
 */
import { Clock, Effect, Redacted, Schema } from "effect"
import { daySeconds, hourSeconds } from "../../../domain/Days.js"
import { labelCharsMax, rotationOverlapSecondsMax } from "../../../domain/limits/Access.js"
import { toUsd } from "../../../domain/Micros.js"
import { Scope, scopes as allScopes } from "../../../domain/Scope.js"
import { type ShownToken, type Token, Tokens } from "../../../services/Tokens.js"
import { line, says, time, timeOrNull } from "../../Fields.js"
import { tokenIdOf } from "../../GivenId.js"
import { instantParam } from "../../Query.js"
import {
  code,
  copyOnceButton,
  dash,
  instant,
  instantOrDash,
  linkTo,
  money,
  moneyOrDash,
  shortId,
  statusBadge
} from "../Figures.js"
import {
  actForm,
  boxesField,
  button,
  type Filled,
  filledWith,
  form as formHtml,
  selectField,
  textField,
  toldOf,
  typedOf,
  unfilled
} from "../Forms.js"
import { html, type Html, to } from "../Html.js"
import { usdField } from "../Money.js"
import { momentField } from "../Moments.js"
import { redirect, type Screen, screen, workspaceForm, workspacePage, type WorkspaceVisit } from "../Page.js"
import { facts, notice, noticeOf, section } from "../Parts.js"
import { scopeMeanings } from "../Scopes.js"
import { type Column, listing, noFilters } from "../Tables.js"
import { blankOr, manyOf, usdParam } from "./Fields.js"

const statusOf = ({ expiresAt, revokedAt }: Token, now: number): "active" | "expired" | "revoked" =>
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
const changeable = (form: Filled): Html =>
  html`${textField({ form, name: "label", label: "Name", hint: "What it is for.", required: true, charsMax: labelCharsMax })}
    ${usdField({
      form,
      name: "monthlyLimitUsd",
      label: "Monthly limit in US dollars",
      hint: "Empty: no limit of its own."
    })}
    ${momentField({ form, name: "expiresAt", label: "Ends (UTC)", hint: "Empty: never." })}`

const changeableFields = {
  label: line(labelCharsMax),
  monthlyLimitUsd: blankOr(usdParam),
  expiresAt: blankOr(instantParam)
}
const changeableNames = ["label", "monthlyLimitUsd", "expiresAt"]

/** The one time that a secret is seen. */
const shownOnce = ({ secret, token }: ShownToken, workspaceId: string, title: string): Screen =>
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

/** The workspace's own keys at providers: add one, remove one. A secret goes in and is never shown again. */
import { Effect, Redacted, Schema } from "effect"
import { ValidationError } from "../../../domain/ApiErrors.js"
import { labelCharsMax, secretCharsMax, variablesTextCharsMax } from "../../../domain/limits/Access.js"
import { providerIdCharsMax } from "../../../domain/limits/Manifests.js"
import { Catalog } from "../../../services/Catalog.js"
import { ConnectionAuthorizations } from "../../../services/ConnectionAuthorizations.js"
import { providerNamed } from "../../connections/Authorizing.js"
import { variablesText } from "../../../domain/Manifest.js"
import { type Connection, Connections, type Revocation } from "../../../services/Connections.js"
import { PlatformKeys } from "../../../services/PlatformKeys.js"
import { line, says, time, timeOrNull } from "../../Fields.js"
import { instantParam } from "../../Query.js"
import { badge, dash, instant, linkTo, shortId } from "../Figures.js"
import { actForm, button, type Filled, filledWith, form as formHtml, selectField, textField, toldOf } from "../Forms.js"
import { html, nothing, to } from "../Html.js"
import { momentField } from "../Moments.js"
import { redirect, screen, workspaceForm, workspacePage, type WorkspaceVisit } from "../Page.js"
import { noticeOf, section } from "../Parts.js"
import { type Column, listing, noFilters } from "../Tables.js"
import { blankOr, variablesParam } from "./Fields.js"

const columns = (workspaceId: string): ReadonlyArray<Column<Connection>> => [
  { label: "Name", cell: ({ label }) => html`<bdi>${label}</bdi>`, csv: ({ label }) => label },
  {
    label: "Provider",
    cell: ({ providerId, variables }) =>
      html`${linkTo(to([workspaceId, "catalog"], { provider: providerId }), providerId)}${
        variables !== undefined && html`<br /><small>${variablesText(variables)}</small>`
      }`,
    csv: ({ providerId }) => providerId
  },
  {
    label: "Connection",
    minor: true,
    cell: ({ connectionId }) => shortId(connectionId),
    csv: ({ connectionId }) => connectionId
  },
  { label: "Added", cell: ({ createdAt }) => instant(createdAt), csv: ({ createdAt }) => time(createdAt) },
  {
    label: "Address",
    fileOnly: true,
    cell: () => null,
    csv: ({ variables }) => (variables === undefined ? null : variablesText(variables))
  },
  {
    label: "Used until",
    cell: ({ expiresAt }) => (expiresAt === null ? dash : instant(expiresAt)),
    csv: ({ expiresAt }) => timeOrNull(expiresAt)
  },
  {
    label: "State",
    cell: ({ oauth }) =>
      oauth === null || oauth.refused === null
        ? // Nothing is known of a key until a run has used it, and no run notes it here.
          badge(oauth === null ? "stored" : "connected", "plain")
        : html`${badge("ended", "bad")} ${instant(oauth.refused.at)}<br /><small>${oauth.refused.reason}</small>`,
    csv: ({ oauth }) => (oauth === null ? "stored" : oauth.refused === null ? "connected" : oauth.refused.reason)
  },
  {
    label: "",
    cell: ({ connectionId, label }) =>
      actForm({
        action: to([workspaceId, "connections", connectionId, "remove"]),
        label: html`Remove<span class="unseen"> ${label}</span>`,
        kind: "danger",
        confirm: `Remove ${label}? Its key is destroyed at once, and runs that name it fail from then on.`
      })
  }
]

const fieldNames = ["providerId", "label", "secret", "expiresAt", "variables", "account", "accountLabel"]

/**
 * The form that connects an account in a browser. It has the providers for which the operator has set an OAuth client;
 * nothing while there is none.
 */
const accountForm = (workspaceId: string, form: Filled) =>
  Effect.gen(function* () {
    const listed = yield* (yield* Catalog).providers
    const taking = listed.flatMap(({ provider: { auth, id, name } }) =>
      auth.type === "oauth2_authorization_code" ? [{ value: id, label: name }] : []
    )
    if (taking.length === 0) return nothing
    const clients = new Set((yield* (yield* PlatformKeys).list).map(({ providerId }) => providerId))
    const choices = taking.filter(({ value }) => clients.has(value))
    if (choices.length === 0) return nothing
    return section(
      "Connect an account",
      formHtml({
        action: to([workspaceId, "connections", "authorize"]),
        label: "Connect an account",
        content: html`${selectField({ form, name: "account", label: "Provider", required: true, choices })}
        ${textField({ form, name: "accountLabel", label: "Name", hint: "How you know it again.", required: true, charsMax: labelCharsMax })}
        ${button("Connect account")}`
      })
    )
  })

const connectionsScreen = (visit: WorkspaceVisit, form: Filled) =>
  Effect.gen(function* () {
    const connections = yield* Connections
    const { workspaceId } = visit
    const listed = yield* listing({
      visit,
      name: "connections",
      owner: workspaceId,
      segments: [workspaceId, "connections"],
      caption: "Connections",
      columns: columns(workspaceId),
      filters: noFilters,
      keyOf: ({ connectionId }) => connectionId,
      empty: html`<p>No connection yet.</p>
        <p>Add a key of yours at a provider, and runs at this provider use it from then on.</p>`,
      read: (_, page) => connections.list(workspaceId, page)
    })
    if (listed._tag === "File") return listed
    const account = yield* accountForm(workspaceId, form)
    const providers = (yield* (yield* Catalog).providers).flatMap(({ provider: { auth, id, ownKey } }) =>
      ownKey && auth.type !== "oauth2_authorization_code" && auth.type !== "none" ? [id] : []
    )
    return screen({
      title: "Connections",
      content: html`${noticeOf(visit.notice, { added: "The connection was added.", removed: "The connection was removed.", revoked: "The connection was removed, and the provider has ended its access.", unrevoked: "The connection was removed here, and the provider has not confirmed the end of its access: end it in the account there." })}
        ${listed.content}
        ${account}
        ${section(
          "Add a connection",
          html`${toldOf(form, fieldNames)}${formHtml({
            action: to([workspaceId, "connections"]),
            label: "Add a connection",
            content: html`${textField({
              form,
              name: "providerId",
              label: "Provider",
              hint: "Its id in the catalog.",
              required: true,
              suggestions: providers.toSorted(),
              charsMax: providerIdCharsMax
            })}
            ${textField({ form, name: "label", label: "Name", hint: "How you know it again.", required: true, charsMax: labelCharsMax })}
            ${textField({
              form,
              name: "secret",
              label: "Key",
              type: "password",
              hint: "The key at the provider; user and password, or client id and secret, as user:password. It is sealed and never shown again.",
              required: true,
              charsMax: secretCharsMax,
              autocomplete: "new-password"
            })}
            ${momentField({ form, name: "expiresAt", label: "Used until (UTC)", hint: "Empty: until it is removed." })}
            ${textField({
              form,
              name: "variables",
              label: "Your address",
              hint: "For a provider whose address has a part of yours, such as shop=acme; several with spaces between them.",
              charsMax: variablesTextCharsMax
            })}
            ${button("Add connection")}`
          })}`
        )}`
    })
  })

export const connectionsPage = workspacePage({
  path: "connections",
  sees: "owner",
  navigation: { label: "Connections", order: 50 },
  show: (visit) => {
    const provider = visit.query.get("provider") ?? null
    return connectionsScreen(visit, filledWith({ providerId: provider, account: provider }))
  }
})

export const addConnection = workspaceForm({
  path: "connections",
  sees: "owner",
  fields: Schema.Struct({
    providerId: line(providerIdCharsMax),
    label: line(labelCharsMax),
    secret: Schema.Redacted(Schema.String.pipe(Schema.minLength(1), Schema.annotations(says("is required")))),
    expiresAt: blankOr(instantParam),
    variables: Schema.optionalWith(blankOr(variablesParam), { exact: true, default: () => null })
  }),
  act: (visit, { expiresAt, label, providerId, secret, variables }) =>
    Effect.gen(function* () {
      const connections = yield* Connections
      const { workspaceId } = visit
      const problem = yield* (yield* Catalog).connectionProblem(providerId, variables ?? {}, secret)
      if (problem !== null)
        return yield* problem.field === "providerId" || problem.field === "secret"
          ? new ValidationError({ details: [problem] })
          : ValidationError.of("variables", `${problem.field.replace("variables.", "")} ${problem.message}`)
      yield* connections.create(
        { workspaceId, providerId, label, secret, expiresAt, ...(variables === null ? {} : { variables }) },
        visit.by
      )
      return redirect(to([workspaceId, "connections"]), { notice: "added" })
    }),
  again: connectionsScreen
})

export const authorizeConnection = workspaceForm({
  path: "connections/authorize",
  sees: "owner",
  fields: Schema.Struct({ account: line(providerIdCharsMax), accountLabel: line(labelCharsMax) }),
  act: (visit, { account, accountLabel }) =>
    Effect.gen(function* () {
      const authorizations = yield* ConnectionAuthorizations
      const begun = yield* Effect.gen(function* () {
        const provider = yield* providerNamed(yield* Catalog, account)
        return yield* authorizations.begin(
          { workspaceId: visit.workspaceId, provider, label: accountLabel, expiresAt: null },
          visit.by
        )
      }).pipe(Effect.catchTag("validation_error", (error) => Effect.fail(ofAccount(error))))
      return redirect(to(["connect", Redacted.value(begun.link)]))
    }),
  again: connectionsScreen
})

/** The fields of this form have names of their own, because another form stands on the same page. */
const ofAccount = ({ details: [first] }: ValidationError) =>
  ValidationError.of(first.field === "label" ? "accountLabel" : "account", first.message)

const endedWith: { readonly [revocation in Revocation]: string } = {
  no_grant: "removed",
  confirmed: "revoked",
  unconfirmed: "unrevoked",
  not_offered: "unrevoked"
}

export const removeConnection = workspaceForm({
  path: "connections/:connectionId/remove",
  sees: "owner",
  fields: Schema.Struct({}),
  act: (visit) =>
    Effect.gen(function* () {
      const connections = yield* Connections
      const ended = yield* connections.delete(visit.workspaceId, visit.path.get("connectionId") ?? "", visit.by)
      return redirect(to([visit.workspaceId, "connections"]), { notice: endedWith[ended] })
    }),
  again: connectionsScreen
})

/**
 * The pages on which a person connects their account at a provider: the one that their link opens, and the one to which
 * the provider sends them back. They need no session, because the person may be no member. The first one says which
 * workspace asks, and the browser that goes on has the link for itself: a way back that another browser has begun, or
 * that was used before, is refused. Where the person is sent comes from the catalog alone.
 */
import { Effect, Redacted } from "effect"
import { Accounts } from "../../services/Accounts.js"
import type { GrantRefused, ServerUnavailable } from "../../services/AuthorizationServers.js"
import { Catalog } from "../../services/Catalog.js"
import { type AuthorizationOver, ConnectionAuthorizations } from "../../services/ConnectionAuthorizations.js"
import { PublicUrl } from "../../services/PublicUrl.js"
import { callbackOf, providerOf } from "../connections/Authorizing.js"
import { actForm } from "./Forms.js"
import { html, Link, to } from "./Html.js"
import { openForm, openPage, Refusal, screen, type Visit } from "./Page.js"
import { facts } from "./Parts.js"

const beginAnew = "Begin again where you got the link: in the console, or with POST /v1/connections/authorizations."
const over = new Refusal(
  410,
  "This link is over",
  "It was used before, is too old, or belongs to another browser.",
  beginAnew
)
const linkOf = ({ path }: Visit) => Redacted.make(path.get("link") ?? "")

/** What the link is for, while its provider is in the catalog. */
const begunBy = (visit: Visit) =>
  Effect.gen(function* () {
    const authorizations = yield* ConnectionAuthorizations
    const begun = yield* Effect.catchTag(authorizations.begun(linkOf(visit)), "AuthorizationOver", () =>
      Effect.fail(over)
    )
    const provider = yield* providerOf(yield* Catalog, begun.providerId)
    return provider === null ? yield* Effect.fail(over) : { ...begun, provider }
  })

const connectPage = openPage({
  path: "connect/:link",
  show: (visit) =>
    Effect.gen(function* () {
      const { label, provider, workspaceId } = yield* begunBy(visit)
      const { name } = yield* (yield* Accounts).workspace(workspaceId)
      const scopes = provider.auth.type === "oauth2_authorization_code" ? provider.auth.scopes : []
      return screen({
        title: `Connect your account at ${provider.name}`,
        content: html`<p>
            The workspace <bdi>${name}</bdi> asks to use your account at ${provider.name}. Go on only if you know this
            workspace and want its runs to use your account.
          </p>
          ${facts([
            ["Connection", html`<bdi>${label}</bdi>`],
            [
              "It asks for",
              scopes.length === 0
                ? `what ${provider.name} says on the next page`
                : html`<ul>
                    ${scopes.map((scope) => html`<li><code>${scope}</code></li>`)}
                  </ul>`
            ]
          ])}
          ${actForm({
            action: to(["connect", visit.path.get("link") ?? ""]),
            label: `Go on to ${provider.name}`,
            kind: "main"
          })}`
      })
    })
})

/** A page and not a redirect, because our forms may lead to no other site. */
const leaveForm = openForm({
  path: "connect/:link",
  act: (visit) =>
    Effect.gen(function* () {
      const authorizations = yield* ConnectionAuthorizations
      const { provider } = yield* begunBy(visit)
      const url = yield* Effect.catchTag(
        authorizations.leave(linkOf(visit), {
          provider,
          browser: visit.visitor.browser,
          redirectUri: callbackOf(yield* PublicUrl)
        }),
        "AuthorizationOver",
        () => Effect.fail(over)
      )
      return screen({
        title: `Go on to ${provider.name}`,
        headers: { refresh: `0; url=${url.href}` },
        content: html`<p><a href=${Link.elsewhere(url.href)} rel="noreferrer">Go on to ${provider.name}</a></p>`
      })
    })
})

const refusalOf = (error: AuthorizationOver | GrantRefused | ServerUnavailable): Refusal => {
  switch (error._tag) {
    case "AuthorizationOver":
      return over
    case "GrantRefused":
      return error.of === "client"
        ? new Refusal(
            502,
            "The provider refused the gateway",
            `It does not accept this gateway's OAuth client${error.code === null ? "" : ` (${error.code})`}.`,
            "Ask the operator of this gateway."
          )
        : new Refusal(
            400,
            "The account is not connected",
            error.code === "access_denied"
              ? "You did not agree, so nothing was connected."
              : `The provider did not agree${error.code === null ? "" : ` (${error.code})`}.`,
            beginAnew
          )
    case "ServerUnavailable":
      return new Refusal(
        503,
        "The provider does not answer",
        "Whether it has connected the account is not known, and nothing was stored here.",
        beginAnew
      )
  }
}

const callbackPage = openPage({
  path: "connect/callback",
  acts: true,
  show: (visit) =>
    Effect.gen(function* () {
      const authorizations = yield* ConnectionAuthorizations
      const catalog = yield* Catalog
      const callback = new URL(callbackOf(yield* PublicUrl))
      for (const [name, value] of visit.query) callback.searchParams.set(name, value)
      const connection = yield* authorizations
        .finish(visit.visitor.browser, callback, (providerId) => providerOf(catalog, providerId))
        .pipe(
          Effect.tapErrorTag("GrantRefused", ({ code, of }) =>
            Effect.logWarning("A provider refused to connect an account").pipe(Effect.annotateLogs({ of, code }))
          ),
          Effect.tapErrorTag("ServerUnavailable", ({ reason, word }) =>
            Effect.logWarning("A provider did not answer when an account was to be connected").pipe(
              Effect.annotateLogs({ reason, word })
            )
          ),
          Effect.catchTags({
            AuthorizationOver: (error) => Effect.fail(refusalOf(error)),
            GrantRefused: (error) => Effect.fail(refusalOf(error)),
            ServerUnavailable: (error) => Effect.fail(refusalOf(error))
          })
        )
      return screen({
        title: "The account is connected",
        content: html`<p>
            The connection <bdi>${connection.label}</bdi> <code>${connection.connectionId}</code> is ready.
            ${visit.session === null && "You can close this page."}
          </p>
          ${
            visit.session !== null &&
            html`<p><a href=${to([connection.workspaceId, "connections"])}>To the connections</a></p>`
          }`
      })
    })
})

export const connectPages = [callbackPage, connectPage, leaveForm]

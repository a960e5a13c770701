/**
 * Signing in and out. A sign-in link is opened with one button: loading its page changes nothing, so that a preview of
 * the link, or a scanner of mail, does not use it up. Each sign-in makes a new session and ends the one that the
 * browser had. It leads back only to pages of this gateway.
 */
import { Effect, Redacted } from "effect"
import { dayMillis, hourMillis } from "../../../domain/Days.js"
import type { Member } from "../../../domain/Member.js"
import { sessionIdleMillis, sessionMillis, signInLinkMillis } from "../../../domain/limits/Access.js"
import { Accounts } from "../../../services/Accounts.js"
import { OpenId } from "../../../services/OpenId.js"
import { type LinkOver, Sessions, type SignedIn } from "../../../services/Sessions.js"
import { actForm } from "../Forms.js"
import { html, Link, to } from "../Html.js"
import {
  openForm,
  openPage,
  redirect,
  Refusal,
  screen,
  signedInForm,
  signedInPage,
  type Redirect,
  type Visit
} from "../Page.js"
import { ownPath } from "../Return.js"
import type { SetCookie } from "../Visitors.js"

/** Long enough for a sign-in that begins with a link from elsewhere. */
const nextSeconds = signInLinkMillis / 1000

const remember = (next: string | null): ReadonlyArray<SetCookie> => {
  const path = ownPath(next)
  return path === null ? [] : [{ cookie: "next", value: Redacted.make(path), seconds: nextSeconds }]
}

/** To the page that the person wanted, with the new session's cookie. */
export const enter = ({ visitor }: Visit, { secret }: SignedIn): Redirect => {
  const next = ownPath(visitor.next)
  return redirect(next === null ? to([]) : Link.back(next), {
    cookies: [
      { cookie: "session", value: secret },
      { cookie: "next", value: null }
    ]
  })
}

/** What a sign-in knows of the browser. */
export const browserOf = ({ origin, visitor }: Visit) => ({ origin, replaces: visitor.secret })

const idleHours = sessionIdleMillis / hourMillis
const days = sessionMillis / dayMillis

const signInPage = openPage({
  path: "sign-in",
  show: ({ query, session, visitor }) =>
    Effect.map(OpenId, ({ issuer }) => {
      const next = query.get("next") ?? null
      if (session !== null) {
        const back = ownPath(next ?? visitor.next)
        return redirect(back === null ? to([]) : Link.back(back))
      }
      return screen({
        title: "Sign in",
        cookies: remember(next),
        content: html`${
          issuer !== null &&
          html`<p><a class="button main" href=${to(["sign-in", "openid"])}>Sign in with ${new URL(issuer).host}</a></p>`
        }
          <p>You sign in with a link that works once, for ${signInLinkMillis / 60_000} minutes. Open it in this browser.</p>
          <ul>
            <li>An owner of your workspace makes one for you on its page “Members”.</li>
            <li>An operator of the gateway prints one with <code>gateway console</code>.</li>
          </ul>`
      })
    })
})

const sessionPage = signedInPage({
  path: "session",
  show: ({ session }) =>
    Effect.succeed(
      screen({
        title: "Your session",
        content: html`<p>
            You are signed in as <bdi>${session.name}</bdi> (${session.role}). The session ends after ${idleHours} hours
            without a request, and after ${days} days in any case.
          </p>
          <div class="actions">
            ${actForm({ action: to(["sign-out"]), label: "Sign out" })}
            ${actForm({
              action: to(["sign-out", "everywhere"]),
              label: "Sign out everywhere",
              confirm: "Sign out on every device?"
            })}
          </div>`
      })
    )
})

/** Unknown, used and too old links are answered alike. */
const linkOver = (error: LinkOver): Refusal =>
  new Refusal(
    410,
    "This link does not work any more",
    `${error.message}.`,
    "Ask an owner of your workspace for a new one, or print one with gateway console."
  )

const linkIn = ({ path }: Visit): Redacted.Redacted<string> => Redacted.make(path.get("link") ?? "")

/** Where a member signs in to. */
export const placeOf = ({ workspaceId }: Pick<Member, "workspaceId">) =>
  workspaceId === null
    ? Effect.succeed("the gateway")
    : Effect.flatMap(Accounts, (accounts) => Effect.map(accounts.workspace(workspaceId), ({ name }) => name))

const linkPage = openPage({
  path: "sign-in/link/:link",
  show: (visit) =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const link = linkIn(visit)
      const member = yield* Effect.catchTag(sessions.linkedMember(link), "LinkOver", (error) =>
        Effect.fail(linkOver(error))
      )
      const { name, role } = member
      const place = yield* placeOf(member)
      return screen({
        title: "Sign in",
        content: html`<p>This link signs you in to <bdi>${place}</bdi> as <bdi>${name}</bdi> (${role}), once.</p>
          ${
            visit.session !== null &&
            html`<p>You are signed in as <bdi>${visit.session.name}</bdi> now. That session ends.</p>`
          }
          ${actForm({
            action: to(["sign-in", "link", Redacted.value(link)]),
            label: "Sign in",
            kind: "main"
          })}`
      })
    })
})

const linkForm = openForm({
  path: "sign-in/link/:link",
  act: (visit) =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      const signedIn = yield* sessions.signInByLink(linkIn(visit), browserOf(visit)).pipe(
        Effect.catchTag("LinkOver", (error) => Effect.fail(linkOver(error))),
        Effect.uninterruptible
      )
      return enter(visit, signedIn)
    })
})

const signedOut = redirect(to(["sign-in"]), {
  cookies: [
    { cookie: "session", value: null },
    { cookie: "next", value: null }
  ]
})

const signOut = signedInForm({
  path: "sign-out",
  act: ({ by, session }) => Effect.flatMap(Sessions, (sessions) => Effect.as(sessions.signOut(session, by), signedOut))
})

const signOutEverywhere = signedInForm({
  path: "sign-out/everywhere",
  act: ({ by, session }) =>
    Effect.flatMap(Sessions, (sessions) =>
      Effect.as(sessions.signOutEverywhere(session.workspaceId, session.memberId, by), signedOut)
    )
})

export const signInPages = [signInPage, sessionPage, linkPage, linkForm, signOut, signOutEverywhere]

/**
 * Signing in through the OpenID provider. A person whose identity or verified e-mail address belongs to one member is
 * signed in as that member. With several, they choose: each choice is a sign-in link of its own, so that nothing is
 * remembered between the two pages. With none, the page says what to do.
 */
import { Effect, Redacted } from "effect"
import { personActing, signInLinkPath, type Member } from "../../../domain/Member.js"
import { Members } from "../../../services/Members.js"
import { OpenId, type OpenIdPerson, type OpenIdRefused, type OpenIdUnreachable } from "../../../services/OpenId.js"
import { PublicUrl } from "../../../services/PublicUrl.js"
import { Sessions } from "../../../services/Sessions.js"
import { noPage } from "../ErrorScreens.js"
import { actForm } from "../Forms.js"
import { html, Link, to } from "../Html.js"
import { openPage, redirect, Refusal, screen, type Visit } from "../Page.js"
import { browserOf, enter, placeOf } from "./SignIn.js"

const callbackOf = (publicUrl: string): string => `${publicUrl}/console/sign-in/callback`

const other = "Try again, or sign in with a link: an owner of your workspace makes one, or gateway console prints one."

const refusedWords: Readonly<Record<OpenIdRefused["of"], string>> = {
  the_person: "The provider says that you did not agree.",
  the_browser:
    "It was begun in another browser, was used before, or took too long. If it happens again, the gateway's log says why.",
  the_answer: "The provider's answer was not accepted. The gateway's log says why."
}

/** The reason is for the operator's log; it holds nothing of the sign-in. */
const failed = (error: OpenIdRefused | OpenIdUnreachable) =>
  Effect.zipRight(
    Effect.logWarning("A sign-in with OpenID Connect failed").pipe(
      Effect.annotateLogs({ kind: error._tag, reason: error.reason })
    ),
    Effect.fail(
      error._tag === "OpenIdUnreachable"
        ? new Refusal(503, "The sign-in provider does not answer", "Nothing is wrong with your account.", other)
        : new Refusal(400, "The sign-in did not work", refusedWords[error.of], other)
    )
  )

/** Without a provider, neither page is there. */
const provider = Effect.flatMap(OpenId, (openId) =>
  openId.issuer === null ? Effect.fail(noPage) : Effect.succeed(openId)
)

const beginPage = openPage({
  path: "sign-in/openid",
  show: ({ visitor }) =>
    Effect.gen(function* () {
      const openId = yield* provider
      const url = yield* Effect.catchAll(openId.begin(visitor.browser, callbackOf(yield* PublicUrl)), failed)
      return redirect(Link.elsewhere(url.href))
    })
})

const nobody = ({ email, verifiedEmail }: OpenIdPerson) =>
  new Refusal(
    403,
    "You are no member yet",
    email === null
      ? "The provider gives no e-mail address for this account, and nobody here is bound to it."
      : verifiedEmail === null
        ? `The provider does not say that the address ${email} is verified, so it opens nothing here.`
        : `No member of this gateway has the address ${email}, or the one who has it signs in with another account.`,
    "Ask an owner of your workspace to add you with this address, or to make a sign-in link for you."
  )

const choose = (visit: Visit, members: ReadonlyArray<Member>) =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const choices = yield* Effect.forEach(members, (member) =>
      Effect.gen(function* () {
        const { memberId, role, workspaceId } = member
        const link = yield* sessions.makeLink(workspaceId, memberId, personActing(member, visit.origin))
        const place = yield* placeOf(member)
        const [, ...segments] = signInLinkPath(Redacted.value(link.secret)).split("/").slice(1)
        return html`<li>${actForm({ action: to(segments), label: html`<bdi>${place}</bdi> (${role})` })}</li>`
      })
    )
    return screen({
      title: "Where do you want to sign in?",
      content: html`<ul class="choices">
        ${choices}
      </ul>`
    })
  })

const callbackPage = openPage({
  path: "sign-in/callback",
  acts: true,
  show: (visit) =>
    Effect.gen(function* () {
      const members = yield* Members
      const openId = yield* provider
      const sessions = yield* Sessions
      const callback = new URL(callbackOf(yield* PublicUrl))
      for (const [name, value] of visit.query) callback.searchParams.set(name, value)
      const person = yield* Effect.catchAll(openId.finish(visit.visitor.browser, callback), failed)
      const found = yield* members.ofIdentity(person, visit.origin)
      const [only, ...more] = found
      if (only === undefined) return yield* Effect.fail(nobody(person))
      if (more.length > 0) return yield* choose(visit, found)
      return enter(visit, yield* Effect.uninterruptible(sessions.signIn(only.memberId, browserOf(visit))))
    })
})

export const openIdPages = [beginPage, callbackPage]

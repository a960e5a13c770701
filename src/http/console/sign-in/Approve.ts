/**
 * The page on which a person decides about the login of a command line or device, `/approve/{approvalId}`. It needs a
 * session: somebody who is not signed in is led to sign-in and back. The token works in the person's workspace, for
 * operators in the one that they choose, and never with more scopes than the person's role has. Never shows a token.
 */
import { Effect } from "effect"
import { actorName, memberActing } from "../../../domain/AuditEntry.js"
import { ValidationError } from "../../../domain/ApiErrors.js"
import type { WorkspaceId } from "../../../domain/Ids.js"
import { approvalWorkspacesMax } from "../../../domain/limits/Access.js"
import { missingScope } from "../../../domain/LoginApproval.js"
import { roleScopes } from "../../../domain/Member.js"
import { Accounts } from "../../../services/Accounts.js"
import { AuditTrail } from "../../../services/AuditTrail.js"
import { type LoginApproval, LoginApprovals } from "../../../services/LoginApprovals.js"
import { Members } from "../../../services/Members.js"
import { Sessions } from "../../../services/Sessions.js"
import { wireErrors } from "../../Envelope.js"
import { time } from "../../Fields.js"
import { approvalIdOf, workspaceIdOf } from "../../GivenId.js"
import { button, filledWith, form, selectField, textField, type Typed, typedOf } from "../Forms.js"
import { scopeMeanings } from "../Scopes.js"
import { type Html, html, Link } from "../Html.js"
import { orFirst, type Page, redirect, Refusal, screen, type SignedInVisit } from "../Page.js"
import { facts } from "../Parts.js"

const path = "/approve/:approvalId"

const noLogin = new Refusal(
  404,
  "No such login",
  "This link is not complete, or the login is over.",
  "Start the login again where you started it."
)

const loginOf = ({ path }: SignedInVisit) =>
  Effect.gen(function* () {
    const approvalId = yield* approvalIdOf(path.get("approvalId"))
    return yield* (yield* LoginApprovals).get(approvalId)
  }).pipe(Effect.catchTag("not_found", () => Effect.fail(noLogin)))

/** To the minute, in the one time zone that server and reader can agree on. */
const minute = (millis: number): string => `${time(millis).slice(0, 16).replace("T", " ")} UTC`

const details = ({ expiresAt, label, scopes, status, tokenExpiresAt }: LoginApproval): Html =>
  facts([
    ["Name", html`<bdi>${label}</bdi>`],
    [
      "It may",
      html`<ul>
        ${scopes.map((scope) => html`<li>${scopeMeanings[scope]} <small><code>${scope}</code></small></li>`)}
      </ul>`
    ],
    ["Token works", tokenExpiresAt === null ? "until it is revoked" : `until ${minute(tokenExpiresAt)}`],
    ["Decide", status === "pending" ? `before ${minute(expiresAt)}` : null]
  ])

/**
 * Who decided about a login and in which workspace, as far as the reader may know it. People of another workspace learn
 * that it was decided elsewhere, and not by whom.
 */
const decisionOf = ({ session }: SignedInVisit, { approvalId }: LoginApproval) =>
  Effect.gen(function* () {
    const trail = yield* AuditTrail
    const { items } = yield* trail.list({ subjectId: approvalId }, { limit: 1, after: null })
    const [entry] = items
    if (entry === undefined || entry.workspaceId === null) return null
    if (session.workspaceId !== null && session.workspaceId !== entry.workspaceId) return null
    const { actor } = entry
    const memberId = memberActing(actor)
    const name =
      memberId === null
        ? actorName(actor)
        : memberId === session.memberId
          ? session.name
          : yield* (yield* Members).get(actor.kind === "member" ? actor.workspaceId : null, memberId).pipe(
              Effect.map((member) => member.name),
              Effect.catchTag("not_found", () => Effect.succeed("somebody who has been removed since"))
            )
    return { mine: memberId === session.memberId, who: name, workspace: yield* workspaceName(entry.workspaceId) }
  })

const workspaceName = (workspaceId: WorkspaceId) =>
  Effect.flatMap(Accounts, (accounts) =>
    accounts.workspace(workspaceId).pipe(
      Effect.map(({ name }) => name),
      Effect.catchTag("not_found", () => Effect.succeed(workspaceId))
    )
  )

/** A decided login. Who comes second must not take the decision of another person for their own. */
const decidedScreen = (
  visit: SignedInVisit,
  login: LoginApproval,
  word: "approved" | "denied",
  problemNotice: Html | false
) =>
  Effect.map(decisionOf(visit, login), (decision) =>
    screen({
      title: decision?.mine === true ? `Login ${word}` : `Somebody else ${word} this login`,
      content: html`${problemNotice}
        <p>
          ${
            word === "approved"
              ? "The program is logged in. You can close this page."
              : "The program was turned away, and its token will never work. You can close this page."
          }
        </p>
        ${
          decision === null
            ? html`<p>It was ${word} in another workspace than yours.</p>`
            : facts([
                ["Workspace", html`<bdi>${decision.workspace}</bdi>`],
                ["Decided by", html`<bdi>${decision.who}</bdi>${decision.mine && " (you)"}`]
              ])
        }
        ${details(login)}`
    })
  )

/** The field in which an operator names the workspace: a choice, or a text where there are too many. */
const workspaceField = (typed: Typed) =>
  Effect.map(
    Effect.flatMap(Accounts, (accounts) => accounts.workspaces),
    (all) => {
      const [first] = all
      const filled = filledWith({
        workspace: typedOf({ ...filledWith({}), typed }, "workspace") ?? first?.workspaceId ?? ""
      })
      const field = { form: filled, name: "workspace", label: "Workspace in which the token works", required: true }
      return all.length > approvalWorkspacesMax
        ? textField({ ...field, hint: "Its id, such as ws_01k…", code: true })
        : selectField({ ...field, choices: all.map(({ name, workspaceId }) => ({ value: workspaceId, label: name })) })
    }
  )

const loginScreen = (visit: SignedInVisit, login: LoginApproval, typed: Typed, problem: string | null) =>
  Effect.gen(function* () {
    const problemNotice = problem !== null && html`<div class="told" role="alert"><p>${problem}</p></div>`
    switch (login.status) {
      case "approved":
      case "denied":
        return yield* decidedScreen(visit, login, login.status, problemNotice)
      case "expired":
        return screen({
          title: "This login has expired",
          content: html`${problemNotice}
            <p>Nobody decided in time. Start the login again where you started it.</p>`
        })
      case "pending": {
        const { session } = visit
        const lacking = missingScope(login.scopes, roleScopes[session.role])
        const workspace =
          session.workspaceId === null
            ? yield* workspaceField(typed)
            : html`<p>The token will work in the workspace <bdi>${yield* workspaceName(session.workspaceId)}</bdi>.</p>`
        return screen({
          title: "A program wants to log in",
          content: html`${problemNotice}
            <p>Approve only if you started this login yourself and the program or device shows this code:</p>
            <p class="user-code">${login.userCode}</p>
            ${details(login)}
            <p>
              You decide as <bdi>${session.name}</bdi> (${session.role}). The audit trail says so, and the token goes on
              working when your session ends.
            </p>
            ${
              lacking !== null &&
              html`<div class="told">
                <p>Your role has not the scope <code>${lacking}</code>, so you cannot give it. Ask an owner.</p>
              </div>`
            }
            ${form({
              action: Link.page(["approve", login.approvalId]),
              content: html`${workspace}
                <div class="buttons">
                  ${lacking === null && button("Approve", { name: "decision", value: "approve" })}
                  ${button("Deny", { name: "decision", value: "deny", kind: "plain" })}
                </div>`
            })}`
        })
      }
    }
  })

type Services = Accounts | AuditTrail | LoginApprovals | Members | Sessions

const approvePage: Page<Services> = {
  method: "GET",
  path,
  sees: "signed_in",
  navigation: null,
  handle: ({ signedIn }) =>
    Effect.flatMap(signedIn, (visit) =>
      Effect.flatMap(loginOf(visit), (login) => loginScreen(visit, login, new Map(), null))
    )
}

const decide = (visit: SignedInVisit, login: LoginApproval, typed: Typed) =>
  Effect.gen(function* () {
    const logins = yield* LoginApprovals
    const sessions = yield* Sessions
    const { by, session } = visit
    const [decision, ...others] = typed.get("decision") ?? []
    if (others.length > 0 || (decision !== "approve" && decision !== "deny"))
      return yield* ValidationError.of("decision", "must be approve or deny")
    const workspaceId = yield* workspaceIdOf(session.workspaceId ?? typed.get("workspace")?.[0])
    const principal = yield* sessions.principal(session, workspaceId)
    yield* Effect.uninterruptible(
      decision === "approve"
        ? logins.approve(login.approvalId, principal, by)
        : logins.deny(login.approvalId, principal, by)
    )
    // Back to the page itself, which now shows the decision: loading it again sends nothing twice.
    return redirect(Link.page(["approve", login.approvalId]))
  })

const approveForm: Page<Services> = {
  method: "POST",
  path,
  sees: "signed_in",
  navigation: null,
  handle: ({ signedIn, typed }) =>
    Effect.gen(function* () {
      const visit = yield* signedIn
      const fields = yield* typed
      const login = yield* loginOf(visit)
      return yield* Effect.catchAll(decide(visit, login, fields), (error) =>
        Effect.gen(function* () {
          const now = yield* orFirst(loginOf(visit), error)
          const row = wireErrors.get(error._tag)
          const problem =
            error._tag === "forbidden"
              ? `Your role has not the scope ${error.scope}, so you cannot give it. Ask an owner.`
              : error.message
          const again = yield* orFirst(loginScreen(visit, now, fields, problem), error)
          return { ...again, status: row?.status ?? 500, headers: row?.headers(error) ?? {} }
        })
      )
    })
}

export const approvePages: ReadonlyArray<Page<Services>> = [approvePage, approveForm]

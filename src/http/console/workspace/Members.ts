/** The people of a workspace: add, rename, change the role, make a sign-in link, sign out, remove. For owners. */
import { Effect, Redacted, Schema } from "effect"
import type { Actor } from "../../../domain/AuditEntry.js"
import { MemberId, type WorkspaceId } from "../../../domain/Ids.js"
import { emailCharsMax, labelCharsMax, signInLinkMillis } from "../../../domain/limits/Access.js"
import { type Member, signInLinkPath, WorkspaceRole, workspaceRoles } from "../../../domain/Member.js"
import { Members } from "../../../services/Members.js"
import { PublicUrl } from "../../../services/PublicUrl.js"
import { Sessions } from "../../../services/Sessions.js"
import { line, says } from "../../Fields.js"
import { idReader } from "../../GivenId.js"
import { copyOnceButton, instant } from "../Figures.js"
import { actForm, boxField, button, type Filled, filledWith, form as formHtml } from "../Forms.js"
import { selectField, textField, toldOf, unfilled } from "../Forms.js"
import { type Content, type Html, html, nothing, to } from "../Html.js"
import { redirect, screen, type Visit, workspaceForm, workspacePage, type WorkspaceVisit } from "../Page.js"
import { notice, noticeOf, section } from "../Parts.js"
import { blankOr } from "./Fields.js"

const roles = workspaceRoles.map((role) => ({ value: role, label: role }))
const fieldNames = ["name", "role", "email"]

const memberPart = (workspaceId: string, { createdAt, email, identity, memberId, name, role }: Member) => {
  const action = (act: string) => to([workspaceId, "members", memberId, act])
  const unseen = html`<span class="unseen"> ${name}</span>`
  return html`<section>
    <h2><bdi>${name}</bdi> <small>${role}</small></h2>
    <p>
      ${email !== null && html`<bdi>${email}</bdi>, `}since
      ${instant(createdAt)}${identity !== null && ", signs in with OpenID Connect"}
    </p>
    <div class="actions">
      ${actForm({ action: action("link"), label: html`Make a sign-in link${unseen}` })}
      ${actForm({
        action: action("role"),
        label: html`Make ${role === "owner" ? "a member" : "an owner"}${unseen}`,
        hidden: { role: role === "owner" ? "member" : "owner" }
      })}
      ${actForm({ action: action("sign-out"), label: html`Sign out everywhere${unseen}` })}
    </div>
    <details>
      <summary>Rename or remove${unseen}</summary>
      ${formHtml({
        action: action("rename"),
        label: `Rename ${name}`,
        content: html`${textField({
          form: { ...filledWith({ name }), of: memberId },
          name: "name",
          label: "Name",
          required: true,
          charsMax: labelCharsMax
        })}
        ${button("Rename", { kind: "plain" })}`
      })}
      ${formHtml({
        action: action("remove"),
        label: `Remove ${name}`,
        content: html`${boxField({
          form: { ...unfilled, of: memberId },
          name: "revokeTokens",
          label: "Also revoke the tokens that they made or approved",
          hint: "Without this, these tokens go on working."
        })}
        ${button("Remove", { kind: "danger" })}`
      })}
    </details>
  </section>`
}

export const emailField = (form: Filled): Html =>
  textField({
    form,
    name: "email",
    label: "E-mail",
    type: "email",
    hint: "For a sign-in with OpenID Connect. Without one, they sign in with links.",
    charsMax: emailCharsMax
  })

const membersScreen = (visit: WorkspaceVisit, form: Filled, signInLink: Content = nothing) =>
  Effect.gen(function* () {
    const members = yield* Members
    const people = yield* members.list(visit.workspaceId)
    return screen({
      title: "Members",
      content: html`${signInLink}
        ${noticeOf(visit.notice, {
          added: "They were added. Make a sign-in link for them now, or let them sign in with OpenID Connect.",
          renamed: "The name was changed.",
          role: "The role was changed. It holds from their next request.",
          out: "Their sessions are over.",
          removed: "They were removed and are signed out everywhere.",
          kept: "They were removed. Tokens that they made go on working; revoke them where you no longer need them.",
          revoked: "They were removed, and the tokens that they made are revoked."
        })}
        ${toldOf(form, fieldNames)}
        ${people.length === 0 && html`<p>Nobody signs in to this workspace yet. Add its first owner.</p>`}
        ${people.map((member) => memberPart(visit.workspaceId, member))}
        ${section(
          "Add somebody",
          formHtml({
            action: to([visit.workspaceId, "members"]),
            label: "Add somebody",
            content: html`${textField({ form, name: "name", label: "Name", required: true, charsMax: labelCharsMax })}
            ${selectField({
              form,
              name: "role",
              label: "Role",
              hint: "An owner also manages members, tokens and connections, and pays.",
              choices: [...roles].reverse()
            })}
            ${emailField(form)}
            ${button("Add")}`
          })
        )}`
    })
  })

const membersPage = workspacePage({
  path: "members",
  sees: "owner",
  navigation: { label: "Members", order: 60 },
  show: (visit) => membersScreen(visit, unfilled)
})

const memberIdOf = idReader("member", MemberId)
export const memberIn = ({ path }: Visit) => memberIdOf(path.get("memberId"))

const back = ({ workspaceId }: WorkspaceVisit, notice: string) => redirect(to([workspaceId, "members"]), { notice })

const roleField = WorkspaceRole.annotations(says("must be owner or member"))

const addMember = workspaceForm({
  path: "members",
  sees: "owner",
  fields: Schema.Struct({
    name: line(labelCharsMax),
    role: roleField,
    email: blankOr(Schema.String)
  }),
  act: (visit, { email, name, role }) =>
    Effect.gen(function* () {
      const members = yield* Members
      yield* members.add({ workspaceId: visit.workspaceId, name, role, email }, visit.by)
      return back(visit, "added")
    }),
  again: membersScreen
})

const renameMember = workspaceForm({
  path: "members/:memberId/rename",
  sees: "owner",
  fields: Schema.Struct({ name: line(labelCharsMax) }),
  act: (visit, { name }) =>
    Effect.gen(function* () {
      const members = yield* Members
      yield* members.rename(visit.workspaceId, yield* memberIn(visit), name, visit.by)
      return back(visit, "renamed")
    }),
  again: membersScreen
})

const changeRole = workspaceForm({
  path: "members/:memberId/role",
  sees: "owner",
  fields: Schema.Struct({ role: roleField }),
  act: (visit, { role }) =>
    Effect.gen(function* () {
      const members = yield* Members
      yield* members.setRole(visit.workspaceId, yield* memberIn(visit), role, visit.by)
      return back(visit, "role")
    }),
  again: membersScreen
})

const signOutMember = workspaceForm({
  path: "members/:memberId/sign-out",
  sees: "owner",
  fields: Schema.Struct({}),
  act: (visit) =>
    Effect.gen(function* () {
      const sessions = yield* Sessions
      yield* sessions.signOutEverywhere(visit.workspaceId, yield* memberIn(visit), visit.by)
      return back(visit, "out")
    }),
  again: membersScreen
})

const removeMember = workspaceForm({
  path: "members/:memberId/remove",
  sees: "owner",
  fields: Schema.Struct({ revokeTokens: Schema.optional(Schema.String) }),
  act: (visit, { revokeTokens }) =>
    Effect.gen(function* () {
      const members = yield* Members
      const { revoked, tokens } = yield* members.remove(
        visit.workspaceId,
        yield* memberIn(visit),
        { revokeTokens: revokeTokens !== undefined },
        visit.by
      )
      return back(visit, tokens.length === 0 ? "removed" : revoked ? "revoked" : "kept")
    }),
  again: membersScreen
})

/** A new sign-in link of somebody. It stands on this one page, and nowhere afterwards. */
export const newLink = (
  { by, workspaceId }: { readonly by: Actor; readonly workspaceId: WorkspaceId | null },
  memberId: MemberId
) =>
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const publicUrl = yield* PublicUrl
    const { name } = yield* (yield* Members).get(workspaceId, memberId)
    const { secret } = yield* sessions.makeLink(workspaceId, memberId, by)
    const link = `${publicUrl}${signInLinkPath(Redacted.value(secret))}`
    return notice(
      html`<p>
          Give this link to <bdi>${name}</bdi>. It signs them in once, within ${signInLinkMillis / 60_000} minutes, and is
          shown only now.
        </p>
        <p><code class="link">${link}</code></p>
        ${copyOnceButton(link)}`
    )
  })

const makeLink = workspaceForm({
  path: "members/:memberId/link",
  sees: "owner",
  fields: Schema.Struct({}),
  act: (visit) =>
    Effect.gen(function* () {
      const link = yield* newLink(visit, yield* memberIn(visit))
      return yield* membersScreen(visit, unfilled, link)
    }),
  again: membersScreen
})

export const memberPages = [membersPage, addMember, renameMember, changeRole, signOutMember, removeMember, makeLink]

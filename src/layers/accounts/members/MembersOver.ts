/** Members over the rows of any storage. Every change is decided on the rows under their lock. */
import { Clock, Effect } from "effect"
import { NotFound, ValidationError } from "../../../domain/ApiErrors.js"
import type { Actor, AuditRecord, Origin } from "../../../domain/AuditEntry.js"
import { MemberId, type WorkspaceId } from "../../../domain/Ids.js"
import { nameProblem } from "../../../domain/Labels.js"
import { membersMax } from "../../../domain/limits/Access.js"
import {
  changeRefused,
  emailProblem,
  emailText,
  identityText,
  lastOneProblem,
  personActing,
  type Member,
  type Role,
  sameName
} from "../../../domain/Member.js"
import { Accounts } from "../../../services/Accounts.js"
import { AuditTrail, changed, unchanged } from "../../../services/AuditTrail.js"
import { Ids } from "../../../services/Ids.js"
import { Members, type NewMember } from "../../../services/Members.js"
import type { MemberRows } from "./MemberRows.js"

const noMember = (memberId: string) => new NotFound({ what: "member", id: memberId })

const withRole = (
  member: Omit<Member, "role" | "workspaceId">,
  role: Role,
  workspaceId: WorkspaceId | null
): Member | null =>
  role === "operator"
    ? workspaceId === null
      ? { ...member, role, workspaceId }
      : null
    : workspaceId === null
      ? null
      : { ...member, role, workspaceId }

const wrongRole = ValidationError.of("role", "must be owner or member in a workspace, and operator without one")

const nameRefused = (name: string, current: ReadonlyArray<Member>, self: MemberId | null): ValidationError | null => {
  const problem = nameProblem("name", name)
  if (problem !== null) return new ValidationError({ details: [problem] })
  return current.some((other) => other.memberId !== self && sameName(other.name, name))
    ? ValidationError.of("name", "is the name of another member")
    : null
}

const newMemberRefused = (member: NewMember, current: ReadonlyArray<Member>): ValidationError | null => {
  const email = member.email === null ? null : emailText(member.email)
  const problem = email === null ? null : emailProblem(email)
  if (problem !== null) return new ValidationError({ details: [problem] })
  if (email !== null && current.some((other) => other.email === email))
    return ValidationError.of("email", "is the e-mail address of another member")
  if (current.length >= membersMax) return ValidationError.of("name", `is one too many: ${membersMax} people at most`)
  return nameRefused(member.name, current, null)
}

/** What of a member stands in the audit trail. */
const auditFields = ({ email, name, role }: Member) => ({ name, role, email })

export const membersOver = (rows: MemberRows): Effect.Effect<Members["Type"], never, Accounts | AuditTrail | Ids> =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const trail = yield* AuditTrail
    const accounts = yield* Accounts

    /** The members of a workspace, locked, once it is sure that the actor may change them. */
    const changeable = Effect.fnUntraced(function* (workspaceId: WorkspaceId | null, by: Actor) {
      const current = yield* rows.lock(workspaceId)
      if (current === null) return yield* new NotFound({ what: "workspace", id: workspaceId ?? "" })
      const refused = changeRefused(by, workspaceId, current)
      return refused === null ? current : yield* refused
    })

    const named = Effect.fnUntraced(function* (workspaceId: WorkspaceId | null, memberId: MemberId, by: Actor) {
      const current = yield* changeable(workspaceId, by)
      const member = current.find((other) => other.memberId === memberId)
      return member === undefined ? yield* noMember(memberId) : { current, member }
    })

    const record = (
      action: AuditRecord["action"],
      { memberId, workspaceId }: Member,
      before: AuditRecord["before"],
      after: AuditRecord["after"]
    ): AuditRecord => ({ action, subjectId: memberId, workspaceId, before, after })

    const update = (before: Member, after: Member, action: AuditRecord["action"]) =>
      Effect.as(rows.update(after), changed(after, record(action, after, auditFields(before), auditFields(after))))

    /** The member as they are after it: somebody else may have been faster. */
    const bind = (found: Member, identity: string, origin: Origin) =>
      trail.change(
        personActing(found, origin),
        Effect.gen(function* () {
          const current = yield* rows.lock(found.workspaceId)
          const member = current?.find(({ memberId }) => memberId === found.memberId)
          if (member === undefined) return unchanged(found)
          if (member.identity !== null) return unchanged(member)
          const after = { ...member, identity }
          yield* rows.update(after)
          return changed(after, record("member.identity_bound", after, null, { identity }))
        })
      )

    return Members.of({
      add: Effect.fn("Members.add")((asked, by) =>
        trail.change(
          by,
          Effect.gen(function* () {
            const current = yield* changeable(asked.workspaceId, by)
            const refused = newMemberRefused(asked, current)
            if (refused !== null) return yield* refused
            const member = withRole(
              {
                memberId: MemberId.make(`mem_${yield* ids.suffix}`),
                name: asked.name.trim(),
                email: asked.email === null ? null : emailText(asked.email),
                identity: null,
                createdAt: yield* Clock.currentTimeMillis
              },
              asked.role,
              asked.workspaceId
            )
            if (member === null) return yield* wrongRole
            yield* rows.insert(member)
            return changed(member, record("member.added", member, null, auditFields(member)))
          })
        )
      ),
      rename: Effect.fn("Members.rename")((workspaceId, memberId, name, by) =>
        trail.change(
          by,
          Effect.gen(function* () {
            const { current, member } = yield* named(workspaceId, memberId, by)
            const refused = nameRefused(name, current, memberId)
            if (refused !== null) return yield* refused
            const after = { ...member, name: name.trim() }
            return member.name === after.name ? unchanged(member) : yield* update(member, after, "member.renamed")
          })
        )
      ),
      setRole: Effect.fn("Members.setRole")((workspaceId, memberId, role, by) =>
        trail.change(
          by,
          Effect.gen(function* () {
            const { current, member } = yield* named(workspaceId, memberId, by)
            const after = withRole(member, role, workspaceId)
            if (after === null) return yield* wrongRole
            if (member.role === role) return unchanged(member)
            const refused = lastOneProblem(by, member, current)
            if (refused !== null) return yield* refused
            return yield* update(member, after, "member.role_changed")
          })
        )
      ),
      remove: Effect.fn("Members.remove")((workspaceId, memberId, { revokeTokens }, by) =>
        trail.change(
          by,
          Effect.gen(function* () {
            const { current, member } = yield* named(workspaceId, memberId, by)
            const refused = lastOneProblem(by, member, current)
            if (refused !== null) return yield* refused
            // First, so that the tokens include one that they were just making.
            yield* rows.remove(memberId, yield* Clock.currentTimeMillis)
            const tokens = yield* rows.tokensMade(memberId)
            if (revokeTokens)
              yield* Effect.forEach(tokens, (tokenId) => accounts.revokeToken(tokenId, by), { discard: true })
            return changed(
              { member, tokens, revoked: revokeTokens },
              record("member.removed", member, auditFields(member), {
                [revokeTokens ? "tokensRevoked" : "tokensKept"]: tokens
              })
            )
          })
        )
      ),
      list: rows.list,
      get: Effect.fn("Members.get")((workspaceId, memberId) =>
        Effect.filterOrFail(
          rows.get(memberId),
          (member): member is Member => member !== null && member.workspaceId === workspaceId,
          () => noMember(memberId)
        )
      ),
      ofIdentity: Effect.fn("Members.ofIdentity")(function* ({ issuer, subject, verifiedEmail }, origin) {
        const identity = identityText(issuer, subject)
        // What can be nobody's address here, such as one with a NUL, is not looked for.
        const email = verifiedEmail === null || emailProblem(verifiedEmail) !== null ? null : emailText(verifiedEmail)
        const found = yield* rows.ofIdentity(identity, email)
        const members = yield* Effect.forEach(found, (member) =>
          member.identity === identity ? Effect.succeed(member) : bind(member, identity, origin)
        )
        return members.filter((member) => member.identity === identity)
      })
    })
  })

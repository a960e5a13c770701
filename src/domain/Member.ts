/**
 * People: the owners and members of a workspace, and the operators of the whole gateway. Says what each role may do,
 * who may change members, and that a workspace keeps an owner. Knows no session and no storage.
 */
import { Schema } from "effect"
import { Forbidden, type FieldProblem, ValidationError } from "./ApiErrors.js"
import type { Actor, Origin } from "./AuditEntry.js"
import { withoutInvisible } from "./Characters.js"
import { MemberId, WorkspaceId } from "./Ids.js"
import { emailCharsMax } from "./limits/Access.js"
import { type Scope, scopes } from "./Scope.js"

export const workspaceRoles = ["owner", "member"] as const
export const WorkspaceRole = Schema.Literal(...workspaceRoles)
export type WorkspaceRole = typeof WorkspaceRole.Type
export type Role = WorkspaceRole | "operator"

const person = {
  memberId: MemberId,
  /** One person of a workspace has a name, in upper or lower case; so has one operator. */
  name: Schema.String,
  /** In lower case. A sign-in with OpenID Connect finds the member by it the first time. */
  email: Schema.NullOr(Schema.String),
  /** Who the person is at the OpenID provider (`identityText`), once they have signed in with it. */
  identity: Schema.NullOr(Schema.String),
  createdAt: Schema.Int
}
/** A person with a role in one workspace, or an operator of the whole gateway. */
export const Member = Schema.Union(
  Schema.Struct({ ...person, role: WorkspaceRole, workspaceId: WorkspaceId }),
  Schema.Struct({ ...person, role: Schema.Literal("operator"), workspaceId: Schema.Null })
)
export type Member = typeof Member.Type

/** What a person of a role may do in a workspace. */
export const roleScopes: { readonly [role in Role]: ReadonlyArray<Scope> } = {
  owner: scopes,
  operator: scopes,
  member: scopes.filter((scope) => scope !== "account:manage" && scope !== "billing:write")
}

/** The longest id of a person at an OpenID provider (OpenID Connect Core 1.0, section 2). */
export const subjectCharsMax = 255
/** The subject is only unique at its issuer, so both are one value. */
export const identityText = (issuer: string, subject: string): string => JSON.stringify([issuer, subject])

/**
 * E-mail addresses are compared without the case of the letters A to Z and without blanks around them. Of other letters
 * the case counts: some of them, such as the Kelvin sign, are one of a to z in lower case, and would be another
 * person's address.
 */
export const emailText = (raw: string): string => raw.trim().replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
export const emailProblem = (email: string): FieldProblem | null =>
  email.length <= emailCharsMax && /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(email)
    ? null
    : { field: "email", message: `must be an e-mail address of at most ${emailCharsMax} characters` }

const comparedName = (name: string): string => withoutInvisible(name.normalize("NFKC")).trim().toLowerCase()
/** Names that look the same are the same: neither case nor what shows nothing counts. */
export const sameName = (a: string, b: string): boolean => comparedName(a) === comparedName(b)

/** The person as one who acts. */
export const personActing = (
  { memberId, name, workspaceId }: Pick<Member, "memberId" | "name" | "workspaceId">,
  origin: Origin
): Actor =>
  workspaceId === null
    ? { kind: "operator", memberId, name, ...origin }
    : { kind: "member", memberId, name, workspaceId, ...origin }

/** Whoever was removed a moment ago, while their request was under way. */
export const memberNoMore = () => new Forbidden({ scope: "account:manage" })

/**
 * Whether somebody may change the members of a workspace, or the operators (`workspaceId` null): the command line and
 * operators both, an owner those of their own workspace. `current` are the rows under their lock, so that an owner who
 * was removed a moment ago changes nothing any more.
 */
export const changeRefused = (
  by: Actor,
  workspaceId: WorkspaceId | null,
  current: ReadonlyArray<Member>
): Forbidden | null => {
  switch (by.kind) {
    case "command_line":
      return null
    case "operator":
      return workspaceId !== null || current.some(({ memberId }) => memberId === by.memberId) ? null : memberNoMore()
    case "member":
      return current.some(({ memberId, role }) => memberId === by.memberId && role === "owner")
        ? null
        : new Forbidden({ scope: "account:manage" })
    case "token":
    case "gateway":
      return new Forbidden({ scope: "account:manage" })
  }
}

/** A workspace keeps one owner, unless an operator removes the last; the gateway keeps one operator. */
export const lastOneProblem = (by: Actor, leaving: Member, current: ReadonlyArray<Member>): ValidationError | null => {
  if (leaving.role === "member") return null
  if (current.some(({ memberId, role }) => memberId !== leaving.memberId && role === leaving.role)) return null
  if (leaving.role === "operator")
    return by.kind === "command_line"
      ? null
      : ValidationError.of("role", "is that of the last operator; only the command line removes the last one")
  return by.kind === "operator" || by.kind === "command_line"
    ? null
    : ValidationError.of("role", "is that of the last owner; make somebody else an owner first")
}

/** Where a sign-in link leads, below the public URL. */
export const signInLinkPath = (secret: string): string => `/console/sign-in/link/${secret}`

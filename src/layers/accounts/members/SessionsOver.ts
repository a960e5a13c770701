/**
 * Sign-in links and sessions over the rows of any storage. Secrets are 256 random bits, and the storage has their
 * SHA-256: nobody can find one by trying, nor make one from what is stored.
 */
import { Clock, Effect, Redacted } from "effect"
import { createHash, createHmac, randomBytes } from "node:crypto"
import { NotFound } from "../../../domain/ApiErrors.js"
import { type Actor, memberActing } from "../../../domain/AuditEntry.js"
import { type MemberId, SessionId, TokenId, type WorkspaceId } from "../../../domain/Ids.js"
import {
  sessionIdleMillis,
  sessionMillis,
  sessionWriteMillis,
  signInLinkMillis
} from "../../../domain/limits/Access.js"
import { changeRefused, type Member, personActing, roleScopes } from "../../../domain/Member.js"
import { AuditTrail, changed, unchanged } from "../../../services/AuditTrail.js"
import { Ids } from "../../../services/Ids.js"
import { type Browser, LinkOver, type Session, Sessions } from "../../../services/Sessions.js"
import type { MemberRows } from "./MemberRows.js"
import type { SessionRow, SessionRows } from "./SessionRows.js"

const secretShape = /^[A-Za-z0-9_-]{43}$/
const newSecret = Effect.sync(() => Redacted.make(randomBytes(32).toString("base64url")))
/** Null for a text that cannot be a secret of ours: it is not looked up. */
const digestOf = (secret: Redacted.Redacted<string>): Uint8Array | null =>
  secretShape.test(Redacted.value(secret)) ? createHash("sha256").update(Redacted.value(secret)).digest() : null
const csrfOf = (secret: Redacted.Redacted<string>): string =>
  createHmac("sha256", Redacted.value(secret)).update("csrf").digest("base64url")

const shown = (
  row: SessionRow,
  { memberId, name, role, workspaceId }: Member,
  secret: Redacted.Redacted<string>
): Session => ({
  sessionId: row.sessionId,
  memberId,
  name,
  role,
  workspaceId,
  csrf: csrfOf(secret),
  createdAt: row.createdAt,
  expiresAt: row.expiresAt
})

const isThemselves = (by: Actor, memberId: MemberId): boolean => memberActing(by) === memberId

export const sessionsOver = (
  rows: SessionRows,
  members: Pick<MemberRows, "get" | "lock" | "stays">
): Effect.Effect<Sessions["Type"], never, AuditTrail | Ids> =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const trail = yield* AuditTrail

    /** Inside of the transaction that made sure of the member. */
    const begin = Effect.fnUntraced(function* (member: Member, { replaces }: Browser) {
      const now = yield* Clock.currentTimeMillis
      const secret = yield* newSecret
      const digest = digestOf(secret)
      const before = replaces === null ? null : digestOf(replaces)
      if (digest === null) return yield* Effect.dieMessage("a new secret has not the shape of a secret")
      if (before !== null) yield* rows.endByDigest(before)
      const row: SessionRow = {
        sessionId: SessionId.make(`ses_${yield* ids.suffix}`),
        digest,
        memberId: member.memberId,
        createdAt: now,
        expiresAt: now + sessionIdleMillis,
        endsAt: now + sessionMillis
      }
      yield* rows.insert(row)
      return changed(
        { session: shown(row, member, secret), secret },
        {
          action: "member.signed_in",
          subjectId: member.memberId,
          workspaceId: member.workspaceId,
          before: null,
          after: { sessionId: row.sessionId }
        }
      )
    })

    const linkedMember = Effect.fn("Sessions.linkedMember")(function* (link: Redacted.Redacted<string>) {
      const digest = digestOf(link)
      const member = digest === null ? null : yield* rows.linkedMember(digest, yield* Clock.currentTimeMillis)
      return member ?? (yield* new LinkOver())
    })

    return Sessions.of({
      makeLink: Effect.fn("Sessions.makeLink")((workspaceId: WorkspaceId | null, memberId: MemberId, by: Actor) =>
        trail.change(
          by,
          Effect.gen(function* () {
            const current = yield* members.lock(workspaceId)
            const refused = isThemselves(by, memberId) ? null : changeRefused(by, workspaceId, current ?? [])
            if (refused !== null) return yield* refused
            const member = current?.find((other) => other.memberId === memberId)
            if (member === undefined) return yield* new NotFound({ what: "member", id: memberId })
            const now = yield* Clock.currentTimeMillis
            const secret = yield* newSecret
            const digest = digestOf(secret)
            if (digest === null) return yield* Effect.dieMessage("a new secret has not the shape of a secret")
            const expiresAt = now + signInLinkMillis
            yield* rows.insertLink({ digest, memberId, createdAt: now, expiresAt })
            return changed(
              { secret, expiresAt },
              { action: "member.link_made", subjectId: memberId, workspaceId, before: null, after: { expiresAt } }
            )
          })
        )
      ),
      linkedMember,
      // The member acts, and is not known before the link is read. The link is read again where it is used up.
      signInByLink: Effect.fn("Sessions.signInByLink")(function* (link, browser) {
        const found = yield* linkedMember(link)
        return yield* trail.change(
          personActing(found, browser.origin),
          Effect.gen(function* () {
            const digest = digestOf(link)
            const member = digest === null ? null : yield* rows.takeLink(digest, yield* Clock.currentTimeMillis)
            return member === null ? yield* new LinkOver() : yield* begin(member, browser)
          })
        )
      }),
      signIn: Effect.fn("Sessions.signIn")(function* (memberId, browser) {
        const member = yield* members.get(memberId)
        if (member === null) return yield* new NotFound({ what: "member", id: memberId })
        return yield* trail.change(
          personActing(member, browser.origin),
          Effect.gen(function* () {
            // Somebody may have removed the member since, and with them all of their sessions.
            if (!(yield* members.stays(memberId))) return yield* new NotFound({ what: "member", id: memberId })
            return yield* begin(member, browser)
          })
        )
      }),
      find: Effect.fn("Sessions.find")(function* (secret) {
        const digest = digestOf(secret)
        if (digest === null) return null
        const now = yield* Clock.currentTimeMillis
        const found = yield* rows.byDigest(digest, now)
        if (found === null) return null
        const expiresAt = Math.min(now + sessionIdleMillis, found.session.endsAt)
        if (expiresAt - found.session.expiresAt < sessionWriteMillis) return shown(found.session, found.member, secret)
        yield* rows.extend(found.session.sessionId, expiresAt)
        return shown({ ...found.session, expiresAt }, found.member, secret)
      }),
      signOut: Effect.fn("Sessions.signOut")(({ memberId, sessionId, workspaceId }, by) =>
        trail.change(
          by,
          Effect.map(rows.end(sessionId), (ended) =>
            ended
              ? changed(undefined, {
                  action: "member.signed_out",
                  subjectId: memberId,
                  workspaceId,
                  before: { sessionId },
                  after: null
                })
              : unchanged(undefined)
          )
        )
      ),
      signOutEverywhere: Effect.fn("Sessions.signOutEverywhere")((workspaceId, memberId, by) =>
        trail.change(
          by,
          Effect.gen(function* () {
            const current = (yield* members.lock(workspaceId)) ?? []
            const refused = isThemselves(by, memberId) ? null : changeRefused(by, workspaceId, current)
            if (refused !== null) return yield* refused
            if (!current.some((member) => member.memberId === memberId))
              return yield* new NotFound({ what: "member", id: memberId })
            const sessions = yield* rows.endAll(memberId)
            return changed(sessions, {
              action: "member.signed_out",
              subjectId: memberId,
              workspaceId,
              before: { sessions },
              after: { sessions: 0 }
            })
          })
        )
      ),
      principal: Effect.fn("Sessions.principal")(function* (session, workspaceId) {
        const none = new NotFound({ what: "workspace", id: workspaceId })
        if (session.workspaceId !== null && session.workspaceId !== workspaceId) return yield* none
        const scopes = roleScopes[session.role]
        const principal = yield* rows.acting({
          tokenId: TokenId.make(`tok_${yield* ids.suffix}`),
          digest: yield* Effect.sync(() => randomBytes(32)),
          memberId: session.memberId,
          workspaceId,
          label: session.name,
          scopes,
          createdAt: yield* Clock.currentTimeMillis
        })
        if (principal === null) return yield* none
        return { ...principal, label: session.name, scopes, operator: session.role === "operator" }
      })
    })
  })

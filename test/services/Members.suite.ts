/** What every Members and Sessions layer promises about people, their links and their sessions. */
import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Redacted, TestClock } from "effect"
import { describe } from "vitest"
import { commandLine } from "../../src/domain/AuditEntry.js"
import type { WorkspaceId } from "../../src/domain/Ids.js"
import { type Member, personActing, type Role } from "../../src/domain/Member.js"
import { scopes } from "../../src/domain/Scope.js"
import { Accounts } from "../../src/services/Accounts.js"
import { AuditTrail } from "../../src/services/AuditTrail.js"
import { Members } from "../../src/services/Members.js"
import { Sessions } from "../../src/services/Sessions.js"
import { newWorkspace } from "../support/sharedDatabase.js"

const origin = { from: "192.0.2.7", requestId: "req_test" }
const browser = { origin, replaces: null }
const acting = (member: Member) => personActing(member, origin)
const minute = 60_000
const hour = 60 * minute

type Services = Accounts | AuditTrail | Members | Sessions
let made = 0

export const membersSuite = (name: string, layer: Layer.Layer<Services>) =>
  describe(name, () => {
    const test = (title: string, work: Effect.Effect<void, unknown, Services>) =>
      it.effect(title, () => Effect.provide(work, layer))

    const person = (workspaceId: WorkspaceId | null, role: Role, email: string | null = null) =>
      Effect.flatMap(Members, (members) =>
        members.add({ workspaceId, role, email, name: `person ${++made}` }, commandLine)
      )
    /** A workspace with an owner and a member. */
    const team = Effect.gen(function* () {
      const { workspaceId } = yield* newWorkspace
      return {
        workspaceId,
        owner: yield* person(workspaceId, "owner"),
        member: yield* person(workspaceId, "member")
      }
    })
    const signedIn = (member: Member) =>
      Effect.flatMap(Sessions, (sessions) => sessions.signIn(member.memberId, browser))
    const find = (secret: Redacted.Redacted<string>) => Effect.flatMap(Sessions, (sessions) => sessions.find(secret))
    const actionsOn = (subjectId: string) =>
      Effect.flatMap(AuditTrail, (trail) =>
        Effect.map(trail.list({ subjectId }, { after: null, limit: 50 }), ({ items }) =>
          items.map(({ action }) => action)
        )
      )

    test(
      "people are added, listed, renamed and given a role, and each change is in the audit trail",
      Effect.gen(function* () {
        const members = yield* Members
        const { member, owner, workspaceId } = yield* team
        const by = acting(owner)
        const renamed = yield* members.rename(workspaceId, member.memberId, "  Ada  ", by)
        assert.strictEqual(renamed.name, "Ada")
        const promoted = yield* members.setRole(workspaceId, member.memberId, "owner", by)
        assert.deepStrictEqual(yield* members.list(workspaceId), [owner, promoted])
        assert.deepStrictEqual(yield* members.get(workspaceId, member.memberId), promoted)
        assert.deepStrictEqual(yield* actionsOn(member.memberId), [
          "member.role_changed",
          "member.renamed",
          "member.added"
        ])
        // The same again changes nothing.
        yield* members.setRole(workspaceId, member.memberId, "owner", by)
        yield* members.rename(workspaceId, member.memberId, "Ada", by)
        assert.lengthOf(yield* actionsOn(member.memberId), 3)
      })
    )

    test(
      "what cannot be a member is refused by its field",
      Effect.gen(function* () {
        const members = yield* Members
        const { owner, workspaceId } = yield* team
        yield* person(workspaceId, "member", "Ada@Example.com ")
        const good = { workspaceId, name: `person ${++made}`, role: "member" as const, email: null }
        for (const [wrong, field] of [
          [{ ...good, name: " " }, "name"],
          [{ ...good, name: "x".repeat(101) }, "name"],
          [{ ...good, name: owner.name.toUpperCase() }, "name"],
          [{ ...good, name: `${owner.name}\u200b` }, "name"],
          [{ ...good, email: "ada" }, "email"],
          [{ ...good, email: "a b@example.com" }, "email"],
          [{ ...good, email: "ada@EXAMPLE.com" }, "email"],
          [{ ...good, role: "operator" as const }, "role"],
          [{ ...good, workspaceId: null }, "role"]
        ] as const) {
          const error = yield* Effect.flip(members.add(wrong, commandLine))
          assert.strictEqual(error._tag === "validation_error" && error.details[0]?.field, field, JSON.stringify(wrong))
        }
        const renamed = yield* Effect.flip(members.rename(workspaceId, owner.memberId, "", acting(owner)))
        assert.strictEqual(renamed._tag, "validation_error")
      })
    )

    test(
      "only owners of the workspace, operators and the command line change members",
      Effect.gen(function* () {
        const members = yield* Members
        const sessions = yield* Sessions
        const { member, owner, workspaceId } = yield* team
        const other = yield* team
        const operator = yield* person(null, "operator")
        const added = { workspaceId, name: `person ${++made}`, role: "owner" as const, email: null }
        for (const [who, by] of [
          ["a member", acting(member)],
          ["an owner elsewhere", acting(other.owner)],
          ["the gateway", { kind: "gateway", ...origin }]
        ] as const) {
          for (const refused of [
            members.add(added, by),
            members.rename(workspaceId, member.memberId, "x", by),
            members.setRole(workspaceId, member.memberId, "owner", by),
            members.remove(workspaceId, owner.memberId, { revokeTokens: false }, by),
            sessions.makeLink(workspaceId, owner.memberId, by),
            sessions.signOutEverywhere(workspaceId, owner.memberId, by),
            members.add({ ...added, workspaceId: null, role: "operator" }, by)
          ])
            assert.strictEqual((yield* Effect.flip<unknown, { _tag: string }, never>(refused))._tag, "forbidden", who)
        }
        // An owner reaches nobody through another workspace's name.
        for (const missed of [
          members.rename(workspaceId, other.member.memberId, "x", acting(owner)),
          members.remove(workspaceId, operator.memberId, { revokeTokens: false }, acting(owner)),
          sessions.makeLink(workspaceId, other.member.memberId, acting(owner))
        ])
          assert.strictEqual((yield* Effect.flip<unknown, { _tag: string }, never>(missed))._tag, "not_found")
        yield* members.rename(workspaceId, member.memberId, `person ${++made}`, acting(operator))
        yield* members.add(added, acting(operator))
      })
    )

    test(
      "a workspace keeps an owner, also when two owners remove each other at once, unless an operator removes the last",
      Effect.gen(function* () {
        const members = yield* Members
        const { member, owner, workspaceId } = yield* team
        const operator = yield* person(null, "operator")
        for (const leaving of [
          members.setRole(workspaceId, owner.memberId, "member", acting(owner)),
          members.remove(workspaceId, owner.memberId, { revokeTokens: false }, acting(owner))
        ])
          assert.strictEqual((yield* Effect.flip<unknown, { _tag: string }, never>(leaving))._tag, "validation_error")
        const second = yield* members.setRole(workspaceId, member.memberId, "owner", acting(owner))
        const both = yield* Effect.all(
          [
            Effect.either(members.remove(workspaceId, owner.memberId, { revokeTokens: false }, acting(second))),
            Effect.either(members.remove(workspaceId, second.memberId, { revokeTokens: false }, acting(owner)))
          ],
          { concurrency: 2 }
        )
        assert.lengthOf(
          both.filter(({ _tag }) => _tag === "Right"),
          1
        )
        const [last] = yield* members.list(workspaceId)
        yield* members.remove(workspaceId, last!.memberId, { revokeTokens: false }, acting(operator))
        assert.deepStrictEqual(yield* members.list(workspaceId), [])
      })
    )

    test(
      "a removed member is gone: no session, no link, no way back in, and the name is free again",
      Effect.gen(function* () {
        const members = yield* Members
        const sessions = yield* Sessions
        const { member, owner, workspaceId } = yield* team
        const { secret, session } = yield* signedIn(member)
        const link = yield* sessions.makeLink(workspaceId, member.memberId, acting(owner))
        assert.strictEqual((yield* find(secret))?.memberId, member.memberId)
        const answer = yield* members.remove(workspaceId, member.memberId, { revokeTokens: false }, acting(owner))
        assert.deepStrictEqual(answer, { member, tokens: [], revoked: false })
        assert.isNull(yield* find(secret))
        assert.strictEqual((yield* Effect.flip(sessions.linkedMember(link.secret)))._tag, "LinkOver")
        assert.strictEqual((yield* Effect.flip(sessions.signInByLink(link.secret, browser)))._tag, "LinkOver")
        assert.strictEqual((yield* Effect.flip(sessions.signIn(member.memberId, browser)))._tag, "not_found")
        assert.strictEqual((yield* Effect.flip(sessions.principal(session, workspaceId)))._tag, "not_found")
        const again = yield* Effect.flip(
          members.remove(workspaceId, member.memberId, { revokeTokens: false }, acting(owner))
        )
        assert.strictEqual(again._tag, "not_found")
        yield* members.add({ workspaceId, name: member.name, role: "member", email: null }, acting(owner))
      })
    )

    test(
      "tokens that a removed member made go on working and are named, or are revoked when that is asked for",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const members = yield* Members
        const { member, owner, workspaceId } = yield* team
        const token = (by: Member) =>
          accounts.createToken(
            { workspaceId, label: "ci", scopes: ["runs:read"], monthlyLimitMicros: null, expiresAt: null },
            acting(by)
          )
        yield* members.setRole(workspaceId, member.memberId, "owner", acting(owner))
        const theirs = [yield* token(member), yield* token(member)]
        const ended = yield* token(member)
        yield* accounts.revokeToken(ended.tokenId, acting(member))
        const other = yield* token(owner)
        const kept = yield* members.remove(workspaceId, member.memberId, { revokeTokens: false }, acting(owner))
        assert.deepStrictEqual([kept.tokens, kept.revoked], [theirs.map(({ tokenId }) => tokenId).sort(), false])
        for (const each of theirs) yield* accounts.authenticate(each.token)

        const second = yield* person(workspaceId, "owner")
        const made = yield* token(second)
        const revoked = yield* members.remove(workspaceId, second.memberId, { revokeTokens: true }, acting(owner))
        assert.deepStrictEqual([revoked.tokens, revoked.revoked], [[made.tokenId], true])
        assert.strictEqual((yield* Effect.flip(accounts.authenticate(made.token)))._tag, "token_revoked")
        assert.include(yield* actionsOn(made.tokenId), "token.revoked")
        yield* accounts.authenticate(other.token)
      })
    )

    test(
      "a link signs its member in once, also when it is opened twice at once, and not after 15 minutes",
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const { member, owner, workspaceId } = yield* team
        const link = yield* sessions.makeLink(workspaceId, member.memberId, acting(owner))
        // Looking does not use it up.
        for (let n = 0; n < 3; n++)
          assert.strictEqual((yield* sessions.linkedMember(link.secret)).memberId, member.memberId)
        const both = yield* Effect.all(
          [1, 2].map(() => Effect.either(sessions.signInByLink(link.secret, browser))),
          { concurrency: 2 }
        )
        const [won] = both.flatMap((answer) => (answer._tag === "Right" ? [answer.right] : []))
        assert.lengthOf(
          both.filter(({ _tag }) => _tag === "Left"),
          1
        )
        assert.deepInclude(won?.session, { memberId: member.memberId, role: "member", workspaceId, name: member.name })
        assert.strictEqual((yield* Effect.flip(sessions.linkedMember(link.secret)))._tag, "LinkOver")

        const late = yield* sessions.makeLink(workspaceId, member.memberId, acting(owner))
        yield* TestClock.adjust(15 * minute - 1)
        yield* sessions.linkedMember(late.secret)
        yield* TestClock.adjust(1)
        for (const over of [sessions.linkedMember(late.secret), sessions.signInByLink(late.secret, browser)])
          assert.strictEqual((yield* Effect.flip<unknown, { _tag: string }, never>(over))._tag, "LinkOver")
        for (const odd of ["", "x", "é".repeat(43), "x".repeat(43), "x".repeat(10_000)])
          assert.strictEqual((yield* Effect.flip(sessions.linkedMember(Redacted.make(odd))))._tag, "LinkOver")
      })
    )

    test(
      "a session lives 12 hours after its last request and 7 days at most, and each sign-in has a new secret",
      Effect.gen(function* () {
        const { member } = yield* team
        const first = yield* signedIn(member)
        const second = yield* signedIn(member)
        assert.notStrictEqual(Redacted.value(first.secret), Redacted.value(second.secret))
        assert.notStrictEqual(first.session.csrf, second.session.csrf)
        assert.deepStrictEqual(yield* find(first.secret), first.session)
        yield* TestClock.adjust(11 * hour)
        assert.isNotNull(yield* find(first.secret))
        yield* TestClock.adjust(hour)
        assert.isNull(yield* find(second.secret))
        // The other one had a request an hour ago. One every 11 hours keeps it for a week.
        for (let n = 0; n < 14; n++) {
          assert.isNotNull(yield* find(first.secret), String(n))
          yield* TestClock.adjust(11 * hour)
        }
        const last = yield* find(first.secret)
        assert.strictEqual(last?.expiresAt, first.session.createdAt + 7 * 24 * hour)
        yield* TestClock.adjust(2 * hour)
        assert.isNull(yield* find(first.secret))
      })
    )

    test(
      "a sign-in ends the session that the browser had, sign-out one session, and sign-out everywhere all of a member",
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const { member, owner, workspaceId } = yield* team
        const before = yield* signedIn(owner)
        const first = yield* sessions.signIn(member.memberId, { origin, replaces: before.secret })
        assert.isNull(yield* find(before.secret))
        const others = [yield* signedIn(member), yield* signedIn(member)]
        const by = acting(member)
        yield* sessions.signOut(first.session, by)
        yield* sessions.signOut(first.session, by)
        assert.isNull(yield* find(first.secret))
        assert.strictEqual(yield* sessions.signOutEverywhere(workspaceId, member.memberId, by), 2)
        for (const { secret } of others) assert.isNull(yield* find(secret))
        assert.deepStrictEqual((yield* actionsOn(member.memberId)).slice(0, 3), [
          "member.signed_out",
          "member.signed_out",
          "member.signed_in"
        ])
      })
    )

    test(
      "a new role and a new name hold from the next request of a session",
      Effect.gen(function* () {
        const members = yield* Members
        const sessions = yield* Sessions
        const { member, owner, workspaceId } = yield* team
        const { secret, session } = yield* signedIn(member)
        const before = yield* sessions.principal(session, workspaceId)
        assert.notInclude(before.scopes, "account:manage")
        assert.notInclude(before.scopes, "billing:write")
        yield* members.setRole(workspaceId, member.memberId, "owner", acting(owner))
        yield* members.rename(workspaceId, member.memberId, `new ${member.name}`, acting(owner))
        const now = yield* find(secret)
        assert.deepInclude(now, { role: "owner", name: `new ${member.name}` })
        const after = yield* sessions.principal(now!, workspaceId)
        assert.deepStrictEqual(after, { ...before, scopes, label: `new ${member.name}` })
      })
    )

    test(
      "a session acts in its own workspace by one hidden token, an operator in every one, and nobody elsewhere",
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const { member, workspaceId } = yield* team
        const other = yield* team
        const { session } = yield* signedIn(member)
        const all = yield* Effect.all(
          [1, 2, 3].map(() => sessions.principal(session, workspaceId)),
          { concurrency: 3 }
        )
        assert.lengthOf([...new Set(all.map(({ tokenId }) => tokenId))], 1)
        assert.deepInclude(all[0], { workspaceId, ancestors: [], expiresAt: null, operator: false })
        assert.strictEqual((yield* Effect.flip(sessions.principal(session, other.workspaceId)))._tag, "not_found")
        const operator = yield* signedIn(yield* person(null, "operator"))
        for (const each of [workspaceId, other.workspaceId]) {
          const principal = yield* sessions.principal(operator.session, each)
          assert.deepInclude(principal, { workspaceId: each, operator: true, operatorWorkspace: false, scopes })
        }
      })
    )

    test(
      "a person of an OpenID provider is found by the verified address once, and by issuer and subject from then on",
      Effect.gen(function* () {
        const members = yield* Members
        const { workspaceId } = yield* team
        const other = yield* team
        const email = `ada${++made}@example.com`
        const one = yield* person(workspaceId, "member", email)
        const two = yield* person(other.workspaceId, "owner", email)
        const issuer = "https://issuer.example"
        const ofIdentity = (subject: string, verifiedEmail: string | null, at = issuer) =>
          Effect.map(members.ofIdentity({ issuer: at, subject, verifiedEmail }, origin), (found) =>
            found.map(({ memberId }) => memberId)
          )
        const subject = `s${++made}`
        assert.deepStrictEqual(yield* ofIdentity(subject, null), [])
        assert.deepStrictEqual(yield* ofIdentity(subject, email.toUpperCase()), [one.memberId, two.memberId])
        assert.deepStrictEqual(yield* ofIdentity(subject, null), [one.memberId, two.memberId])
        // Somebody else who comes by the address later, and the same subject of another issuer, open nothing.
        assert.deepStrictEqual(yield* ofIdentity("other", email), [])
        assert.deepStrictEqual(yield* ofIdentity(subject, email, "https://evil.example"), [])
        assert.include(yield* actionsOn(one.memberId), "member.identity_bound")
        yield* members.remove(workspaceId, one.memberId, { revokeTokens: false }, commandLine)
        assert.deepStrictEqual(yield* ofIdentity(subject, email), [two.memberId])
      })
    )
  })

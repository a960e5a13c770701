/** What every Tokens layer promises: tokens that make, change and renew tokens, and never more than themselves. */
import { assert, it } from "@effect/vitest"
import { Effect, Either, type Layer, type Redacted, TestClock } from "effect"
import { describe } from "vitest"
import { type Actor, commandLine } from "../../src/domain/AuditEntry.js"
import { tokenLineMax } from "../../src/domain/limits/Access.js"
import { Micros } from "../../src/domain/Micros.js"
import type { Scope } from "../../src/domain/Scope.js"
import type { People } from "../../src/layers/compose/Engine.js"
import { Accounts, type Principal } from "../../src/services/Accounts.js"
import { LoginApprovals } from "../../src/services/LoginApprovals.js"
import { Members } from "../../src/services/Members.js"
import { Sessions } from "../../src/services/Sessions.js"
import { type AskedToken, Tokens } from "../../src/services/Tokens.js"
import type { Storage } from "../support/engine.js"
import { eventually } from "../support/eventually.js"
import { newWorkspace } from "../support/sharedDatabase.js"
import { signInTo } from "../support/signIn.js"

const inJune = Date.UTC(2026, 5, 15, 12)
const hour = 3_600_000
const firstPage = { limit: 100, after: null }

const asks = (changes: Partial<AskedToken> = {}): AskedToken => ({
  label: "child",
  scopes: ["runs:read"],
  ...changes
})
const byToken = ({ tokenId, workspaceId }: Principal): Actor => ({
  kind: "token",
  tokenId,
  workspaceId,
  from: null,
  requestId: null
})

interface CallerOptions {
  readonly scopes?: ReadonlyArray<Scope>
  readonly monthlyLimitMicros?: Micros | null
  readonly expiresAt?: number | null
}
const callerIn = (
  workspaceId: Principal["workspaceId"],
  { expiresAt = null, monthlyLimitMicros = null, scopes = ["account:manage", "runs:read"] }: CallerOptions = {}
) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const { token } = yield* accounts.createToken(
      { workspaceId, label: "caller", scopes, monthlyLimitMicros, expiresAt },
      commandLine
    )
    return { secret: token, caller: yield* accounts.authenticate(token) }
  })
const newCaller = (options: CallerOptions = {}) =>
  Effect.flatMap(newWorkspace, ({ workspaceId }) => callerIn(workspaceId, options))

export const tokensSuite = (name: string, layer: Layer.Layer<Storage | People>) =>
  describe(name, () => {
    const test = (title: string, work: Effect.Effect<void, unknown, Storage | People>) =>
      it.scoped(title, () => Effect.provide(Effect.zipRight(TestClock.setTime(inJune), work), layer))

    const works = (secret: Redacted.Redacted<string>) =>
      Effect.map(
        Effect.either(Effect.flatMap(Accounts, (accounts) => accounts.authenticate(secret))),
        Either.match({ onLeft: ({ _tag }): string => _tag, onRight: () => "works" })
      )
    const fieldsOf = <A, E extends { readonly _tag: string }>(work: Effect.Effect<A, E>) =>
      Effect.map(Effect.flip(work), (error) => [
        error._tag,
        "details" in error && Array.isArray(error.details)
          ? error.details.map(({ field }: { readonly field: string }) => field).join()
          : ""
      ])

    test(
      "a token that a token makes works at once, is its child, and ends when it is revoked",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const tokens = yield* Tokens
        const { caller } = yield* newCaller({ expiresAt: inJune + hour })
        const { secret, token } = yield* tokens.create(caller, asks(), byToken(caller))
        assert.deepStrictEqual(token, {
          tokenId: token.tokenId,
          label: "child",
          scopes: ["runs:read"],
          createdAt: inJune,
          lastUsedAt: null,
          // It was not asked for, and is the caller's.
          expiresAt: inJune + hour,
          revokedAt: null,
          monthlyLimitMicros: null,
          monthSpendMicros: Micros.make(0)
        })
        assert.deepInclude(yield* accounts.authenticate(secret), {
          tokenId: token.tokenId,
          ancestors: [caller.tokenId],
          scopes: ["runs:read"]
        })
        yield* tokens.revoke(caller, caller.tokenId, byToken(caller))
        assert.strictEqual(yield* works(secret), "token_revoked")
      })
    )

    test(
      "a token that a person makes in the console has no parent, and the token by which they act is in no list",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const sessions = yield* Sessions
        const tokens = yield* Tokens
        const { workspaceId } = yield* newWorkspace
        const { member, session } = yield* signInTo(workspaceId, "owner")
        const caller = yield* sessions.principal(session, workspaceId)
        const by: Actor = { kind: "member", memberId: member.memberId, workspaceId, from: null, requestId: null }
        const { secret, token } = yield* tokens.create(caller, asks(), by)
        assert.deepStrictEqual((yield* accounts.authenticate(secret)).ancestors, [])
        const { items } = yield* tokens.list(workspaceId, firstPage)
        assert.deepStrictEqual(
          items.map(({ tokenId }) => tokenId),
          [token.tokenId]
        )
        assert.strictEqual((yield* fieldsOf(tokens.rotate(caller, caller.tokenId, 0, by)))[0], "not_found")
      })
    )

    test(
      "a person who is removed while their request is under way makes no token and lets no login in",
      Effect.gen(function* () {
        const logins = yield* LoginApprovals
        const members = yield* Members
        const tokens = yield* Tokens
        const { workspaceId } = yield* newWorkspace
        const { member, session } = yield* signInTo(workspaceId, "member")
        const caller = yield* (yield* Sessions).principal(session, workspaceId)
        const by: Actor = { kind: "member", memberId: member.memberId, workspaceId, from: null, requestId: null }
        const { login } = yield* logins.createForDevice({ label: "laptop", scopes: ["runs:read"] })
        yield* members.remove(workspaceId, member.memberId, { revokeTokens: true }, commandLine)
        assert.strictEqual((yield* Effect.flip(tokens.create(caller, asks(), by)))._tag, "forbidden")
        assert.strictEqual((yield* Effect.flip(logins.approve(login.approvalId, caller, by)))._tag, "forbidden")
        assert.strictEqual((yield* logins.get(login.approvalId)).status, "pending")
        assert.deepStrictEqual((yield* tokens.list(workspaceId, firstPage)).items, [])
      })
    )

    test(
      "a token asks for no more than it has: each excess is named, and nothing is written",
      Effect.gen(function* () {
        const tokens = yield* Tokens
        const { caller } = yield* newCaller({ expiresAt: inJune + hour, monthlyLimitMicros: Micros.make(5) })
        const by = byToken(caller)
        assert.deepStrictEqual(
          yield* fieldsOf(
            tokens.create(
              caller,
              asks({
                scopes: ["runs:execute"],
                expiresAt: inJune + 2 * hour,
                monthlyLimitMicros: Micros.make(6)
              }),
              by
            )
          ),
          ["forbidden", "scopes,expiresAt,monthlyLimitUsd"]
        )
        // None is more than any.
        for (const [none, field] of [
          [{ monthlyLimitMicros: null }, "monthlyLimitUsd"],
          [{ expiresAt: null }, "expiresAt"]
        ] as const)
          assert.deepStrictEqual(yield* fieldsOf(tokens.create(caller, asks(none), by)), ["forbidden", field])
        assert.strictEqual((yield* tokens.list(caller.workspaceId, firstPage)).items.length, 1)
        const { token } = yield* tokens.create(
          caller,
          asks({ expiresAt: inJune + hour, monthlyLimitMicros: Micros.make(5) }),
          by
        )
        for (const [change, field] of [
          [{ monthlyLimitMicros: Micros.make(6) }, "monthlyLimitUsd"],
          [{ monthlyLimitMicros: null }, "monthlyLimitUsd"],
          [{ expiresAt: inJune + 2 * hour }, "expiresAt"],
          [{ expiresAt: null }, "expiresAt"]
        ] as const)
          for (const tokenId of [token.tokenId, caller.tokenId])
            assert.deepStrictEqual(yield* fieldsOf(tokens.change(caller, tokenId, change, by)), ["forbidden", field])
      })
    )

    test(
      "a token is not renewed by one that may do less, nor touched when it is the platform operator's",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const tokens = yield* Tokens
        const { caller } = yield* newCaller({ monthlyLimitMicros: Micros.make(5) })
        const by = byToken(caller)
        const stronger = yield* callerIn(caller.workspaceId, { scopes: ["account:manage", "billing:write"] })
        assert.deepStrictEqual(yield* fieldsOf(tokens.rotate(caller, stronger.caller.tokenId, 0, by)), [
          "forbidden",
          "scopes,monthlyLimitUsd"
        ])
        assert.strictEqual(yield* works(stronger.secret), "works")
        const { tokenId } = yield* accounts.createToken(
          {
            workspaceId: caller.workspaceId,
            label: "operator",
            scopes: ["runs:read"],
            monthlyLimitMicros: null,
            expiresAt: null,
            operator: true
          },
          commandLine
        )
        for (const work of [
          tokens.rotate(caller, tokenId, 0, by),
          tokens.change(caller, tokenId, { label: "mine" }, by),
          tokens.revoke(caller, tokenId, by)
        ])
          assert.deepStrictEqual(yield* fieldsOf<unknown, { readonly _tag: string }>(work), ["forbidden", "tokenId"])
      })
    )

    test(
      "a token that may do more is shortened and narrowed by one that may do less, and neither prolonged nor widened",
      Effect.gen(function* () {
        const tokens = yield* Tokens
        const dollars = Micros.make(1_000_000)
        const { caller } = yield* newCaller({ scopes: ["account:manage"], monthlyLimitMicros: dollars })
        const by = byToken(caller)
        const stronger = yield* callerIn(caller.workspaceId, {
          scopes: ["runs:execute", "billing:write"],
          monthlyLimitMicros: Micros.make(500_000),
          expiresAt: inJune + 2 * hour
        })
        const { tokenId } = stronger.caller
        const narrowed = { expiresAt: inJune + hour, monthlyLimitMicros: Micros.make(400_000) }
        assert.deepInclude(yield* tokens.change(caller, tokenId, narrowed, by), narrowed)
        for (const changes of [
          { expiresAt: inJune + 2 * hour },
          { monthlyLimitMicros: Micros.make(500_000) },
          { expiresAt: null, label: "mine" }
        ])
          assert.deepStrictEqual(yield* fieldsOf(tokens.change(caller, tokenId, changes, by)), ["forbidden", "scopes"])
        // What has expired is not brought back either.
        yield* TestClock.setTime(inJune + hour)
        assert.deepStrictEqual(yield* fieldsOf(tokens.change(caller, tokenId, { expiresAt: null }, by)), [
          "forbidden",
          "scopes"
        ])
        assert.deepInclude(yield* tokens.get(caller.workspaceId, tokenId), narrowed)
        assert.strictEqual(yield* works(stronger.secret), "unauthorized")

        const unlimited = yield* callerIn(caller.workspaceId, {
          scopes: ["account:manage"],
          expiresAt: inJune + 2 * hour
        })
        assert.deepStrictEqual(
          yield* fieldsOf(tokens.change(caller, unlimited.caller.tokenId, { expiresAt: null }, by)),
          ["forbidden", "monthlyLimitUsd"]
        )
      })
    )

    test(
      "a change holds for the token and for those that come from it, which end no later",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const tokens = yield* Tokens
        const { caller } = yield* newCaller({ monthlyLimitMicros: Micros.make(9) })
        const by = byToken(caller)
        const parent = yield* tokens.create(caller, asks({ scopes: ["account:manage", "runs:read"] }), by)
        const parentCaller = yield* accounts.authenticate(parent.secret)
        const child = yield* tokens.create(parentCaller, asks(), byToken(parentCaller))
        const changed = yield* tokens.change(
          caller,
          parent.token.tokenId,
          { label: "renamed", expiresAt: inJune + hour, monthlyLimitMicros: Micros.make(4) },
          by
        )
        assert.deepInclude(changed, { label: "renamed", expiresAt: inJune + hour, monthlyLimitMicros: Micros.make(4) })
        assert.strictEqual((yield* tokens.get(caller.workspaceId, child.token.tokenId)).expiresAt, inJune + hour)
        assert.deepStrictEqual(
          yield* fieldsOf(tokens.change(caller, child.token.tokenId, { expiresAt: inJune + 2 * hour }, by)),
          ["validation_error", "expiresAt"]
        )
        yield* TestClock.setTime(inJune + hour)
        assert.strictEqual(yield* works(child.secret), "unauthorized")
        assert.deepStrictEqual(
          yield* fieldsOf(tokens.change(caller, parent.token.tokenId, { expiresAt: inJune }, by)),
          ["validation_error", "expiresAt"]
        )
        yield* tokens.revoke(caller, parent.token.tokenId, by)
        assert.deepStrictEqual(yield* fieldsOf(tokens.change(caller, parent.token.tokenId, { label: "x" }, by)), [
          "validation_error",
          "tokenId"
        ])
      })
    )

    test(
      "a token is handed the secrets of itself, its siblings and those that come from it, and of no other one",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const tokens = yield* Tokens
        const { caller: first, secret } = yield* newCaller()
        const childOf = Effect.fnUntraced(function* (parent: Principal) {
          const made = yield* tokens.create(parent, asks({ scopes: first.scopes }), byToken(parent))
          return yield* accounts.authenticate(made.secret)
        })
        const child = yield* childOf(first)
        const sibling = yield* childOf(first)
        const grandchild = yield* childOf(child)
        const { caller: stranger } = yield* callerIn(first.workspaceId)
        const refused = ["forbidden", "tokenId"]
        const rotated = (by: Principal, { tokenId }: Principal) => tokens.rotate(by, tokenId, hour, byToken(by))
        for (const [by, all] of [
          [child, [first, stranger]],
          [grandchild, [child, first, sibling, stranger]]
        ] as const)
          for (const token of all) assert.deepStrictEqual(yield* fieldsOf(rotated(by, token)), refused)
        assert.strictEqual(yield* works(secret), "works")
        for (const token of [child, sibling, grandchild]) yield* rotated(child, token)
        for (const token of [first, child, grandchild, stranger]) yield* rotated(first, token)
      })
    )

    test(
      "a token that comes from a revoked one is told as such: it is neither changed nor given another secret",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const tokens = yield* Tokens
        const { caller } = yield* newCaller()
        const by = byToken(caller)
        const parent = yield* tokens.create(caller, asks({ scopes: caller.scopes }), by)
        const parentCaller = yield* accounts.authenticate(parent.secret)
        const child = yield* tokens.create(parentCaller, asks({ scopes: caller.scopes }), byToken(parentCaller))
        const childCaller = yield* accounts.authenticate(child.secret)
        const grandchild = yield* tokens.create(childCaller, asks(), byToken(childCaller))
        yield* TestClock.setTime(inJune + hour)
        yield* tokens.revoke(caller, parent.token.tokenId, by)
        for (const { secret, token } of [child, grandchild]) {
          for (const work of [
            tokens.rotate(caller, token.tokenId, 0, by),
            tokens.change(caller, token.tokenId, { expiresAt: inJune + 2 * hour }, by)
          ])
            assert.strictEqual(
              (yield* Effect.flip<unknown, { readonly message: string }, Storage | People>(work)).message,
              "tokenId: comes from a token that is revoked; make a new token"
            )
          assert.strictEqual(yield* works(secret), "token_revoked")
        }
        // The list says since when.
        assert.deepStrictEqual(
          (yield* tokens.list(caller.workspaceId, firstPage)).items.map(({ expiresAt, revokedAt }) => [
            expiresAt,
            revokedAt
          ]),
          [
            [null, inJune + hour],
            [null, inJune + hour],
            [null, inJune + hour],
            [null, null]
          ]
        )
        yield* TestClock.setTime(inJune + 2 * hour)
        yield* tokens.revoke(caller, child.token.tokenId, by)
        assert.strictEqual((yield* tokens.get(caller.workspaceId, child.token.tokenId)).revokedAt, inJune + hour)
      })
    )

    test(
      "a token that has expired gets no secret until its end is moved, behind that of the one that it comes from",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const tokens = yield* Tokens
        const { caller } = yield* newCaller()
        const by = byToken(caller)
        const parent = yield* tokens.create(caller, asks({ scopes: caller.scopes, expiresAt: inJune + hour }), by)
        const parentCaller = yield* accounts.authenticate(parent.secret)
        const child = yield* tokens.create(parentCaller, asks(), byToken(parentCaller))
        yield* TestClock.setTime(inJune + hour)
        const refused = (tokenId: Principal["tokenId"]) =>
          Effect.map(Effect.flip(tokens.rotate(caller, tokenId, 0, by)), ({ message }) => message)
        assert.deepStrictEqual(
          [yield* refused(parent.token.tokenId), yield* refused(child.token.tokenId)],
          [
            "tokenId: has expired; set a later expiresAt with PATCH first",
            "tokenId: comes from a token that has expired; set a later expiresAt with PATCH, of that one first and then of this one"
          ]
        )
        for (const { token } of [parent, child]) {
          yield* tokens.change(caller, token.tokenId, { expiresAt: inJune + 2 * hour }, by)
          assert.strictEqual(yield* works((yield* tokens.rotate(caller, token.tokenId, 0, by)).secret), "works")
        }
      })
    )

    test(
      "during the overlap of a rotation both secrets work, afterwards only the new one",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const tokens = yield* Tokens
        const { caller, secret: first } = yield* newCaller()
        const by = byToken(caller)
        const second = yield* tokens.rotate(caller, caller.tokenId, 3600, by)
        assert.strictEqual((yield* accounts.authenticate(first)).tokenId, caller.tokenId)
        assert.strictEqual((yield* accounts.authenticate(second.secret)).tokenId, caller.tokenId)
        yield* TestClock.setTime(inJune + hour - 1)
        assert.strictEqual(yield* works(first), "works")
        yield* TestClock.setTime(inJune + hour)
        assert.strictEqual(yield* works(first), "unauthorized")
        assert.strictEqual(yield* works(second.secret), "works")

        // A secret that another rotation replaces works no longer than that one says.
        const third = yield* tokens.rotate(caller, caller.tokenId, 3600, by)
        const fourth = yield* tokens.rotate(caller, caller.tokenId, 0, by)
        assert.deepStrictEqual(
          [yield* works(second.secret), yield* works(third.secret), yield* works(fourth.secret)],
          ["unauthorized", "unauthorized", "works"]
        )
        yield* tokens.revoke(caller, caller.tokenId, by)
        assert.strictEqual(yield* works(fourth.secret), "token_revoked")
        assert.deepStrictEqual(yield* fieldsOf(tokens.rotate(caller, caller.tokenId, 0, by)), [
          "validation_error",
          "tokenId"
        ])
        assert.strictEqual(yield* works(fourth.secret), "token_revoked")
      })
    )

    test(
      "a longer overlap of a later rotation does not make an earlier secret live longer",
      Effect.gen(function* () {
        const tokens = yield* Tokens
        const { caller, secret: first } = yield* newCaller()
        const by = byToken(caller)
        const second = yield* tokens.rotate(caller, caller.tokenId, 60, by)
        const third = yield* tokens.rotate(caller, caller.tokenId, 3600, by)
        yield* TestClock.setTime(inJune + 60_000)
        assert.deepStrictEqual(
          [yield* works(first), yield* works(second.secret), yield* works(third.secret)],
          ["unauthorized", "works", "works"]
        )
      })
    )

    test(
      "the time of the last use is that of the use, and is written within a minute of it, not by the use itself",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const tokens = yield* Tokens
        const { caller, secret } = yield* newCaller()
        const lastUse = Effect.map(tokens.get(caller.workspaceId, caller.tokenId), ({ lastUsedAt }) => lastUsedAt)
        assert.isNull(yield* lastUse)
        yield* TestClock.adjust("20 seconds")
        yield* accounts.authenticate(secret)
        yield* TestClock.adjust("40 seconds")
        // The background writes on a real connection, which the test's clock does not wait for.
        assert.strictEqual(yield* eventually(lastUse, (found) => found !== null), inJune + 20_000)
        yield* accounts.authenticate(secret)
        assert.strictEqual(yield* lastUse, inJune + 20_000)
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* eventually(lastUse, (found) => found !== inJune + 20_000), inJune + 60_000)
      })
    )

    test(
      "the list is newest first over its pages, of one workspace, with what was spent this month",
      Effect.gen(function* () {
        const tokens = yield* Tokens
        const { caller } = yield* newCaller()
        const other = yield* newCaller()
        const made: Array<string> = [caller.tokenId]
        for (let n = 0; n < 3; n++)
          made.unshift((yield* tokens.create(caller, asks({ label: `n${n}` }), byToken(caller))).token.tokenId)
        const first = yield* tokens.list(caller.workspaceId, { limit: 3, after: null })
        const second = yield* tokens.list(caller.workspaceId, { limit: 3, after: first.next })
        assert.deepStrictEqual(
          [...first.items, ...second.items].map(({ tokenId }) => tokenId),
          made
        )
        assert.isNull(second.next)
        assert.strictEqual((yield* fieldsOf(tokens.get(caller.workspaceId, other.caller.tokenId)))[0], "not_found")
        for (const work of [
          tokens.rotate(caller, other.caller.tokenId, 0, byToken(caller)),
          tokens.change(caller, other.caller.tokenId, { label: "mine" }, byToken(caller)),
          tokens.revoke(caller, other.caller.tokenId, byToken(caller))
        ])
          assert.strictEqual((yield* fieldsOf<unknown, { readonly _tag: string }>(work))[0], "not_found")
      })
    )

    test(
      "a line of tokens has an end, and a token must be well-formed",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const tokens = yield* Tokens
        let { caller } = yield* newCaller()
        for (let n = 0; n < tokenLineMax; n++) {
          const { secret } = yield* tokens.create(caller, asks({ scopes: caller.scopes }), byToken(caller))
          caller = yield* accounts.authenticate(secret)
        }
        assert.deepStrictEqual(yield* fieldsOf(tokens.create(caller, asks(), byToken(caller))), [
          "validation_error",
          "token"
        ])
        for (const [changes, field] of [
          [{ label: " " }, "label"],
          [{ scopes: [] }, "scopes"],
          [{ expiresAt: inJune }, "expiresAt"]
        ] as const)
          assert.deepStrictEqual(yield* fieldsOf(tokens.create(caller, asks(changes), byToken(caller))), [
            "validation_error",
            field
          ])
      })
    )
  })

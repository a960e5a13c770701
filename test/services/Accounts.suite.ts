/** What every Accounts layer promises, whatever it stores in. */
import { assert, it } from "@effect/vitest"
import { Effect, Either, Fiber, type Layer, Redacted, TestClock } from "effect"
import { describe } from "vitest"
import { ValidationError } from "../../src/domain/ApiErrors.js"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { TokenId, WorkspaceId } from "../../src/domain/Ids.js"
import { Micros } from "../../src/domain/Micros.js"
import { isTokenText, tokenText } from "../../src/domain/Token.js"
import { policyRulesMax } from "../../src/domain/limits/Workspaces.js"
import {
  changedPolicy,
  type PolicyChange,
  type PolicyRule,
  policyText,
  readRule,
  rulesOf,
  unrestricted
} from "../../src/domain/WorkspacePolicy.js"
import { limitsText } from "../../src/domain/WorkspaceLimits.js"
import { Accounts, type NewToken } from "../../src/services/Accounts.js"
import { newWorkspace } from "../support/sharedDatabase.js"

const inJune = Date.UTC(2026, 5, 15, 12)

const tokenOf = (workspaceId: WorkspaceId, changes: Partial<NewToken> = {}): NewToken => ({
  workspaceId,
  label: "server",
  scopes: ["catalog:read", "runs:execute"],
  monthlyLimitMicros: Micros.make(5_000_000),
  expiresAt: null,
  ...changes
})

const rules = (...texts: ReadonlyArray<string>): ReadonlyArray<PolicyRule> =>
  texts.map((text) => Either.getOrThrow(readRule(text)))
const change = (changes: Partial<PolicyChange>): PolicyChange => ({ reset: false, allow: [], deny: [], ...changes })

export const accountsSuite = (name: string, layer: Layer.Layer<Accounts>) =>
  describe(name, () => {
    const test = (title: string, work: Effect.Effect<void, unknown, Accounts>) =>
      it.effect(title, () => Effect.provide(Effect.zipRight(TestClock.setTime(inJune), work), layer))

    test(
      "a new token authenticates as its workspace with its scopes",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { name: workspaceName, workspaceId } = yield* newWorkspace
        const issued = yield* accounts.createToken(tokenOf(workspaceId), commandLine)
        assert.isTrue(isTokenText(Redacted.value(issued.token)))
        assert.deepStrictEqual(yield* accounts.authenticate(issued.token), {
          tokenId: issued.tokenId,
          label: "server",
          workspaceId,
          workspaceName,
          scopes: ["catalog:read", "runs:execute"],
          createdAt: inJune,
          expiresAt: null,
          ancestors: [],
          operator: false,
          operatorWorkspace: false,
          policy: unrestricted,
          learnsFromUse: false
        })
        assert.deepInclude(yield* accounts.monthSpend({ workspaceId, tokenId: issued.tokenId }), {
          limitMicros: Micros.make(5_000_000),
          spentMicros: Micros.make(0)
        })
      })
    )

    test(
      "a text that is no token, and a well-formed token that nobody issued, are unauthorized",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { workspaceId } = yield* newWorkspace
        const { token } = yield* accounts.createToken(tokenOf(workspaceId), commandLine)
        const text = Redacted.value(token)
        const changed = text.slice(0, 40) + (text.charAt(40) === "0" ? "1" : "0") + text.slice(41)
        const unknown = tokenText("0".repeat(26), new Uint8Array(24))
        for (const wrong of ["", "pgw_", "Bearer x", changed, `${text} `, text.toUpperCase(), unknown]) {
          const error = yield* Effect.flip(accounts.authenticate(Redacted.make(wrong)))
          assert.strictEqual(error._tag, "unauthorized")
        }
      })
    )

    test(
      "a token is refused from the first request after its revocation, and revoking twice is the same as once",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { workspaceId } = yield* newWorkspace
        const { token, tokenId } = yield* accounts.createToken(tokenOf(workspaceId), commandLine)
        yield* accounts.authenticate(token)
        yield* accounts.revokeToken(tokenId, commandLine)
        yield* accounts.revokeToken(tokenId, commandLine)
        assert.strictEqual((yield* Effect.flip(accounts.authenticate(token)))._tag, "token_revoked")
      })
    )

    test(
      "a workspace is the operator's while one of its tokens is, and only that token is the operator's",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { workspaceId } = yield* newWorkspace
        const plain = yield* accounts.createToken(tokenOf(workspaceId), commandLine)
        const roles = Effect.map(accounts.authenticate(plain.token), ({ operator, operatorWorkspace }) => ({
          operator,
          operatorWorkspace
        }))
        const first = yield* accounts.createToken(tokenOf(workspaceId, { operator: true }), commandLine)
        const second = yield* accounts.createToken(tokenOf(workspaceId, { operator: true }), commandLine)
        assert.deepInclude(yield* accounts.authenticate(first.token), { operator: true, operatorWorkspace: true })
        assert.deepStrictEqual(yield* roles, { operator: false, operatorWorkspace: true })
        yield* accounts.revokeToken(first.tokenId, commandLine)
        assert.deepStrictEqual(yield* roles, { operator: false, operatorWorkspace: true })
        yield* accounts.revokeToken(second.tokenId, commandLine)
        assert.deepStrictEqual(yield* roles, { operator: false, operatorWorkspace: false })
      })
    )

    test(
      "a token works until its expiry and not at it",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { workspaceId } = yield* newWorkspace
        const { token } = yield* accounts.createToken(tokenOf(workspaceId, { expiresAt: inJune + 60_000 }), commandLine)
        yield* TestClock.adjust(59_999)
        yield* accounts.authenticate(token)
        yield* TestClock.adjust(1)
        const ended = yield* Effect.flip(accounts.authenticate(token))
        assert.deepStrictEqual([ended._tag, ended.message], ["unauthorized", "This token has expired; use another one"])
      })
    )

    test(
      "many callers at once each get their own answer",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { workspaceId } = yield* newWorkspace
        const issued = yield* Effect.forEach([...Array(20).keys()], (n) =>
          accounts.createToken(tokenOf(workspaceId, { label: `token ${n}` }), commandLine)
        )
        yield* accounts.revokeToken(issued[7]!.tokenId, commandLine)
        const callers = yield* Effect.forEach([...issued, ...issued], ({ token }) =>
          Effect.fork(Effect.either(accounts.authenticate(token)))
        )
        const answers = yield* Effect.forEach(callers, Fiber.join)
        answers.forEach((answer, index) => {
          const n = index % 20
          if (n === 7) assert.strictEqual(answer._tag === "Left" && answer.left._tag, "token_revoked")
          else assert.strictEqual(answer._tag === "Right" && answer.right.label, `token ${n}`)
        })
      })
    )

    test(
      "the name of a workspace is its own, and it is found by it",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const made = yield* newWorkspace
        assert.strictEqual(
          (yield* Effect.flip(accounts.createWorkspace(made.name, commandLine)))._tag,
          "validation_error"
        )
        assert.strictEqual((yield* Effect.flip(accounts.createWorkspace("  ", commandLine)))._tag, "validation_error")
        assert.deepStrictEqual(yield* accounts.workspaceByName(made.name), made)
        assert.deepStrictEqual(yield* accounts.workspace(made.workspaceId), made)
        assert.isNull(yield* accounts.workspaceByName("other"))
      })
    )

    test(
      "limits that are set stay, those not named are left alone, and null goes back to the default",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { workspaceId } = yield* newWorkspace
        yield* accounts.setLimits(workspaceId, { inflightLimit: 3, runCapMicros: Micros.make(2_000_000) }, commandLine)
        yield* accounts.setLimits(workspaceId, { runsPerMinute: 60, runCapMicros: null }, commandLine)
        const { inflightLimit, runCapMicros, runsPerMinute } = yield* accounts.workspace(workspaceId)
        assert.deepStrictEqual(
          { inflightLimit, runCapMicros, runsPerMinute },
          { inflightLimit: 3, runCapMicros: null, runsPerMinute: 60 }
        )
      })
    )

    test(
      "limits that would let nothing through, or are no whole numbers, are refused by name",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { workspaceId } = yield* newWorkspace
        for (const [field, value] of [
          ["inflightLimit", 0],
          ["inflightLimit", 1.5],
          ["runsPerMinute", -1],
          ["runsPerMinute", 3_000_000_000]
        ] as const) {
          const error = yield* Effect.flip(accounts.setLimits(workspaceId, { [field]: value }, commandLine))
          assert.deepStrictEqual(
            [error._tag, error._tag === "validation_error" ? error.details[0]?.field : ""],
            ["validation_error", field]
          )
        }
        assert.isNull((yield* accounts.workspace(workspaceId)).inflightLimit)
      })
    )

    test(
      "a policy holds from the next request of every token of its workspace, and of no other one",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { workspaceId } = yield* newWorkspace
        const other = yield* newWorkspace
        const tokens = yield* Effect.forEach([workspaceId, workspaceId, other.workspaceId], (owner) =>
          accounts.createToken(tokenOf(owner), commandLine)
        )
        const policies = Effect.forEach(tokens, ({ token }) =>
          Effect.map(accounts.authenticate(token), ({ policy }) => policy)
        )
        const first = change({ allow: rules("provider:acme"), deny: rules("effectful") })
        const made = yield* changedPolicy(unrestricted, first)
        const changed = yield* accounts.setPolicy(workspaceId, first, commandLine)
        assert.deepStrictEqual(changed.policy, made)
        assert.deepStrictEqual(yield* policies, [made, made, unrestricted])

        const second = change({ deny: rules("category:people") })
        const more = yield* changedPolicy(made, second)
        yield* accounts.setPolicy(workspaceId, second, commandLine)
        assert.deepStrictEqual(yield* policies, [more, more, unrestricted])
        assert.deepStrictEqual((yield* accounts.workspace(workspaceId)).policy, more)
        const listed = (yield* accounts.workspaces).find((each) => each.workspaceId === workspaceId)
        assert.deepStrictEqual(listed?.policy, more)

        yield* accounts.setPolicy(workspaceId, change({ reset: true }), commandLine)
        assert.deepStrictEqual(yield* policies, [unrestricted, unrestricted, unrestricted])
      })
    )

    test(
      "limits and a policy leave one another alone",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { workspaceId } = yield* newWorkspace
        const deny = change({ deny: rules("effectful") })
        yield* accounts.setLimits(workspaceId, { inflightLimit: 3 }, commandLine)
        assert.strictEqual((yield* accounts.setPolicy(workspaceId, deny, commandLine)).inflightLimit, 3)
        const { policy } = yield* accounts.setLimits(workspaceId, { inflightLimit: null }, commandLine)
        assert.deepStrictEqual(policy, yield* changedPolicy(unrestricted, deny))
      })
    )

    test(
      "of two changes at once that were made from the same policy or limits, one is refused",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { workspaceId } = yield* newWorkspace
        const before = yield* accounts.workspace(workspaceId)
        const both = <A, B>(one: Effect.Effect<A, B>, other: Effect.Effect<A, B>) =>
          Effect.map(Effect.all([Effect.either(one), Effect.either(other)], { concurrency: 2 }), (ended) =>
            ended.map((each) => (Either.isRight(each) ? "saved" : each.left)).sort()
          )
        const refused = (ended: ReadonlyArray<unknown>) =>
          ended.flatMap((each) => (each instanceof ValidationError ? each.details.map(({ field }) => field) : []))
        const set = (rule: string) =>
          accounts.setPolicy(
            workspaceId,
            change({ reset: true, deny: rules(rule) }),
            commandLine,
            policyText(before.policy)
          )
        const policies = yield* both(set("provider:acme"), set("effectful"))
        assert.deepStrictEqual([refused(policies), policies.includes("saved")], [["policy"], true])
        const limit = (inflightLimit: number) =>
          accounts.setLimits(workspaceId, { inflightLimit }, commandLine, limitsText(before))
        const limits = yield* both(limit(3), limit(4))
        assert.deepStrictEqual([refused(limits), limits.includes("saved")], [["limits"], true])
        assert.lengthOf(rulesOf((yield* accounts.workspace(workspaceId)).policy).deny, 1)
      })
    )

    test(
      "a change that contradicts the policy, or makes too many rules, is refused and changes nothing",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { workspaceId } = yield* newWorkspace
        const { policy } = yield* accounts.setPolicy(workspaceId, change({ deny: rules("provider:acme") }), commandLine)
        const many = Array.from({ length: policyRulesMax }, (_, n) => `endpoint:e${n}`)
        for (const [field, wrong] of [
          ["allow", change({ allow: rules("provider:acme"), deny: rules("effectful") })],
          ["policy", change({ deny: rules(...many) })]
        ] as const) {
          const error = yield* Effect.flip(accounts.setPolicy(workspaceId, wrong, commandLine))
          assert.strictEqual(error._tag === "validation_error" ? error.details[0]?.field : error._tag, field)
        }
        assert.deepStrictEqual((yield* accounts.workspace(workspaceId)).policy, policy)
        yield* accounts.setPolicy(workspaceId, change({ reset: true, deny: rules(...many) }), commandLine)
      })
    )

    test(
      "of changes of a policy at once none is lost",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { workspaceId } = yield* newWorkspace
        const ids = Array.from({ length: 8 }, (_, n) => `e${n}`)
        yield* Effect.forEach(
          ids,
          (id) => accounts.setPolicy(workspaceId, change({ deny: rules(`endpoint:${id}`) }), commandLine),
          {
            concurrency: "unbounded"
          }
        )
        const { policy } = yield* accounts.workspace(workspaceId)
        assert.sameMembers([...policy.denied.endpoint], ids)
      })
    )

    test(
      "tokens without scopes, without a label or already expired are not made",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { workspaceId } = yield* newWorkspace
        for (const wrong of [{ scopes: [] }, { label: "" }, { label: "x".repeat(101) }, { expiresAt: inJune }]) {
          assert.strictEqual(
            (yield* Effect.flip(accounts.createToken(tokenOf(workspaceId, wrong), commandLine)))._tag,
            "validation_error"
          )
        }
      })
    )

    test(
      "what does not exist is not found",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const nobody = WorkspaceId.make(`ws_${"0".repeat(26)}`)
        const failures = [
          yield* Effect.flip(accounts.workspace(nobody)),
          yield* Effect.flip(accounts.setLimits(nobody, { inflightLimit: 1 }, commandLine)),
          yield* Effect.flip(accounts.setPolicy(nobody, change({ deny: rules("effectful") }), commandLine)),
          yield* Effect.flip(accounts.createToken(tokenOf(nobody), commandLine)),
          yield* Effect.flip(accounts.revokeToken(TokenId.make(`tok_${"0".repeat(26)}`), commandLine)),
          yield* Effect.flip(accounts.tokenById(TokenId.make(`tok_${"0".repeat(26)}`)))
        ]
        assert.deepStrictEqual(
          failures.map(({ _tag }) => _tag),
          ["not_found", "not_found", "not_found", "not_found", "not_found", "not_found"]
        )
      })
    )
  })

/** What every LoginApprovals layer promises about the token that a client made itself. */
import { assert, it } from "@effect/vitest"
import { Effect, type Layer, Redacted, TestClock } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { describe } from "vitest"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { Micros } from "../../src/domain/Micros.js"
import { tokenLineMax } from "../../src/domain/limits/Access.js"
import { isTokenText, secretBytes, tokenText } from "../../src/domain/Token.js"
import { Accounts, type Principal } from "../../src/services/Accounts.js"
import { LoginApprovals, type LoginRequest } from "../../src/services/LoginApprovals.js"
import { newWorkspace } from "../support/sharedDatabase.js"

const clientToken = Effect.sync(() => {
  const text = tokenText("0".repeat(26), randomBytes(secretBytes))
  return { token: Redacted.make(text), digest: createHash("sha256").update(text).digest("hex") }
})
const login = (digest: string, changes: Partial<LoginRequest> = {}): LoginRequest => ({
  digest,
  label: "laptop",
  scopes: ["catalog:read", "runs:execute"],
  tokenExpiresAt: null,
  ...changes
})

export const loginApprovalsSuite = (name: string, layer: Layer.Layer<LoginApprovals | Accounts>) =>
  describe(name, () => {
    const test = (title: string, work: Effect.Effect<void, unknown, LoginApprovals | Accounts>) =>
      it.effect(title, () => Effect.provide(work, layer))
    /** A person with a token of a new workspace. */
    const person = Effect.gen(function* () {
      const accounts = yield* Accounts
      const { workspaceId } = yield* newWorkspace
      const issued = yield* accounts.createToken(
        {
          workspaceId,
          label: "browser",
          scopes: ["catalog:read", "runs:execute", "account:manage"],
          monthlyLimitMicros: Micros.make(3_000_000),
          expiresAt: null
        },
        commandLine
      )
      return yield* accounts.authenticate(issued.token)
    })
    const authenticate = (token: Redacted.Redacted<string>) =>
      Effect.flatMap(Accounts, (accounts) => accounts.authenticate(token))

    test(
      "an approved token works in the workspace of the approver, as labelled and scoped, under their limit",
      Effect.gen(function* () {
        const logins = yield* LoginApprovals
        const { digest, token } = yield* clientToken
        const asked = yield* logins.create(login(digest.toUpperCase(), { tokenExpiresAt: 3_600_000 }))
        assert.match(asked.userCode, /^[B-Z]{4}-[B-Z]{4}$/)
        assert.strictEqual(asked.status, "pending")
        assert.deepStrictEqual(yield* logins.get(asked.approvalId), asked)
        assert.strictEqual((yield* Effect.flip(authenticate(token)))._tag, "unauthorized")
        const by = yield* person
        assert.strictEqual((yield* logins.approve(asked.approvalId, by, commandLine)).status, "approved")
        const principal = yield* authenticate(token)
        assert.deepStrictEqual(
          { ...principal, tokenId: by.tokenId },
          {
            ...by,
            label: "laptop",
            scopes: ["catalog:read", "runs:execute"],
            expiresAt: 3_600_000,
            createdAt: principal.createdAt,
            ancestors: [by.tokenId]
          }
        )
        // It has none of its own; that of the token that let it in counts.
        assert.deepInclude(yield* (yield* Accounts).monthSpend(principal), {
          limitMicros: null,
          spentMicros: Micros.make(0)
        })
        assert.strictEqual((yield* logins.get(asked.approvalId)).status, "approved")
      })
    )

    /** The principal of a token that `by` lets in. */
    const letIn = Effect.fnUntraced(function* (by: Principal, changes: Partial<LoginRequest> = {}) {
      const logins = yield* LoginApprovals
      const { digest, token } = yield* clientToken
      const { approvalId } = yield* logins.create(login(digest, { scopes: by.scopes, ...changes }))
      const approved = yield* logins.approve(approvalId, by, commandLine)
      const principal = yield* authenticate(token)
      return { token, principal, approved }
    })

    test(
      "a token ends no later than the one that let it in, and the login says so",
      Effect.gen(function* () {
        const by = { ...(yield* person), expiresAt: 5_000_000 }
        for (const [asked, ends] of [
          [null, 5_000_000],
          [9_000_000, 5_000_000],
          [4_000_000, 4_000_000]
        ] as const) {
          const { approved, principal } = yield* letIn(by, { tokenExpiresAt: asked })
          assert.deepStrictEqual([approved.tokenExpiresAt, principal.expiresAt], [ends, ends])
        }
      })
    )

    test(
      "revoking a token revokes all that it let in, and what these let in, but not those that let it in",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const first = yield* person
        const child = yield* letIn(first)
        const sibling = yield* letIn(first)
        const grandchild = yield* letIn(child.principal)
        assert.deepStrictEqual(grandchild.principal.ancestors, [child.principal.tokenId, first.tokenId])
        const { label, workspaceId } = first
        assert.deepStrictEqual(yield* accounts.tokenById(first.tokenId), {
          workspaceId,
          label,
          revokedAt: null,
          descendants: 3
        })
        yield* accounts.revokeToken(child.principal.tokenId, commandLine)
        assert.strictEqual((yield* accounts.tokenById(first.tokenId)).descendants, 2)
        assert.isNotNull((yield* accounts.tokenById(child.principal.tokenId)).revokedAt)
        for (const { token } of [child, grandchild])
          assert.strictEqual((yield* Effect.flip(authenticate(token)))._tag, "token_revoked")
        yield* authenticate(sibling.token)
        yield* accounts.revokeToken(first.tokenId, commandLine)
        assert.strictEqual((yield* Effect.flip(authenticate(sibling.token)))._tag, "token_revoked")
      })
    )

    test(
      "a token that was revoked while its approval was under way lets nobody in",
      Effect.gen(function* () {
        const logins = yield* LoginApprovals
        const by = yield* person
        const { digest, token } = yield* clientToken
        const { approvalId } = yield* logins.create(login(digest))
        yield* (yield* Accounts).revokeToken(by.tokenId, commandLine)
        yield* logins.approve(approvalId, by, commandLine)
        assert.strictEqual((yield* Effect.flip(authenticate(token)))._tag, "token_revoked")
      })
    )

    test(
      "what a token of the operator lets in is no operator's",
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const { workspaceId } = yield* newWorkspace
        const { token } = yield* accounts.createToken(
          {
            workspaceId,
            label: "operator",
            scopes: ["account:manage"],
            monthlyLimitMicros: null,
            expiresAt: null,
            operator: true
          },
          commandLine
        )
        const { principal } = yield* letIn(yield* accounts.authenticate(token))
        assert.deepInclude(principal, { operator: false, operatorWorkspace: true })
      })
    )

    test(
      "a line of logins has an end, and the login at it stays pending",
      Effect.gen(function* () {
        const logins = yield* LoginApprovals
        let last = yield* person
        for (let n = 0; n < tokenLineMax; n++) last = (yield* letIn(last)).principal
        const { digest } = yield* clientToken
        const { approvalId } = yield* logins.create(login(digest))
        assert.strictEqual((yield* Effect.flip(logins.approve(approvalId, last, commandLine)))._tag, "validation_error")
        assert.strictEqual((yield* logins.get(approvalId)).status, "pending")
      })
    )

    test(
      "a denied token answers token_revoked",
      Effect.gen(function* () {
        const logins = yield* LoginApprovals
        const { digest, token } = yield* clientToken
        const { approvalId } = yield* logins.create(login(digest))
        assert.strictEqual((yield* logins.deny(approvalId, yield* person, commandLine)).status, "denied")
        assert.strictEqual((yield* Effect.flip(authenticate(token)))._tag, "token_revoked")
      })
    )

    test(
      "a decision is taken once: the same again changes nothing, the other is refused",
      Effect.gen(function* () {
        const logins = yield* LoginApprovals
        const by = yield* person
        const { digest, token } = yield* clientToken
        const { approvalId } = yield* logins.create(login(digest))
        const answers = yield* Effect.all(
          [logins.approve(approvalId, by, commandLine), logins.approve(approvalId, by, commandLine)],
          {
            concurrency: 2
          }
        )
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          ["approved", "approved"]
        )
        assert.strictEqual((yield* Effect.flip(logins.deny(approvalId, by, commandLine)))._tag, "validation_error")
        yield* authenticate(token)
      })
    )

    test(
      "nobody passes on a scope that they do not hold, and the login stays pending",
      Effect.gen(function* () {
        const logins = yield* LoginApprovals
        const { digest } = yield* clientToken
        const { approvalId } = yield* logins.create(login(digest, { scopes: ["catalog:read", "billing:write"] }))
        const error = yield* Effect.flip(logins.approve(approvalId, yield* person, commandLine))
        assert.strictEqual(error._tag === "forbidden" && error.scope, "billing:write")
        assert.strictEqual((yield* logins.get(approvalId)).status, "pending")
      })
    )

    test(
      "a login that nobody decided expires, cannot be approved any more, and its token stays unknown",
      Effect.gen(function* () {
        const logins = yield* LoginApprovals
        const { digest, token } = yield* clientToken
        const { approvalId, createdAt, expiresAt } = yield* logins.create(login(digest))
        assert.strictEqual(expiresAt - createdAt, 600_000)
        yield* TestClock.adjust(600_000)
        assert.strictEqual((yield* logins.get(approvalId)).status, "expired")
        assert.strictEqual(
          (yield* Effect.flip(logins.approve(approvalId, yield* person, commandLine)))._tag,
          "validation_error"
        )
        assert.strictEqual((yield* Effect.flip(authenticate(token)))._tag, "unauthorized")
      })
    )

    test(
      "a login whose token has ended meanwhile is not approved, and can still be denied",
      Effect.gen(function* () {
        const logins = yield* LoginApprovals
        const by = yield* person
        const { digest } = yield* clientToken
        const { approvalId, createdAt } = yield* logins.create(login(digest))
        const brief = yield* clientToken
        const short = yield* logins.create(login(brief.digest, { tokenExpiresAt: createdAt + 60_000 }))
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(
          (yield* Effect.flip(logins.approve(short.approvalId, by, commandLine))).message,
          "approvalId: its token has ended already, so it would never work; deny this login, and begin another with a later end"
        )
        assert.strictEqual((yield* logins.deny(short.approvalId, by, commandLine)).status, "denied")
        assert.strictEqual((yield* logins.approve(approvalId, by, commandLine)).status, "approved")
      })
    )

    test(
      "a login is forgotten an hour after its time, when another one begins",
      Effect.gen(function* () {
        const logins = yield* LoginApprovals
        const begin = Effect.flatMap(clientToken, ({ digest }) => logins.create(login(digest)))
        const { approvalId } = yield* begin
        yield* TestClock.adjust(600_000 + 3_600_000)
        yield* begin
        assert.strictEqual((yield* logins.get(approvalId)).status, "expired")
        yield* TestClock.adjust(1)
        yield* begin
        assert.strictEqual((yield* Effect.flip(logins.get(approvalId)))._tag, "not_found")
      })
    )

    test(
      "a digest is used once, whatever became of it",
      Effect.gen(function* () {
        const logins = yield* LoginApprovals
        const { digest } = yield* clientToken
        const { approvalId } = yield* logins.create(login(digest))
        assert.strictEqual((yield* Effect.flip(logins.create(login(digest))))._tag, "validation_error")
        yield* logins.deny(approvalId, yield* person, commandLine)
        // The approval is forgotten by then, and the token is not.
        yield* TestClock.adjust("2 days")
        assert.strictEqual((yield* Effect.flip(logins.create(login(digest))))._tag, "validation_error")
        const other = yield* clientToken
        yield* logins.create(login(other.digest))
        assert.strictEqual((yield* Effect.flip(logins.get(approvalId)))._tag, "not_found")
      })
    )

    test(
      "what is no digest, has no label or no scope is refused, and an unknown approval is not found",
      Effect.gen(function* () {
        const logins = yield* LoginApprovals
        const { digest } = yield* clientToken
        for (const wrong of [
          login("abc"),
          login(`${digest}0`),
          login(digest, { label: "" }),
          login(digest, { scopes: [] }),
          login(digest, { tokenExpiresAt: 0 })
        ]) {
          assert.strictEqual((yield* Effect.flip(logins.create(wrong)))._tag, "validation_error")
        }
        const by = yield* person
        for (const asked of [
          logins.get("apr_x"),
          logins.approve("apr_x", by, commandLine),
          logins.deny("apr_x", by, commandLine)
        ]) {
          assert.strictEqual((yield* Effect.flip(asked))._tag, "not_found")
        }
      })
    )

    const forDevice = Effect.flatMap(LoginApprovals, (logins) =>
      logins.createForDevice({ label: "screen", scopes: ["catalog:read"] })
    )
    const redeem = (code: Redacted.Redacted, label = "screen") =>
      Effect.flatMap(LoginApprovals, (logins) => logins.redeem(code, label))
    /** Why a device gets no token. */
    const refusal = (code: Redacted.Redacted, label?: string) =>
      Effect.map(Effect.flip(redeem(code, label)), (error) =>
        error._tag === "DeviceRefused" ? error.refusal : error._tag
      )

    test(
      "a device gets the token of its code once a person has approved, of the scopes that it asked for",
      Effect.gen(function* () {
        const logins = yield* LoginApprovals
        const { deviceCode, login } = yield* forDevice
        assert.deepStrictEqual(yield* logins.get(login.approvalId), login)
        assert.deepStrictEqual(yield* logins.byUserCode(login.userCode), login)
        assert.strictEqual(yield* refusal(deviceCode), "authorization_pending")
        const by = yield* person
        yield* logins.approve(login.approvalId, by, commandLine)
        const { expiresAt, scopes, token } = yield* redeem(deviceCode)
        assert.deepStrictEqual([scopes, expiresAt], [["catalog:read"], null])
        assert.isTrue(isTokenText(Redacted.value(token)))
        const principal = yield* authenticate(token)
        assert.deepStrictEqual(
          [principal.label, principal.workspaceId, principal.scopes],
          ["screen", by.workspaceId, ["catalog:read"]]
        )
        assert.include(Redacted.value(token), principal.tokenId.slice("tok_".length))
      })
    )

    test(
      "a device that lost the answer gets the same token again for a minute, and none after it",
      Effect.gen(function* () {
        const logins = yield* LoginApprovals
        const { deviceCode, login } = yield* forDevice
        yield* logins.approve(login.approvalId, yield* person, commandLine)
        const [first, second] = yield* Effect.all([redeem(deviceCode), redeem(deviceCode)], { concurrency: 2 })
        assert.strictEqual(Redacted.value(first.token), Redacted.value(second.token))
        yield* TestClock.adjust(59_999)
        assert.strictEqual(Redacted.value((yield* redeem(deviceCode)).token), Redacted.value(first.token))
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* refusal(deviceCode), "invalid_grant")
        yield* authenticate(first.token)
      })
    )

    test(
      "a device that asks too soon is slowed down by five seconds each time, but gets its token as soon as it asks",
      Effect.gen(function* () {
        const { deviceCode, login } = yield* forDevice
        const asked = Effect.fnUntraced(function* (afterSeconds: number) {
          yield* TestClock.adjust(afterSeconds * 1_000)
          return yield* refusal(deviceCode)
        })
        const answers = []
        for (const seconds of [0, 5, 3, 9, 8, 15, 4]) answers.push(yield* asked(seconds))
        assert.deepStrictEqual(answers, [
          "authorization_pending",
          "authorization_pending",
          "slow_down",
          "authorization_pending",
          "slow_down",
          "authorization_pending",
          "slow_down"
        ])
        yield* (yield* LoginApprovals).approve(login.approvalId, yield* person, commandLine)
        yield* redeem(deviceCode)
      })
    )

    test(
      "a device is told that it was denied, that nobody decided in time, and that its code is not known or not its own",
      Effect.gen(function* () {
        const logins = yield* LoginApprovals
        const by = yield* person
        const denied = yield* forDevice
        yield* logins.deny(denied.login.approvalId, by, commandLine)
        assert.strictEqual(yield* refusal(denied.deviceCode), "access_denied")
        assert.strictEqual(yield* refusal(Redacted.make("unknown")), "invalid_grant")

        const other = yield* forDevice
        const late = yield* forDevice
        yield* logins.approve(other.login.approvalId, by, commandLine)
        yield* logins.approve(late.login.approvalId, by, commandLine)
        assert.strictEqual(yield* refusal(other.deviceCode, "another client"), "invalid_grant")
        const undecided = yield* forDevice
        yield* TestClock.adjust(600_000)
        assert.strictEqual(yield* refusal(undecided.deviceCode), "expired_token")
        // Approved in time, and asked for within a minute of the end.
        yield* redeem(other.deviceCode)
        yield* TestClock.adjust(60_000)
        assert.strictEqual(yield* refusal(late.deviceCode), "expired_token")
      })
    )

    test(
      "a login whose client made its own token has no code that a person can type",
      Effect.gen(function* () {
        const logins = yield* LoginApprovals
        const { digest } = yield* clientToken
        const { userCode } = yield* logins.create(login(digest))
        assert.strictEqual((yield* Effect.flip(logins.byUserCode(userCode)))._tag, "not_found")
        assert.strictEqual((yield* Effect.flip(logins.byUserCode("BBBB-BBBB")))._tag, "not_found")
        const nameless = yield* Effect.flip(logins.createForDevice({ label: "", scopes: ["runs:read"] }))
        assert.strictEqual(nameless._tag, "validation_error")
      })
    )
  })

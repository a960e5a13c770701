/**
 * Tokens over HTTP on the whole gateway: what one lets in, what the operator's sees, and what the name of an agent
 * does.
 */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Exit, Redacted, Scope } from "effect"
import { createHash, randomBytes } from "node:crypto"
import { afterAll, beforeAll } from "vitest"
import { type Actor, commandLine } from "../../src/domain/AuditEntry.js"
import { Micros } from "../../src/domain/Micros.js"
import { scopes } from "../../src/domain/Scope.js"
import { Accounts } from "../../src/services/Accounts.js"
import { ProviderHealth } from "../../src/services/ProviderHealth.js"
import { LoginApprovals } from "../../src/services/LoginApprovals.js"
import { Wallet } from "../../src/services/Wallet.js"
import { type RunningGateway, startGateway } from "../support/gateway.js"

const price = 5_000
const body = { endpointId: "mock-email-find", input: { name: "Ada Example", domain: "example.com" } }
let gateway: RunningGateway
const scope = Effect.runSync(Scope.make())
beforeAll(
  () => Effect.runPromise(Effect.map(Scope.extend(startGateway(), scope), (started) => void (gateway = started))),
  60_000
)
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)), 60_000)

const key = () => ({ "idempotency-key": randomBytes(8).toString("hex") })

/** A new workspace of the gateway, and what a test does with its tokens. */
const workspace = Effect.gen(function* () {
  const { call, funded, services } = gateway
  const accounts = Context.get(services, Accounts)
  const { workspaceId } = yield* funded(1_000_000)
  const made = (changes: object = {}) =>
    Effect.map(
      Effect.orDie(
        accounts.createToken(
          {
            workspaceId,
            label: "first",
            scopes: [...scopes],
            monthlyLimitMicros: null,
            expiresAt: null,
            ...changes
          },
          commandLine
        )
      ),
      ({ token, tokenId }) => ({
        token: Redacted.value(token),
        tokenId
      })
    )
  const run = (token: string, headers: Record<string, string> = {}) =>
    call("POST", "/v1/runs?wait=true", { token, body, headers: { ...key(), ...headers } })
  /** A new token that the one given lets in. */
  const letIn = (by: string) =>
    Effect.gen(function* () {
      const token = randomBytes(32).toString("base64url")
      const asked = yield* call("POST", "/v1/login-approvals", {
        body: { digest: createHash("sha256").update(token).digest("hex"), label: "child", scopes }
      })
      const caller = yield* Effect.orDie(accounts.authenticate(Redacted.make(by)))
      const { tokenId, workspaceId } = caller
      const acting: Actor = { kind: "token", tokenId, workspaceId, from: null, requestId: null }
      yield* Effect.orDie(Context.get(services, LoginApprovals).approve(asked.json.approvalId, caller, acting))
      return token
    })

  return { accounts, call, letIn, made, run, services }
})

it.live(
  "a token cannot spend more than its limit through the tokens that it lets in, and they end with it",
  () =>
    Effect.gen(function* () {
      const { accounts, call, letIn, made, run, services } = yield* workspace
      const first = yield* made({ monthlyLimitMicros: Micros.make(2 * price), expiresAt: Date.now() + 3_600_000 })
      const child = yield* letIn(first.token)
      const grandchild = yield* letIn(child)
      assert.deepStrictEqual(
        [(yield* run(grandchild)).json.status, (yield* run(child)).json.status],
        ["completed", "completed"]
      )
      for (const token of [first.token, child, grandchild, yield* letIn(grandchild)]) {
        const refused = yield* run(token)
        assert.deepStrictEqual(
          [refused.status, refused.json.error.code, refused.json.limitMicros, refused.json.spentMicros],
          [402, "key_spend_limit_reached", 2 * price, 2 * price]
        )
        const { key } = (yield* call("GET", "/v1/limits", { token })).json
        assert.deepStrictEqual([key.limitMicros, key.spentMicros], [2 * price, 2 * price])
        const me = (yield* call("GET", "/v1/whoami", { token })).json
        assert.strictEqual(me.monthlySpendLimitMicros, token === first.token ? 2 * price : null)
        assert.isAtMost(Date.parse(me.expiresAt), Date.now() + 3_600_000)
      }
      assert.strictEqual(
        (yield* call("GET", "/v1/balance", { token: first.token })).json.availableMicros,
        1_000_000 - 2 * price
      )
      yield* Effect.orDie(accounts.revokeToken(first.tokenId, commandLine))
      for (const token of [first.token, child, grandchild]) {
        const refused = yield* call("GET", "/v1/whoami", { token })
        assert.deepStrictEqual([refused.status, refused.json.error.code], [401, "token_revoked"])
      }
      assert.isNull((yield* Effect.orDie(Context.get(services, Wallet).verify)).difference)
    }),
  60_000
)

it.live(
  "a token of the operator also sees what cannot be run, says so, and its workspace takes no top-up",
  () =>
    Effect.gen(function* () {
      const { call, made, services } = yield* workspace
      const plain = yield* made()
      const operator = yield* made({ operator: true })
      yield* Effect.orDie(Context.get(services, ProviderHealth).setState("mock", "disabled", commandLine))
      const found = (token: string, more = "") =>
        Effect.map(
          call("GET", `/v1/catalog/search?q=find%20email&provider=mock${more}`, { token }),
          ({ json }) => json.endpoints
        )
      assert.deepStrictEqual(yield* found(plain.token), [])
      const rows = yield* found(operator.token)
      assert.isAbove(rows.length, 0)
      assert.isTrue(rows.every((row: { runnableNow: boolean }) => !row.runnableNow))
      const ids = (list: ReadonlyArray<{ endpointId: string }>) => list.map(({ endpointId }) => endpointId)
      assert.deepStrictEqual(ids(yield* found(operator.token, "&hidden=false")), ids(rows))
      assert.deepStrictEqual(ids(yield* found(plain.token, "&hidden=true")), ids(rows))
      const roleOf = (token: string) =>
        Effect.map(call("GET", "/v1/session-context", { token }), ({ json }) => json.role)
      assert.deepStrictEqual([yield* roleOf(operator.token), yield* roleOf(plain.token)], ["operator", "admin"])
      for (const { token } of [operator, plain]) {
        const topUp = yield* call("POST", "/v1/top-ups", { token, body: { amountUsd: 10 } })
        assert.deepStrictEqual(
          [topUp.status, topUp.json.status, topUp.json.reason],
          [201, "refused", "operator_workspace"]
        )
        assert.strictEqual((yield* call("GET", "/v1/balance", { token })).json.topUpLink.reason, "operator_workspace")
      }
      yield* Effect.orDie(Context.get(services, ProviderHealth).setState("mock", "enabled", commandLine))
    }),
  60_000
)

it.live(
  "the name of an agent is counted when it is known, as Other when not, and changes no answer",
  () =>
    Effect.gen(function* () {
      const { call, made, run } = yield* workspace
      const plain = yield* made()
      const counted = (agent: string) =>
        Effect.map(call("GET", "/metrics"), ({ text }) =>
          Number(
            new RegExp(`^gateway_run_requests_by_agent_total\\{agent="${agent}"\\} (\\d+)`, "m").exec(text)?.[1] ?? 0
          )
        )
      const before = [yield* counted("Known Agent"), yield* counted("Other")] as const
      const { createdAt: _, runId: __, ...bare } = (yield* run(plain.token)).json
      for (const agent of [
        "Known Agent",
        "known agent",
        "x".repeat(5_000),
        "Known Agent".padEnd(64) + "and more",
        '\u00e9 \u00ff "<script>{}',
        " ",
        "a, b"
      ]) {
        const answer = yield* run(plain.token, { "x-service-agent": agent })
        assert.strictEqual(answer.status, 201, agent)
        assert.notProperty(answer.json, "serviceAgent")
        assert.sameMembers(Object.keys(answer.json), ["createdAt", "runId", ...Object.keys(bare)])
      }
      assert.deepStrictEqual([yield* counted("Known Agent"), yield* counted("Other")], [before[0] + 3, before[1] + 3])
    }),
  60_000
)

/**
 * Command-line logins over HTTP: asked for without a token, decided by a person on a page, and what attackers make of
 * either.
 */
import { createHash, randomBytes } from "node:crypto"
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { RateLimiterMemory } from "../../src/layers/node/RateLimiterMemory.js"
import { RateLimiter } from "../../src/services/RateLimiter.js"
import { clientToken, startAccounts } from "../support/accountsGateway.js"
import type { Gateway } from "../support/httpGateway.js"

const none = { authorization: null }

const asking = ({ post }: Gateway, changes: object = {}) =>
  Effect.gen(function* () {
    const own = yield* clientToken
    const answer = yield* post(
      "/v1/login-approvals",
      { digest: own.digest, label: "laptop", scopes: ["catalog.read", "runs:execute"], ...changes },
      none
    )
    assert.strictEqual(answer.status, 201, answer.text)
    const page = new URL(answer.json.approveUrl).pathname
    return {
      ...own,
      ...(answer.json as { approvalId: string; userCode: string; approveUrl: string }),
      answer,
      page,
      path: `/v1/login-approvals/${answer.json.approvalId}`
    }
  })

const deciding = ({ send }: Gateway, page: string, fields: Record<string, string>) =>
  send("POST", page, { ...none, body: new URLSearchParams(fields) })

describe("a login", () => {
  it.scopedLive("is asked for, approved on its page, and logged out", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { get, person, post } = gateway
      const { token, workspaceId } = yield* person()
      const login = yield* asking(gateway, { expiresAt: "2999-01-01T00:00:00Z" })
      assert.deepStrictEqual(Object.keys(login.answer.json).sort(), [
        "approvalId",
        "approveUrl",
        "expiresAt",
        "pollIntervalSeconds",
        "userCode"
      ])
      assert.strictEqual(login.approveUrl, `https://gateway.test/approve/${login.approvalId}`)
      const pending = yield* get(login.path, none)
      assert.deepStrictEqual(
        [pending.status, pending.json.status, pending.json.scopes],
        [200, "pending", ["catalog:read", "runs:execute"]]
      )
      assert.strictEqual((yield* get("/v1/whoami", { authorization: login.bearer })).status, 401)

      const page = yield* get(login.page, none)
      assert.deepStrictEqual([page.status, page.headers.get("content-type")], [200, "text/html; charset=utf-8"])
      for (const shown of ["laptop", "catalog:read", "runs:execute", login.userCode, "2999-01-01 00:00 UTC"])
        assert.include(page.text, shown)

      const decided = yield* deciding(gateway, login.page, { token, decision: "approve" })
      assert.deepStrictEqual([decided.status, decided.text], [303, ""])
      const after = yield* get(new URL(decided.headers.get("location")!, gateway.base + login.page).pathname, none)
      assert.include(after.text, "Login approved")
      assert.notInclude(after.text, "<form")
      assert.strictEqual((yield* get(login.path, none)).json.status, "approved")

      const me = yield* get("/v1/session-context", { authorization: login.bearer })
      assert.deepStrictEqual(
        [me.status, me.json.organizationId, me.json.scopes],
        [200, workspaceId, ["catalog:read", "runs:execute"]]
      )
      const out = yield* post("/v1/logout", "", { authorization: login.bearer })
      assert.deepStrictEqual([out.status, out.json], [200, { revoked: true }])
      const revoked = yield* get("/v1/session-context", { authorization: login.bearer })
      assert.deepStrictEqual([revoked.status, revoked.json.error.code], [401, "token_revoked"])
      assert.strictEqual((yield* get("/v1/session-context", { authorization: `Bearer ${token}` })).status, 200)
    })
  )

  it.scopedLive(
    "takes the digest of any token that the documents describe: 32 random bytes in base64url or hex, with or without the prefix",
    () =>
      Effect.gen(function* () {
        const gateway = yield* startAccounts()
        const { token } = yield* gateway.person()
        for (const made of [
          randomBytes(32).toString("base64url"),
          randomBytes(32).toString("hex"),
          `pgw_${randomBytes(32).toString("base64url")}`
        ]) {
          const login = yield* asking(gateway, { digest: createHash("sha256").update(made).digest("hex") })
          const bearer = { authorization: `Bearer ${made}` }
          assert.strictEqual((yield* gateway.get("/v1/whoami", bearer)).status, 401)
          yield* deciding(gateway, login.page, { token, decision: "approve" })
          const me = yield* gateway.get("/v1/whoami", bearer)
          assert.deepStrictEqual([me.status, me.json.label, me.json.readOnly], [200, "laptop", false])
        }
      })
  )

  it.scopedLive("that is denied answers token_revoked", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { token } = yield* gateway.person(["account:manage"])
      const login = yield* asking(gateway)
      assert.strictEqual((yield* deciding(gateway, login.page, { token: ` ${token}\n`, decision: "deny" })).status, 303)
      assert.include((yield* gateway.get(login.page, none)).text, "Login denied")
      assert.strictEqual((yield* gateway.get(login.path, none)).json.status, "denied")
      const answer = yield* gateway.get("/v1/whoami", { authorization: login.bearer })
      assert.deepStrictEqual([answer.status, answer.json.error.code], [401, "token_revoked"])
    })
  )

  it.scopedLive("that cannot be asked for is refused with the field that is wrong", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { digest } = yield* clientToken
      const wanted = { digest, label: "laptop", scopes: ["runs:read"] }
      const { scopes: _scopes, ...scopeless } = wanted
      const cases: ReadonlyArray<readonly [body: object, field: string]> = [
        [{ ...wanted, digest: "abc" }, "digest"],
        [{ ...wanted, digest: `${digest}0` }, "digest"],
        [{ ...wanted, digest: `${digest.slice(1)}g` }, "digest"],
        [{ ...wanted, digest: `${digest}\n` }, "digest"],
        [{ ...wanted, digest: [digest] }, "digest"],
        [{ ...wanted, label: "" }, "label"],
        [{ ...wanted, label: "a\nb" }, "label"],
        [scopeless, "scopes"],
        [{ ...wanted, scopes: [] }, "scopes"],
        [{ ...wanted, scopes: ["runs:read", "root"] }, "scopes.1"],
        [{ ...wanted, scopes: "runs:read" }, "scopes"],
        [{ ...wanted, expiresAt: "2001-01-01T00:00:00Z" }, "expiresAt"],
        [{ ...wanted, expiresAt: "never" }, "expiresAt"],
        [{ ...wanted, workspaceId: "ws_1" }, "workspaceId"]
      ]
      for (const [body, field] of cases) {
        const answer = yield* gateway.post("/v1/login-approvals", body, none)
        assert.deepStrictEqual(
          [answer.status, answer.json.error?.code, answer.json.error?.details[0].field],
          [400, "validation_error", field],
          answer.text
        )
      }
      assert.strictEqual((yield* gateway.post("/v1/login-approvals", wanted, none)).status, 201)
      const again = yield* gateway.post("/v1/login-approvals", wanted, none)
      assert.deepStrictEqual([again.status, again.json.error.details[0].field], [400, "digest"])
    })
  )
})

describe("the approve page", () => {
  it.scopedLive("loads nothing, runs nothing, stands in no frame, is kept nowhere, and shows a label as text", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const login = yield* asking(gateway, { label: "<script>alert(1)</script>\"'&" })
      const { headers, text } = yield* gateway.get(login.page, none)
      assert.include(text, "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;")
      assert.notMatch(text, /<script|<link|<img|@import|url\(|src=|style=| on[a-z]+=/)
      const style = createHash("sha256")
        .update(/<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? "")
        .digest("base64")
      assert.strictEqual(
        headers.get("content-security-policy"),
        `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'`
      )
      assert.deepStrictEqual(
        ["referrer-policy", "x-frame-options", "cache-control"].map((name) => headers.get(name)),
        ["no-referrer", "DENY", "no-store"]
      )
    })
  )

  it.scopedLive("takes no decision without a good token, says why, and repeats no token", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const good = yield* gateway.person()
      const managing = yield* gateway.person(["account:manage", "catalog:read"])
      const mighty = yield* gateway.person(["catalog:read", "runs:execute"])
      const revoked = yield* gateway.person()
      yield* gateway.accounts.revokeToken(revoked.tokenId, commandLine)
      const login = yield* asking(gateway)
      const cases: ReadonlyArray<readonly [token: string, status: number, says: string]> = [
        ["", 401, "not a valid token"],
        ["guess", 401, "not a valid token"],
        [login.token, 401, "not a valid token"],
        [revoked.token, 401, "revoked"],
        [mighty.token, 403, "account:manage"],
        [managing.token, 403, "runs:execute"]
      ]
      for (const [token, status, says] of cases) {
        const answer = yield* deciding(gateway, login.page, { token, decision: "approve" })
        assert.deepStrictEqual(
          [answer.status, answer.headers.get("content-type")],
          [status, "text/html; charset=utf-8"],
          says
        )
        assert.include(answer.text, says)
        assert.include(answer.text, "<form")
        if (token !== "") assert.notInclude(answer.text, token)
      }
      const { token } = good
      const bodies: ReadonlyArray<readonly [body: URLSearchParams | string, type: string | null]> = [
        [new URLSearchParams({ token }), null],
        [new URLSearchParams({ token, decision: "maybe" }), null],
        [new URLSearchParams({ decision: "approve" }), null],
        [
          new URLSearchParams([
            ["token", token],
            ["decision", "deny"],
            ["decision", "approve"]
          ]),
          null
        ],
        [new URLSearchParams({ token, decision: "approve", scopes: "all" }), null],
        [JSON.stringify({ token, decision: "approve" }), "application/json"],
        [`token=${token}&decision=approve`, "text/plain"]
      ]
      for (const [body, type] of bodies) {
        const answer = yield* gateway.send("POST", login.page, {
          ...none,
          body,
          headers: type === null ? {} : { "content-type": type }
        })
        assert.strictEqual(answer.status, 400, answer.text)
        assert.notInclude(answer.text, token)
      }
      // A header or a query is no form: nobody can be made to decide by a link.
      assert.strictEqual(
        (yield* gateway.send("POST", `${login.page}?token=${token}&decision=approve`, {
          authorization: good.authorization
        })).status,
        400
      )
      assert.strictEqual((yield* gateway.get(login.path, none)).json.status, "pending")

      assert.strictEqual((yield* deciding(gateway, login.page, { token, decision: "deny" })).status, 303)
      const late = yield* deciding(gateway, login.page, { token, decision: "approve" })
      assert.strictEqual(late.status, 400)
      assert.include(late.text, "denied already")
    })
  )

  it.scopedLive("of no login is 404, and user codes and other odd ids name none", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { token } = yield* gateway.person()
      const { approvalId, userCode } = yield* asking(gateway)
      for (const odd of [
        userCode,
        userCode.replace("-", ""),
        approvalId.slice(0, -1),
        `${approvalId.slice(0, -4)}zzzz`,
        approvalId.toUpperCase(),
        `${approvalId}%20`,
        "%00",
        "..%2f",
        "a".repeat(4_000)
      ]) {
        const status = yield* gateway.get(`/v1/login-approvals/${odd}`, none)
        assert.deepStrictEqual([status.status, status.json.error.code], [404, "not_found"], odd)
        for (const page of [
          yield* gateway.get(`/approve/${odd}`, none),
          yield* deciding(gateway, `/approve/${odd}`, { token, decision: "approve" })
        ]) {
          assert.deepStrictEqual(
            [page.status, page.headers.get("content-type")],
            [404, "text/html; charset=utf-8"],
            odd
          )
          assert.notInclude(page.text, "<form")
        }
      }
    })
  )
})

describe("ten thousand logins from one address", () => {
  it.scopedLive(
    "meet the rate of that address",
    () =>
      Effect.gen(function* () {
        const limiter = Context.get(yield* Layer.build(RateLimiterMemory()), RateLimiter)
        const gateway = yield* startAccounts({ limiter })
        const count = 10_000
        const began = performance.now()
        const statuses = yield* Effect.async<ReadonlyArray<string>>((resume) => {
          const socket = connect(gateway.port, "127.0.0.1")
          const found: Array<string> = []
          let rest = ""
          socket.setEncoding("latin1")
          socket.on("data", (chunk: string) => {
            const lines = (rest + chunk).split("\r\n")
            rest = lines.pop() ?? ""
            for (const line of lines) found.push(...(/HTTP\/1\.1 (\d{3})/.exec(line)?.slice(1) ?? []))
          })
          socket.on("close", () => resume(Effect.succeed(found)))
          for (let n = 0; n < count; n++) {
            const body = JSON.stringify({
              digest: n.toString(16).padStart(64, "0"),
              label: "flood",
              scopes: ["account:manage"]
            })
            const end = n === count - 1 ? "connection: close\r\n" : ""
            socket.write(
              `POST /v1/login-approvals HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n${end}\r\n${body}`
            )
          }
        })
        const allowed = 60 + 10 * Math.ceil((performance.now() - began) / 1000)
        assert.lengthOf(statuses, count)
        assert.sameMembers([...new Set(statuses)], ["201", "429"])
        const made = statuses.filter((status) => status === "201").length
        assert.isAtLeast(made, 60)
        assert.isAtMost(made, allowed)
      }),
    60_000
  )
})

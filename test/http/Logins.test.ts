/**
 * Command-line logins over HTTP: asked for without a token, decided by a person on a page, and what attackers make of
 * either.
 */
import { createHash, randomBytes } from "node:crypto"
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, LogLevel, Redacted } from "effect"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { signInLinkPath } from "../../src/domain/Member.js"
import { RateLimiterMemory } from "../../src/layers/node/RateLimiterMemory.js"
import { Members } from "../../src/services/Members.js"
import { Sessions } from "../../src/services/Sessions.js"
import { RateLimiter } from "../../src/services/RateLimiter.js"
import { clientToken, startAccounts } from "../support/accountsGateway.js"
import { newBrowser } from "../support/browser.js"
import { type Answer, type Gateway, startGateway } from "../support/httpGateway.js"

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

/** Loads the page as somebody who is signed in, and sends its form. */
const deciding = (gateway: Gateway, cookie: string, page: string, fields: Record<string, string>) =>
  Effect.gen(function* () {
    const browser = newBrowser(gateway, cookie)
    yield* browser.get(page)
    return yield* browser.post(page, fields)
  })

describe("a login", () => {
  it.scopedLive("is asked for, approved on its page, and logged out", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { get, post, signedIn } = gateway
      const { cookie, workspaceId } = yield* signedIn()
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

      const page = yield* get(login.page, { ...none, headers: { cookie } })
      assert.deepStrictEqual([page.status, page.headers.get("content-type")], [200, "text/html; charset=utf-8"])
      for (const shown of ["laptop", "catalog:read", "runs:execute", login.userCode, "2999-01-01 00:00 UTC"])
        assert.include(page.text, shown)

      const decided = yield* deciding(gateway, cookie, login.page, { decision: "approve" })
      assert.deepStrictEqual([decided.status, decided.text], [303, ""])
      assert.strictEqual(decided.headers.get("location"), login.page)
      const after = yield* get(login.page, { ...none, headers: { cookie } })
      assert.include(after.text, "Login approved")
      assert.notInclude(after.text, `action="${login.page}"`)
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
    })
  )

  it.scopedLive(
    "takes the digest of any token that the documents describe: 32 random bytes in base64url or hex, with or without the prefix",
    () =>
      Effect.gen(function* () {
        const gateway = yield* startAccounts()
        const { cookie } = yield* gateway.signedIn()
        for (const made of [
          randomBytes(32).toString("base64url"),
          randomBytes(32).toString("hex"),
          `pgw_${randomBytes(32).toString("base64url")}`
        ]) {
          const login = yield* asking(gateway, { digest: createHash("sha256").update(made).digest("hex") })
          const bearer = { authorization: `Bearer ${made}` }
          assert.strictEqual((yield* gateway.get("/v1/whoami", bearer)).status, 401)
          yield* deciding(gateway, cookie, login.page, { decision: "approve" })
          const me = yield* gateway.get("/v1/whoami", bearer)
          assert.deepStrictEqual([me.status, me.json.label, me.json.readOnly], [200, "laptop", false])
        }
      })
  )

  it.scopedLive("that is denied answers token_revoked", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { cookie } = yield* gateway.signedIn()
      const login = yield* asking(gateway)
      assert.strictEqual((yield* deciding(gateway, cookie, login.page, { decision: "deny" })).status, 303)
      assert.include((yield* gateway.get(login.page, { ...none, headers: { cookie } })).text, "Login denied")
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
        [{ ...wanted, label: "laptop \u202eterces" }, "label"],
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
  it.scopedLive("loads nothing from elsewhere, stands in no frame, is kept nowhere, and shows a label as text", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { cookie } = yield* gateway.signedIn()
      const login = yield* asking(gateway, { label: "<script>alert(1)</script>\"'&" })
      const { headers, text } = yield* gateway.get(login.page, { ...none, headers: { cookie } })
      assert.include(text, "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;")
      assert.notMatch(text, /<script>|<img|@import|url\(|style=| on[a-z]+=|(?:src|href)="(?!\/)[^#]/)
      const policy = headers.get("content-security-policy") ?? ""
      for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'self'"])
        assert.include(policy, rule)
      assert.notInclude(policy, "unsafe")
      assert.deepStrictEqual(
        ["referrer-policy", "x-frame-options", "cache-control"].map((name) => headers.get(name)),
        ["same-origin", "DENY", "no-store"]
      )
    })
  )

  it.scopedLive("leads a person who is not signed in to sign-in and back, and shows nothing before", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { member, workspaceId } = yield* gateway.signedIn()
      const login = yield* asking(gateway)
      const browser = newBrowser(gateway)
      const away = yield* browser.get(login.page)
      assert.deepStrictEqual(
        [away.status, away.text, away.headers.get("location")],
        [303, "", `/console/sign-in?next=${encodeURIComponent(login.page)}`]
      )
      yield* browser.get(away.headers.get("location")!)
      const link = yield* Context.get(gateway.context, Sessions).makeLink(workspaceId, member.memberId, commandLine)
      const path = signInLinkPath(Redacted.value(link.secret))
      yield* browser.get(path)
      const back = yield* browser.post(path)
      assert.strictEqual(back.headers.get("location"), login.page)
      assert.include((yield* browser.get(login.page)).text, login.userCode)
    })
  )

  it.scopedLive("takes no decision but that of a person, from its own form, with the scopes of their role", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const owner = yield* gateway.signedIn()
      const member = yield* gateway.signedIn("member", owner.workspaceId)
      const holder = yield* gateway.person()
      const login = yield* asking(gateway, { scopes: ["catalog:read", "billing:write"] })
      const browser = newBrowser(gateway, owner.cookie)
      yield* browser.get(login.page)
      const foreign = { "sec-fetch-site": "cross-site" }
      const cases: ReadonlyArray<readonly [answer: Effect.Effect<Answer>, status: number]> = [
        [newBrowser(gateway).post(login.page, { decision: "approve" }), 401],
        // A token is no person, neither in a header nor in the form that took one before.
        [gateway.send("POST", login.page, { authorization: holder.authorization }), 401],
        [newBrowser(gateway).post(login.page, { token: holder.token, decision: "approve" }), 401],
        [browser.post(login.page, { csrf: "", decision: "approve" }), 403],
        [browser.post(login.page, { csrf: member.csrf, decision: "approve" }), 403],
        [browser.post(login.page, { decision: "approve" }, foreign), 403],
        [browser.post(login.page, { decision: "approve" }, { origin: "https://evil.example" }), 403],
        [browser.post(login.page, {}), 400],
        [browser.post(login.page, { decision: "maybe" }), 400],
        [browser.get(`${login.page}?decision=approve`), 200],
        [deciding(gateway, member.cookie, login.page, { decision: "approve" }), 403]
      ]
      for (const [index, [answer, status]] of cases.entries()) {
        const { headers, status: got, text } = yield* answer
        assert.deepStrictEqual(
          [got, headers.get("content-type")],
          [status, "text/html; charset=utf-8"],
          `case ${index}: ${text}`
        )
        assert.notInclude(text, holder.token)
      }
      const shown = yield* gateway.get(login.page, { ...none, headers: { cookie: member.cookie } })
      assert.include(shown.text, "billing:write</code>, so you cannot give it")
      assert.notInclude(shown.text, 'value="approve"')
      assert.strictEqual((yield* gateway.get(login.path, none)).json.status, "pending")

      // A member may say no, and give what they have.
      assert.strictEqual((yield* deciding(gateway, member.cookie, login.page, { decision: "deny" })).status, 303)
      const late = yield* deciding(gateway, owner.cookie, login.page, { decision: "approve" })
      assert.strictEqual(late.status, 400)
      assert.include(late.text, "denied already")
      const own = yield* asking(gateway)
      assert.strictEqual((yield* deciding(gateway, member.cookie, own.page, { decision: "approve" })).status, 303)
      assert.strictEqual((yield* gateway.get("/v1/whoami", { authorization: own.bearer })).status, 200)
    })
  )

  it.scopedLive("lets an operator choose the workspace, and nobody else", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const operator = yield* gateway.operator
      const owner = yield* gateway.signedIn()
      const other = yield* gateway.signedIn()
      const login = yield* asking(gateway)
      const page = yield* gateway.get(login.page, { ...none, headers: { cookie: operator.cookie } })
      for (const { workspaceId } of [owner, other]) assert.include(page.text, `value="${workspaceId}"`)
      assert.strictEqual(
        (yield* deciding(gateway, operator.cookie, login.page, { decision: "approve", workspace: "ws_x" })).status,
        404
      )
      yield* deciding(gateway, operator.cookie, login.page, { decision: "approve", workspace: other.workspaceId })
      const me = yield* gateway.get("/v1/session-context", { authorization: login.bearer })
      assert.strictEqual(me.json.organizationId, other.workspaceId)

      const theirs = yield* asking(gateway)
      const fields = { decision: "approve", workspace: other.workspaceId }
      yield* deciding(gateway, owner.cookie, theirs.page, fields)
      const them = yield* gateway.get("/v1/session-context", { authorization: theirs.bearer })
      assert.strictEqual(them.json.organizationId, owner.workspaceId)
    })
  )

  it.scopedLive("names the workspace before and after the decision, and who decided to those who come second", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const first = yield* gateway.signedIn()
      const second = yield* gateway.signedIn("member", first.workspaceId)
      const stranger = yield* gateway.signedIn()
      const operator = yield* gateway.operator
      const { name } = yield* Effect.orDie(gateway.accounts.workspace(first.workspaceId))
      const shownTo = (page: string, { cookie }: { readonly cookie: string }) =>
        Effect.map(gateway.get(page, { ...none, headers: { cookie } }), ({ text }) => text)
      for (const [decision, word] of [
        ["approve", "approved"],
        ["deny", "denied"]
      ] as const) {
        const { page } = yield* asking(gateway)
        assert.include(yield* shownTo(page, first), name)
        yield* deciding(gateway, first.cookie, page, { decision })
        const own = yield* shownTo(page, first)
        assert.include(own, `Login ${word}`)
        assert.include(own, name)
        // The same decision again changes nothing, and is not taken for the second person's own.
        const again = yield* deciding(gateway, second.cookie, page, { decision })
        assert.strictEqual(again.status, 303)
        for (const reader of [second, operator]) {
          const late = yield* shownTo(page, reader)
          for (const text of [`Somebody else ${word} this login`, name, first.member.name]) assert.include(late, text)
        }
        const elsewhere = yield* shownTo(page, stranger)
        assert.include(elsewhere, `Somebody else ${word} this login`)
        assert.include(elsewhere, "in another workspace than yours")
        assert.notInclude(elsewhere, name)
        assert.notInclude(elsewhere, first.member.name)
      }
    })
  )

  it.scopedLive("brings a token without a parent, which goes on when the session ends", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { cookie, member, workspaceId } = yield* gateway.signedIn("member")
      const login = yield* asking(gateway)
      yield* deciding(gateway, cookie, login.page, { decision: "approve" })
      const principal = yield* gateway.accounts.authenticate(Redacted.make(login.token))
      assert.deepStrictEqual(principal.ancestors, [])
      const answer = yield* Context.get(gateway.context, Members).remove(
        workspaceId,
        member.memberId,
        { revokeTokens: false },
        commandLine
      )
      assert.deepStrictEqual(answer.tokens, [principal.tokenId])
      assert.strictEqual((yield* gateway.get("/v1/whoami", { authorization: login.bearer })).status, 200)
    })
  )

  it.scopedLive("of no login is 404, and user codes and other odd ids name none", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { cookie } = yield* gateway.signedIn()
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
          yield* gateway.get(`/approve/${odd}`, { ...none, headers: { cookie } }),
          yield* deciding(gateway, cookie, `/approve/${odd}`, { decision: "approve" })
        ]) {
          assert.deepStrictEqual(
            [page.status, page.headers.get("content-type")],
            [404, "text/html; charset=utf-8"],
            odd
          )
          assert.notInclude(page.text, 'value="approve"')
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

describe("the log", () => {
  it.scopedLive("holds no sign-in link, session, login or token, also when a request ends in a defect", () => {
    const written: Array<string> = []
    const everything = Logger.replace(
      Logger.defaultLogger,
      Logger.map(Logger.jsonLogger, (line) => void written.push(line))
    )
    return Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { cookie, csrf, member, secret: session, workspaceId } = yield* gateway.signedIn()
      const sessions = Context.get(gateway.context, Sessions)
      const link = yield* sessions.makeLink(workspaceId, member.memberId, commandLine)
      const path = signInLinkPath(Redacted.value(link.secret))
      const browser = newBrowser(gateway)
      yield* browser.get(path)
      assert.strictEqual((yield* browser.post(path)).status, 303)
      // Used already, and cut short.
      yield* newBrowser(gateway).post(path)
      yield* newBrowser(gateway).get(path.slice(0, -1))

      const approved = yield* asking(gateway)
      const denied = yield* asking(gateway)
      yield* deciding(gateway, cookie, approved.page, { decision: "approve" })
      yield* deciding(gateway, cookie, denied.page, { decision: "deny" })
      for (const { bearer, path } of [approved, denied]) {
        yield* gateway.get(path, none)
        yield* gateway.get("/v1/whoami", { authorization: bearer })
      }
      yield* gateway.post(
        "/v1/login-approvals",
        { digest: approved.digest, label: "again", scopes: ["runs:read"] },
        none
      )

      // Here no service answers anything, so each of these requests is an internal error.
      const broken = yield* startGateway({ accounts: { authenticate: () => Effect.die("nobody is known") } })
      const before = written.length
      for (const answer of [
        yield* broken.post(path, "", { ...none, headers: { cookie } }),
        yield* broken.get(approved.path, none),
        yield* broken.get(approved.page, { ...none, headers: { cookie } }),
        yield* broken.get("/v1/whoami", { authorization: approved.bearer }),
        yield* broken.post(
          "/v1/login-approvals",
          { digest: denied.digest, label: "laptop", scopes: ["runs:read"] },
          none
        )
      ])
        assert.notStrictEqual(answer.status, 200)
      assert.isAtLeast(written.length - before, 3, "each defect is logged")

      const log = written.join("\n")
      for (const secret of [
        Redacted.value(link.secret),
        Redacted.value(session),
        csrf,
        ...[approved, denied].flatMap(({ approvalId, digest, token, userCode }) => [
          approvalId,
          digest,
          token,
          userCode
        ])
      ])
        assert.isFalse(log.includes(secret), "a secret is in the log")
    }).pipe(Logger.withMinimumLogLevel(LogLevel.All), Effect.provide(everything))
  })
})

/** The device authorization grant (RFC 8628) over HTTP: answers, each of its refusals, and the page for the code. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import * as OAuth from "openid-client"
import { signInLinkPath } from "../../src/domain/Member.js"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { deviceTokenAgainMillis, loginMillis, oauthFormBytesMax } from "../../src/domain/limits/Access.js"
import { RateLimiterMemory } from "../../src/layers/node/RateLimiterMemory.js"
import { LoginApprovals } from "../../src/services/LoginApprovals.js"
import { RateLimiter } from "../../src/services/RateLimiter.js"
import { Sessions } from "../../src/services/Sessions.js"
import { startAccounts } from "../support/accountsGateway.js"
import { newBrowser } from "../support/browser.js"
import type { Gateway } from "../support/httpGateway.js"

const grantType = "urn:ietf:params:oauth:grant-type:device_code"
const authorizationPath = "/oauth/device_authorization"
const tokenPath = "/oauth/token"

const sending = ({ send }: Gateway, path: string, fields: Record<string, string> | string) =>
  send("POST", path, {
    authorization: null,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString()
  })

interface Begun {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri_complete: string
}

const beginning = (gateway: Gateway, fields: Record<string, string> = {}) =>
  Effect.map(
    sending(gateway, authorizationPath, { client_id: "screen", scope: "catalog:read runs.execute", ...fields }),
    (answer) => {
      assert.strictEqual(answer.status, 200, answer.text)
      return { ...(answer.json as Begun), answer }
    }
  )

const asking = (gateway: Gateway, device_code: string, fields: Record<string, string> = {}) =>
  sending(gateway, tokenPath, { grant_type: grantType, client_id: "screen", device_code, ...fields })

const pathOf = (uri: string) => uri.slice("https://gateway.test".length)

/** From now to the end of the scope, the gateway's clock, which is that of this process, stands this much later. */
const stoppedClock = (laterMillis: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const real = Date.now
      const now = real() + laterMillis
      Date.now = () => now
      return real
    }),
    (real) => Effect.sync(() => void (Date.now = real))
  )

/** Follows the complete link as somebody who is signed in, and sends the form of the page that it leads to. */
const deciding = (gateway: Gateway, cookie: string, { verification_uri_complete }: Begun, decision: string) =>
  Effect.gen(function* () {
    const browser = newBrowser(gateway, cookie)
    const away = yield* browser.get(pathOf(verification_uri_complete))
    const page = away.headers.get("location") ?? ""
    assert.match(page, /^\/approve\/apr_/)
    yield* browser.get(page)
    return yield* browser.post(page, { decision })
  })

describe("the metadata of the authorization server", () => {
  /** Finds it as a client does that knows the address alone. What the proxy in front does is done by `passed`. */
  const found = (gateway: Gateway, issuer: string, passed: (path: string) => string) =>
    Effect.promise(() =>
      OAuth.discovery(new URL(issuer), "screen", undefined, OAuth.None(), {
        algorithm: "oauth2",
        [OAuth.customFetch]: (url, options) => {
          const { pathname } = new URL(url)
          return fetch(gateway.base + passed(pathname), options as RequestInit)
        }
      })
    )

  it.scopedLive("leads a client to the device grant by the gateway's address alone", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const config = yield* found(gateway, "https://gateway.test", (path) => path)
      const begun = yield* Effect.promise(() =>
        OAuth.initiateDeviceAuthorization(config, { scope: "catalog:read runs:execute" })
      )
      assert.strictEqual(begun.verification_uri, "https://gateway.test/console/device")
      const metadata = config.serverMetadata()
      assert.strictEqual(metadata.token_endpoint, "https://gateway.test/oauth/token")
      assert.deepStrictEqual(metadata.grant_types_supported, [grantType])
      assert.notProperty(metadata, "authorization_endpoint")
    })
  )

  it.scopedLive("stands before the path prefix of the public URL, where RFC 8414 puts it, and after it too", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts({ settings: { publicUrl: "https://gateway.test/our/pay" } })
      const config = yield* found(gateway, "https://gateway.test/our/pay", (path) => {
        assert.match(path, /^\/(\.well-known\/oauth-authorization-server\/our\/pay|our\/pay\/oauth\/)/)
        return path.replace(/^\/our\/pay/, "")
      })
      assert.strictEqual(config.serverMetadata().token_endpoint, "https://gateway.test/our/pay/oauth/token")
      const begun = yield* Effect.promise(() => OAuth.initiateDeviceAuthorization(config, { scope: "runs:read" }))
      assert.strictEqual(begun.verification_uri, "https://gateway.test/our/pay/console/device")
      const plain = yield* gateway.get("/.well-known/oauth-authorization-server", { authorization: null })
      assert.deepStrictEqual([plain.status, plain.json.issuer], [200, "https://gateway.test/our/pay"])
      const posted = yield* gateway.post("/.well-known/oauth-authorization-server", {})
      assert.deepStrictEqual([posted.status, posted.headers.get("allow")], [405, "GET, HEAD"])
    })
  )
})

describe("a device", () => {
  it.scopedLive("begins its login, is approved by a person, and gets a token that works", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { cookie, workspaceId } = yield* gateway.signedIn()
      const begun = yield* beginning(gateway)
      const { answer, device_code, user_code } = begun
      assert.match(device_code, /^[A-Za-z0-9_-]{43}$/)
      assert.deepStrictEqual(answer.json, {
        device_code,
        user_code,
        verification_uri: "https://gateway.test/console/device",
        verification_uri_complete: `https://gateway.test/console/device?user_code=${user_code}`,
        expires_in: 600,
        interval: 5
      })
      assert.strictEqual(answer.headers.get("cache-control"), "no-store")

      assert.strictEqual((yield* deciding(gateway, cookie, begun, "approve")).status, 303)
      const got = yield* asking(gateway, device_code)
      assert.deepStrictEqual(
        [got.status, { ...got.json, access_token: "" }, got.headers.get("cache-control")],
        [200, { access_token: "", token_type: "Bearer", scope: "catalog:read runs:execute" }, "no-store"]
      )
      const me = yield* gateway.get("/v1/session-context", { authorization: `Bearer ${got.json.access_token}` })
      assert.deepStrictEqual(
        [me.status, me.json.organizationId, me.json.scopes],
        [200, workspaceId, ["catalog:read", "runs:execute"]]
      )
      assert.strictEqual((yield* asking(gateway, device_code)).json.access_token, got.json.access_token)
    })
  )

  it.scopedLive("may leave its name out, if it does so each time", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { device_code } = yield* beginning(gateway, { client_id: "" })
      const named = yield* asking(gateway, device_code)
      assert.strictEqual(named.json.error, "invalid_grant")
      const nameless = yield* asking(gateway, device_code, { client_id: "" })
      assert.strictEqual(nameless.json.error, "authorization_pending")
    })
  )

  it.scopedLive("learns when its token ends, where it does", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const logins = Context.get(gateway.context, LoginApprovals)
      const holder = yield* gateway.person()
      const begun = yield* beginning(gateway)
      const principal = yield* gateway.accounts.authenticate(Redacted.make(holder.token))
      const { approvalId } = yield* logins.byUserCode(begun.user_code)
      yield* logins.approve(approvalId, { ...principal, expiresAt: Date.now() + 3_600_000 }, commandLine)
      const got = yield* asking(gateway, begun.device_code)
      assert.isAtMost(got.json.expires_in, 3_600)
      assert.isAtLeast(got.json.expires_in, 3_000)
    })
  )

  it.scopedLive("is refused in the words of the RFC", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { cookie } = yield* gateway.signedIn()
      const pending = yield* beginning(gateway)
      const denied = yield* beginning(gateway)
      yield* deciding(gateway, cookie, denied, "deny")
      yield* stoppedClock(0)
      const code = { device_code: pending.device_code }
      const grant = { grant_type: grantType }
      const scope = { scope: "runs:read" }
      const cases: ReadonlyArray<readonly [path: string, fields: Record<string, string> | string, error: string]> = [
        [tokenPath, { ...grant, ...code, client_id: "screen" }, "authorization_pending"],
        [tokenPath, { ...grant, ...code, client_id: "screen" }, "slow_down"],
        [tokenPath, { ...grant, device_code: denied.device_code, client_id: "screen" }, "access_denied"],
        [tokenPath, { ...grant, device_code: "unknown" }, "invalid_grant"],
        [tokenPath, { ...grant, ...code, client_id: "another" }, "invalid_grant"],
        [tokenPath, grant, "invalid_request"],
        [tokenPath, code, "invalid_request"],
        [tokenPath, { ...code, grant_type: "" }, "invalid_request"],
        [tokenPath, { ...code, grant_type: "password" }, "unsupported_grant_type"],
        [tokenPath, `grant_type=${grantType}&device_code=a&device_code=b`, "invalid_request"],
        [tokenPath, "", "invalid_request"],
        [authorizationPath, {}, "invalid_scope"],
        [authorizationPath, { scope: "" }, "invalid_scope"],
        [authorizationPath, { scope: " " }, "invalid_scope"],
        [authorizationPath, { scope: "runs:read root" }, "invalid_scope"],
        [authorizationPath, { ...scope, client_id: "x".repeat(101) }, "invalid_request"],
        [authorizationPath, { ...scope, client_id: "a\nb" }, "invalid_request"],
        [authorizationPath, { ...scope, client_id: " " }, "invalid_request"],
        [authorizationPath, 'scope=runs:read&"ä\\=1&"ä\\=2', "invalid_request"]
      ]
      for (const [path, fields, error] of cases) {
        const answer = yield* sending(gateway, path, fields)
        const name = `${path} ${JSON.stringify(fields)}: ${answer.text}`
        assert.deepStrictEqual([answer.status, answer.json?.error], [400, error], name)
        assert.deepStrictEqual(Object.keys(answer.json), ["error", "error_description"], name)
        assert.match(answer.json.error_description, /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/, name)
        assert.strictEqual(answer.headers.get("cache-control"), "no-store", name)
      }
      const json = yield* gateway.post(tokenPath, { ...grant, ...code }, { authorization: null })
      assert.deepStrictEqual([json.status, json.json.error], [400, "invalid_request"])
      const large = yield* sending(gateway, tokenPath, { device_code: "x".repeat(oauthFormBytesMax) })
      assert.deepStrictEqual([large.status, large.json.error.code], [413, "payload_too_large"])
      // A field that nobody knows is ignored.
      assert.strictEqual((yield* sending(gateway, authorizationPath, { ...scope, audience: "x" })).status, 200)
    })
  )

  it.scopedLive("is denied a token that was revoked, and one whose approver's was", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const logins = Context.get(gateway.context, LoginApprovals)
      const principalOf = (token: string) => gateway.accounts.authenticate(Redacted.make(token))
      const approver = yield* principalOf((yield* gateway.person()).token)
      const approved = Effect.gen(function* () {
        const begun = yield* beginning(gateway)
        yield* logins.approve((yield* logins.byUserCode(begun.user_code)).approvalId, approver, commandLine)
        return begun.device_code
      })
      const asked = yield* approved
      const unasked = yield* approved
      const { tokenId } = yield* principalOf((yield* asking(gateway, asked)).json.access_token)
      yield* gateway.accounts.revokeToken(tokenId, commandLine)
      assert.strictEqual((yield* asking(gateway, asked)).json.error, "access_denied")
      yield* gateway.accounts.revokeToken(approver.tokenId, commandLine)
      assert.strictEqual((yield* asking(gateway, unasked)).json.error, "access_denied")
    })
  )

  it.scopedLive("is told once its time is over, and once its token was handed out", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { cookie } = yield* gateway.signedIn()
      const undecided = yield* beginning(gateway)
      const approved = yield* beginning(gateway)
      yield* deciding(gateway, cookie, approved, "approve")
      assert.strictEqual((yield* asking(gateway, approved.device_code)).status, 200)
      yield* stoppedClock(Math.max(loginMillis, deviceTokenAgainMillis) + 1_000)
      assert.strictEqual((yield* asking(gateway, undecided.device_code)).json.error, "expired_token")
      assert.strictEqual((yield* asking(gateway, approved.device_code)).json.error, "invalid_grant")
    })
  )

  it.scopedLive("meets the rate of its address when it begins and when it guesses", () =>
    Effect.gen(function* () {
      // It takes two requests and refills in an hour.
      const slow = RateLimiterMemory({ publicRate: { burst: 2, refillPerSecond: 1 / 3_600 } })
      for (const [path, fields] of [
        [authorizationPath, { scope: "runs:read" }],
        [tokenPath, { grant_type: grantType, device_code: "guess" }]
      ] as const) {
        const gateway = yield* startAccounts({
          limiter: Context.get(yield* Layer.build(Layer.fresh(slow)), RateLimiter)
        })
        const statuses = yield* Effect.all(
          Array.from({ length: 3 }, () => Effect.map(sending(gateway, path, fields), ({ status }) => status))
        )
        assert.deepStrictEqual(statuses, path === tokenPath ? [400, 400, 429] : [200, 200, 429])
      }
    })
  )
})

describe("the page for the code", () => {
  it.scopedLive("takes a code in any case, with or without its dash, and leads to the page of its login", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { cookie } = yield* gateway.signedIn()
      const { user_code } = yield* beginning(gateway)
      const browser = newBrowser(gateway, cookie)
      const page = yield* browser.get("/console/device")
      assert.include(page.text, 'name="user_code"')
      const plain = user_code.replace("-", "")
      for (const typed of [
        user_code,
        plain,
        plain.toLowerCase(),
        ` ${user_code.toLowerCase()} `,
        plain.split("").join(" ")
      ]) {
        const answer = yield* browser.get(`/console/device?${new URLSearchParams({ user_code: typed })}`)
        assert.strictEqual(answer.status, 303, typed)
        const shown = yield* browser.get(answer.headers.get("location")!)
        assert.include(shown.text, user_code)
        assert.include(shown.text, "screen")
      }
    })
  )

  it.scopedLive("says beside the field that no device shows this code, and keeps what was typed", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { cookie } = yield* gateway.signedIn()
      const browser = newBrowser(gateway, cookie)
      for (const typed of ["BBBB-BBBB", "nonsense", "<b>", ""]) {
        const answer = yield* browser.get(`/console/device?${new URLSearchParams({ user_code: typed })}`)
        assert.strictEqual(answer.status, 404, typed)
        assert.match(answer.text, /id="f-user_code-problem">No device shows this code now/)
        assert.include(answer.text, `value="${typed.replace("<", "&lt;").replace(">", "&gt;")}"`)
      }
    })
  )

  it.scopedLive("leads somebody who is not signed in to sign-in and back with the code", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { member, workspaceId } = yield* gateway.signedIn()
      const { user_code, verification_uri_complete } = yield* beginning(gateway)
      const browser = newBrowser(gateway)
      const away = yield* browser.get(pathOf(verification_uri_complete))
      assert.strictEqual(away.status, 303)
      yield* browser.get(away.headers.get("location")!)
      const link = yield* Context.get(gateway.context, Sessions).makeLink(workspaceId, member.memberId, commandLine)
      const path = signInLinkPath(Redacted.value(link.secret))
      yield* browser.get(path)
      const back = yield* browser.post(path)
      assert.strictEqual(back.headers.get("location"), pathOf(verification_uri_complete))
      const approval = yield* browser.get(pathOf(verification_uri_complete))
      assert.include((yield* browser.get(approval.headers.get("location")!)).text, user_code)
    })
  )
})

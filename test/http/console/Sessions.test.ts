/** The session behind a page: its cookie, and what a form has to bring. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, FastCheck } from "effect"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { consoleCookies } from "../../../src/http/console/Cookies.js"
import { ownPath } from "../../../src/http/console/Return.js"
import { comesFromHere } from "../../../src/http/console/Visitors.js"
import { Members } from "../../../src/services/Members.js"
import { startAccounts } from "../../support/accountsGateway.js"

const pageOf = (cookie: string) => ({ authorization: null, headers: { cookie } })

describe("the session of a page", () => {
  it.scopedLive("is that of the cookie, and without one a person is led to sign-in and back", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { cookie, workspaceId } = yield* gateway.signedIn()
      const home = yield* gateway.get("/console", pageOf(cookie))
      assert.deepStrictEqual([home.status, home.headers.get("location")], [303, `/console/${workspaceId}/overview`])
      for (const other of ["", "gateway_session=x", `__Host-gateway_session=${"x".repeat(43)}`, cookie.slice(7)]) {
        const away = yield* gateway.get("/console?a=1", pageOf(other))
        assert.deepStrictEqual(
          [away.status, away.headers.get("location")],
          [303, "/console/sign-in?next=%2Fconsole%3Fa%3D1"],
          other
        )
      }
    })
  )

  it.scopedLive("ends with the member, from the next request on", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const owner = yield* gateway.signedIn()
      const other = yield* gateway.signedIn("member", owner.workspaceId)
      assert.include((yield* gateway.get("/console", pageOf(other.cookie))).headers.get("location"), owner.workspaceId)
      yield* Context.get(gateway.context, Members).remove(
        owner.workspaceId,
        other.member.memberId,
        { revokeTokens: false },
        commandLine
      )
      assert.include((yield* gateway.get("/console", pageOf(other.cookie))).headers.get("location"), "/sign-in")
    })
  )
})

describe("the cookies of the console", () => {
  it("are held to this host behind TLS, to the path under a prefix, and are never open to scripts", () => {
    for (const [publicUrl, name, path, secure] of [
      ["https://gateway.example", "__Host-gateway_session", "/", true],
      ["https://gateway.example/", "__Host-gateway_session", "/", true],
      ["https://gateway.example/pay", "__Secure-gateway_session", "/pay", true],
      ["http://127.0.0.1:8080", "gateway_session", "/", false]
    ] as const) {
      const { session } = consoleCookies(publicUrl)
      assert.deepStrictEqual(session, { name, options: { httpOnly: true, path, sameSite: "lax", secure } }, publicUrl)
    }
  })
})

describe("the page to go back to", () => {
  it("is a page of this gateway", () => {
    for (const own of [
      "/console",
      "/console/ws_1/runs?status=failed&q=a%20b",
      "/approve/apr_01",
      "/console?x=//evil.example"
    ])
      assert.strictEqual(ownPath(own), own)
    for (const foreign of [
      null,
      undefined,
      "",
      "/",
      "//evil.example",
      "/\\evil.example",
      "/console\\..\\evil",
      "https://evil.example/console",
      "javascript:alert(1)",
      "/consolex",
      "/console/../../evil",
      "/console/%2e%2e/evil",
      "/console//evil.example",
      "/console\r\nset-cookie: a=b",
      "/console/\u0000",
      "/v1/runs",
      ` /console`,
      `/console/${"x".repeat(1_000)}`
    ])
      assert.isNull(ownPath(foreign), String(foreign))
  })

  it("never leaves the gateway, whatever the text", () => {
    FastCheck.assert(
      FastCheck.property(
        FastCheck.oneof(
          FastCheck.fullUnicodeString(),
          FastCheck.webUrl(),
          FastCheck.string().map((text) => `/console/${text}`)
        ),
        (text) => {
          const path = ownPath(text)
          if (path === null) return
          const url = new URL(path, "https://gateway.example")
          assert.strictEqual(url.origin, "https://gateway.example")
          assert.match(url.pathname, /^\/(console|approve)(\/|$)/)
        }
      )
    )
  })
})

describe("a form", () => {
  it("comes from here when the browser says so, and not when it says nothing", () => {
    const here = "https://gateway.example/pay"
    const cases: ReadonlyArray<readonly [headers: Record<string, string>, comes: boolean]> = [
      [{}, false],
      [{ host: "gateway.example" }, false],
      [{ referer: "https://gateway.example/pay/console", host: "gateway.example" }, false],
      [{ "sec-fetch-site": "same-origin" }, true],
      [{ "sec-fetch-site": "same-site" }, false],
      [{ "sec-fetch-site": "cross-site" }, false],
      [{ "sec-fetch-site": "none" }, false],
      [{ "sec-fetch-site": "cross-site", origin: "https://gateway.example" }, false],
      [{ origin: "https://gateway.example" }, true],
      [{ "sec-fetch-site": "same-origin", origin: "https://gateway.example" }, true],
      [{ "sec-fetch-site": "same-origin", origin: "https://evil.example", host: "gateway.example" }, false],
      [{ "sec-fetch-site": "same-origin", origin: "null" }, false],
      [{ "sec-fetch-site": "" }, false],
      [{ "sec-fetch-site": "same-origin, cross-site" }, false],
      [{ origin: "https://other.example", host: "other.example" }, true],
      [{ origin: "http://gateway.example", host: "gateway.example" }, false],
      [{ origin: "https://gateway.example:444", host: "gateway.example" }, false],
      [{ origin: "https://gateway.example, https://evil.example", host: "gateway.example" }, false],
      [{ origin: "https://evil.example", host: "gateway.example" }, false],
      [{ origin: "https://gateway.example.evil.example", host: "gateway.example" }, false],
      [{ origin: "null", host: "gateway.example" }, false],
      [{ origin: "" }, false]
    ]
    for (const [headers, comes] of cases)
      assert.strictEqual(comesFromHere(headers, here), comes, JSON.stringify(headers))
    // A gateway without TLS, under the address by which it was asked.
    const lan = { origin: "http://10.0.0.7:8080", host: "10.0.0.7:8080" }
    assert.isTrue(comesFromHere(lan, "http://127.0.0.1:8080"))
    assert.isFalse(comesFromHere({ ...lan, host: "10.0.0.8:8080" }, "http://127.0.0.1:8080"))
  })
})

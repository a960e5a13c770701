/** Signing in by a one-time link, and signing out: what a person does, and what attackers make of it. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import { type Member, signInLinkPath } from "../../../src/domain/Member.js"
import { RateLimiterMemory } from "../../../src/layers/node/RateLimiterMemory.js"
import { RateLimiter } from "../../../src/services/RateLimiter.js"
import { Sessions } from "../../../src/services/Sessions.js"
import { startAccounts } from "../../support/accountsGateway.js"
import { locationOf, newBrowser } from "../../support/browser.js"

type Accounts = Effect.Effect.Success<ReturnType<typeof startAccounts>>

const linkFor = ({ context }: Accounts, { memberId, workspaceId }: Member) =>
  Effect.map(Context.get(context, Sessions).makeLink(workspaceId, memberId, commandLine), ({ secret }) =>
    signInLinkPath(Redacted.value(secret))
  )

const session = "__Host-gateway_session"

describe("a sign-in link", () => {
  it.scopedLive("shows whom it signs in, is not used up by being looked at, and signs in once with one button", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { member, workspaceId } = yield* gateway.signedIn("member")
      const path = yield* linkFor(gateway, member)
      // A preview, a mail scanner, and HEAD.
      for (let n = 0; n < 3; n++) assert.strictEqual((yield* newBrowser(gateway).get(path)).status, 200)
      yield* gateway.send("HEAD", path, { authorization: null })

      const browser = newBrowser(gateway)
      const page = yield* browser.get(path)
      assert.include(page.text, member.name)
      assert.strictEqual(page.headers.get("cache-control"), "no-store")
      assert.strictEqual(page.headers.get("referrer-policy"), "same-origin")
      assert.isFalse(browser.cookies.has(session))
      const entered = yield* browser.post(path)
      assert.deepStrictEqual([entered.status, locationOf(entered), entered.text], [303, "/console", ""])
      const cookie = browser.set().find((line) => line.startsWith(`${session}=`)) ?? ""
      for (const attribute of ["HttpOnly", "Secure", "SameSite=Lax", "Path=/"]) assert.include(cookie, attribute)
      assert.notInclude(cookie, "Domain")
      assert.include(locationOf(yield* browser.get("/console")), workspaceId)

      const again = newBrowser(gateway)
      for (const over of [yield* again.get(path), yield* again.post(path, { csrf: browser.csrf() })])
        assert.include([403, 410], over.status)
      assert.strictEqual((yield* again.get(path)).status, 410)
      assert.isFalse(again.cookies.has(session))
    })
  )

  it.scopedLive("answers unknown, used and old links alike", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { member } = yield* gateway.signedIn("member")
      const used = yield* linkFor(gateway, member)
      const browser = newBrowser(gateway)
      yield* browser.get(used)
      yield* browser.post(used)
      const texts = new Set<string>()
      for (const path of [used, signInLinkPath("x"), signInLinkPath("x".repeat(43)), signInLinkPath("%00")]) {
        const answer = yield* newBrowser(gateway).get(path)
        assert.strictEqual(answer.status, 410, path)
        texts.add(answer.text.replace(/<code>req_[^<]*<\/code>/, ""))
      }
      assert.strictEqual(texts.size, 1)
    })
  )

  it.scopedLive("cannot be sent by another site, nor without the page's own value", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { member } = yield* gateway.signedIn("member")
      const path = yield* linkFor(gateway, member)
      const browser = newBrowser(gateway)
      yield* browser.get(path)
      const attacker = newBrowser(gateway)
      yield* attacker.get(path)
      for (const refused of [
        browser.post(path, {}, { "sec-fetch-site": "cross-site" }),
        browser.post(path, {}, { "sec-fetch-site": "same-site" }),
        browser.post(path, {}, { origin: "https://evil.example" }),
        browser.post(path, {}, { origin: "null" }),
        browser.post(path, { csrf: "" }),
        // The value of another browser: a page that signs people in to the attacker's account.
        browser.post(path, { csrf: attacker.csrf() }),
        newBrowser(gateway).post(path, { csrf: attacker.csrf() }),
        newBrowser(gateway).post(path)
      ]) {
        const answer = yield* refused
        assert.strictEqual(answer.status, 403)
        assert.deepStrictEqual(answer.headers.getSetCookie(), [])
      }
      assert.strictEqual((yield* browser.post(path, {}, { origin: "https://gateway.test" })).status, 303)
    })
  )

  it.scopedLive(
    "makes a new session and ends the one that the browser had; a cookie from outside is never taken over",
    () =>
      Effect.gen(function* () {
        const gateway = yield* startAccounts()
        const before = yield* gateway.signedIn("owner")
        const { member, workspaceId } = yield* gateway.signedIn("member")
        const browser = newBrowser(gateway, before.cookie)
        const path = yield* linkFor(gateway, member)
        const page = yield* browser.get(path)
        assert.include(page.text, `You are signed in as <bdi>${before.member.name}</bdi>`)
        yield* browser.post(path)
        assert.include(locationOf(yield* browser.get("/console")), workspaceId)
        assert.include(locationOf(yield* newBrowser(gateway, before.cookie).get("/console")), "sign-in")

        const fixed = newBrowser(gateway, `${session}=${"f".repeat(43)}`)
        const next = yield* linkFor(gateway, member)
        yield* fixed.get(next)
        yield* fixed.post(next)
        assert.notStrictEqual(fixed.cookies.get(session), "f".repeat(43))
        assert.include(
          locationOf(yield* newBrowser(gateway, `${session}=${"f".repeat(43)}`).get("/console")),
          "sign-in"
        )
      })
  )

  it.scopedLive("works in a tab that was open before another tab signed in", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { member } = yield* gateway.signedIn("member")
      const [first, second] = [yield* linkFor(gateway, member), yield* linkFor(gateway, member)]
      const browser = newBrowser(gateway)
      yield* browser.get(first)
      const old = browser.csrf()
      yield* browser.get(second)
      assert.strictEqual((yield* browser.post(second)).status, 303)
      assert.strictEqual((yield* browser.post(first, { csrf: old })).status, 303)
      // The value of before is none of the session's forms.
      assert.strictEqual((yield* browser.post("/console/sign-out", { csrf: old })).status, 403)
    })
  )

  it.scopedLive("leads back to the page that was wanted, and never to another site", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { member } = yield* gateway.signedIn("member")
      for (const [next, leads] of [
        ["/console/ws_x/runs?status=failed", "/console/ws_x/runs?status=failed"],
        ["/approve/apr_x", "/approve/apr_x"],
        ["//evil.example", "/console"],
        ["https://evil.example/console", "/console"],
        ["/\\evil.example", "/console"]
      ] as const) {
        const browser = newBrowser(gateway)
        yield* browser.get(`/console/sign-in?next=${encodeURIComponent(next)}`)
        const path = yield* linkFor(gateway, member)
        yield* browser.get(path)
        assert.strictEqual(locationOf(yield* browser.post(path)), leads, next)
      }
      // A cookie that somebody else planted is looked at again.
      const planted = newBrowser(gateway, "__Host-gateway_next=//evil.example")
      const path = yield* linkFor(gateway, member)
      yield* planted.get(path)
      assert.strictEqual(locationOf(yield* planted.post(path)), "/console")
    })
  )

  it.scopedLive("meets the rate of its address", () =>
    Effect.gen(function* () {
      const limiter = Context.get(yield* Layer.build(RateLimiterMemory()), RateLimiter)
      const gateway = yield* startAccounts({ limiter })
      const answers = yield* Effect.forEach(
        Array.from({ length: 200 }, (_, n) => signInLinkPath(String(n).padStart(43, "0"))),
        (path) => gateway.get(path, { authorization: null }),
        { concurrency: 20 }
      )
      const statuses = answers.map(({ status }) => status)
      assert.sameMembers([...new Set(statuses)], [410, 429])
    })
  )

  it.scopedLive("works under a path prefix and on plain http, with the cookies that these allow", () =>
    Effect.gen(function* () {
      for (const [publicUrl, name, path, secure] of [
        ["https://gateway.test/pay", "__Secure-gateway_session", "Path=/pay", true],
        ["http://gateway.test", "gateway_session", "Path=/", false]
      ] as const) {
        const gateway = yield* startAccounts({ settings: { publicUrl } })
        const { member } = yield* gateway.signedIn("member")
        const link = yield* linkFor(gateway, member)
        const browser = newBrowser(gateway)
        yield* browser.get(link)
        const entered = yield* browser.post(link)
        assert.strictEqual(locationOf(entered), `${new URL(publicUrl).pathname.replace(/\/$/, "")}/console`)
        const cookie = browser.set().find((line) => line.startsWith(`${name}=`)) ?? ""
        assert.include(cookie, path)
        assert.strictEqual(cookie.includes("Secure"), secure)
      }
    })
  )
})

describe("signing out", () => {
  it.scopedLive("ends the session, and what the back button loads is not kept", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const { cookie, csrf } = yield* gateway.signedIn()
      const browser = newBrowser(gateway, cookie)
      const page = yield* browser.get("/console/session")
      assert.include(page.text, "You are signed in as")
      assert.strictEqual(page.headers.get("cache-control"), "no-store")
      // A link or an image of another site signs nobody out.
      assert.include([404, 405], (yield* browser.get("/console/sign-out")).status)
      assert.strictEqual((yield* browser.post("/console/sign-out", { csrf: "x".repeat(43) })).status, 403)
      const out = yield* browser.post("/console/sign-out", { csrf })
      assert.deepStrictEqual([out.status, locationOf(out)], [303, "/console/sign-in"])
      assert.isFalse(browser.cookies.has(session))
      // The cookie of before is worth nothing.
      assert.include(locationOf(yield* newBrowser(gateway, cookie).get("/console")), "sign-in")
      const late = yield* newBrowser(gateway, cookie).post("/console/sign-out", { csrf })
      assert.strictEqual(late.status, 401)
      // The fields of the console are not kept by every browser, so nobody is told that they are.
      assert.include(late.text, "a browser may not keep what you typed")
    })
  )

  it.scopedLive("everywhere ends the sessions of every browser of the person, and of nobody else", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts()
      const first = yield* gateway.signedIn()
      const other = yield* gateway.signedIn("member", first.workspaceId)
      const path = yield* linkFor(gateway, first.member)
      const second = newBrowser(gateway)
      yield* second.get(path)
      yield* second.post(path)
      const browser = newBrowser(gateway, first.cookie)
      yield* browser.get("/console/session")
      assert.strictEqual((yield* browser.post("/console/sign-out/everywhere")).status, 303)
      for (const ended of [newBrowser(gateway, first.cookie), second])
        assert.include(locationOf(yield* ended.get("/console")), "sign-in")
      assert.include(locationOf(yield* newBrowser(gateway, other.cookie).get("/console")), first.workspaceId)
    })
  )
})

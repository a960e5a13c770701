/** Signing in through a real OpenID provider on a socket, and what attackers make of it. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Redacted } from "effect"
import { commandLine } from "../../../src/domain/AuditEntry.js"
import type { WorkspaceId } from "../../../src/domain/Ids.js"
import { OpenIdClient } from "../../../src/layers/accounts/OpenIdClient.js"
import { Members } from "../../../src/services/Members.js"
import { startAccounts } from "../../support/accountsGateway.js"
import { type Browser, locationOf, newBrowser } from "../../support/browser.js"
import { type Account, startOpenIdProvider } from "../../support/openIdProvider.js"

const callback = "https://gateway.test/console/sign-in/callback"
const session = "__Host-gateway_session"

const start = Effect.gen(function* () {
  const provider = yield* startOpenIdProvider(callback)
  const gateway = yield* startAccounts({
    openIdLayer: OpenIdClient({
      issuer: new URL(provider.issuer),
      clientId: "gateway",
      clientSecret: Redacted.make("s".repeat(32)),
      scopes: ["openid", "email"]
    })
  })
  const members = Context.get(gateway.context, Members)
  const member = (workspaceId: WorkspaceId, email: string) =>
    members.add({ workspaceId, name: `person ${email}`, role: "member", email }, commandLine)
  /** Begins at the gateway, signs in at the provider, and answers the address with which the person comes back. */
  const through = (browser: Browser, account: Account) =>
    Effect.gen(function* () {
      const begun = yield* browser.get("/console/sign-in/openid")
      assert.strictEqual(begun.status, 303, begun.text)
      const back = new URL(yield* provider.visit(locationOf(begun), account))
      return back.pathname + back.search
    })
  return { gateway, member, members, provider, through }
})

describe("signing in with OpenID Connect", () => {
  it.scopedLive(
    "finds the member by the verified address, then by issuer and subject, and asks for PKCE, state and nonce",
    () =>
      Effect.gen(function* () {
        const { gateway, member, through } = yield* start
        const { workspaceId } = yield* gateway.signedIn()
        yield* member(workspaceId, "ada@example.com")
        const browser = newBrowser(gateway)
        assert.include((yield* browser.get("/console/sign-in?next=/approve/apr_x")).text, "Sign in with 127.0.0.1")
        const asked = new URL(locationOf(yield* browser.get("/console/sign-in/openid")))
        for (const name of ["state", "nonce", "code_challenge"])
          assert.isAtLeast(asked.searchParams.get(name)?.length ?? 0, 43, name)
        assert.strictEqual(asked.searchParams.get("code_challenge_method"), "S256")

        const account = { sub: "ada", email: "Ada@Example.com", email_verified: true }
        const entered = yield* browser.get(yield* through(browser, account))
        assert.deepStrictEqual([entered.status, locationOf(entered)], [303, "/approve/apr_x"], entered.text)
        assert.isTrue(browser.cookies.has(session))
        assert.include(locationOf(yield* browser.get("/console")), workspaceId)

        // The address is not needed any more, and opens nothing to somebody else.
        const later = newBrowser(gateway)
        assert.strictEqual((yield* later.get(yield* through(later, { sub: "ada" }))).status, 303)
        const other = newBrowser(gateway)
        const refused = yield* other.get(yield* through(other, { ...account, sub: "eve" }))
        assert.deepStrictEqual([refused.status, other.cookies.has(session)], [403, false])
      })
  )

  it.scopedLive("has no pages where no provider is configured", () =>
    Effect.gen(function* () {
      const browser = newBrowser(yield* startAccounts())
      for (const path of ["/console/sign-in/openid", "/console/sign-in/callback?code=x&state=x"])
        assert.strictEqual((yield* browser.get(path)).status, 404, path)
    })
  )

  it.scopedLive("refuses an unverified address and an unknown person, with a page that says why", () =>
    Effect.gen(function* () {
      const { gateway, member, through } = yield* start
      const { workspaceId } = yield* gateway.signedIn()
      yield* member(workspaceId, "bob@example.com")
      for (const [account, says] of [
        [{ sub: "b1", email: "bob@example.com", email_verified: false }, "is verified, so it opens nothing"],
        [{ sub: "b2", email: "bob@example.com" }, "is verified, so it opens nothing"],
        [{ sub: "b3", email: "who@example.com", email_verified: true }, "No member of this gateway has the address"],
        [{ sub: "b4" }, "gives no e-mail address"]
      ] as const) {
        const browser = newBrowser(gateway)
        const answer = yield* browser.get(yield* through(browser, account))
        assert.strictEqual(answer.status, 403)
        assert.include(answer.text, says)
        assert.isFalse(browser.cookies.has(session))
      }
    })
  )

  it.scopedLive("refuses a wrong state, another browser's answer and a code that was used before", () =>
    Effect.gen(function* () {
      const { gateway, member, through } = yield* start
      const { workspaceId } = yield* gateway.signedIn()
      yield* member(workspaceId, "ada@example.com")
      const account = { sub: "ada", email: "ada@example.com", email_verified: true }
      const browser = newBrowser(gateway)
      const back = yield* through(browser, account)
      const victim = newBrowser(gateway)
      yield* victim.get("/console/sign-in")
      const address = new URL(back, callback)
      const changed = (name: string, value: string) => {
        const copy = new URL(address)
        copy.searchParams.set(name, value)
        return copy.pathname + copy.search
      }
      const state = address.searchParams.get("state") ?? ""
      for (const [who, path] of [
        [victim, back],
        [newBrowser(gateway), back],
        [browser, changed("state", "x")],
        [browser, changed("state", `${state}x`)],
        [browser, changed("state", state.replace(/^[^.]*/, "zzzzzzzz"))],
        [browser, changed("iss", "https://evil.example")],
        [browser, "/console/sign-in/callback"],
        [browser, "/console/sign-in/callback?error=access_denied"]
      ] as const) {
        const answer = yield* who.get(path)
        assert.deepStrictEqual([answer.status, who.cookies.has(session)], [400, false], path)
      }
      assert.strictEqual((yield* browser.get(back)).status, 303)
      const again = yield* browser.get(back)
      assert.strictEqual(again.status, 400)
      assert.include(again.text, "was used before")
    })
  )

  it.scopedLive("says to a person who did not agree at the provider just that", () =>
    Effect.gen(function* () {
      const { gateway, provider } = yield* start
      const browser = newBrowser(gateway)
      const asked = new URL(locationOf(yield* browser.get("/console/sign-in/openid")))
      const back = new URL(callback)
      back.searchParams.set("error", "access_denied")
      back.searchParams.set("state", asked.searchParams.get("state") ?? "")
      back.searchParams.set("iss", provider.issuer)
      const answer = yield* browser.get(back.pathname + back.search)
      assert.strictEqual(answer.status, 400)
      assert.include(answer.text, "you did not agree")
      assert.notInclude(answer.text, "used before")
    })
  )

  it.scopedLive("answers nothing to a HEAD of the callback, which leaves the code for the person", () =>
    Effect.gen(function* () {
      const { gateway, member, through } = yield* start
      const { workspaceId } = yield* gateway.signedIn()
      yield* member(workspaceId, "ada@example.com")
      const browser = newBrowser(gateway)
      const back = yield* through(browser, { sub: "ada", email: "ada@example.com", email_verified: true })
      const looked = yield* browser.head(back)
      assert.deepStrictEqual([looked.status, looked.headers.get("allow")], [405, "GET"])
      assert.isFalse(browser.cookies.has(session))
      assert.strictEqual((yield* browser.get(back)).status, 303)
    })
  )

  it.scopedLive("keeps no metadata that lack what a sign-in needs", () =>
    Effect.gen(function* () {
      const { gateway, provider } = yield* start
      yield* provider.publishMetadata((metadata) => ({ ...metadata, authorization_endpoint: "javascript:alert(1)" }))
      const browser = newBrowser(gateway)
      assert.strictEqual((yield* browser.get("/console/sign-in/openid")).status, 503)
      yield* provider.publishMetadata(({ authorization_endpoint: _, ...metadata }) => metadata)
      assert.strictEqual((yield* browser.get("/console/sign-in/openid")).status, 503)
      yield* provider.publishMetadata((metadata) => metadata)
      assert.strictEqual((yield* browser.get("/console/sign-in/openid")).status, 303)
    })
  )

  it.scopedLive("refuses a person whom somebody else than the provider has signed", () =>
    Effect.gen(function* () {
      const { gateway, member, provider, through } = yield* start
      const { workspaceId } = yield* gateway.signedIn()
      yield* member(workspaceId, "ada@example.com")
      yield* provider.publishOtherKeys
      const browser = newBrowser(gateway)
      const answer = yield* browser.get(
        yield* through(browser, { sub: "ada", email: "ada@example.com", email_verified: true })
      )
      assert.deepStrictEqual([answer.status, browser.cookies.has(session)], [400, false], answer.text)
    })
  )

  it.scopedLive("takes an address for that of a member only where no letter but A to Z differs in its case", () =>
    Effect.gen(function* () {
      const { gateway, member, through } = yield* start
      const { workspaceId } = yield* gateway.signedIn()
      yield* member(workspaceId, "bank@example.com")
      const addresses = ["ban\u212a@example.com", "bank@example.com\u0000", "\ufeffbank@example.com", "\u0000"]
      for (const [index, email] of addresses.entries()) {
        const browser = newBrowser(gateway)
        const answer = yield* browser.get(yield* through(browser, { sub: `odd${index}`, email, email_verified: true }))
        assert.deepStrictEqual([answer.status, browser.cookies.has(session)], [403, false], JSON.stringify(email))
      }
      const long = newBrowser(gateway)
      const account = { sub: "s".repeat(256), email: "bank@example.com", email_verified: true }
      assert.strictEqual((yield* long.get(yield* through(long, account))).status, 400)
      const own = newBrowser(gateway)
      const entered = yield* own.get(
        yield* through(own, { sub: "s".repeat(255), email: "BANK@Example.com", email_verified: true })
      )
      assert.deepStrictEqual([entered.status, own.cookies.has(session)], [303, true], entered.text)
    })
  )

  it.scopedLive("lets a person with several memberships choose, once", () =>
    Effect.gen(function* () {
      const { gateway, member, through } = yield* start
      const [first, second] = [yield* gateway.signedIn(), yield* gateway.signedIn()]
      yield* member(first.workspaceId, "ada@example.com")
      yield* member(second.workspaceId, "ada@example.com")
      const browser = newBrowser(gateway)
      const page = yield* browser.get(
        yield* through(browser, { sub: "ada", email: "ada@example.com", email_verified: true })
      )
      assert.strictEqual(page.status, 200)
      assert.isFalse(browser.cookies.has(session))
      const links = [...page.text.matchAll(/action="(\/console\/sign-in\/link\/[^"]+)"/g)].map(([, link]) => link!)
      assert.lengthOf(links, 2)
      assert.strictEqual((yield* browser.post(links[1]!)).status, 303)
      assert.include(locationOf(yield* browser.get("/console")), second.workspaceId)
      assert.strictEqual((yield* newBrowser(gateway).get(links[1]!)).status, 410)
    })
  )

  it.scopedLive("says when the provider does not answer", () =>
    Effect.gen(function* () {
      const gateway = yield* startAccounts({
        openIdLayer: OpenIdClient({
          issuer: new URL("http://127.0.0.1:1"),
          clientId: "gateway",
          clientSecret: Redacted.make("x"),
          scopes: ["openid"]
        })
      })
      const browser = newBrowser(gateway)
      const answer = yield* browser.get("/console/sign-in/openid")
      assert.strictEqual(answer.status, 503)
      assert.include(answer.text, "does not answer")
    })
  )
})

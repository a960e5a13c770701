/** Connecting the account of a user through a real OAuth 2 server on a socket, and what attackers make of it. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Redacted } from "effect"
import { commandLine } from "../../src/domain/AuditEntry.js"
import type { WorkspaceId } from "../../src/domain/Ids.js"
import { AuditTrail } from "../../src/services/AuditTrail.js"
import { Credentials } from "../../src/services/Credentials.js"
import { PlatformKeys } from "../../src/services/PlatformKeys.js"
import { startAccounts } from "../support/accountsGateway.js"
import { clientSecret, startAuthorizationServer } from "../support/authorizationServer.js"
import { type Browser, newBrowser } from "../support/browser.js"
import { endpoint, newWorld, servedCatalog } from "../support/catalog.js"

const callback = "https://gateway.test/console/connect/callback"

const start = Effect.gen(function* () {
  const server = yield* startAuthorizationServer(callback)
  const files = endpoint({
    id: "files",
    provider: {
      platformKey: false,
      auth: {
        type: "oauth2_authorization_code",
        authorizationUrl: `${server.origin}/auth`,
        tokenUrl: `${server.origin}/token`,
        revocationUrl: `${server.origin}/token/revocation`,
        issuer: server.origin,
        scopes: ["openid", "files.read", "offline_access"]
      }
    }
  })
  const gateway = yield* startAccounts(
    { catalogLayer: servedCatalog({ jobs: [], endpoints: [files, endpoint({ id: "plain" })] }, newWorld()) },
    [server.host]
  )
  const keys = Context.get(gateway.context, PlatformKeys)
  yield* keys.set("p-files", Redacted.make(`gateway:${clientSecret}`), commandLine)
  const credentials = Context.get(gateway.context, Credentials)

  const begin = (authorization: string) =>
    Effect.map(
      gateway.post("/v1/connections/authorizations", { providerId: "p-files", label: "mine" }, { authorization }),
      (answer) => {
        assert.strictEqual(answer.status, 201, answer.text)
        return { ...answer.json, path: new URL(answer.json.authorizationUrl).pathname }
      }
    )
  /** Opens the link and goes on; answers the address of the provider. */
  const leave = (browser: Browser, path: string) =>
    Effect.gen(function* () {
      const page = yield* browser.get(path)
      assert.strictEqual(page.status, 200, page.text)
      const left = yield* browser.post(path)
      assert.strictEqual(left.status, 200, left.text)
      return (left.headers.get("refresh") ?? "").replace("0; url=", "")
    })
  const back = (address: string) => Effect.map(server.visit(address), (at) => new URL(at).pathname + new URL(at).search)
  const connected = (authorization: string) =>
    Effect.gen(function* () {
      const browser = newBrowser(gateway)
      const begun = yield* begin(authorization)
      const came = yield* browser.get(yield* back(yield* leave(browser, begun.path)))
      assert.strictEqual(came.status, 200, came.text)
      return String(begun.connectionId)
    })
  const resolve = (workspaceId: WorkspaceId, connectionId: string, provider = files.provider) =>
    credentials.resolve({ workspaceId, connectionId, provider })
  const tokensOf = (workspaceId: WorkspaceId, connectionId: string) =>
    Effect.map(resolve(workspaceId, connectionId), (found) =>
      found._tag === "Connection" && found.accessTokens !== undefined
        ? found.accessTokens
        : assert.fail("no access tokens")
    )
  return { back, begin, connected, files, gateway, leave, resolve, server, tokensOf }
})

describe("connecting an account", () => {
  it.scopedLive("makes a connection whose tokens are renewed, told to nobody, and revoked at the end", () =>
    Effect.gen(function* () {
      const { connected, gateway, server, tokensOf } = yield* start
      const { authorization, workspaceId } = yield* gateway.person()
      const connectionId = yield* connected(authorization)
      const path = `/v1/connections/${connectionId}`
      const shown = yield* gateway.get(path, { authorization })
      assert.deepStrictEqual(shown.json.oauth.scopes, ["openid", "files.read"])
      assert.deepStrictEqual([shown.json.oauth.renewable, shown.json.oauth.refused], [true, null])

      const first = yield* (yield* tokensOf(workspaceId, connectionId)).take(null, 10_000)
      assert.strictEqual(server.asked("/token"), 1)
      // However many callers the provider refuses at once, the token is renewed once.
      const renewed = yield* Effect.all(
        Array.from({ length: 20 }, () =>
          Effect.flatMap(tokensOf(workspaceId, connectionId), (tokens) => tokens.take(first, 10_000))
        ),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(renewed.map(Redacted.value)).size, 1)
      assert.notStrictEqual(Redacted.value(renewed[0]!), Redacted.value(first))
      assert.strictEqual(server.asked("/token"), 2)
      const after = yield* gateway.get(path, { authorization })
      for (const secret of [first, renewed[0]!]) assert.notInclude(after.text, Redacted.value(secret))

      const deleted = yield* gateway.send("DELETE", path, { authorization })
      assert.deepStrictEqual([deleted.status, deleted.text, server.asked("/token/revocation")], [204, "", 1])
      const entries = yield* Context.get(gateway.context, AuditTrail).list(
        { subjectId: connectionId },
        { limit: 10, after: null }
      )
      assert.deepStrictEqual(
        entries.items.map(({ action }) => action),
        ["connection.deleted", "connection.created", "connection.authorization_begun"]
      )
      for (const secret of [first, renewed[0]!, clientSecret])
        assert.notInclude(JSON.stringify(entries), Redacted.isRedacted(secret) ? Redacted.value(secret) : secret)
    })
  )

  it.scopedLive("a grant that the provider has ended makes the connection unusable, and it says why", () =>
    Effect.gen(function* () {
      const { connected, gateway, resolve, server, tokensOf } = yield* start
      const { authorization, workspaceId } = yield* gateway.person()
      const connectionId = yield* connected(authorization)
      const tokens = yield* tokensOf(workspaceId, connectionId)
      const token = yield* tokens.take(null, 10_000)
      // An address that does not answer ends nothing.
      server.tokens.answers = "never"
      assert.strictEqual((yield* Effect.flip(tokens.take(token, 300)))._tag, "timeout")
      assert.strictEqual((yield* resolve(workspaceId, connectionId))._tag, "Connection")
      server.server.closeAllConnections()
      server.tokens.answers = "invalid_grant"
      yield* Effect.retry(
        Effect.flatMap(Effect.flip(tokens.take(token, 10_000)), (failed) =>
          failed._tag === "connection_unusable" ? Effect.void : Effect.fail(failed._tag)
        ),
        { times: 5 }
      )
      const failed = yield* Effect.flip(resolve(workspaceId, connectionId))
      assert.strictEqual(failed._tag, "connection_unusable")
      assert.include(failed.message, "invalid_grant")
      const shown = yield* gateway.get(`/v1/connections/${connectionId}`, { authorization })
      assert.include(shown.json.oauth.refused.reason, "invalid_grant")
      assert.notInclude(shown.text, clientSecret)
    })
  )

  it.scopedLive("the way back works once, and only in the browser that left", () =>
    Effect.gen(function* () {
      const { back, begin, gateway, leave, server } = yield* start
      const { authorization } = yield* gateway.person()
      const begun = yield* begin(authorization)
      const [mine, other] = [newBrowser(gateway), newBrowser(gateway)]
      const came = yield* back(yield* leave(mine, begun.path))
      // Another browser cannot leave with the link, nor come back with the code, nor use either up.
      yield* other.get(begun.path)
      assert.strictEqual((yield* other.post(begun.path)).status, 410)
      assert.strictEqual((yield* other.get(came)).status, 410)
      const forged = new URL(came, "https://gateway.test")
      forged.searchParams.set("state", "A".repeat(43))
      assert.strictEqual((yield* mine.get(forged.pathname + forged.search)).status, 410)
      assert.strictEqual(server.asked("/token"), 0)
      assert.strictEqual((yield* mine.get(came)).status, 200)
      assert.strictEqual((yield* mine.get(came)).status, 410)
      assert.strictEqual((yield* mine.get(begun.path)).status, 410)
      assert.strictEqual(server.asked("/token"), 1)
      // A form from elsewhere takes no link.
      const next = yield* begin(authorization)
      yield* mine.get(next.path)
      assert.strictEqual((yield* mine.post(next.path, {}, { origin: "https://evil.test" })).status, 403)
    })
  )

  it.scopedLive("a HEAD of the way back connects nothing, and leaves the code for the person", () =>
    Effect.gen(function* () {
      const { back, begin, gateway, leave, server } = yield* start
      const { authorization } = yield* gateway.person()
      const browser = newBrowser(gateway)
      const came = yield* back(yield* leave(browser, (yield* begin(authorization)).path))
      const looked = yield* browser.head(came)
      assert.deepStrictEqual([looked.status, looked.headers.get("allow")], [405, "GET"])
      assert.strictEqual(server.asked("/token"), 0)
      assert.strictEqual((yield* browser.get(came)).status, 200)
    })
  )

  it.scopedLive("an error of the provider, another issuer and a foreign code connect nothing", () =>
    Effect.gen(function* () {
      const { begin, gateway, leave, server } = yield* start
      const { authorization } = yield* gateway.person()
      for (const wrong of [
        { error: "access_denied", iss: server.origin },
        { code: "x", iss: "https://evil.test" },
        { code: "of-another-grant", iss: server.origin }
      ]) {
        const browser = newBrowser(gateway)
        const begun = yield* begin(authorization)
        const state = new URL(yield* leave(browser, begun.path)).searchParams.get("state") ?? ""
        const answer = yield* browser.get(
          `/console/connect/callback?${new URLSearchParams({ ...wrong, state }).toString()}`
        )
        assert.strictEqual(answer.status, 400, JSON.stringify(wrong))
        assert.notInclude(answer.text, "evil.test")
        assert.strictEqual((yield* gateway.get(`/v1/connections/${begun.connectionId}`, { authorization })).status, 404)
      }
    })
  )

  it.scopedLive("a browser that comes back without the iss of the provider connects nothing", () =>
    Effect.gen(function* () {
      const { back, begin, gateway, leave, server } = yield* start
      const { authorization } = yield* gateway.person()
      const browser = newBrowser(gateway)
      const begun = yield* begin(authorization)
      const came = new URL(yield* back(yield* leave(browser, begun.path)), callback)
      assert.strictEqual(came.searchParams.get("iss"), server.origin)
      came.searchParams.delete("iss")
      assert.strictEqual((yield* browser.get(came.pathname + came.search)).status, 400)
      assert.strictEqual(server.asked("/token"), 0)
      assert.strictEqual((yield* gateway.get(`/v1/connections/${begun.connectionId}`, { authorization })).status, 404)
    })
  )

  it.scopedLive("tokens go to no other workspace, provider or host", () =>
    Effect.gen(function* () {
      const { connected, files, gateway, resolve } = yield* start
      const [owner, stranger] = [yield* gateway.person(), yield* gateway.person()]
      const connectionId = yield* connected(owner.authorization)
      const { auth } = files.provider
      if (auth.type !== "oauth2_authorization_code") return assert.fail(auth.type)
      const cases = [
        [stranger.workspaceId, files.provider, "connection_not_found"],
        [owner.workspaceId, endpoint({ id: "plain" }).provider, "credential_denied"],
        [owner.workspaceId, { ...files.provider, baseUrl: "https://evil.test" }, "connection_invalid"],
        [
          owner.workspaceId,
          { ...files.provider, auth: { ...auth, tokenUrl: "https://evil.test/token" } },
          "connection_invalid"
        ]
      ] as const
      for (const [workspaceId, provider, code] of cases)
        assert.strictEqual((yield* Effect.flip(resolve(workspaceId, connectionId, provider)))._tag, code)
    })
  )

  it.scopedLive("is refused for a provider that takes keys, and while the operator has set no client", () =>
    Effect.gen(function* () {
      const { gateway } = yield* start
      const { authorization } = yield* gateway.person()
      const ask = (providerId: string) =>
        gateway.post("/v1/connections/authorizations", { providerId, label: "mine" }, { authorization })
      for (const [providerId, told] of [
        ["p-plain", "takes a key"],
        ["nobody", "provider"]
      ] as const) {
        const answer = yield* ask(providerId)
        assert.deepStrictEqual([answer.status, answer.json.error.details[0].field], [400, "providerId"])
        assert.include(answer.json.error.details[0].message, told)
      }
      const owner = yield* gateway.signedIn()
      const form = Effect.map(
        newBrowser(gateway, owner.cookie).get(`/console/${owner.workspaceId}/connections`),
        ({ status, text }) => [status, text.includes("Connect account")]
      )
      assert.deepStrictEqual(yield* form, [200, true])
      yield* Context.get(gateway.context, PlatformKeys).remove("p-files", commandLine)
      assert.deepStrictEqual(yield* form, [200, false])
      assert.include((yield* ask("p-files")).json.error.details[0].message, "gateway key set p-files")
    })
  )
})

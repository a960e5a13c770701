/** A node is killed while it renews tokens of a connection, at a real OAuth 2 server that rotates refresh tokens. */
import { createServer } from "node:http"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Option, Redacted } from "effect"
import { makeFindings } from "../../chaos/stage/Findings.js"
import { apart } from "../../chaos/stage/Stage.js"
import { startNode } from "../../chaos/stage/Nodes.js"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { listenLocally } from "../../src/layers/providers/fixture/LocalServer.js"
import { PlatformKeys } from "../../src/services/PlatformKeys.js"
import { clientSecret, startAuthorizationServer } from "../support/authorizationServer.js"
import { csrfIn } from "../support/browser.js"
import { startGateway } from "../support/gateway.js"
import { acquireTestDatabase } from "../support/postgres.js"
import { program } from "./stage.js"
import { eventually } from "../support/eventually.js"

const publicUrl = "http://gateway.test"
const manifest = (port: number, server: string) => `
id: files
name: Files
baseUrl: http://127.0.0.1:${port}
platformKey: false
auth:
  type: oauth2_authorization_code
  authorizationUrl: ${server}/auth
  tokenUrl: ${server}/token
  issuer: ${server}
  scopes: [openid, files.read, offline_access]
operations:
  - id: files-list
    name: List files
    summary: Lists files.
    method: GET
    path: /files
    input: { type: object, properties: {} }
    price: { basis: free, micros: 0 }
`

const folder = (name: string) =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), name))),
    (dir) => Effect.sync(() => rmSync(dir, { recursive: true, force: true }))
  )

/** A connected account whose access token the provider refuses from now on, and two nodes of one storage. */
const stage = Effect.gen(function* () {
  const server = yield* startAuthorizationServer(`${publicUrl}/console/connect/callback`)
  const refused = new Set<string>()
  const seen = new Set<string>()
  const api = createServer((request, response) => {
    const token = request.headers.authorization ?? ""
    seen.add(token)
    response
      .writeHead(refused.has(token) ? 401 : 200, { "content-type": "application/json" })
      .end(JSON.stringify({ files: [] }))
  })
  const port = yield* listenLocally(api, 0)
  const catalog = yield* folder("renewals-catalog-")
  const dataDir = yield* folder("renewals-data-")
  mkdirSync(join(catalog, "providers"))
  writeFileSync(join(catalog, "providers", "files.yaml"), manifest(port, server.origin))
  const databaseUrl = yield* acquireTestDatabase()
  const egressAllow = [`127.0.0.1:${port}`, server.host]
  const living = yield* startGateway({
    databaseUrl: Option.some(databaseUrl),
    dataDir,
    publicUrl,
    serverUrl: publicUrl,
    catalogFolders: [catalog],
    egressAllow
  })
  yield* Context.get(living.services, PlatformKeys).set("files", Redacted.make(`gateway:${clientSecret}`), commandLine)
  const { token } = yield* living.funded(1_000_000)
  const list = (origin: string, key: string) =>
    Effect.promise(async () => {
      const response = await fetch(`${origin}/v1/runs`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "idempotency-key": key, "content-type": "application/json" },
        body: JSON.stringify({ endpointId: "files-list", input: {} })
      })
      return (await response.json()) as { readonly runId: string }
    })
  const ended = (runId: string) =>
    Effect.map(
      Effect.repeat(Effect.delay(living.call("GET", `/v1/runs/${runId}`, { token }), "200 millis"), {
        times: 400,
        until: ({ json }) => json.status === "completed" || json.status === "failed"
      }),
      ({ json }) => json
    )

  const begun = yield* living.call("POST", "/v1/connections/authorizations", {
    token,
    body: { providerId: "files", label: "mine" }
  })
  yield* Effect.promise(async () => {
    const link = living.url + new URL(begun.json.authorizationUrl).pathname
    const page = await fetch(link)
    const cookie = page.headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ")
    const left = await fetch(link, {
      method: "POST",
      headers: { cookie, origin: publicUrl, "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ csrf: csrfIn(await page.text()) })
    })
    const more = left.headers.getSetCookie().map((line) => line.split(";")[0])
    const address = (left.headers.get("refresh") ?? "").replace("0; url=", "")
    const back = new URL(await Effect.runPromise(server.visit(address)))
    const came = await fetch(living.url + back.pathname + back.search, {
      headers: { cookie: [cookie, ...more].join("; ") }
    })
    assert.strictEqual(came.status, 200)
  })
  assert.strictEqual((yield* ended((yield* list(living.url, "before")).runId)).status, "completed")
  for (const each of seen) refused.add(each)

  const node = yield* startNode({
    program: yield* program("renewals"),
    databaseUrl: Redacted.value(databaseUrl),
    fixtureOrigin: "http://127.0.0.1:9",
    catalog,
    dataDir,
    findings: makeFindings(),
    environment: {
      GATEWAY_EGRESS_ALLOW: egressAllow.join(","),
      GATEWAY_PUBLIC_URL: publicUrl,
      GATEWAY_FAULT_POINT: "settlement.inside:1000000"
    }
  })
  const mortal = Option.getOrThrow(node)
  const asked = (path: string) =>
    eventually(
      Effect.sync(() => server.asked(path)),
      (n) => n > 0
    )
  /** The dead node's hold on the renewal, which lasts three quarters of a minute, is over. */
  const leaseOver = apart(Redacted.value(databaseUrl), (client) =>
    client.query("update connections set renewed_until = 1 where renewed_by is not null")
  )
  return { asked, ended, leaseOver, list, living, mortal, server, token, connectionId: String(begun.json.connectionId) }
})

describe("kill -9 in the middle of a renewal", () => {
  it.scopedLive(
    "costs nothing where the provider has not renewed yet: another node renews, and the run ends there",
    () =>
      Effect.gen(function* () {
        const { asked, ended, leaseOver, list, mortal, server } = yield* stage
        server.tokens.answers = "never"
        const { runId } = yield* list(mortal.origin, "killed")
        yield* asked("unanswered")
        yield* mortal.kill
        server.tokens.answers = "as it should"
        assert.strictEqual((yield* leaseOver).rowCount, 1)
        const run = yield* ended(runId)
        assert.strictEqual(run.status, "completed", JSON.stringify(run.error))
      }),
    180_000
  )

  it.scopedLive(
    "ends a connection whose rotated refresh token died with the node, and the connection says so",
    () =>
      Effect.gen(function* () {
        const { connectionId, ended, leaseOver, list, living, mortal, server, token } = yield* stage
        const before = server.asked("/token")
        server.tokens.answers = "done and never"
        const { runId } = yield* list(mortal.origin, "killed")
        yield* eventually(
          Effect.sync(() => server.asked("/token")),
          (n) => n > before
        )
        // By now the server has used the refresh token up, or does so without the node.
        yield* Effect.sleep("1 second")
        yield* mortal.kill
        server.tokens.answers = "as it should"
        assert.strictEqual((yield* leaseOver).rowCount, 1)
        const run = yield* ended(runId)
        assert.deepStrictEqual([run.status, run.error.code], ["failed", "connection_unusable"])
        const shown = yield* living.call("GET", `/v1/connections/${connectionId}`, { token })
        assert.include(shown.json.oauth.refused.reason, "The renewal before was interrupted")
        assert.isFalse(shown.json.oauth.renewable)
      }),
    180_000
  )
})

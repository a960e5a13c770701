/** A platform key's variables may change between a request and its retry: the whole gateway over HTTP. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Redacted } from "effect"
import { createServer } from "node:http"
import { commandLine } from "../../src/domain/AuditEntry.js"
import { listenLocally } from "../../src/layers/providers/fixture/LocalServer.js"
import { PlatformKeys } from "../../src/services/PlatformKeys.js"
import { catalogFolder } from "../support/folders.js"
import { startGateway } from "../support/gateway.js"

it.scopedLive(
  "a retry replays its run after the platform key got another variable, and a new run goes to the new address",
  () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const server = createServer((request, response) => {
        asked.push(request.url ?? "")
        response.writeHead(200, { "content-type": "application/json" }).end("{}")
      })
      const port = yield* listenLocally(server, 0)
      const folder = yield* catalogFolder({
        providers: {
          tenants: `
id: tenants
name: Tenants
baseUrl: http://127.0.0.1:${port}/{tenant}
variables: { tenant: { pattern: "[a-z]*", description: The tenant., examples: [acme] } }
auth: { type: bearer }
operations:
  - id: tenants-list
    name: List
    summary: Lists.
    method: GET
    path: /list
    input: { type: object }
    price: { basis: per_call, micros: 10 }
`
        }
      })
      const { call, funded, services } = yield* startGateway({
        catalogFolders: [folder],
        egressAllow: [`127.0.0.1:${port}`]
      })
      const { token } = yield* funded(1_000)
      const setTenant = (tenant: string) =>
        Context.get(services, PlatformKeys).set("tenants", Redacted.make("platform-key-1"), commandLine, { tenant })
      const run = (key: string) =>
        Effect.map(
          call("POST", "/v1/runs?wait=10", {
            token,
            headers: { "idempotency-key": key },
            body: { endpointId: "tenants-list", input: {} }
          }),
          ({ json, status }) => ({ ...json, http: status })
        )
      yield* setTenant("acme")
      const first = yield* run("one")
      yield* setTenant("other")
      const again = yield* run("one")
      assert.deepStrictEqual([again.http, again.runId, again.replayed], [201, first.runId, true])
      assert.strictEqual((yield* run("two")).status, "completed")
      assert.deepStrictEqual(asked, ["/acme/list", "/other/list"])
    }),
  60_000
)

/** What the author of a provider on this machine meets before its address is opened: the whole gateway over HTTP. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, HashMap, Logger } from "effect"
import { createServer } from "node:http"
import { listenLocally } from "../../src/layers/providers/fixture/LocalServer.js"
import { EndpointStats } from "../../src/services/EndpointStats.js"
import { catalogFolder } from "../support/folders.js"
import { startGateway } from "../support/gateway.js"

const manifest = (port: number) => `
id: local
name: Local
baseUrl: http://127.0.0.1:${port}
operations:
  - id: local-say
    name: Say
    summary: Says something.
    method: POST
    path: /say
    input: { type: object, properties: {} }
    price: { basis: per_call, micros: 10 }
`

it.scopedLive(
  "a run at a closed local address says who can open it, the log says which, and the operation's statistics stay clean",
  () =>
    Effect.gen(function* () {
      let asked = 0
      const server = createServer((_, response) => {
        asked += 1
        response.writeHead(200, { "content-type": "application/json" }).end("{}")
      })
      const port = yield* listenLocally(server, 0)
      const folder = yield* catalogFolder({ providers: { local: manifest(port) } })
      const warned: Array<string> = []
      const spy = Logger.make(({ annotations, logLevel, message }) => {
        if (logLevel.label !== "WARN" || !String(message).includes("GATEWAY_EGRESS_ALLOW")) return
        warned.push(
          `${String(HashMap.unsafeGet(annotations, "providerId"))} ${String(HashMap.unsafeGet(annotations, "address"))}`
        )
      })
      const { call, funded, services } = yield* Effect.provide(
        startGateway({ catalogFolders: [folder] }),
        Logger.replace(Logger.defaultLogger, spy)
      )
      const { token } = yield* funded(1_000_000)
      const run = (endpointId: string, input: object, key: string) =>
        Effect.map(
          call("POST", "/v1/runs?wait=10", { token, headers: { "idempotency-key": key }, body: { endpointId, input } }),
          ({ json }) => json
        )

      for (const key of ["first", "second"]) {
        const { error, status } = yield* run("local-say", {}, key)
        assert.deepStrictEqual([status, error.code, error.whoseError], ["failed", "route_denied", "gateway"])
        assert.include(error.retryHint, "GATEWAY_EGRESS_ALLOW")
        for (const inner of ["127.0.0.1", String(port)]) assert.notInclude(JSON.stringify(error), inner)
      }
      assert.deepStrictEqual([asked, warned], [0, [`local 127.0.0.1:${port}`]])

      assert.strictEqual(
        (yield* run("mock-email-find", { name: "Ada Example", domain: "example.com" }, "control")).status,
        "completed"
      )
      const stats = yield* Context.get(services, EndpointStats).snapshot
      assert.strictEqual(stats.get("mock-email-find")?.calls, 1)
      assert.isUndefined(stats.get("local-say"))
    })
)

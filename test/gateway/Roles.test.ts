// A gateway of an api node and a worker over one database: who answers, who works on which run.
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Database } from "../../src/layers/postgres/Database.js"
import { eventually } from "../support/eventually.js"
import { temporaryFolder } from "../support/folders.js"
import { startGateway } from "../support/gateway.js"
import { acquireTestDatabase } from "../support/postgres.js"
import { signInAsOperator } from "../support/signIn.js"

const input = { name: "Ada Example", domain: "example.com", _mock: { delayMs: 300 } }
const body = { endpointId: "mock-email-find", input }

describe("an api node and a worker", () => {
  it.scopedLive(
    "share the work: the api node answers and does what its clients wait for, the worker does the rest",
    () =>
      Effect.gen(function* () {
        const databaseUrl = Option.some(yield* acquireTestDatabase())
        // Both have the same sealing key, as all nodes of a gateway do.
        const dataDir = yield* temporaryFolder("gateway-roles-")
        const api = yield* startGateway({ role: "api", databaseUrl, dataDir })
        const { token } = yield* api.funded(10_000_000)
        const run = (wait: number, key: string) =>
          api.call("POST", `/v1/runs?wait=${wait}`, { token, body, headers: { "idempotency-key": key } })
        const statusOf = (runId: string) =>
          Effect.map(api.call("GET", `/v1/runs/${runId}`, { token }), ({ json }) => String(json.status))

        // No worker yet: a run whose client waits is done, another one waits in the queue.
        assert.strictEqual((yield* run(20, "waited")).json.status, "completed")
        const queued = (yield* run(0, "queued")).json
        assert.strictEqual(queued.status, "queued")
        yield* Effect.sleep("1500 millis")
        assert.strictEqual(yield* statusOf(queued.runId), "queued")

        const { cookie } = yield* Effect.provide(signInAsOperator(api.url), api.services)
        const health = Effect.map(
          api.call("GET", "/console/operator/health", { headers: { cookie } }),
          ({ text }) => text
        )
        const alone = yield* health
        assert.include(alone, "No node with the role all or worker runs")
        assert.include(alone, "no node works on a run")

        const worker = yield* startGateway({
          role: "worker",
          databaseUrl,
          dataDir,
          serverUrl: "https://gateway.example"
        })
        const ended = yield* eventually(statusOf(queued.runId), (status) => status === "completed")
        assert.strictEqual(ended, "completed")
        // A client may come back for a run that another node works on, and waits for it there.
        yield* run(0, "again")
        const again = (yield* run(20, "again")).json
        assert.deepStrictEqual([again.status, again.replayed], ["completed", true])

        const path = (name: string) => worker.call("GET", name)
        assert.deepStrictEqual((yield* path("/livez")).status, 200)
        assert.deepStrictEqual((yield* path("/readyz")).status, 200)
        assert.deepStrictEqual((yield* path("/metrics")).status, 200)
        for (const other of ["/", "/docs", "/openapi.json", "/v1/public-catalog", "/console", "/v1/runs", "/mcp"])
          assert.strictEqual((yield* path(other)).status, 404, other)
        const { json: refused, status } = yield* worker.call("POST", "/v1/runs", { token, body })
        assert.strictEqual(status, 404)
        assert.deepInclude(refused.error, {
          message: "No route for POST /v1/runs: this node is a worker and answers only /livez, /readyz, /metrics",
          retryHint: "Ask https://gateway.example."
        })
        assert.notInclude(yield* health, "No node with the role all or worker runs")

        const roles = yield* Effect.flatMap(Database, ({ query, sql }) =>
          query(sql`select role from nodes order by role`)
        ).pipe(Effect.provide(api.services))
        assert.deepStrictEqual(roles, [{ role: "api" }, { role: "worker" }])
      })
  )
})

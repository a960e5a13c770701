// A provider calls back at a node that does not wait, and strangers call the same route: two gateways on one Postgres.
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { createServer } from "node:http"
import { listenLocally } from "../../src/layers/providers/fixture/LocalServer.js"
import { startGateway } from "../support/gateway.js"
import { acquireTestDatabase } from "../support/postgres.js"
import { slowOperation } from "../support/slowOperation.js"

it.scopedLive("a callback at any node ends the wait at another, and tells a stranger nothing", () =>
  Effect.gen(function* () {
    let webhook = ""
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        response.writeHead(200, { "content-type": "application/json" })
        if (request.method === "GET") return void response.end('{"state":"done","text":"asked"}')
        const told = JSON.parse(Buffer.concat(chunks).toString()) as { webhook: string }
        webhook = told.webhook
        response.end('{"id":"7"}')
        void fetch(webhook, { method: "POST", body: '{"state":"done","text":"forged"}' })
      })
    })
    const port = yield* listenLocally(server, 0)
    const folder = yield* slowOperation(port)
    const databaseUrl = Option.some(yield* acquireTestDatabase())
    const shared = { databaseUrl, catalogFolders: [folder], egressAllow: [`127.0.0.1:${port}`] }
    const other = yield* startGateway({
      ...shared,
      publicUrl: "http://other.test",
      serverUrl: "http://other.test",
      publicRateBurst: 6,
      publicRatePerSecond: 0.001
    })
    const gateway = yield* startGateway({ ...shared, publicUrl: other.url, serverUrl: other.url })
    const { token } = yield* gateway.funded(1_000_000)
    const run = yield* gateway.call("POST", "/v1/runs?wait=60", {
      token,
      headers: { "idempotency-key": "one" },
      body: { endpointId: "local-slow", input: { text: "hello" } }
    })
    // Without the callback, the first poll would come after ten minutes.
    assert.strictEqual(run.json.status, "completed")
    assert.strictEqual(run.json.result.text, "asked")
    assert.isTrue(webhook.startsWith(`${other.url}/v1/callbacks/`))

    const path = webhook.slice(other.url.length)
    const answers = (at: string, body?: string) =>
      Effect.promise(async () => {
        const response = await fetch(other.url + at, { method: "POST", ...(body === undefined ? {} : { body }) })
        return [response.status, await response.text()] as const
      })
    // Late, repeated, large: it is taken, and its sender spends nothing.
    for (const body of [undefined, "x", "x".repeat(1_000_000), "{}", "{}"])
      assert.deepStrictEqual(yield* answers(path, body), [204, ""])
    // A stranger has the same answer, until the rate of strangers is used up.
    const strange = ["/v1/callbacks/x", `${path.slice(0, -3)}AAA`, `/v1/callbacks/${"a".repeat(51)}`]
    let refused = 0
    for (const at of [...strange, ...strange, ...strange]) {
      const [status, text] = yield* answers(at)
      if (status === 429) refused += 1
      else assert.deepStrictEqual([status, text], [204, ""])
    }
    assert.isAtLeast(refused, 1)
    assert.deepStrictEqual(yield* answers(path), [204, ""])
    assert.strictEqual((yield* gateway.call("GET", path)).status, 405)
  })
)

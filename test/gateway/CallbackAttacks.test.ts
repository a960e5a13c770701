// What strangers, a hostile provider and an absent storage make of the callbacks of slow operations: two gateways on
// one Postgres, real sockets.
import { assert, it } from "@effect/vitest"
import { Effect, Logger, Option } from "effect"
import { createServer } from "node:http"
import { connect } from "node:net"
import { listenLocally } from "../../src/layers/providers/fixture/LocalServer.js"
import { eventually } from "../support/eventually.js"
import { startGateway } from "../support/gateway.js"
import { acquireTestDatabase } from "../support/postgres.js"
import { slowOperation } from "../support/slowOperation.js"

const stage = Effect.gen(function* () {
  /** By the text of the run's input. */
  const webhooks = new Map<string, string>()
  const polls = new Map<string, number>()
  const done = new Set<string>()
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      response.writeHead(200, { "content-type": "application/json" })
      if (request.method === "GET") {
        const id = (request.url ?? "").split("/").at(-1) ?? ""
        polls.set(id, (polls.get(id) ?? 0) + 1)
        return void response.end(JSON.stringify({ state: done.has(id) ? "done" : "running", id }))
      }
      const told = JSON.parse(Buffer.concat(chunks).toString()) as { webhook: string; text: string }
      webhooks.set(told.text, told.webhook)
      response.end(JSON.stringify({ id: told.text }))
    })
  })
  const port = yield* listenLocally(server, 0)
  const folder = yield* slowOperation(port)
  const databaseUrl = Option.some(yield* acquireTestDatabase())
  const shared = { databaseUrl, catalogFolders: [folder], egressAllow: [`127.0.0.1:${port}`] }
  const lines: Array<string> = []
  const spy = Logger.make(({ annotations, cause, message }) => {
    lines.push(`${String(message)} ${JSON.stringify([...annotations])} ${String(cause)}`)
  })
  const { gateway, other } = yield* Effect.provide(
    Effect.gen(function* () {
      const other = yield* startGateway({
        ...shared,
        publicUrl: "http://other.test",
        serverUrl: "http://other.test",
        publicRateBurst: 50,
        publicRatePerSecond: 0.001
      })
      return { other, gateway: yield* startGateway({ ...shared, publicUrl: other.url, serverUrl: other.url }) }
    }),
    Logger.replace(Logger.defaultLogger, spy)
  )
  const { token } = yield* gateway.funded(1_000_000)
  const start = (text: string) =>
    Effect.gen(function* () {
      const run = yield* gateway.call("POST", "/v1/runs", {
        token,
        headers: { "idempotency-key": text },
        body: { endpointId: "local-slow", input: { text } }
      })
      // The first poll has come: the run now waits for its callback or for ten minutes.
      const webhook = yield* eventually(
        Effect.sync(() => webhooks.get(text)),
        (address) => address !== undefined
      )
      return { runId: String(run.json.runId), webhook: webhook ?? "" }
    })
  const state = (runId: string) =>
    Effect.map(gateway.call("GET", `/v1/runs/${runId}`, { token }), ({ json }) => String(json.status))
  const ended = (runId: string) => eventually(state(runId), (status) => status === "completed" || status === "failed")
  const ring = (address: string, body = "{}") =>
    Effect.promise(async () => {
      const response = await fetch(address, { method: "POST", body })
      return [response.status, await response.text()] as const
    })
  return { done, ended, gateway, lines, other, polls, ring, start, state }
})

it.scopedLive(
  "strangers, the addresses of other runs, huge and endless bodies end no wait, and no address stands in a log",
  () =>
    Effect.gen(function* () {
      const { done, ended, lines, other, polls, ring, start, state } = yield* stage
      const [mine, theirs] = [yield* start("mine"), yield* start("theirs")]
      done.add("mine").add("theirs")
      const asked = polls.get("mine") ?? 0

      // Another run's address, for ever; a large body; one that is announced and never comes; one without end.
      for (let n = 0; n < 5; n += 1) assert.deepStrictEqual(yield* ring(theirs.webhook), [204, ""])
      assert.deepStrictEqual(yield* ring(theirs.webhook, "x".repeat(20_000_000)), [204, ""])
      const { pathname, port } = new URL(theirs.webhook)
      const slow = (head: string) =>
        Effect.acquireRelease(
          Effect.async<{ readonly answer: string; readonly end: () => void }>((resume) => {
            const socket = connect(Number(port), "127.0.0.1", () =>
              socket.write(`POST ${pathname} HTTP/1.1\r\nhost: other.test\r\n${head}\r\n\r\n1`)
            )
            let answer = ""
            socket.on("error", () => undefined)
            socket.on("data", (bytes) => {
              answer += bytes.toString()
              resume(Effect.succeed({ answer, end: () => void socket.destroy() }))
            })
          }),
          ({ end }) => Effect.sync(end)
        )
      for (const head of ["content-length: 1000000000", "transfer-encoding: chunked"])
        assert.match((yield* slow(head)).answer, /^HTTP\/1\.1 204 /)

      // Forged: one bit off, cut, longer, another spelling, none.
      const flipped = `${theirs.webhook.slice(0, -1)}${theirs.webhook.endsWith("A") ? "B" : "A"}`
      for (const address of [flipped, theirs.webhook.slice(0, -4), `${theirs.webhook}AAAA`, `${theirs.webhook}%3D`])
        assert.include([204, 404], (yield* ring(address))[0])

      assert.strictEqual(yield* ended(theirs.runId), "completed")
      assert.deepStrictEqual([polls.get("mine") ?? 0, yield* state(mine.runId)], [asked, "running"])
      assert.deepStrictEqual(yield* ring(mine.webhook), [204, ""])
      assert.strictEqual(yield* ended(mine.runId), "completed")

      // Replayed after the end: taken, and nothing is called.
      const [ofMine, ofTheirs] = [polls.get("mine"), polls.get("theirs")]
      for (let n = 0; n < 20; n += 1) assert.deepStrictEqual(yield* ring(mine.webhook), [204, ""])
      assert.deepStrictEqual([polls.get("mine"), polls.get("theirs")], [ofMine, ofTheirs])

      // A thousand unknown addresses: all but a burst are refused, and the known one is not.
      const statuses = new Map<number, number>()
      yield* Effect.forEach(
        Array.from({ length: 1_000 }, (_, n) => n),
        (n) =>
          Effect.map(ring(`${other.url}/v1/callbacks/${String(n).padStart(51, "a")}`), ([status]) =>
            statuses.set(status, (statuses.get(status) ?? 0) + 1)
          ),
        { concurrency: 16, discard: true }
      )
      assert.isAtMost(statuses.get(204) ?? 0, 50)
      assert.strictEqual((statuses.get(204) ?? 0) + (statuses.get(429) ?? 0), 1_000)
      assert.deepStrictEqual(yield* ring(mine.webhook), [204, ""])

      const secrets = [mine, theirs].map(({ webhook }) => webhook.split("/").at(-1) ?? "")
      for (const secret of secrets) assert.isFalse(lines.some((line) => line.includes(secret)))
      const { text } = yield* other.call("GET", "/metrics")
      for (const secret of secrets) assert.notInclude(text, secret)
    })
)

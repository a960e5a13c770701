// `gateway mcp`: a host starts the program itself and speaks the protocol with it over stdin and stdout.
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ExactNumber } from "../../src/domain/ExactNumber.js"
import { agentInstructions } from "../../src/domain/Product.js"
import { hit, type Listening, miss, testGateway } from "../../src/testing.js"
import { type Agent, overHttp, overStdio, revisions } from "../support/agents.js"
import type { Loose } from "../support/httpGateway.js"
import { program } from "../support/program.js"

const mcp = [program("cli"), "mcp"]
const environment = (url: string, token: string) => ({
  PATH: process.env["PATH"] ?? "",
  XDG_CONFIG_HOME: join(tmpdir(), "no-such-folder"),
  GATEWAY_URL: url,
  GATEWAY_TOKEN: token
})

const gateway = testGateway()
let listening: Listening
beforeAll(async () => {
  listening = await gateway.listen()
})
afterAll(() => listening.close())

const input = { name: "Ada Example", domain: "example.com" }
const first = "mock-email-find"

describe.each(revisions)("in the %s revision of the protocol", (revision) => {
  let agent: Agent
  beforeAll(async () => {
    agent = await overStdio(process.execPath, mcp, environment(listening.url, listening.token), revision)
  })
  afterAll(() => agent.close())

  it("the bridge shows and calls the tools of the gateway, and says what the gateway says", async () => {
    const direct = await overHttp(listening.url, listening.token, revision)
    assert.deepStrictEqual(await agent.names(), await direct.names())
    const { tools } = await agent.client.listTools()
    assert.deepStrictEqual(tools, (await direct.client.listTools()).tools)

    const found = await agent.call("search_operations", { query: "find the email of a person" })
    assert.strictEqual(found.value.operations[0].endpointId, "job:people.email.find")
    const inspected = await agent.call("inspect_operation", { endpointId: first })
    assert.strictEqual(inspected.value.endpointId, first)
    const args = { endpointId: "job:people.email.find", input, fallback: true, idempotencyKey: `stdio ${revision}` }
    gateway.script(first, miss())
    gateway.script("mock-slow-email-find", hit())
    const ran = await agent.call("run_operation", args)
    assert.deepInclude(ran.value, { status: "completed", servedEndpointId: "mock-slow-email-find", replayed: false })
    const again = await direct.call("run_operation", args)
    assert.deepInclude(again.value, { runId: ran.value.runId, replayed: true })
    const wrong = await agent.call("run_operation", { ...args, input: 7 })
    assert.isTrue(wrong.failed)
    assert.deepStrictEqual(
      wrong.value.error.details.map(({ field }: Loose) => field),
      ["input"]
    )
    await direct.close()
  })
})

const opening = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
}

/** What a program wrote until it ended. */
const endOf = async (child: ChildProcessWithoutNullStreams) => {
  let out = ""
  let err = ""
  child.stdout.on("data", (part: Buffer) => (out += part.toString()))
  child.stderr.on("data", (part: Buffer) => (err += part.toString()))
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
  return { code, err, out: out.trim().split("\n") }
}

describe("the program", () => {
  it("retries a run whose answer was lost with the same key, so that it is made and charged once", async () => {
    gateway.script(first, hit())
    const { createServer, request } = await import("node:http")
    let lost = 0
    /** Carries requests to the gateway, and the first answer to a run nowhere. */
    const relay = createServer((incoming, outgoing) => {
      const parts: Array<Buffer> = []
      incoming.on("data", (part: Buffer) => parts.push(part))
      incoming.on("end", () => {
        const body = Buffer.concat(parts)
        const sent = request(listening.url + (incoming.url ?? ""), {
          method: incoming.method,
          headers: { ...incoming.headers, host: new URL(listening.url).host }
        })
        sent.on("response", (response) => {
          const answer: Array<Buffer> = []
          response.on("data", (part: Buffer) => answer.push(part))
          response.on("end", () => {
            if (lost === 0 && body.includes("idempotencyKey")) {
              lost++
              outgoing.destroy()
              return
            }
            outgoing.writeHead(response.statusCode ?? 500, response.headers).end(Buffer.concat(answer))
          })
        })
        sent.end(body)
      })
    })
    await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve))
    const address: Loose = relay.address()
    const before = gateway.calls(first).length
    const env = environment(`http://127.0.0.1:${address.port}`, listening.token)
    const agent = await overStdio(process.execPath, mcp, env, "newest")
    const ran = await agent.call("run_operation", { endpointId: first, input, idempotencyKey: "lost on the way" })
    await agent.close()
    relay.close()
    assert.strictEqual(lost, 1)
    assert.deepInclude(ran.value, { status: "completed", replayed: true })
    assert.strictEqual(gateway.calls(first).length, before + 1)
  })

  it("answers all that it was asked before its input ended, the last line without its end among it", async () => {
    gateway.script(first, hit())
    const call = (id: number, name: string, args: object) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name, arguments: args }
    })
    const child = spawn(process.execPath, mcp, {
      env: environment(listening.url, listening.token),
      stdio: "pipe"
    })
    const ended = endOf(child)
    child.stdin.end(
      [
        opening,
        { jsonrpc: "2.0", method: "notifications/initialized" },
        { jsonrpc: "2.0", id: 2, method: "tools/list" },
        call(3, "search_operations", { query: "find the email of a person" }),
        call(4, "inspect_operation", { endpointId: first }),
        call(5, "run_operation", { endpointId: first, input, idempotencyKey: "piped in" })
      ]
        .map((message) => JSON.stringify(message))
        .join("\n")
    )
    const { code, err, out } = await ended
    assert.deepStrictEqual([code, err], [0, ""])
    const answers: ReadonlyArray<Loose> = out.map((line) => JSON.parse(line))
    assert.deepStrictEqual(answers.map(({ id }) => id).sort(), [1, 2, 3, 4, 5])
    const ran = answers.find(({ id }) => id === 5)
    assert.deepInclude(ran.result.structuredContent, { status: "completed", replayed: false })
  })

  it("keeps every digit of what a host writes and of what it is answered", async () => {
    const digits = "123456789012345678901234567890.5"
    gateway.script(first, hit({ email: "ada@example.com", size: new ExactNumber(digits) }))
    const asked = `{"endpointId":"${first}","input":${JSON.stringify(input).replace(/}$/, `,"size":${digits}}`)},"idempotencyKey":"to the digit"}`
    const call = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"run_operation","arguments":${asked}}}`
    const child = spawn(process.execPath, mcp, { env: environment(listening.url, listening.token), stdio: "pipe" })
    const ended = endOf(child)
    child.stdin.end([JSON.stringify(opening), call].join("\n"))
    const { out } = await ended
    const answer = out.find((line) => line.includes('"id":2')) ?? ""
    assert.match(answer, new RegExp(`"structuredContent":.*"size":${digits}`))
    // The gateway got the number itself: over REST it is the same request.
    const again = await fetch(`${listening.url}/v1/runs?wait=true`, {
      method: "POST",
      headers: { authorization: `Bearer ${listening.token}`, "content-type": "application/json" },
      body: asked
    })
    const run: Loose = await again.json()
    assert.deepStrictEqual([again.status, run.replayed], [201, true])
  })

  it("tells an agent why a call did not come through", async () => {
    const agent = await overStdio(process.execPath, mcp, environment(listening.url, listening.token), "newest")
    await agent.names()
    await fetch(`${listening.url}/v1/logout`, {
      method: "POST",
      headers: { authorization: `Bearer ${listening.token}` }
    })
    const refused = await agent.call("search_operations", { query: "anything" })
    await agent.close()
    assert.isTrue(refused.failed)
    assert.deepInclude(refused.value.error, { code: "token_revoked", whoseError: "customer" })
    assert.strictEqual(refused.value.error.retryHint, "Use another token.")
    assert.match(refused.value.error.requestId, /^req_/)
  })

  it("waits for no answer to what was cancelled before its input ended", async () => {
    const { createServer } = await import("node:http")
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
    const address: Loose = silent.address()
    const asked = new Promise<void>((resolve) => silent.once("request", () => resolve()))
    const child = spawn(process.execPath, mcp, {
      env: environment(`http://127.0.0.1:${address.port}`, "pgw_none"),
      stdio: "pipe"
    })
    const ended = endOf(child)
    for (const message of [opening, { jsonrpc: "2.0", id: 2, method: "tools/list" }])
      child.stdin.write(`${JSON.stringify(message)}\n`)
    await asked
    child.stdin.end(
      `${JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } })}\n`
    )
    const { code, out } = await ended
    silent.closeAllConnections()
    silent.close()
    assert.deepStrictEqual([code, out.length], [0, 1])
  })

  it("writes nothing but the protocol to standard output, and ends when its input does", async () => {
    const child = spawn(process.execPath, mcp, { env: environment(listening.url, "pgw_none"), stdio: "pipe" })
    let out = ""
    child.stdout.on("data", (part: Buffer) => (out += part.toString()))
    const answered = new Promise<void>((resolve) => child.stdout.once("data", () => resolve()))
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
    child.stdin.write(`${JSON.stringify(opening)}\n`)
    await answered
    child.stdin.end()
    assert.strictEqual(await ended, 0)
    const lines = out.trim().split("\n")
    assert.lengthOf(lines, 1)
    const { instructions, serverInfo } = JSON.parse(lines[0] ?? "").result
    assert.deepStrictEqual([serverInfo.name, instructions], ["gateway mcp", agentInstructions])
  })
})

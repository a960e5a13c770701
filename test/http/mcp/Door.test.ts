// What `POST /mcp` asks of a request before any tool is called: Host, Origin, token, rate, body.
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { request } from "node:http"
import { batchValuesMax } from "../../../src/domain/limits/AgentTools.js"
import { bodyBytesMax, bodyValuesMax } from "../../../src/domain/limits/Requests.js"
import { type Listening, testGateway } from "../../../src/testing.js"
import { overHttp } from "../../support/agents.js"
import type { Loose } from "../../support/httpGateway.js"

const gateway = testGateway()
let listening: Listening
beforeAll(async () => {
  listening = await gateway.listen()
})
afterAll(() => listening.close())

const listTools = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }

interface Sent {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
}

/** Node's own client, because `fetch` does not let a test choose `Host`. */
const post = (body: string | object, headers: Record<string, string> = {}, to = listening): Promise<Sent> =>
  new Promise((resolve, reject) => {
    const sent = request(
      `${to.url}/mcp`,
      {
        method: "POST",
        headers: {
          authorization: `Bearer ${to.token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          ...headers
        }
      },
      (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (part: string) => (text += part))
        response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
      }
    )
    sent.on("error", reject)
    sent.end(typeof body === "string" ? body : JSON.stringify(body))
  })

describe("Host and Origin", () => {
  it("of another site are refused, before anybody looks at the token", async () => {
    for (const headers of [
      { host: "evil.example:8080" },
      { host: "evil.example", authorization: "Bearer wrong" },
      { origin: "http://evil.example" },
      { origin: "http://6.6.6.6" },
      { origin: "null" }
    ]) {
      const { status, text } = await post(listTools, headers)
      assert.strictEqual(status, 403, JSON.stringify(headers))
      assert.include(text, "host" in headers ? "Host" : "Origin")
      assert.notInclude(text, "search_operations")
    }
  })

  it("of this gateway are taken: its public name, an address, localhost", async () => {
    for (const headers of [
      { host: "gateway.test" },
      { host: "gateway.test", origin: "http://gateway.test" },
      { host: "192.168.7.7:8080" },
      { host: "[::1]:8080" },
      { host: "localhost:1234", origin: "http://localhost:5173" }
    ]) {
      const { status, text } = await post(listTools, headers)
      assert.strictEqual(status, 200, JSON.stringify(headers))
      assert.include(text, "search_operations")
    }
  })
})

describe("a request without a valid token", () => {
  it("is 401 and names the metadata of the resource, which say how to authenticate", async () => {
    const { headers, status, text } = await post(listTools, { authorization: "" })
    assert.strictEqual(status, 401)
    assert.strictEqual(JSON.parse(text).error.code, "unauthorized")
    const place = "http://gateway.test/.well-known/oauth-protected-resource/mcp"
    assert.strictEqual(headers["www-authenticate"], `Bearer resource_metadata="${place}"`)
    const metadata = await fetch(listening.url + new URL(place).pathname)
    assert.strictEqual(metadata.status, 200)
    const described: Loose = await metadata.json()
    // A host would begin an authorization code flow there, which the gateway does not have.
    assert.notProperty(described, "authorization_servers")
    assert.deepInclude(described, {
      resource: "http://gateway.test/mcp",
      bearer_methods_supported: ["header"],
      scopes_supported: ["catalog:read", "runs:execute", "runs:read"]
    })
    const rejected = await overHttp(listening.url, null, "newest").then(
      () => "connected",
      (error: Loose) => String(error)
    )
    assert.notStrictEqual(rejected, "connected")
    // Routes of REST say what they always said.
    const rest = await fetch(`${listening.url}/v1/balance`)
    assert.strictEqual(rest.headers.get("www-authenticate"), "Bearer")
  })

  it("whose token was revoked is told so", async () => {
    const own = await gateway.listen()
    await fetch(`${own.url}/v1/logout`, { method: "POST", headers: { authorization: `Bearer ${own.token}` } })
    const { headers, status, text } = await post(listTools, {}, own)
    await own.close()
    assert.strictEqual(status, 401)
    assert.strictEqual(JSON.parse(text).error.code, "token_revoked")
    assert.match(String(headers["www-authenticate"]), /^Bearer error="invalid_token", resource_metadata="http/)
  })
})

describe("methods", () => {
  it("other than POST are 405: there is no session to open or to end", async () => {
    for (const method of ["GET", "DELETE", "PUT"]) {
      const response = await fetch(`${listening.url}/mcp`, {
        method,
        headers: { authorization: `Bearer ${listening.token}`, accept: "text/event-stream" }
      })
      assert.strictEqual(response.status, 405)
      assert.strictEqual(response.headers.get("allow"), "POST")
      await response.text()
    }
  })
})

describe("the rate of a workspace", () => {
  it("is spent by each request, and in a batch by each message", async () => {
    const own = await testGateway({ requestRate: { burst: 7, refillPerSecond: 0.001 } }).listen()
    const first = await post(listTools, {}, own)
    assert.strictEqual(first.status, 200)
    assert.match(String(first.headers["ratelimit"]), /r=6/)
    const batch = await post([listTools, { ...listTools, id: 2 }, { ...listTools, id: 3 }], {}, own)
    assert.strictEqual(batch.status, 200)
    assert.match(String(batch.headers["ratelimit"]), /r=3/)
    // No wait would let it through, so it is not told to wait, and spends nothing beside itself.
    const never = await post(
      [1, 2, 3, 4, 5, 6, 7, 8].map((id) => ({ ...listTools, id })),
      {},
      own
    )
    assert.strictEqual(never.status, 400)
    assert.include(JSON.parse(never.text).error.message, "body: may hold at most 7 messages")
    assert.match(String(never.headers["ratelimit"]), /r=2/)
    const over = await post(
      [1, 2, 3].map((id) => ({ ...listTools, id })),
      {},
      own
    )
    assert.strictEqual(over.status, 429)
    assert.strictEqual(JSON.parse(over.text).error.code, "rate_limit_exceeded")
    // The request itself is spent, and no other of its messages. Two more have to come back for the next try.
    assert.match(String(over.headers["ratelimit"]), /r=1/)
    const retryAfter = Number(over.headers["retry-after"])
    assert.isAtMost(retryAfter, 2_000)
    assert.isAbove(retryAfter, 1_900)
    await own.close()
  })
})

describe("a body", () => {
  it("is held to the limits of other routes", async () => {
    const call = (args: string) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_operations","arguments":${args}}}`
    const wrong: ReadonlyArray<readonly [string, number, RegExp]> = [
      ["", 400, /is empty/],
      ["{", 400, /not valid JSON/],
      [call('{"query":"x","query":"y"}'), 400, /twice/],
      [call('{"__proto__":{}}'), 400, /__proto__/],
      [call(`{"query":[${"0,".repeat(20_000)}0]}`), 400, /at most/],
      [call(`{"query":${"[".repeat(100)}${"]".repeat(100)}}`), 400, /nested/],
      [call(`{"query":"${"x".repeat(bodyBytesMax)}"}`), 413, /payload_too_large/]
    ]
    for (const [body, status, says] of wrong) {
      const answer = await post(body)
      assert.strictEqual(answer.status, status, body.slice(0, 80))
      assert.match(answer.text, says)
    }
    assert.strictEqual((await post(listTools, { "content-type": "text/plain" })).status, 400)
    assert.strictEqual((await post(listTools, { "content-encoding": "gzip" })).status, 415)
  })
})

describe("a batch in which an id stands twice", () => {
  it("is refused before anything of it is done: one of the two would have no answer", async () => {
    const run = (id: unknown, key: string) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: {
        name: "run_operation",
        arguments: { endpointId: "mock-email-find", input: { name: "Ada", domain: "example.com" }, idempotencyKey: key }
      }
    })
    const before = gateway.calls("mock-email-find").length
    for (const id of [7, "seven"]) {
      const { status, text } = await post([run(id, "A"), run(id, "B")])
      assert.strictEqual(status, 400)
      assert.include(JSON.parse(text).error.message, `body: has two requests with the id ${JSON.stringify(id)}`)
    }
    assert.strictEqual(gateway.calls("mock-email-find").length, before)
    // A number and a text are two ids, also of long ones the end counts, and notifications have none.
    const told = { jsonrpc: "2.0", method: "notifications/initialized" }
    const long = ["a", "b"].map((end) => ({ ...listTools, id: `${"x".repeat(110)}${end}` }))
    const { status, text } = await post([told, told, listTools, { ...listTools, id: "1" }, ...long])
    assert.deepStrictEqual([status, text.match(/"name":"search_operations"/g)?.length], [200, 4])
  })
})

describe("many messages and values", () => {
  const search = (query: string, id: number, more: object = {}) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "search_operations", arguments: { query, ...more } }
  })
  const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, at]))

  it("each have a turn of the event loop of their own, so that a batch holds up nobody", async () => {
    let turns = 0
    const count = (): void => {
      turns += 1
      next = setImmediate(count)
    }
    let next = setImmediate(count)
    const messages = Array.from({ length: 20 }, (_, id) => (id % 2 === 0 ? { ...listTools, id } : search("email", id)))
    const { status, text } = await post(messages)
    clearImmediate(next)
    assert.strictEqual(status, 200)
    assert.strictEqual(text.match(/"id":\d+/g)?.length, messages.length)
    assert.isAtLeast(turns, messages.length)
  })

  it("are refused where they are thousands beside the input of a tool", async () => {
    const refused = [
      search("email", 1, fields(bodyValuesMax)),
      { ...listTools, params: { _meta: fields(bodyValuesMax) } },
      Array.from({ length: 5 }, (_, id) => search("email", id, fields(bodyValuesMax - 20)))
    ]
    for (const [index, body] of refused.entries()) {
      const { status, text } = await post(body)
      assert.strictEqual(status, 400)
      assert.include(
        JSON.parse(text).error.message,
        `body: may hold at most ${index < 2 ? bodyValuesMax : batchValuesMax} values`
      )
    }
    const quote = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "quote_run", arguments: { endpointId: "mock-email-find", input: fields(2 * bodyValuesMax) } }
    }
    assert.strictEqual((await post(quote)).status, 200)
  })
})

describe("the OpenAPI document", () => {
  it("does not list the route: what it takes is said by the protocol, not by HTTP", async () => {
    const document: Loose = await (await fetch(`${listening.url}/openapi.json`)).json()
    assert.notProperty(document.paths, "/mcp")
  })
})

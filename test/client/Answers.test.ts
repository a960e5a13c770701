// What calls answer: pages as iterators, addresses under a prefix, numbers that JavaScript cannot hold, files.
import { getEventListeners } from "node:events"
import { createServer } from "node:http"
import { assert, describe, it } from "vitest"
import { createClient, type JsonCodec } from "../../src/client/index.js"
import { hit, miss } from "../../src/testing.js"
import { all, failureOf, gatewayOfFile, request } from "./onGateway.js"

const onGateway = gatewayOfFile()

describe("a list", () => {
  it("goes through all pages, and asks for the next one only when it gets there", () =>
    onGateway({}, async ({ client, proxy }) => {
      const made = []
      for (let n = 0; n < 5; n++) made.unshift((await client.run(request)).runId)
      proxy.next()
      const before = proxy.passed.length
      const listed = await all(client.runs.list({ limit: 2 }))
      assert.deepStrictEqual(
        listed.map(({ runId }) => runId),
        made
      )
      assert.strictEqual(proxy.passed.length - before, 3)
      for await (const run of client.runs.list({ limit: 2, status: "completed" })) {
        assert.strictEqual(run.runId, made[0])
        break
      }
      assert.strictEqual(proxy.passed.length - before, 4)
    }))

  it("goes page by page as well, and on from a cursor", () =>
    onGateway({}, async ({ client }) => {
      for (let n = 0; n < 3; n++) await client.run(request)
      const sizes = []
      let cursor: string | null = null
      for await (const page of client.runs.list({ limit: 2 }).pages()) {
        sizes.push(page.runs.length)
        cursor ??= page.nextCursor
      }
      assert.deepStrictEqual(sizes, [2, 1])
      assert.strictEqual((await all(client.runs.list({ limit: 2, cursor: String(cursor) }))).length, 1)
    }))
})

describe("an answer", () => {
  it("of the first use is there in five lines", () =>
    onGateway({}, async ({ proxy, token }) => {
      const gateway = createClient({ baseUrl: proxy.url, token })
      const run = await gateway.run({
        endpointId: "job:people.email.find",
        input: { name: "Ada Example", domain: "example.com" }
      })
      assert.strictEqual(run.outcome, "hit")
      assert.isString(run.normalized?.fields["email"])
    }))

  it("of a miss is a completed run", () =>
    onGateway({ providers: { "mock-email-find": miss() } }, async ({ client }) => {
      assert.strictEqual((await client.run(request)).outcome, "miss")
    }))

  it("of a run that was made before can be waited for", () =>
    onGateway({}, async ({ client }) => {
      const { runId, status } = await client.runs.create(request)
      assert.include(["queued", "running", "completed"], status)
      assert.strictEqual((await client.runs.wait(runId)).outcome, "hit")
    }))

  it("comes from a gateway under a path prefix", async () => {
    const asked: Array<string> = []
    const client = createClient({
      baseUrl: "https://host.test/gateway/",
      token: "pgw_x",
      fetch: async (url) => {
        asked.push(String(url))
        return new Response("{}")
      }
    })
    await client.inspect("job:people.email.find")
    await client.search("e-mail & more", { limit: 5, mock: false })
    assert.deepStrictEqual(asked, [
      "https://host.test/gateway/v1/operations/job%3Apeople.email.find",
      "https://host.test/gateway/v1/catalog/search?limit=5&mock=false&q=e-mail%20%26%20more"
    ])
  })

  it("that is a file is read as it comes, for as long as the caller wants", async () => {
    const bytes = Buffer.alloc(100_000, 7)
    const server = createServer((incoming, answer) => {
      answer.writeHead(200, { "content-type": "application/pdf" })
      if (incoming.url === "/v1/runs/run_1/media/endless") answer.write(bytes)
      else answer.end(incoming.url === "/v1/runs/run_1/media/med_1" ? bytes : "")
    })
    await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)))
    try {
      const { port } = server.address() as { readonly port: number }
      const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, token: "pgw_x" })
      const file = await client.runs.media("/v1/runs/run_1/media/med_1")
      assert.strictEqual(file.headers.get("content-type"), "application/pdf")
      assert.isTrue(Buffer.from(await file.arrayBuffer()).equals(bytes))
      const controller = new AbortController()
      const endless = await client.runs.media("/v1/runs/run_1/media/endless", { signal: controller.signal })
      controller.abort(new Error("enough"))
      assert.match(String(await failureOf(endless.arrayBuffer())), /enough|aborted/)
      // One signal for many files keeps nothing of those that are over.
      const { signal } = new AbortController()
      const listeners = () => getEventListeners(signal, "abort").length
      const read = await client.runs.media("/v1/runs/run_1/media/med_1", { signal })
      assert.strictEqual(listeners(), 1)
      await read.arrayBuffer()
      assert.strictEqual(listeners(), 0)
      const left = await client.runs.media("/v1/runs/run_1/media/endless", { signal })
      await left.body?.cancel()
      assert.strictEqual(listeners(), 0)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})

describe("an input", () => {
  it("of a class whose fields are all left out is an empty object", async () => {
    class Filters {
      declare readonly city?: string
    }
    const bodies: Array<string | undefined> = []
    const client = createClient({
      baseUrl: "https://gateway.test",
      token: "pgw_x",
      fetch: (_, { body }) => {
        bodies.push(body)
        return Promise.resolve(Response.json({}))
      }
    })
    await client.quote({ endpointId: "a", input: new Filters() })
    assert.deepStrictEqual(bodies, ['{"endpointId":"a","input":{}}'])
  })
})

describe("a signal", () => {
  it("that the client gives to fetch has no listener for each piece of a file", async () => {
    let given: AbortSignal | undefined
    const listeners: Array<number> = []
    const client = createClient({
      baseUrl: "https://gateway.test",
      token: "pgw_x",
      fetch: (_, { signal }) => {
        given = signal
        const pieces = new ReadableStream<Uint8Array>({
          pull: (controller) => {
            listeners.push(getEventListeners(signal, "abort").length)
            if (listeners.length <= 20) controller.enqueue(new Uint8Array(1))
            else controller.close()
          }
        })
        return Promise.resolve(new Response(pieces))
      }
    })
    const file = await client.runs.media("/v1/runs/run_1/media/med_1")
    assert.strictEqual((await file.arrayBuffer()).byteLength, 20)
    assert.isAtMost(Math.max(...listeners), 1)
    assert.strictEqual(given === undefined ? null : getEventListeners(given, "abort").length, 0)
  })

  it("of the caller has one listener for all calls that it can end, and none afterwards", async () => {
    const client = createClient({
      baseUrl: "https://gateway.test",
      token: "pgw_x",
      fetch: () => Promise.resolve(Response.json({}))
    })
    const { signal } = new AbortController()
    const calls = Array.from({ length: 20 }, () => client.balance({ signal }))
    // Nothing is sent in the turn of the call.
    await Promise.resolve()
    assert.strictEqual(getEventListeners(signal, "abort").length, 1)
    await Promise.all(calls)
    assert.strictEqual(getEventListeners(signal, "abort").length, 0)
  })
})

describe("a number beyond 2^53", () => {
  const large = "9007199254740993"
  /** A reader for tests: it gives such numbers as bigints, and writes them back. */
  const json: JsonCodec = {
    parse: (text) =>
      JSON.parse(text.replace(/:\s*(\d{16,})\b/g, ':"bigint $1"'), (_, value) =>
        typeof value === "string" && value.startsWith("bigint ") ? BigInt(value.slice(7)) : value
      ),
    stringify: (value) =>
      JSON.stringify(value, (_, each) => (typeof each === "bigint" ? `bigint ${each}` : each)).replace(
        /"bigint (\d+)"/g,
        "$1"
      )
  }
  const found = { found: true, email: "ada@example.com", status: "deliverable" }

  it("in an input is refused, and so is one that JSON does not have", async () => {
    const client = createClient({
      baseUrl: "https://gateway.test",
      token: "pgw_x",
      fetch: () => assert.fail("it was sent")
    })
    for (const [value, message] of [
      [2 ** 53, /^id is 9007199254740992, beyond 2\^53: .* Send it as a text/],
      [Number.NaN, /^id is NaN, which JSON cannot hold$/],
      [Number.POSITIVE_INFINITY, /^id is Infinity, which JSON cannot hold$/],
      [1n, /^id is of the kind bigint, which JSON cannot hold$/],
      [() => 1, /^id is of the kind function, which JSON cannot hold$/],
      [Symbol("id"), /^id is of the kind symbol, which JSON cannot hold$/],
      [new Map([["a", 1]]), /^id is of the kind Map, which JSON cannot hold$/],
      [new Set(["a"]), /^id is of the kind Set, which JSON cannot hold$/],
      [Promise.resolve("a"), /^id is of the kind Promise, which JSON cannot hold$/],
      [/a/, /^id is of the kind RegExp, which JSON cannot hold$/],
      [new URLSearchParams("a=1"), /^id is of the kind URLSearchParams, which JSON cannot hold$/],
      [new Error("a"), /^id is of the kind Error, which JSON cannot hold$/],
      [new Uint8Array([1, 2]), /^id is of the kind Uint8Array, which JSON cannot hold$/],
      [Buffer.from("ab"), /^id is of the kind Uint8Array, which JSON cannot hold$/],
      [new Float32Array(2), /^id is of the kind Float32Array, which JSON cannot hold$/],
      [new Date(Number.NaN), /^id is of the kind Invalid Date, which JSON cannot hold$/],
      [[1, Number.NaN], /^item 1 of a list is NaN, which JSON cannot hold$/]
    ] satisfies ReadonlyArray<readonly [unknown, RegExp]>)
      assert.match(
        String(
          ((await failureOf(client.run({ endpointId: "a", input: { id: value as unknown } }))) as TypeError).message
        ),
        message
      )
  })

  it("in a result is rounded by JSON itself, and kept by a json of the caller", () =>
    onGateway(
      { providers: { "mock-email-find": hit({ ...found, at: Number.MAX_SAFE_INTEGER }) } },
      async ({ clientWith }) => {
        const replaced: typeof fetch = async (url, init) => {
          const answer = await fetch(url, init)
          return new Response((await answer.text()).replaceAll(String(Number.MAX_SAFE_INTEGER), large), answer)
        }
        const rounded = await clientWith({ fetch: replaced }).run(request)
        assert.include(rounded.result, { at: 9007199254740992 })
        const kept = await clientWith({ fetch: replaced, json }).run(request)
        assert.strictEqual(json.stringify(kept.result).includes(`"at":${large}`), true)
      }
    ))
})

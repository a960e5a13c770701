// The official TypeScript SDK of the line before (`@modelcontextprotocol/sdk`), which many hosts embed. Once it has
// listed the tools, it holds every `structuredContent` against the schema of its tool, that of errors too, and throws
// where it does not fit: the model then reads nothing of what the gateway said.
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Ajv2020 } from "ajv/dist/2020.js"
import { wireErrors } from "../../../src/http/Envelope.js"
import { tools } from "../../../src/http/mcp/Tools.js"
import { fail, failures, hit, type Listening, silence, testGateway } from "../../../src/testing.js"
import type { Loose } from "../../support/httpGateway.js"

interface Host {
  readonly call: (name: string, args: Record<string, unknown>) => Promise<Loose>
  readonly close: () => Promise<void>
}

const hostAt = async ({ token, url }: Pick<Listening, "token" | "url">): Promise<Host> => {
  const client = new Client({ name: "tests", version: "1" })
  const headers = { authorization: `Bearer ${token}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }))
  await client.listTools()
  return { call: (name, args) => client.callTool({ name, arguments: args }), close: () => client.close() }
}

const first = "mock-email-find"
const input = { name: "Ada Example", domain: "example.com" }
const run = (idempotencyKey: string) => ({ endpointId: first, input, idempotencyKey })

/** What the model reads, and what a program reads beside it. */
const refusedWith = (code: string, { content, isError, structuredContent }: Loose) => {
  assert.isTrue(isError, code)
  assert.deepStrictEqual(JSON.parse(content[0].text), structuredContent)
  assert.strictEqual(structuredContent.error.code, code)
  assert.isNotEmpty(structuredContent.error.retryHint)
  assert.include(["customer", "gateway", "provider"], structuredContent.error.whoseError)
}

/** A gateway of its own, whose token or workspace has less. */
const limited = async (granted: Parameters<typeof testGateway>[0], use: (host: Host) => Promise<void>) => {
  const own = testGateway(granted)
  const listening = await own.listen()
  const host = await hostAt(listening)
  own.script(first, silence)
  await use(host)
  await host.close()
  await listening.close()
}

describe("a host with the SDK 1 gets the code and the hint of", () => {
  const gateway = testGateway()
  let listening: Listening
  let host: Host
  beforeAll(async () => {
    listening = await gateway.listen()
    host = await hostAt(listening)
  })
  afterAll(async () => {
    await host.close()
    await listening.close()
  })

  it("an answer, and of arguments that each tool refuses", async () => {
    const { isError, structuredContent } = await host.call("get_limits", {})
    assert.isUndefined(isError)
    assert.property(structuredContent, "balance")
    for (const { name } of tools) refusedWith("validation_error", await host.call(name, { bogus: 1 }))
    refusedWith("validation_error", await host.call("no_such_tool", {}))
  })

  it("ids and cursors that there are not, and a key that was used", async () => {
    refusedWith("not_found", await host.call("get_run", { runId: "run_01k0000000000000000000000a" }))
    refusedWith("not_found", await host.call("cancel_run", { runId: "run_01k0000000000000000000000a" }))
    refusedWith("not_found", await host.call("inspect_operation", { endpointId: "nope" }))
    refusedWith("runs_cursor_invalid", await host.call("list_runs", { cursor: "nope" }))
    gateway.script(first, hit())
    await host.call("run_operation", run("used"))
    const other = { ...run("used"), input: { ...input, domain: "example.org" } }
    refusedWith("idempotency_conflict", await host.call("run_operation", other))
  })

  it("runs that failed or could not begin", async () => {
    gateway.script(first, fail(new failures.ProviderError()))
    refusedWith("provider_error", await host.call("run_operation", run("fails")))
    const { structuredContent } = await host.call("quote_run", { endpointId: first, input: {} })
    assert.strictEqual(structuredContent.error.code, "validation_error")
  })

  it("limits of money, of runs and of scopes", async () => {
    await limited({ usd: 0.001 }, async (poor) => {
      refusedWith("insufficient_balance", await poor.call("run_operation", run("k")))
    })
    const made = await fetch(`${listening.url}/v1/tokens`, {
      method: "POST",
      headers: { authorization: `Bearer ${listening.token}`, "content-type": "application/json" },
      body: JSON.stringify({ label: "capped", scopes: ["runs:execute"], monthlyLimitUsd: 0.001 })
    })
    const { token }: Loose = await made.json()
    const capped = await hostAt({ url: listening.url, token })
    refusedWith("key_spend_limit_reached", await capped.call("run_operation", run("k")))
    await capped.close()
    await limited({ inflightLimit: 1 }, async (busy) => {
      const { structuredContent } = await busy.call("run_operation", { ...run("one"), wait: 0 })
      refusedWith("too_many_inflight_runs", await busy.call("run_operation", run("two")))
      await busy.call("cancel_run", { runId: structuredContent.runId })
    })
    await limited({ scopes: ["runs:read"] }, async (reader) => {
      refusedWith("forbidden", await reader.call("run_operation", run("k")))
    })
  })
})

describe("the output schema of each tool", () => {
  const ajv = new Ajv2020({ strict: false })
  ajv.addFormat("date-time", true)

  it("permits every error of the table, and neither an empty object nor an error without its code", () => {
    for (const { name, outputSchema } of tools) {
      const valid = ajv.compile(outputSchema)
      for (const [code, { example }] of wireErrors) {
        // It makes no run, and has a field of its own called `inflight`.
        if (name === "get_limits" && code === "too_many_inflight_runs") continue
        const refusal = { ...example, error: { ...example.error, whoseError: "customer" } }
        assert.isTrue(valid(refusal), `${name} ${code}: ${ajv.errorsText(valid.errors)}`)
      }
      assert.isFalse(valid({}), name)
      assert.isFalse(valid({ error: { message: "no code" } }), name)
    }
  })
})

// The tools of agents over HTTP, asked by the official client in the newest and in an older revision of the protocol.
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { ExactNumber } from "../../../src/domain/ExactNumber.js"
import { toolAnswerBytesMax, toolWaitSecondsMax } from "../../../src/domain/limits/AgentTools.js"
import { scopes } from "../../../src/domain/Scope.js"
import { fail, failures, hit, type Listening, miss, silence, testGateway } from "../../../src/testing.js"
import { type Agent, overHttp, revisions } from "../../support/agents.js"
import type { Loose } from "../../support/httpGateway.js"

const gateway = testGateway({ inflightLimit: 100 })
let listening: Listening
beforeAll(async () => {
  listening = await gateway.listen()
})
afterAll(() => listening.close())

const job = "job:people.email.find"
const first = "mock-email-find"
const second = "mock-slow-email-find"
const input = { name: "Ada Example", domain: "example.com" }

const rest = async (path: string, body?: object): Promise<Loose> => {
  const response = await fetch(listening.url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${listening.token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  return response.json()
}
const charges = async (runId: string): Promise<number> =>
  (await rest(`/v1/ledger?runId=${runId}`)).entries.filter(({ kind }: Loose) => kind === "charge").length

/** An agent whose token has only some scopes, in a gateway of its own. */
const limited = async (granted: Parameters<typeof testGateway>[0], use: (agent: Agent) => Promise<void>) => {
  const own = await testGateway(granted).listen()
  const agent = await overHttp(own.url, own.token, "newest")
  try {
    await use(agent)
  } finally {
    await agent.close()
    await own.close()
  }
}

describe.each(revisions)("in the %s revision of the protocol", (revision) => {
  let agent: Agent
  beforeAll(async () => {
    agent = await overHttp(listening.url, listening.token, revision)
  })
  afterAll(() => agent.close())
  const key = (name: string) => `${name} ${revision}`

  it("the tools are shown in their order, each with schemas and honest annotations", async () => {
    assert.strictEqual(agent.client.getProtocolEra(), revision === "legacy" ? "legacy" : "modern")
    const { tools } = await agent.client.listTools()
    assert.deepStrictEqual(
      tools.map(({ name }) => name),
      [
        "search_operations",
        "inspect_operation",
        "quote_run",
        "run_operation",
        "get_run",
        "cancel_run",
        "list_runs",
        "get_limits"
      ]
    )
    for (const { description, inputSchema, name, outputSchema } of tools) {
      assert.isAbove(description?.length ?? 0, 40, name)
      assert.strictEqual(inputSchema.type, "object")
      assert.strictEqual(outputSchema?.["type"], "object")
      assert.notInclude(JSON.stringify([inputSchema, outputSchema]), "$ref")
      for (const [field, schema] of Object.entries<Loose>(inputSchema.properties ?? {}))
        assert.isTrue("description" in schema || "enum" in schema, `${name}.${field}`)
    }
    const byName = new Map(tools.map((tool) => [tool.name, tool]))
    assert.deepStrictEqual(byName.get("run_operation")?.annotations, {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: true
    })
    assert.deepStrictEqual(
      tools.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name),
      ["search_operations", "inspect_operation", "quote_run", "get_run", "list_runs", "get_limits"]
    )
    assert.include(byName.get("run_operation")?.description, "send the same key")
    const wait: Loose = byName.get("run_operation")?.inputSchema.properties?.["wait"]
    assert.deepStrictEqual([wait.default, wait.maximum], [20, 20])
    assert.strictEqual(toolWaitSecondsMax, 20)
  })

  it("a job is searched, inspected, quoted and run, and the answers tell what REST tells", async () => {
    const found = await agent.call("search_operations", { query: "find the email of a person" })
    assert.strictEqual(found.value.operations[0].endpointId, job)
    assert.deepInclude(found.value.operations[0].requires, ["name", "domain"])
    assert.strictEqual(found.value.operations[0].effect, "read_only")

    const inspected = await agent.call("inspect_operation", { endpointId: job })
    const contract = await rest(`/v1/operations/${job}`)
    assert.deepStrictEqual(inspected.value.exampleInput, contract.usageHints.exampleInput)
    assert.strictEqual(inspected.value.maxUsdOfAnyInput * 1_000_000, contract.endpoint.price.maxMicros)
    assert.deepStrictEqual(
      inspected.value.providers.map(({ endpointId }: Loose) => endpointId),
      [first, second]
    )

    const quoted = await agent.call("quote_run", { endpointId: job, input, fallback: true })
    const quote = await rest("/v1/runs/quote", { endpointId: job, input, fallback: true })
    assert.isTrue(quoted.value.admissible)
    assert.strictEqual(quoted.value.holdMicros, quote.holdMicros)
    assert.deepStrictEqual(quoted.value.refusedBy, [])

    gateway.script(first, hit())
    const ran = await agent.call("run_operation", { endpointId: job, input, idempotencyKey: key("whole") })
    assert.isFalse(ran.failed)
    assert.deepInclude(ran.value, { status: "completed", outcome: "hit", servedEndpointId: first, replayed: false })
    assert.deepStrictEqual(JSON.parse(ran.text), ran.value)
    const run = await rest(`/v1/runs/${ran.value.runId}`)
    assert.deepStrictEqual(ran.value.result, run.result)
    assert.strictEqual(ran.value.actualCost, run.actualCost)

    const later = await agent.call("run_operation", { endpointId: first, input, idempotencyKey: key("later") })
    const listed = await agent.call("list_runs", { limit: 1 })
    assert.strictEqual(listed.value.runs[0].runId, later.value.runId)
    assert.isString(listed.value.nextCursor)
    const next = await agent.call("list_runs", { limit: 1, cursor: listed.value.nextCursor })
    assert.strictEqual(next.value.runs[0].runId, ran.value.runId)
  })

  it("a provider that the question names is the one whose operations are found, not those of its jobs", async () => {
    const named = await agent.call("search_operations", { query: "find the email of a person with mock-slow" })
    const given = await agent.call("search_operations", { query: "find the email of a person", provider: "mock-slow" })
    const ids = ({ value }: { readonly value: Loose }) =>
      value.operations.map(({ endpointId }: Loose): string => endpointId)
    assert.lengthOf(named.value.appliedHints, 1)
    assert.deepStrictEqual(ids(named), ids(given))
    assert.include(ids(named), second)
  })

  it("a page that begins within the rows of a job does not show that job again", async () => {
    const ids = async (offset: number): Promise<ReadonlyArray<string>> => {
      const { value } = await agent.call("search_operations", { query: "find the email of a person", offset })
      return value.operations.map(({ endpointId }: Loose): string => endpointId)
    }
    const { endpoints } = await rest("/v1/catalog/search?q=find+the+email+of+a+person")
    assert.deepStrictEqual(
      endpoints.slice(0, 2).map(({ capability }: Loose) => `job:${capability}`),
      [job, job]
    )
    assert.include(await ids(0), job)
    assert.notInclude(await ids(1), job)
  })

  it("what is left of the limits is what REST says", async () => {
    const { failed, value } = await agent.call("get_limits")
    const { requests: _, ...limits } = await rest("/v1/limits")
    assert.isFalse(failed)
    assert.deepInclude(value, limits)
    assert.isAbove(value.requests.remaining, 0)
  })

  it("a run tells of the providers that its cap did not reach, as REST does", async () => {
    const capped = { enabled: true, maxCostUsd: 0.0119 }
    gateway.script(first, miss(undefined, { costMicros: 5_000 }))
    const { value } = await agent.call("run_operation", {
      endpointId: job,
      input,
      fallback: capped,
      idempotencyKey: key("capped")
    })
    const { route } = await rest(`/v1/runs/${value.runId}`)
    assert.deepStrictEqual(
      route.skipped.map(({ code, endpointId }: Loose) => [endpointId, code]),
      [[second, "over_cost_cap"]]
    )
    assert.deepStrictEqual(value.skipped, route.skipped)
  })

  it("a run with fallback goes on to the next provider and tells of each attempt", async () => {
    gateway.script(first, miss())
    gateway.script(second, hit())
    const { value } = await agent.call("run_operation", {
      endpointId: job,
      input,
      fallback: true,
      idempotencyKey: key("fallback")
    })
    assert.strictEqual(value.servedEndpointId, second)
    assert.deepStrictEqual(
      value.attempts.map(({ endpointId, outcome }: Loose) => [endpointId, outcome]),
      [
        [first, "miss"],
        [second, "hit"]
      ]
    )
  })

  it("a run that outlives the wait is answered as running, then read with get_run and cancelled", async () => {
    gateway.script(first, silence)
    const started = await agent.call("run_operation", {
      endpointId: first,
      input,
      wait: 0,
      idempotencyKey: key("outlives")
    })
    assert.isFalse(started.failed)
    assert.include(["queued", "running"], started.value.status)
    assert.include(started.value.hint, `get_run with runId ${started.value.runId}`)
    const read = await agent.call("get_run", { runId: started.value.runId })
    assert.include(["queued", "running"], read.value.status)
    const cancelled = await agent.call("cancel_run", { runId: started.value.runId })
    assert.strictEqual(cancelled.value.status, "failed")
    assert.strictEqual(cancelled.value.actualCost, 0)
    const after = await agent.call("get_run", { runId: started.value.runId })
    assert.isTrue(after.failed)
    assert.strictEqual(after.value.error.code, cancelled.value.error.code)
  })

  it("a retry after a lost answer is the same run, charged once", async () => {
    gateway.script(first, hit())
    let lose = true
    const losing: typeof fetch = async (target, init) => {
      const response = await fetch(target, init)
      if (!lose || !String(init?.body).includes("run_operation")) return response
      await response.text()
      lose = false
      throw new TypeError("the connection was lost")
    }
    const unlucky = await overHttp(listening.url, listening.token, revision, { fetch: losing })
    const args = { endpointId: first, input, idempotencyKey: key("lost") }
    const before = gateway.calls(first).length
    const lost = await unlucky.call("run_operation", args).then(
      () => false,
      () => true
    )
    assert.isTrue(lost)
    const again = await unlucky.call("run_operation", args)
    await unlucky.close()
    assert.isTrue(again.value.replayed)
    assert.strictEqual(again.value.status, "completed")
    assert.strictEqual(gateway.calls(first).length, before + 1)
    assert.strictEqual(await charges(again.value.runId), 1)
    const overRest = await rest("/v1/runs?wait=true", args)
    assert.deepInclude(overRest, { runId: again.value.runId, replayed: true })
    const other = await agent.call("run_operation", { ...args, input: { ...input, domain: "example.org" } })
    assert.isTrue(other.failed)
    assert.strictEqual(other.value.error.code, "idempotency_conflict")
  })

  it("a run that fails is a failed call that says whose error it is and what helps", async () => {
    gateway.script(first, fail(new failures.ProviderError()))
    const { failed, value } = await agent.call("run_operation", {
      endpointId: first,
      input,
      idempotencyKey: key("fails")
    })
    assert.isTrue(failed)
    assert.deepInclude(value.error, { code: "provider_error", whoseError: "provider", retryable: true })
    assert.isNotEmpty(value.error.retryHint)
    assert.strictEqual(value.actualCost, 0)
  })

  it("bad input is refused by the name of the field, and nothing is held", async () => {
    const wrong: ReadonlyArray<readonly [string, Record<string, unknown>, string]> = [
      ["run_operation", { endpointId: first, input }, "idempotencyKey"],
      ["run_operation", { endpointId: first, input, idempotencyKey: "k", fallbak: true }, "fallbak"],
      ["run_operation", { endpointId: first, input: "text", idempotencyKey: "k" }, "input"],
      ["run_operation", { endpointId: first, input, idempotencyKey: "k", wait: 21 }, "wait"],
      ["search_operations", {}, "query"],
      ["search_operations", { query: "x", limit: 0 }, "limit"],
      ["get_run", { runId: 7 }, "runId"],
      ["list_runs", { status: "done" }, "status"],
      ["get_limits", { bogus: 1 }, "bogus"]
    ]
    for (const [name, args, field] of wrong) {
      const { failed, value } = await agent.call(name, args)
      assert.isTrue(failed, field)
      assert.deepInclude(value.error, { code: "validation_error", whoseError: "customer", retryable: false })
      assert.deepStrictEqual(
        value.error.details.map(({ field }: Loose) => field),
        [field]
      )
    }
    const unknown = await agent.call("get_run", { runId: "run_01k0000000000000000000000a" })
    assert.strictEqual(unknown.value.error.code, "not_found")
  })

  it("numbers that a JavaScript number would change reach the provider with every digit", async () => {
    gateway.script(first, hit())
    const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"run_operation","arguments":{"endpointId":"${first}","idempotencyKey":"${key("exact")}","input":{"name":"Ada Example","domain":"example.com","n":12345678901234567890}}}}`
    const response = await fetch(`${listening.url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${listening.token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream"
      },
      body: message
    })
    assert.strictEqual(response.status, 200)
    assert.strictEqual(String(gateway.calls(first).at(-1)?.input["n"]), "12345678901234567890")
  })
})

it("numbers of a result have every digit, in the text and beside it", async () => {
  gateway.script(first, hit({ found: true, email: "ada@example.com", n: new ExactNumber("12345678901234567890") }))
  const response = await fetch(`${listening.url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${listening.token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream"
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "run_operation", arguments: { endpointId: first, idempotencyKey: "exact result", input } }
    })
  })
  const text = await response.text()
  assert.include(text, String.raw`\"n\":12345678901234567890`)
  assert.include(text, '"n":12345678901234567890')
})

describe("a result that is too large for a language model", () => {
  const rows = Array.from({ length: 3_000 }, (_, n) => ({ n, text: `row ${n} ${"x".repeat(50)}` }))
  const answered = async (body: Loose, use: (agent: Agent, run: Loose, text: string) => Promise<void>) => {
    const agent = await overHttp(listening.url, listening.token, "newest")
    gateway.script(first, hit(body))
    const ran = await agent.call("run_operation", { endpointId: first, input, idempotencyKey: crypto.randomUUID() })
    await use(agent, ran.value, ran.text)
    await agent.close()
  }

  it("is cut to what fits, and the answer says how to get the rest", async () => {
    await answered({ found: true, email: "ada@example.com", rows }, async (agent, run, text) => {
      assert.isAtMost(Buffer.byteLength(text), toolAnswerBytesMax)
      assert.isTrue(run.trimmed.truncated)
      assert.strictEqual(run.result.email, "ada@example.com")
      assert.isAbove(run.result.rows.length, 50)
      assert.deepStrictEqual(run.trimmed.arrays, [{ path: "rows", kept: run.result.rows.length, total: 3_000 }])
      assert.include(run.hint, "get_run with skip_items")
      const part = await agent.call("get_run", { runId: run.runId, fields: ["email"] })
      assert.deepStrictEqual(part.value.result, { email: "ada@example.com" })
      const few = await agent.call("get_run", { runId: run.runId, max_items: 2 })
      assert.lengthOf(few.value.result.rows, 2)
      const whole = await rest(`/v1/runs/${run.runId}`)
      assert.lengthOf(whole.result.rows, 3_000)
    })
  })

  it("is cut to what fits also where the names of its lists are long", async () => {
    const lists = Array.from({ length: 25 }, (_, n) => [
      `${n} ${"x".repeat(900)}`,
      Array.from({ length: 200 }, () => n)
    ])
    await answered({ found: true, email: "ada@example.com", ...Object.fromEntries(lists) }, (_, run, text) => {
      assert.isAtMost(Buffer.byteLength(text), toolAnswerBytesMax)
      assert.strictEqual(run.result.email, "ada@example.com")
      assert.isAbove(run.trimmed.arrays.length, 0)
      return Promise.resolve()
    })
  })

  it("is cut also where it is one long text, and left out where not even its shape fits", async () => {
    await answered({ found: true, email: "ada@example.com", page: "ü".repeat(200_000) }, async (_, run, text) => {
      assert.isAtMost(Buffer.byteLength(text), toolAnswerBytesMax)
      assert.isAbove(run.result.page.length, 5_000)
      assert.include(run.hint, `GET http://gateway.test/v1/runs/${run.runId}`)
    })
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`name number ${n}`, n]))
    await answered({ found: true, email: "ada@example.com", ...wide }, async (_, run, text) => {
      assert.isAtMost(Buffer.byteLength(text), toolAnswerBytesMax)
      assert.notProperty(run, "result")
      assert.include(run.hint, "too large to show")
    })
  })

  it("a page of runs is cut by its rows, so that its cursor goes on where it ends", async () => {
    const agent = await overHttp(listening.url, listening.token, "newest")
    gateway.script(first, fail(new failures.ProviderError({ detail: "d".repeat(2_000) })))
    for (let n = 0; n < 20; n++)
      await agent.call("run_operation", { endpointId: first, input, idempotencyKey: `page ${n}` })
    const page = await agent.call("list_runs", { limit: 20 })
    assert.isAtMost(Buffer.byteLength(page.text), toolAnswerBytesMax)
    assert.isBelow(page.value.runs.length, 20)
    const rest = await agent.call("list_runs", { limit: 20, cursor: page.value.nextCursor })
    const ids = [...page.value.runs, ...rest.value.runs].map(({ runId }: Loose) => runId)
    assert.strictEqual(new Set(ids).size, ids.length)
    await agent.close()
  })
})

describe("a token", () => {
  it("sees only the tools of its scopes, and another call is refused with the scope that is missing", async () => {
    await limited({ scopes: ["catalog:read", "runs:read"] }, async (agent) => {
      assert.deepStrictEqual(await agent.names(), [
        "search_operations",
        "inspect_operation",
        "get_run",
        "list_runs",
        "get_limits"
      ])
      const { failed, value } = await agent.call("run_operation", { endpointId: first, input, idempotencyKey: "k" })
      assert.isTrue(failed)
      assert.deepInclude(value, { scope: "runs:execute" })
      assert.strictEqual(value.error.code, "forbidden")
    })
    await limited({ scopes: scopes.filter((scope) => scope === "usage:read") }, async (agent) => {
      assert.deepStrictEqual(await agent.names(), ["get_limits"])
    })
  })

  it("without enough balance is told what is missing and how to top up, and nothing is written", async () => {
    await limited({ usd: 0.001 }, async (agent) => {
      const quote = await agent.call("quote_run", { endpointId: first, input })
      assert.isFalse(quote.value.admissible)
      assert.deepStrictEqual(
        quote.value.refusedBy.map(({ limit }: Loose) => limit),
        ["balance"]
      )
      const { failed, value } = await agent.call("run_operation", { endpointId: first, input, idempotencyKey: "k" })
      assert.isTrue(failed)
      assert.deepInclude(value.error, { code: "insufficient_balance", whoseError: "customer" })
      assert.deepInclude(value, { balanceMicros: 1_000, estimatedCostMicros: 5_000 })
      assert.deepStrictEqual((await agent.call("list_runs")).value.runs, [])
    })
  })
})

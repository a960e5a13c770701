// What the tools tell a model to do next, so that it neither pays twice nor asks in a circle.
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { RunUncertain } from "../../../src/client/index.js"
import { uncertainHint } from "../../../src/domain/Run.js"
import { drop, fail, failures, hit, type Listening, silence, testGateway } from "../../../src/testing.js"
import { type Agent, overHttp } from "../../support/agents.js"
import type { Loose } from "../../support/httpGateway.js"

const gateway = testGateway({ inflightLimit: 100 })
let listening: Listening
let agent: Agent
beforeAll(async () => {
  listening = await gateway.listen()
  agent = await overHttp(listening.url, listening.token, "newest")
})
afterAll(async () => {
  await agent.close()
  await listening.close()
})

const first = "mock-email-find"
const effectful = "mock-send-message"
const run = (endpointId = first) => ({
  endpointId,
  input:
    endpointId === first ? { name: "Ada Example", domain: "example.com" } : { to: "ada@example.com", text: "hello" },
  idempotencyKey: crypto.randomUUID()
})
const found = { found: true, email: "ada@example.com" }
/** A run of such an answer. */
const answered = async (body: Loose): Promise<Loose> => {
  gateway.script(first, hit(body))
  return (await agent.call("run_operation", run())).value
}

describe("a model is told", () => {
  it("not to run again what may have been done, in the words of the client package", async () => {
    gateway.script(effectful, drop())
    const { failed, value } = await agent.call("run_operation", run(effectful))
    assert.isFalse(failed)
    assert.strictEqual(value.status, "reconciliation_pending")
    assert.strictEqual(value.hint, uncertainHint)
    const read = await agent.call("get_run", { runId: value.runId })
    assert.strictEqual(read.value.hint, uncertainHint)
    assert.strictEqual(new RunUncertain(value, null).retryHint, uncertainHint)
  })

  it("when the same key helps and when a new one, without a contradiction", async () => {
    const { tools } = await agent.client.listTools()
    const description = tools.find(({ name }) => name === "run_operation")?.description ?? ""
    assert.notInclude(description, "for any reason")
    assert.include(description, "send the same key")
    assert.include(description, "A run that failed needs a new key")
    assert.include(description, "reconciliation_pending")
    gateway.script(first, fail(new failures.ProviderError()))
    const { value } = await agent.call("run_operation", run())
    assert.include(value.error.retryHint, "new idempotency key")
  })

  it("what became of a cancellation that stops nothing", async () => {
    gateway.script(effectful, silence)
    const before = gateway.calls(effectful).length
    const { value } = await agent.call("run_operation", { ...run(effectful), wait: 0 })
    while (gateway.calls(effectful).length === before) await agent.call("get_run", { runId: value.runId })
    const cancelled = await agent.call("cancel_run", { runId: value.runId })
    assert.strictEqual(cancelled.value.status, "running")
    assert.include(cancelled.value.hint, "The cancellation is noted")
    assert.include(cancelled.value.hint, "may still complete and be charged")
  })

  it("a tool that it has, where its token may run and not read", async () => {
    const own = testGateway({ scopes: ["runs:execute"] })
    const there = await own.listen()
    const runner = await overHttp(there.url, there.token, "newest")
    own.script(first, silence)
    const { value } = await runner.call("run_operation", { ...run(), wait: 0 })
    await runner.call("cancel_run", { runId: value.runId })
    own.script(first, hit({ ...found, rows: Array.from({ length: 3_000 }, (_, n) => ({ n, text: "x".repeat(50) })) }))
    const large = await runner.call("run_operation", run())
    await runner.close()
    await there.close()
    assert.notInclude(value.hint, "get_run")
    assert.include(value.hint, "run_operation again with the same idempotencyKey")
    assert.notInclude(large.value.hint, "get_run")
    assert.include(large.value.hint, "GET ")
  })
})

describe("a result that is a file", () => {
  it("is said to be one, with the address and the token that get it", async () => {
    gateway.script("mock-document", hit("%PDF", { contentType: "application/pdf" }))
    const { value } = await agent.call("run_operation", { ...run("mock-document"), input: {} })
    const { hint, result } = value
    assert.include(hint, `GET http://gateway.test${result.media.downloadPath}`)
    assert.include(hint, "Authorization: Bearer")
    assert.include(hint, "application/pdf")
  })

  it("as a large JSON is, is not said to lack a field", async () => {
    const large = await answered({ ...found, text: "x".repeat(1_200_000) })
    assert.include(large.hint, `GET http://gateway.test${large.result.media.downloadPath}`)
    const { failed, value } = await agent.call("get_run", { runId: large.runId, fields: ["email"] })
    assert.isTrue(failed)
    assert.include(value.error.message, "the result is a file")
    assert.notInclude(value.error.message, "nowhere")
  })
})

describe("a long list", () => {
  const items = Array.from({ length: 1_500 }, (_, n) => ({ id: n, name: `item number ${n}` }))

  it("with more items than max_items can name is read on behind these", async () => {
    const many = Array.from({ length: 30_000 }, (_, n) => n)
    const { runId } = await answered({ ...found, many })
    const { value } = await agent.call("get_run", { runId, skip_items: 9_999 })
    const next = 9_999 + Number(value.result.many.length)
    assert.include(value.hint, `get_run with skip_items ${next} shows`)
    const behind = await agent.call("get_run", { runId, skip_items: next })
    assert.isFalse(behind.failed)
    assert.strictEqual(behind.value.result.many[0], next)
  })

  it("is shown as far as it fits, and read to its end with skip_items, as the hint says", async () => {
    const { hint, result, runId, trimmed } = await answered({ ...found, items })
    const shown: number = result.items.length
    assert.isAbove(shown, 500)
    assert.deepStrictEqual(trimmed.arrays, [{ path: "items", kept: shown, total: 1_500 }])
    assert.include(hint, `get_run with skip_items ${shown}`)
    const ids: Array<number> = result.items.map(({ id }: Loose) => id)
    while (ids.length < items.length) {
      const { value } = await agent.call("get_run", { runId, skip_items: ids.length })
      assert.isNotEmpty(value.result.items)
      assert.strictEqual(value.trimmed.skip_items, ids.length)
      ids.push(...value.result.items.map(({ id }: Loose) => id))
      if (ids.length < items.length) assert.include(value.hint, `get_run with skip_items ${ids.length}`)
      else assert.notProperty(value, "hint")
    }
    assert.deepStrictEqual(
      ids,
      items.map(({ id }) => id)
    )
    const one = await agent.call("get_run", { runId, fields: ["items.name"], skip_items: 1_400, max_items: 1 })
    assert.deepStrictEqual(one.value.result, { items: [{ name: "item number 1400" }] })
  })

  it("does not get shorter when more of it is asked for", async () => {
    const { runId } = await answered({ ...found, items })
    let before = 0
    for (const max_items of [10, 100, 400, 1_000, 10_000]) {
      const { value } = await agent.call("get_run", { runId, max_items })
      assert.isAtLeast(value.result.items.length, Math.min(before, max_items))
      before = value.result.items.length
    }
  })
})

describe("a long list inside another list", () => {
  const inner = Array.from({ length: 4_000 }, (_, n) => ({ id: n, name: `item number ${n}` }))

  it("is not said to go on: no tool shows the rest of it", async () => {
    const { hint, result } = await answered({ ...found, rows: [{ items: inner }] })
    assert.isAbove(result.rows[0].items.length, 100)
    assert.notInclude(hint, "skip_items")
    assert.include(hint, "no tool shows the rest of a list that is inside another one")
  })

  it("is told beside the list that goes on", async () => {
    const { hint, result } = await answered({ ...found, rows: [{ items: inner }], other: inner })
    assert.include(hint, `skip_items ${result.other.length}`)
    assert.include(hint, "no tool shows the rest of a list that is inside another one")
  })

  it("is behind nothing: skip_items behind the end of every list says so", async () => {
    const { runId } = await answered({ ...found, rows: [{ items: inner }] })
    const { value } = await agent.call("get_run", { runId, skip_items: 1 })
    assert.deepStrictEqual(value.result.rows, [])
    assert.include(value.hint, "skip_items 1 is behind the end of every list")
    const none = await agent.call("get_run", { runId: (await answered(found)).runId, skip_items: 1 })
    assert.include(none.value.hint, "skip_items 1 is behind the end of every list")
  })
})

describe("what no tool can show", () => {
  it("is not promised: the rest of a long text is got by its address alone", async () => {
    const { hint, runId } = await answered({ ...found, text: "x".repeat(200_000) })
    assert.include(hint, "Texts end after")
    assert.include(hint, `GET http://gateway.test/v1/runs/${runId}`)
    assert.notInclude(hint, "skip_items")
    const again = await agent.call("get_run", { runId, fields: ["text"] })
    assert.include(again.value.hint, "no tool shows the rest")
  })

  it("is too wide: then some of its members are named, from which fields can go on", async () => {
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`member${n}`, n]))
    const { hint, runId } = await answered({ ...found, data: wide })
    assert.include(hint, "data.member0")
    assert.include(hint, "5000 members")
    const { value } = await agent.call("get_run", { runId, fields: ["data.member0"] })
    assert.deepStrictEqual(value.result, { data: { member0: 0 } })
  })
})

describe("a path that leads nowhere", () => {
  it("is told with what there is, and with how a path begins", async () => {
    const { runId } = await answered({ ...found, items: [{ name: "one" }] })
    const message = async (path: string): Promise<string> =>
      (await agent.call("get_run", { runId, fields: [path] })).value.error.message
    assert.include(await message("result.items.name"), "a path begins inside of the result, without result.")
    assert.include(await message("nope"), "it has found, email, items")
  })
})

describe("the input schemas", () => {
  it("have words of their own, and no word that function calling of some hosts refuses", async () => {
    const { tools } = await agent.client.listTools()
    for (const { inputSchema, name } of tools) {
      const text = JSON.stringify(inputSchema)
      assert.notInclude(text, "allOf", name)
      assert.notMatch(text, /"description":"(a|an) (array|number|string|integer|positive)/, name)
    }
    const byName = new Map(tools.map(({ inputSchema, name }): [string, Loose] => [name, inputSchema.properties]))
    assert.include(byName.get("get_run").fields.description, "below result")
    assert.deepInclude(byName.get("search_operations").maxPriceUsd, { minimum: 0, maximum: 1_000_000 })
    const [, fallback] = byName.get("run_operation").fallback.anyOf
    assert.deepInclude(fallback.properties.maxAttempts, { minimum: 1, maximum: 10 })
    assert.deepInclude(fallback.properties.maxCostUsd, { minimum: 0, maximum: 1_000_000 })
  })
})

it("the id of a provider is found in any case", async () => {
  const ids = async (provider: string) =>
    (await agent.call("search_operations", { query: "find an email", provider })).value.operations.map(
      ({ endpointId }: Loose) => endpointId
    )
  assert.isNotEmpty(await ids("Mock-Slow"))
  assert.deepStrictEqual(await ids("Mock-Slow"), await ids("mock-slow"))
})

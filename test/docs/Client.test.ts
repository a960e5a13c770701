// The blocks of docs/client.md compile as a strict project would compile them, and do what the page says, each against
// a whole gateway.
import { createHmac } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import ts from "typescript"
import { afterAll, assert, describe, it, vi } from "vitest"
import { createClient, type GatewayClient } from "../../src/client/index.js"
import { fail, failures, testGateway, type TestGatewayOptions } from "../../src/testing.js"
import { root } from "../support/program.js"
import { type Block, blocksOf } from "./pages.js"

const client = join(root, "src/client/index.ts")
const place = mkdtempSync(join(tmpdir(), "gateway-client-docs-"))
afterAll(() => rmSync(place, { recursive: true, force: true }))

const blocks = blocksOf("docs/client.md").filter(({ language }) => language === "ts")
const ranBlocks = new Set<Block>()

/** The first block below a heading. */
const blockOf = (heading: string): string => {
  const block = blocks.find(({ before }) => before.includes(`\n## ${heading}`)) ?? assert.fail(`no block ${heading}`)
  ranBlocks.add(block)
  return block.text
}

/** What a block prints, one array of values per line. */
const ran = async (
  heading: string,
  options: TestGatewayOptions = {},
  before: (gateway: GatewayClient) => Promise<unknown> = () => Promise.resolve()
): Promise<ReadonlyArray<ReadonlyArray<unknown>>> => {
  const { close, token, url } = await testGateway(options).listen()
  await before(createClient({ baseUrl: url, token }))
  const printed: Array<ReadonlyArray<unknown>> = []
  const log = vi.spyOn(console, "log").mockImplementation((...values) => void printed.push(values))
  vi.stubEnv("GATEWAY_TOKEN", token)
  try {
    const file = join(place, `${heading.replace(/\W+/g, "-")}-${Math.random()}.ts`)
    writeFileSync(
      file,
      blockOf(heading).replaceAll("http://127.0.0.1:8080", url).replaceAll('"provider-gateway/client"', `"${client}"`)
    )
    await import(file)
    return printed
  } finally {
    log.mockRestore()
    vi.unstubAllEnvs()
    await close()
  }
}

describe("docs/client.md", () => {
  it("has blocks that compile", () => {
    const files = blocks.map(({ text }, at) => {
      const file = join(place, `block${at}.ts`)
      writeFileSync(file, text)
      return file
    })
    const program = ts.createProgram(files, {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      moduleDetection: ts.ModuleDetectionKind.Force,
      allowImportingTsExtensions: true,
      paths: { "provider-gateway/client": [client] },
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")]
    })
    assert.deepStrictEqual(
      ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n")),
      []
    )
  })

  it("runs an operation", async () => {
    const [[outcome, email, charged] = []] = await ran("1. ")
    assert.strictEqual(outcome, "hit")
    assert.include(String(email), "@example.com")
    assert.strictEqual(charged, 5000)
  })

  it("finds an operation and quotes it", async () => {
    const printed = await ran("2. ")
    assert.strictEqual(printed.length, 5)
    for (const [endpointId, price] of printed.slice(0, 3))
      assert.deepStrictEqual([typeof endpointId, typeof price], ["string", "number"])
    assert.isArray(printed[3]?.[0])
    assert.deepStrictEqual([printed[4]?.[0], typeof printed[4]?.[1]], [true, "number"])
  })

  it("tells failures apart", async () => {
    assert.deepStrictEqual(await ran("3. "), [])
    assert.strictEqual((await ran("3. ", { usd: 0 }))[0]?.[0], "pay at")
    const wrong = fail(new failures.ProviderReportedError())
    assert.deepStrictEqual((await ran("3. ", { providers: { "mock-email-find": wrong } }))[0]?.slice(0, 3), [
      "provider_reported_error",
      "by the",
      "provider"
    ])
    const [[message, hint] = []] = await ran("3. ", { scopes: ["runs:read"] })
    assert.match(String(message), /\(forbidden\)$/)
    assert.isString(hint)
  })

  it("goes on with a run later", async () => {
    assert.deepStrictEqual(await ran("4. "), [["completed", "completed"]])
  })

  it("sees where the money went", async () => {
    const input = { name: "Ada Example", domain: "example.com" }
    assert.deepStrictEqual(await ran("5. ", {}, (gateway) => gateway.run({ endpointId: "mock-email-find", input })), [
      [5_000, 99_995_000],
      [1, null]
    ])
  })

  it("receives a webhook", async () => {
    const file = join(place, "receive.ts")
    writeFileSync(file, blockOf("Webhooks").replaceAll('"provider-gateway/client"', `"${client}"`))
    const { receive }: { readonly receive: (request: Request) => Promise<Response> } = await import(file)
    const secret = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    vi.stubEnv("WEBHOOK_SECRET", `whsec_${secret}`)
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined)
    try {
      const body = '{"type":"run.settled"}'
      const at = Math.floor(Date.now() / 1000)
      const signature = createHmac("sha256", Buffer.from(secret, "base64"))
        .update(`evt_1.${at}.${body}`)
        .digest("base64")
      const headers = { "webhook-id": "evt_1", "webhook-timestamp": String(at), "webhook-signature": `v1,${signature}` }
      const answer = await receive(new Request("http://receiver.test", { method: "POST", body, headers }))
      assert.strictEqual(answer.status, 204)
      assert.deepStrictEqual(log.mock.calls, [["evt_1", { type: "run.settled" }]])
    } finally {
      log.mockRestore()
      vi.unstubAllEnvs()
    }
  })

  it("has no block beside these, but for that of a page in a browser, which cannot run here", () => {
    const others = blocks.filter((block) => !ranBlocks.has(block))
    assert.deepStrictEqual(
      others.map(({ before }) => [...before.matchAll(/^## (.*)$/gm)].at(-1)?.[1]),
      ["In a browser"]
    )
  })
})

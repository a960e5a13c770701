// docs/agents.md: twenty everyday requests, each answered with few calls and little of a model's context.
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type Listening, testGateway } from "../../src/testing.js"
import { type Agent, overHttp, overStdio } from "../support/agents.js"
import type { Loose } from "../support/httpGateway.js"
import { program, root } from "../support/program.js"
import { blocksOf } from "./pages.js"
import { rowsOf } from "./tables.js"

const text = readFileSync(fileURLToPath(new URL("../../docs/agents.md", import.meta.url)), "utf8")
const code = (cell: string): string => cell.replaceAll("`", "")
const requests = rowsOf(text, "How much context a request takes").map(
  ([request = "", words = "", endpointId = "", input = "", kilobytes = ""]) => ({
    request,
    words,
    endpointId: code(endpointId),
    input: JSON.parse(code(input)) as Record<string, unknown>,
    kilobytes: Number(kilobytes)
  })
)
const bytesMax = 6_000

let listening: Listening
let agent: Agent
beforeAll(async () => {
  listening = await testGateway({ catalog: "all" }).listen()
  agent = await overHttp(listening.url, listening.token, "newest")
})
afterAll(async () => {
  await agent.close()
  await listening.close()
})

/** An agent's conversation: what it sends and reads. */
const conversation = () => {
  let calls = 0
  let bytes = 0
  return {
    ask: async (name: string, args: Record<string, unknown>): Promise<Loose> => {
      const answer = await agent.call(name, args)
      calls += 1
      bytes += Buffer.byteLength(JSON.stringify(args)) + Buffer.byteLength(answer.text)
      assert.isFalse(answer.failed, answer.text)
      return answer.value
    },
    spent: () => ({ calls, bytes })
  }
}

describe("twenty everyday requests over the built-in catalog", () => {
  it("are twenty", () => {
    assert.lengthOf(requests, 20)
    assert.isAbove(new Set(requests.map(({ endpointId }) => endpointId)).size, 15)
  })

  for (const { endpointId, input, kilobytes, request, words } of requests) {
    it(`${request} is answered with at most three calls and less than 6 kB`, async () => {
      const { ask, spent } = conversation()
      const { operations } = await ask("search_operations", { query: words })
      const found = operations.find((each: Loose) => each.endpointId === endpointId)
      assert.isDefined(found, `not among ${operations.map((each: Loose) => each.endpointId).join(", ")}`)
      // The row alone has to say enough to call it.
      const names = Object.keys(input)
      assert.isTrue(
        found.requires.some((set: ReadonlyArray<string>) => set.every((name) => names.includes(name))),
        JSON.stringify(found.requires)
      )
      const run = await ask("run_operation", { endpointId, input, fallback: true, idempotencyKey: crypto.randomUUID() })
      assert.strictEqual(run.status, "completed", JSON.stringify(run))
      assert.strictEqual(run.outcome, "hit")
      const { bytes, calls } = spent()
      assert.isAtMost(calls, 3)
      assert.isBelow(bytes, bytesMax)
      assert.isAtMost(bytes, kilobytes * 1_000, "docs/agents.md says less")
    })
  }
})

describe("the definitions of the tools", () => {
  it("take as much of the context as docs/agents.md says", async () => {
    const { tools } = await agent.client.listTools()
    const shown = tools.map(({ annotations: _, outputSchema: __, ...shown }) => shown)
    assert.isBelow(Buffer.byteLength(JSON.stringify(shown)), 10_000)
  })

  it("are all in the table of tools, in their order", async () => {
    assert.deepStrictEqual(
      rowsOf(text, "The tools").map(([name = ""]) => code(name)),
      await agent.names()
    )
  })
})

interface Server {
  readonly url?: string
  readonly headers?: Record<string, string>
  readonly command?: string
  readonly args?: Array<string>
  readonly env?: Record<string, string>
}

describe("each setting of a host", () => {
  const settings = blocksOf("docs/agents.md").filter(
    ({ language, text: setting }) => language === "json" && setting.includes("gateway.example.com")
  )
  /** Connects as the host would, to the gateway of this test. */
  const connected = (setting: string): Promise<Agent> => {
    const read: Loose = JSON.parse(
      setting
        .replaceAll("https://gateway.example.com", listening.url)
        .replaceAll("pgw_…", listening.token)
        .replaceAll("/path/to/provider-gateway/", root)
    )
    const server: Server = (read.mcpServers ?? read.servers)?.gateway ?? read
    return server.url === undefined
      ? overStdio(
          server.command ?? "",
          server.args ?? [],
          { ...server.env, PATH: String(process.env["PATH"]) },
          "newest"
        )
      : overHttp(server.url.replace(/\/mcp$/, ""), null, "newest", { headers: server.headers ?? {} })
  }

  it("is shown", () => {
    assert.lengthOf(settings, 4)
  })

  for (const { line, text: setting } of settings)
    it(`at docs/agents.md:${line} gives the host all tools`, async () => {
      program("cli")
      const host = await connected(setting)
      assert.deepStrictEqual(await host.names(), await agent.names())
      await host.close()
    })
})

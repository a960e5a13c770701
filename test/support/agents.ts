// An agent: the official client of the Model Context Protocol, over HTTP or over a spawned process.
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import type { Loose } from "./httpGateway.js"

export const revisions = ["legacy", "newest"] as const
export type Revision = (typeof revisions)[number]

interface ToolAnswer {
  readonly value: Loose
  readonly failed: boolean
  /** What a language model reads. */
  readonly text: string
}

export interface Agent {
  readonly client: Client
  readonly call: (name: string, args?: Record<string, unknown>) => Promise<ToolAnswer>
  readonly names: () => Promise<ReadonlyArray<string>>
  readonly close: () => Promise<void>
}

const agent = async (transport: Transport, revision: Revision): Promise<Agent> => {
  const client = new Client(
    { name: "tests", version: "1" },
    { versionNegotiation: { mode: revision === "legacy" ? "legacy" : "auto" } }
  )
  await client.connect(transport)
  return {
    client,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) => {
      const answer: Loose = await client.callTool({ name, arguments: args })
      return {
        value: answer.structuredContent,
        failed: answer.isError === true,
        text: answer.content.map((part: Loose) => part.text).join("")
      }
    },
    close: () => client.close()
  }
}

export const overHttp = (
  url: string,
  token: string | null,
  revision: Revision,
  options: { readonly fetch?: typeof fetch; readonly headers?: Record<string, string> } = {}
): Promise<Agent> =>
  agent(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...options.headers } },
      ...(options.fetch === undefined ? {} : { fetch: options.fetch })
    }),
    revision
  )

export const overStdio = (
  command: string,
  args: Array<string>,
  env: Record<string, string>,
  revision: Revision
): Promise<Agent> => agent(new StdioClientTransport({ command, args, env, stderr: "pipe" }), revision)

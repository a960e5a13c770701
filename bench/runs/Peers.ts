// The peers of a benchmark of runs, each in a process of its own, and how each is asked for the same provider's answer.
import { request } from "undici"
import { Schema } from "effect"
import type { Gateway } from "./Gateways.js"
import { type Call, load, type Measured } from "./Load.js"
import { bearer, paidInput, paidRunsWith } from "./PaidRun.js"
import { freePort } from "../../chaos/stage/PostgresPrograms.js"
import { ready, start } from "./Processes.js"

export interface Row {
  readonly label: string
  readonly measure: () => Promise<Measured>
}

const here = (port: number): string => `http://127.0.0.1:${port}`
export const answered = (status: number, text: string): boolean => status === 200 && text.includes("example.com")

/** The provider that everything calls. */
export const startFixture = async (): Promise<string> => {
  const port = await freePort()
  start([".bench/bench/runs/fixture.js", String(port)], {})
  await ready(`${here(port)}/_calls`)
  return here(port)
}
const fixtureBody = JSON.stringify(paidInput)
export const direct = (): Call => ({ path: "/v1/mock-email-find", headers: {}, body: fixtureBody })

/** A proxy that does nothing but pass requests on. */
export const startFloor = async (fixture: string): Promise<string> => {
  const port = await freePort()
  start([".bench/bench/runs/floor.js", String(port), fixture], {})
  await ready(`${here(port)}/_calls`)
  return here(port)
}

/** A gateway that moves no money and stores nothing. */
export const startPortkey = async () => {
  const port = await freePort()
  const process = start(["node_modules/@portkey-ai/gateway/build/start-server.js", `--port=${port}`, "--headless"], {
    TRUSTED_CUSTOM_HOSTS: "127.0.0.1,localhost"
  })
  await ready(here(port))
  return { url: here(port), process }
}
const chat = JSON.stringify({
  model: "mock",
  messages: [{ role: "user", content: "The e-mail of Ada Example at example.com" }]
})
export const throughPortkey = (fixture: string) => (): Call => ({
  path: "/v1/chat/completions",
  headers: {
    authorization: "Bearer none",
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": `${fixture}/v1`
  },
  body: chat
})

/** Twenty runs for each of these tokens, so that a list of them is full; the id of the last of each. */
const runsFor = (gateway: Gateway, tokens: ReadonlyArray<string>) =>
  Promise.all(
    tokens.map(async (token) => {
      const next = paidRunsWith([token])
      let runId = ""
      for (let count = 0; count < 20; count += 1) {
        const { body, headers, path } = next()
        const answer = await request(`${gateway.url}${path}`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body
        })
        runId = Schema.decodeUnknownSync(Schema.Struct({ runId: Schema.String }))(await answer.body.json()).runId
      }
      return { token, runId }
    })
  )

/** One kind of read, over as many connections as there are workspaces. */
interface ReadRows {
  /** By all workspaces in turn. */
  readonly own: Row
  /** By one of them. */
  readonly hot: Row
  /** A bare server that sends the same bytes. */
  readonly bare: Row
}

export const readRows = async (
  gateway: Gateway,
  tokens: ReadonlyArray<string>,
  seconds: number
): Promise<ReadonlyArray<ReadRows>> => {
  const port = await freePort()
  start([".bench/bench/runs/bare.js", String(port)], {})
  await ready(here(port))
  const bare = here(port)
  const made = await runsFor(gateway, tokens)
  const rowsOf = async (label: string, pathOf: (runId: string) => string) => {
    const [first] = made
    const bytes = await (
      await request(`${gateway.url}${pathOf(first?.runId ?? "")}`, { headers: bearer(first?.token) })
    ).body.text()
    await (await request(`${bare}/${label}`, { method: "PUT", body: bytes })).body.dump()
    let count = 0
    const by = (one: (typeof made)[number] | undefined): Call => ({
      path: pathOf(one?.runId ?? ""),
      headers: bearer(one?.token),
      body: null
    })
    const full = (status: number, text: string): boolean => status === 200 && text.length > 0.9 * bytes.length
    const same = (): Call => ({ path: `/${label}`, headers: {}, body: null })
    const row = (name: string, url: string, calls: () => Call): Row => ({
      label: name,
      measure: () => load(url, tokens.length, seconds, calls, full)
    })
    return {
      own: row(`GET ${label}`, gateway.url, () => by(made[(count += 1) % made.length])),
      hot: row(`GET ${label}, one workspace`, gateway.url, () => by(first)),
      bare: row(`bare Node, ${label}`, bare, same)
    }
  }
  return [
    await rowsOf("run", (runId) => `/v1/runs/${runId}`),
    await rowsOf("balance", () => "/v1/balance"),
    await rowsOf("runs?limit=20", () => "/v1/runs?limit=20")
  ]
}

// How many steps of Effect's runtime a request takes, where they are made, and how much memory it allocates. Unlike
// times, both are the same on a busy machine, so they show what a change costs at once. The gateway runs on a Postgres
// of its own, with the flags of `npm start` and a preloaded counter (`steps/count.mjs`, then `steps/bytes.mjs`). It is
// not what production runs: it is not bundled, so that the counter sees the library load, and so its object literals
// are not rewritten either (`scripts/object-spreads.mjs`).
// Usage: npm run bench:steps -- [--requests N] [--places N]
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { Pool } from "undici"
import * as EmbeddedPostgres from "../src/layers/postgres/embedded/EmbeddedPostgres.js"
import { optionsOf } from "./Options.js"
import { environmentWith } from "./runs/Environment.js"
import { paidRunBody, unlimited } from "./runs/PaidRun.js"
import { freePort } from "../chaos/stage/PostgresPrograms.js"
import { nodeFlags, ready } from "./runs/Processes.js"

const options = optionsOf({ values: ["requests", "places"] })
const requests = options.count("requests", 100)
const placesShown = options.count("places", 0, 0)

interface Counted {
  readonly steps: number
  /** Where they are made. */
  readonly places: ReadonlyArray<readonly [string, number]>
}

type Request = {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly headers: Headers
  readonly body?: string
}
type Headers = { readonly [name: string]: string }

const send = async (url: string, connections: number, count: number, next: () => Request) => {
  const pool = new Pool(url, { connections, pipelining: 1 })
  let left = count
  let last = ""
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const answer = await pool.request(next())
      last = await answer.body.text()
      if (answer.statusCode >= 300) throw new Error(`${answer.statusCode} ${last.slice(0, 300)}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  await pool.close()
  return last
}

/** Each row of the table, at a gateway that has loaded a counter before itself. */
const counted = async <A>(
  preloaded: ReadonlyArray<string>,
  warmUp: number,
  count: (gateway: ChildProcess, sendAll: () => Promise<unknown>) => Promise<A>
): Promise<ReadonlyArray<readonly [string, A]>> => {
  const dataDir = mkdtempSync(join(tmpdir(), "gateway-steps-"))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const gateway = spawn(process.execPath, [...nodeFlags, ...preloaded, ".bench/src/main.js"], {
    env: environmentWith({ PORT: String(port), HOST: "127.0.0.1", GATEWAY_DATA_DIR: dataDir, ...unlimited }),
    stdio: ["ignore", "ignore", "inherit", "ipc"]
  })
  await ready(`${url}/readyz`)
  const headers = { authorization: `Bearer ${readFileSync(join(dataDir, "dev-token"), "utf8").trim()}` }
  let keys = 0
  const paidRun = () => ({
    method: "POST" as const,
    path: "/v1/runs?wait=true",
    headers: { ...headers, "content-type": "application/json", "idempotency-key": `steps-${(keys += 1)}` },
    body: paidRunBody
  })
  const read = (path: string) => () => ({ method: "GET" as const, path, headers })
  const { runId } = Schema.decodeUnknownSync(Schema.parseJson(Schema.Struct({ runId: Schema.String })))(
    await send(url, 1, 25, paidRun)
  )
  const rows = [
    ["GET /livez, which does nothing", 1, read("/livez")],
    ["paid run, one after the other", 1, paidRun],
    ["paid run, 32 connections", 32, paidRun],
    ["GET /v1/runs/{id}", 1, read(`/v1/runs/${runId}`)],
    ["GET /v1/balance", 1, read("/v1/balance")],
    ["GET /v1/runs?limit=20", 1, read("/v1/runs?limit=20")]
  ] as const
  const found: Array<readonly [string, A]> = []
  for (const [label, connections, next] of rows) {
    await send(url, connections, warmUp, next)
    found.push([label, await count(gateway, () => send(url, connections, requests, next))])
  }
  gateway.kill("SIGINT")
  await once(gateway, "exit")
  await Effect.runPromise(EmbeddedPostgres.destroy(dataDir))
  rmSync(dataDir, { recursive: true, force: true })
  return found
}

const answer = async (gateway: ChildProcess, message: string): Promise<unknown> => {
  gateway.send(message)
  return (await once(gateway, "message"))[0]
}

const Counts = Schema.Array(Schema.Tuple(Schema.String, Schema.Number))
const steps = await counted(["--import", "./bench/steps/count.mjs"], 20, async (gateway, sendAll): Promise<Counted> => {
  gateway.send("begin")
  await sendAll()
  const places = Schema.decodeUnknownSync(Counts)(await answer(gateway, "end")).map(
    ([place, each]) => [place, each / requests] as const
  )
  return { places, steps: places.reduce((sum, [, each]) => sum + each, 0) }
})
const bytes = await counted(
  ["--import", "./bench/steps/bytes.mjs", "--expose-gc", "--min-semi-space-size=256", "--max-semi-space-size=256"],
  // Code that V8 has not compiled yet leaves other garbage than the same code later.
  1_000,
  async (gateway, sendAll) => {
    await answer(gateway, "begin")
    await sendAll()
    return Schema.decodeUnknownSync(Schema.NullOr(Schema.Number))(await answer(gateway, "end"))
  }
)
const bytesOf = new Map(bytes)

for (const [label, { places, steps: each }] of steps) {
  const allocated = bytesOf.get(label) ?? null
  const kilobytes = allocated === null ? "-" : (allocated / requests / 1000).toFixed(1)
  console.log(`${each.toFixed(0).padStart(6)} steps  ${kilobytes.padStart(7)} kB  ${label}`)
  for (const [place, count] of [...places].sort((a, b) => b[1] - a[1]).slice(0, placesShown))
    console.log(`${count.toFixed(2).padStart(14)}  ${place}`)
}

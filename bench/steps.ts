// How many steps of Effect's runtime a request takes, and where they are made. Unlike times, steps are the same on a
// busy machine, so they show what a change costs at once. The gateway runs as in production, on a Postgres of its own,
// with a preloaded counter (`steps/count.mjs`). Usage: npm run bench:steps -- [--requests N] [--places N]
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { Pool } from "undici"
import * as EmbeddedPostgres from "../src/layers/postgres/embedded/EmbeddedPostgres.js"
import { paidRunBody, unlimited } from "./runs/PaidRun.js"
import { freePort, ready } from "./runs/Processes.js"

const option = (name: string, otherwise: number): number => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? otherwise : Number(process.argv[at + 1])
}
const requests = option("requests", 100)
const placesShown = option("places", 0)

const dataDir = mkdtempSync(join(tmpdir(), "gateway-steps-"))
const port = await freePort()
const url = `http://127.0.0.1:${port}`
const gateway = spawn(process.execPath, ["--import", "./bench/steps/count.mjs", "dist/main.js"], {
  env: {
    ...process.env,
    PORT: String(port),
    HOST: "127.0.0.1",
    GATEWAY_DATA_DIR: dataDir,
    ...unlimited,
    GATEWAY_LEDGER_CHECK_SECONDS: "0"
  },
  stdio: ["ignore", "ignore", "inherit", "ipc"]
})
await ready(`${url}/readyz`)
const token = readFileSync(join(dataDir, "dev-token"), "utf8").trim()

const Counts = Schema.Array(Schema.Tuple(Schema.String, Schema.Number))
const headers = { authorization: `Bearer ${token}` }
let keys = 0
const paidRun = () => ({
  method: "POST" as const,
  path: "/v1/runs?wait=true",
  headers: { ...headers, "content-type": "application/json", "idempotency-key": `steps-${(keys += 1)}` },
  body: paidRunBody
})
const read = (path: string) => () => ({ method: "GET" as const, path, headers })

const send = async (
  connections: number,
  count: number,
  next: () => ReturnType<typeof paidRun | ReturnType<typeof read>>
) => {
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

const counted = async (connections: number, next: Parameters<typeof send>[2]) => {
  await send(connections, requests / 10, next)
  gateway.send("begin")
  await send(connections, requests, next)
  gateway.send("end")
  const [message] = await once(gateway, "message")
  const places = Schema.decodeUnknownSync(Counts)(message).map(([place, steps]) => [place, steps / requests] as const)
  return { places, steps: places.reduce((sum, [, steps]) => sum + steps, 0) }
}

const { runId } = Schema.decodeUnknownSync(Schema.parseJson(Schema.Struct({ runId: Schema.String })))(
  await send(1, 25, paidRun)
)
const rows = [
  ["GET /livez, which does nothing", 1, read("/livez")],
  ["paid run, one after the other", 1, paidRun],
  ["paid run, 32 connections", 32, paidRun],
  ["GET /v1/runs/{id}", 1, read(`/v1/runs/${runId}`)],
  ["GET /v1/balance", 1, read("/v1/balance")],
  ["GET /v1/runs?limit=20", 1, read("/v1/runs?limit=20")]
] as const

let floor = Number.NaN
for (const [label, connections, next] of rows) {
  const { places, steps } = await counted(connections, next)
  if (Number.isNaN(floor)) floor = steps
  console.log(`${steps.toFixed(0).padStart(6)} steps  ${(steps / floor).toFixed(1).padStart(5)} x livez  ${label}`)
  for (const [place, each] of [...places].sort((a, b) => b[1] - a[1]).slice(0, placesShown))
    console.log(`${each.toFixed(2).padStart(14)}  ${place}`)
}

gateway.kill("SIGINT")
await once(gateway, "exit")
await Effect.runPromise(EmbeddedPostgres.destroy(dataDir))
rmSync(dataDir, { recursive: true, force: true })

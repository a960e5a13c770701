// What telling a collector of OpenTelemetry costs: CPU of the gateway's process for each paid run, with no collector
// configured, with one that is told of every run, with one that is told of a tenth, and with one that never answers.
// Usage: npm run bench:telemetry -- [--runs N] [--rounds N] [--connections N]
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { Pool } from "undici"
import * as EmbeddedPostgres from "../src/layers/postgres/embedded/EmbeddedPostgres.js"
import { optionsOf } from "./Options.js"
import { median } from "./Quantiles.js"
import { paidRunBody, unlimited } from "./runs/PaidRun.js"
import { freePort } from "../chaos/stage/PostgresPrograms.js"
import { nodeFlags, ready, start } from "./runs/Processes.js"
import { cpuSeconds, residentMegabytes } from "./runs/Usage.js"

const { count } = optionsOf({ values: ["runs", "rounds", "connections"] })
const runs = count("runs", 4_000)
const rounds = count("rounds", 3)
const connections = count("connections", 32)

let taken = 0
const collector = createServer((request, response) => {
  if (request.url?.startsWith("/silent") === true) return
  request.on("data", (bytes: Buffer) => (taken += bytes.length))
  request.on("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"))
})
collector.listen(0, "127.0.0.1")
await once(collector, "listening")
const address = collector.address()
const endpoint = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`

const modes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "no collector": {},
  "every run": { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint },
  "a tenth of the runs": {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.1"
  },
  "every run, to a collector that never answers": {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${endpoint}/silent`,
    OTEL_EXPORTER_OTLP_TIMEOUT: "1000"
  }
}

let keys = 0
const paidRuns = async (url: string, token: string, many: number): Promise<void> => {
  const pool = new Pool(url, { connections, pipelining: 1 })
  let left = many
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const answer = await pool.request({
        method: "POST",
        path: "/v1/runs?wait=true",
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": "application/json",
          "idempotency-key": `telemetry-${(keys += 1)}`
        },
        body: paidRunBody
      })
      const text = await answer.body.text()
      if (answer.statusCode !== 201) throw new Error(`${answer.statusCode} ${text.slice(0, 300)}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  await pool.close()
}

/** Microseconds of the gateway's CPU for a run, and the memory of the gateway after them. */
const measured = async (env: Readonly<Record<string, string>>) => {
  const dataDir = mkdtempSync(join(tmpdir(), "gateway-telemetry-"))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const gateway = start([...nodeFlags, "dist/main.js"], {
    PORT: String(port),
    HOST: "127.0.0.1",
    GATEWAY_DATA_DIR: dataDir,
    ...unlimited,
    ...env
  })
  await ready(`${url}/readyz`)
  const token = readFileSync(join(dataDir, "dev-token"), "utf8").trim()
  await paidRuns(url, token, 1_000)
  const pid = gateway.pid ?? 0
  const [cpu, began, bytes] = [cpuSeconds(pid), performance.now(), taken]
  await paidRuns(url, token, runs)
  const micros = ((cpuSeconds(pid) - cpu) / runs) * 1e6
  const perSecond = runs / ((performance.now() - began) / 1000)
  const megabytes = residentMegabytes(pid)
  gateway.kill("SIGINT")
  await once(gateway, "exit")
  const told = (taken - bytes) / runs
  await Effect.runPromise(EmbeddedPostgres.destroy(dataDir))
  rmSync(dataDir, { recursive: true, force: true })
  return { micros, perSecond, megabytes, told }
}

const found = new Map<string, Array<Awaited<ReturnType<typeof measured>>>>()
for (let round = 0; round < rounds; round += 1)
  for (const [mode, env] of Object.entries(modes)) found.set(mode, [...(found.get(mode) ?? []), await measured(env)])

console.log(`${runs} paid runs, ${connections} connections, median of ${rounds}\n`)
console.log("  CPU a run   runs/s   memory   told a run   telemetry")
for (const [mode, results] of found) {
  const of = (name: keyof (typeof results)[number]) => median(results.map((result) => result[name]))
  console.log(
    `${of("micros").toFixed(0).padStart(8)} us ${of("perSecond").toFixed(0).padStart(8)} ${of("megabytes").toFixed(0).padStart(5)} MB ${of("told").toFixed(0).padStart(8)} B     ${mode}`
  )
}
collector.closeAllConnections()
collector.close()

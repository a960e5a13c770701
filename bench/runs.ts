// Complete paid runs: rate and latency of `POST /v1/runs?wait=true`, beside peers that call the same fixture provider
// in the same run. Usage: npm run bench -- [--seconds N] [--rounds N] [--connections N]
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeContext } from "@effect/platform-node"
import { ConfigProvider, Effect, Layer, Redacted, Schema } from "effect"
import { commandLine } from "../src/domain/AuditEntry.js"
import { scopes } from "../src/domain/Scope.js"
import { readConfig } from "../src/layers/node/Config.js"
import { Database } from "../src/layers/postgres/Database.js"
import * as EmbeddedPostgres from "../src/layers/postgres/embedded/EmbeddedPostgres.js"
import { OperatorServices } from "../src/layers/compose/StorageOnPostgres.js"
import { Accounts } from "../src/services/Accounts.js"
import { Wallet } from "../src/services/Wallet.js"
import Pg from "pg"
import { request } from "undici"
import { bytesPerRun } from "./runs/Bytes.js"
import { type Call, load, type Measured, median } from "./runs/Load.js"
import { moneyCycle, schemaText } from "./runs/MoneyCycle.js"
import { paidInput, paidRunBody, unlimited } from "./runs/PaidRun.js"
import { freePort, nodeFlags, ready, start, stopAll } from "./runs/Processes.js"
import { cpuSeconds, postgresCpuSeconds, postmasterOf, residentMegabytes } from "./runs/Usage.js"

const option = (name: string, otherwise: number): number => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? otherwise : Number(process.argv[at + 1])
}
const seconds = option("seconds", 6)
const rounds = option("rounds", 3)
const connections = option("connections", 64)
const workspaces = option("workspaces", 1000)

const dataDir = process.env["DATABASE_URL"] === undefined ? mkdtempSync(join(tmpdir(), "gateway-bench-")) : ".data"
const [port, severalPort, fixturePort, portkeyPort, barePort] = [
  await freePort(),
  await freePort(),
  await freePort(),
  await freePort(),
  await freePort()
]
const env = {
  PORT: String(port),
  GATEWAY_DATA_DIR: dataDir,
  ...unlimited,
  GATEWAY_FIXTURE_ORIGIN: `http://127.0.0.1:${fixturePort}`
}

const environment = Layer.merge(
  NodeContext.layer,
  Layer.setConfigProvider(
    ConfigProvider.fromMap(
      new Map([
        ...Object.entries(process.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])),
        ...Object.entries(env)
      ])
    )
  )
)

const setUp = Effect.gen(function* () {
  const config = yield* readConfig
  return yield* Effect.gen(function* () {
    const accounts = yield* Accounts
    const wallet = yield* Wallet
    const { query, sql } = yield* Database
    yield* query(sql.unsafe(schemaText))
    return yield* Effect.forEach(
      Array.from({ length: workspaces }),
      (_, index) =>
        Effect.gen(function* () {
          const { workspaceId } = yield* accounts.createWorkspace(`bench-${process.pid}-${index}`, commandLine)
          yield* wallet.credit(
            {
              workspaceId,
              kind: "adjustment",
              micros: 1_000_000_000_000,
              reason: "benchmark",
              topUpId: null,
              key: "bench"
            },
            commandLine
          )
          const { token } = yield* accounts.createToken(
            {
              workspaceId,
              label: "bench",
              scopes: [...scopes],
              monthlyLimitMicros: null,
              expiresAt: null
            },
            commandLine
          )
          return Redacted.value(token)
        }),
      { concurrency: 8 }
    )
  }).pipe(Effect.provide(OperatorServices(config)))
}).pipe(Effect.provide(environment))

let keys = 0
const runOn = (tokens: ReadonlyArray<string>) => (): Call => {
  keys += 1
  return {
    path: "/v1/runs?wait=true",
    headers: {
      authorization: `Bearer ${tokens[keys % tokens.length]}`,
      "idempotency-key": `bench-${process.pid}-${keys}`
    },
    body: paidRunBody
  }
}
const fixtureBody = JSON.stringify(paidInput)
const direct = (): Call => ({ path: "/v1/mock-email-find", headers: {}, body: fixtureBody })
const throughPortkey = (): Call => ({
  path: "/v1/chat/completions",
  headers: {
    authorization: "Bearer none",
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": `http://127.0.0.1:${fixturePort}/v1`
  },
  body: JSON.stringify({
    model: "mock",
    messages: [{ role: "user", content: "The e-mail of Ada Example at example.com" }]
  })
})

const gateway = `http://127.0.0.1:${port}`
const several = `http://127.0.0.1:${severalPort}`
const fixture = `http://127.0.0.1:${fixturePort}`
const portkey = `http://127.0.0.1:${portkeyPort}`
const bare = `http://127.0.0.1:${barePort}`
const settled = (status: number, text: string): boolean => status === 201 && text.includes('"status":"completed"')
const answered = (status: number, text: string): boolean => status === 200 && text.includes("example.com")

start([".bench/bench/runs/fixture.js", String(fixturePort)], {})
start([".bench/bench/runs/bare.js", String(barePort)], {})
const gatewayProcess = start([...nodeFlags, "dist/main.js"], env)
// The same gateway once more, with the same Postgres. The two are measured in turn.
const severalProcess = start([...nodeFlags, "dist/main.js"], {
  ...env,
  PORT: String(severalPort),
  GATEWAY_PROCESSES: "2",
  GATEWAY_RATES: "local"
})
const portkeyProcess = start(
  ["node_modules/@portkey-ai/gateway/build/start-server.js", `--port=${portkeyPort}`, "--headless"],
  {
    TRUSTED_CUSTOM_HOSTS: "127.0.0.1,localhost"
  }
)
await Promise.all([
  ready(`${gateway}/readyz`),
  ready(`${several}/readyz`),
  ready(`${fixture}/_calls`),
  ready(portkey),
  ready(bare)
])
const tokens = await Effect.runPromise(setUp)
const hot = tokens.slice(0, 1)
const url =
  process.env["DATABASE_URL"] ??
  (await Effect.runPromise(
    Effect.map(EmbeddedPostgres.findRunning(dataDir), (found) =>
      found._tag === "Some" ? Redacted.value(found.value) : ""
    )
  ))
const postgres = new Pg.Client({ connectionString: url })
await postgres.connect()
const backend = (await postgres.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]?.pid ?? 0
// A Postgres on another machine has processes of its own numbers.
const postmaster = process.env["DATABASE_URL"] === undefined ? postmasterOf(backend) : Number.NaN
const startMegabytes = residentMegabytes(gatewayProcess.pid ?? 0)

/** What is used so far: CPU seconds of the gateway, of Postgres and of Portkey, and bytes of WAL. */
const used = async () => {
  const wal = await postgres.query<{ bytes: string }>("select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as bytes")
  return {
    node: cpuSeconds(gatewayProcess.pid ?? 0),
    postgres: postgresCpuSeconds(postmaster),
    portkey: cpuSeconds(portkeyProcess.pid ?? 0),
    wal: Number(wal.rows[0]?.bytes)
  }
}
type Used = Awaited<ReturnType<typeof used>>
interface Round extends Measured {
  /** What one request has used. */
  readonly each: Used
}
const measured = async (work: () => Promise<Measured>): Promise<Round> => {
  const before = await used()
  const found = await work()
  const after = await used()
  const of = (key: keyof Used): number => (after[key] - before[key]) / found.requests
  return { ...found, each: { node: of("node"), postgres: of("postgres"), portkey: of("portkey"), wal: of("wal") } }
}

type Row = { readonly label: string; readonly measure: () => Promise<Measured> }
const many: ReadonlyArray<Row> = [
  {
    label: `gateway, ${workspaces} workspaces`,
    measure: () => load(gateway, connections, seconds, runOn(tokens), settled)
  },
  { label: "gateway, one hot workspace", measure: () => load(gateway, connections, seconds, runOn(hot), settled) },
  { label: "Portkey (moves no money)", measure: () => load(portkey, connections, seconds, throughPortkey, answered) },
  { label: "fixture provider alone", measure: () => load(fixture, connections, seconds, direct, answered) },
  {
    label: "gateway, 2 processes",
    measure: () => load(several, connections, seconds, runOn(tokens), settled)
  }
]
const single: ReadonlyArray<Row> = [
  { label: "gateway, 1 connection", measure: () => load(gateway, 1, seconds / 2, runOn(tokens), settled) },
  { label: "Portkey, 1 connection", measure: () => load(portkey, 1, seconds / 2, throughPortkey, answered) },
  { label: "fixture provider alone, 1 connection", measure: () => load(fixture, 1, seconds / 2, direct, answered) }
]

// Reads, each workspace its own: twenty runs of as many workspaces as there are connections.
const readers = tokens.slice(0, connections)
const bearer = (token: string | undefined) => ({ authorization: `Bearer ${token}` })
const made = await Promise.all(
  readers.map(async (token) => {
    const next = runOn([token])
    let runId = ""
    for (let count = 0; count < 20; count += 1) {
      const { body, headers, path } = next()
      const answer = await request(`${gateway}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body
      })
      runId = Schema.decodeUnknownSync(Schema.Struct({ runId: Schema.String }))(await answer.body.json()).runId
    }
    return { token, runId }
  })
)
/** A read of the gateway, and a bare server that sends the same bytes. */
const readOf = async (label: string, pathOf: (runId: string) => string): Promise<ReadonlyArray<Row>> => {
  const sample = pathOf(made[0]?.runId ?? "")
  const bytes = await (await request(`${gateway}${sample}`, { headers: bearer(made[0]?.token) })).body.text()
  await (await request(`${bare}/${label}`, { method: "PUT", body: bytes })).body.dump()
  let count = 0
  const next = (): Call => {
    const { runId, token } = made[(count += 1) % made.length]!
    return { path: pathOf(runId), headers: bearer(token), body: null }
  }
  const full = (status: number, text: string): boolean => status === 200 && text.length > 0.9 * bytes.length
  return [
    { label: `GET ${label}`, measure: () => load(gateway, connections, seconds / 2, next, full) },
    {
      label: `bare Node, ${label}`,
      measure: () => load(bare, connections, seconds / 2, () => ({ path: `/${label}`, headers: {}, body: null }), full)
    }
  ]
}
const reads = [
  await readOf("run", (runId) => `/v1/runs/${runId}`),
  await readOf("balance", () => "/v1/balance"),
  await readOf("runs?limit=20", () => "/v1/runs?limit=20")
]
const rows: ReadonlyArray<Row> = [...many, ...single, ...reads.flat()]

const results = new Map<string, Array<Round>>()
for (const { measure } of rows) await measure().then(() => undefined)
for (let round = 0; round < rounds; round += 1) {
  for (const { label, measure } of rows) results.set(label, [...(results.get(label) ?? []), await measured(measure)])
}
const loadedMegabytes = residentMegabytes(gatewayProcess.pid ?? 0)
await postgres.end()
const of = (label: string, pick: (round: Round) => number): number => median((results.get(label) ?? []).map(pick))

// The server of the benchmark takes 60 connections, and a gateway keeps some 20 for each process.
severalProcess.kill("SIGINT")
await once(severalProcess, "exit")
const clients = Math.min(connections, 32)
const cycles = moneyCycle(url, 1000, clients, seconds)
const hotCycles = moneyCycle(url, 1, clients, seconds)

console.log(`\n${connections} connections, medians of ${rounds} rounds of ${seconds} s`)
const line = (label: string) =>
  console.log(
    `  ${label.padEnd(38)} ${of(label, ({ perSecond }) => perSecond)
      .toFixed(0)
      .padStart(6)}/s   p50 ${of(label, ({ p50 }) => p50)
      .toFixed(2)
      .padStart(7)} ms   p99 ${of(label, ({ p99 }) => p99)
      .toFixed(2)
      .padStart(7)} ms   failures ${(results.get(label) ?? []).reduce((sum, { failures }) => sum + failures, 0)}`
  )
for (const { label } of rows) line(label)
const cycleLine = (label: string, value: number | undefined) =>
  console.log(`  ${label.padEnd(38)} ${value === undefined ? "no pgbench here" : `${value.toFixed(0).padStart(6)}/s`}`)
cycleLine("pgbench, money cycle, 1000 wallets", cycles)
cycleLine("pgbench, money cycle, one wallet", hotCycles)

const shown = (value: number, digits: number, unit: string): string =>
  Number.isNaN(value) ? "-" : `${value.toFixed(digits)} ${unit}`
const paid = many[0]?.label ?? ""
const unpaid = many[2]?.label ?? ""
console.log(`
  Node CPU per paid run                  ${shown(
    of(paid, ({ each }) => each.node * 1000),
    2,
    "ms"
  )}   (Portkey, per request: ${shown(
    of(unpaid, ({ each }) => each.portkey * 1000),
    2,
    "ms"
  )})
  Postgres CPU per paid run              ${shown(
    of(paid, ({ each }) => each.postgres * 1000),
    2,
    "ms"
  )}
  WAL per paid run                       ${shown(
    of(paid, ({ each }) => each.wal / 1000),
    1,
    "kB"
  )}
  resident memory of the gateway         ${shown(startMegabytes, 0, "MB")} at the start, ${shown(loadedMegabytes, 0, "MB")} after the load`)

const rate = (index: number): number => of(many[index]?.label ?? "", ({ perSecond }) => perSecond)
const p99 = (index: number): number => of(many[index]?.label ?? "", ({ p99: value }) => value)
const p50 = (index: number): number => of(single[index]?.label ?? "", ({ p50: value }) => value)
console.log(`
  spread runs / Portkey                  ${(rate(0) / rate(2)).toFixed(2)}   (aim: at least 0.60)
  p99 / Portkey's                        ${(p99(0) / p99(2)).toFixed(2)}
  hot workspace / spread                 ${(rate(1) / rate(0)).toFixed(2)}   (aim: at least 0.80)
  two processes / one                    ${(rate(4) / rate(0)).toFixed(2)}   (aim: at least 1.25 with two cores)
  paid runs / pgbench's money cycle      ${cycles === undefined ? "-" : (rate(0) / cycles).toFixed(2)}
  added at the median, 1 connection      ${(p50(0) - p50(2)).toFixed(2)} ms   (aim: at most 5; Portkey adds ${(p50(1) - p50(2)).toFixed(2)})
${reads
  .map(([own, floor]) => {
    const share =
      of(own?.label ?? "", ({ perSecond }) => perSecond) / of(floor?.label ?? "", ({ perSecond }) => perSecond)
    return `  ${`${own?.label} / bare Node`.padEnd(38)} ${share.toFixed(2)}`
  })
  .join("\n")}`)

const archiveFolder = mkdtempSync(join(tmpdir(), "gateway-bench-archive-"))
const bytes = await Effect.runPromise(
  Effect.flatMap(readConfig, (config) => Effect.provide(bytesPerRun(archiveFolder), OperatorServices(config))).pipe(
    Effect.provide(environment)
  )
)
rmSync(archiveFolder, { recursive: true, force: true })
console.log(`
  bytes of a run in the hot tables       ${bytes.hot.toFixed(0)}, its key ${bytes.key.toFixed(0)}, its ledger entries ${bytes.ledger.toFixed(0)}
  bytes of a run in the history          ${bytes.history.toFixed(0)}
  bytes of a run in the file of a month  ${bytes.archive.toFixed(0)}`)

await stopAll()
if (process.env["DATABASE_URL"] === undefined) {
  await Effect.runPromise(EmbeddedPostgres.destroy(dataDir))
  rmSync(dataDir, { recursive: true, force: true })
}
process.exit(0)

// Complete paid runs: rate and latency of `POST /v1/runs?wait=true`, beside peers that call the same fixture provider
// in the same run. Usage: npm run bench -- [--seconds N] [--rounds N] [--connections N] [--workspaces N] [--minutes N]
// [--stored N]
import { setTimeout as sleep } from "node:timers/promises"
import { Effect, Redacted } from "effect"
import Pg from "pg"
import { Database } from "../src/layers/postgres/Database.js"
import { optionsOf } from "./Options.js"
import { median } from "./Quantiles.js"
import { bytesPerRun } from "./runs/Bytes.js"
import { asOperator, gatewayIn, newFolder, payingTokens, remove, type Settings } from "./runs/Gateways.js"
import { load, type Measured } from "./runs/Load.js"
import { residentUnderLoad } from "./runs/Memory.js"
import { moneyCycle, schemaText } from "./runs/MoneyCycle.js"
import { inOwnDatabase } from "./runs/OwnDatabase.js"
import { paidRunsWith, settled, unlimited } from "./runs/PaidRun.js"
import {
  answered,
  direct,
  readRows,
  type Row,
  startFixture,
  startFloor,
  startPortkey,
  throughPortkey
} from "./runs/Peers.js"
import { stopAll } from "./runs/Processes.js"
import { besideStored } from "./runs/Stored.js"
import { cpuSeconds, postgresCpuSeconds, postmasterOf, residentMegabytes } from "./runs/Usage.js"

const { amount, count } = optionsOf({
  values: ["seconds", "rounds", "connections", "workspaces", "minutes", "stored"]
})
// pgbench counts whole ones.
const seconds = count("seconds", 6)
const rounds = count("rounds", 3)
const connections = count("connections", 64)
const workspaces = count("workspaces", 1000)
const minutes = amount("minutes", 0)
const stored = count("stored", 0, 0)
const given = process.env["DATABASE_URL"]
if (stored > 0 && given !== undefined) {
  console.error("--stored needs a storage that it can fill, and an empty one beside it: unset DATABASE_URL")
  process.exit(2)
}

/** With the Postgres that the settings name, or else with one of its own. */
const measureAll = async (folder: string, database: Settings): Promise<void> => {
  const fixture = await startFixture()
  const settings = { ...unlimited, ...database, GATEWAY_FIXTURE_ORIGIN: fixture }
  const gateway = await gatewayIn(folder, settings)
  // The same gateway once more, with the same Postgres. The two are measured in turn.
  const several = await gatewayIn(folder, { ...settings, GATEWAY_PROCESSES: "2", GATEWAY_RATES: "local" })
  const floor = await startFloor(fixture)
  const portkey = await startPortkey()
  const gatewayPid = gateway.process.pid ?? 0
  const startMegabytes = residentMegabytes(gatewayPid)
  const { tokens, url } = await asOperator(gateway.settings)(
    Effect.gen(function* () {
      const { direct: servers, query, sql } = yield* Database
      yield* query(sql.unsafe(schemaText))
      return { tokens: yield* payingTokens(workspaces), url: Redacted.value(servers.next().url) }
    })
  )
  const hot = tokens.slice(0, 1)
  const postgres = new Pg.Client({ connectionString: url })
  // When something else has failed, its database is dropped under it.
  postgres.on("error", () => undefined)
  await postgres.connect()
  const backend = (await postgres.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]?.pid ?? 0
  // A Postgres on another machine has processes of its own numbers.
  const postmaster = given === undefined ? postmasterOf(backend) : Number.NaN

  /** What is used so far: CPU seconds of the gateway, of Postgres and of Portkey, and bytes of WAL. */
  const used = async () => {
    const wal = await postgres.query<{ bytes: string }>("select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as bytes")
    return {
      node: cpuSeconds(gatewayPid),
      postgres: postgresCpuSeconds(postmaster),
      portkey: cpuSeconds(portkey.process.pid ?? 0),
      wal: Number(wal.rows[0]?.bytes)
    }
  }
  type Used = Awaited<ReturnType<typeof used>>
  interface Round extends Measured {
    /** What one request has used. */
    readonly each: Used
  }
  const measured = async ({ measure }: Row): Promise<Round> => {
    const before = await used()
    const found = await measure()
    const after = await used()
    const of = (key: keyof Used): number => (after[key] - before[key]) / found.requests
    return { ...found, each: { node: of("node"), postgres: of("postgres"), portkey: of("portkey"), wal: of("wal") } }
  }

  const paid = (label: string, at: string, who: ReadonlyArray<string>, count: number, time: number): Row => ({
    label,
    measure: () => load(at, count, time, paidRunsWith(who), settled)
  })
  const unpaid = (label: string, at: string, call: Parameters<typeof load>[3], count: number, time: number): Row => ({
    label,
    measure: () => load(at, count, time, call, answered)
  })
  const spread = paid(`gateway, ${workspaces} workspaces`, gateway.url, tokens, connections, seconds)
  const hotRow = paid("gateway, one hot workspace", gateway.url, hot, connections, seconds)
  const unpaidRow = unpaid("Portkey (moves no money)", portkey.url, throughPortkey(fixture), connections, seconds)
  const proxy = unpaid("Fastify to undici (passes on)", floor, direct, connections, seconds)
  const provider = unpaid("fixture provider alone", fixture, direct, connections, seconds)
  const severalRow = paid("gateway, 2 processes", several.url, tokens, connections, seconds)
  const single = paid("gateway, 1 connection", gateway.url, tokens, 1, seconds / 2)
  const unpaidSingle = unpaid("Portkey, 1 connection", portkey.url, throughPortkey(fixture), 1, seconds / 2)
  const providerSingle = unpaid("fixture provider alone, 1 connection", fixture, direct, 1, seconds / 2)
  const reads = await readRows(gateway, tokens.slice(0, connections), seconds / 2)
  const rows = [
    ...[spread, hotRow, unpaidRow, proxy, provider, severalRow, single, unpaidSingle, providerSingle],
    ...reads.flatMap(({ bare, hot, own }) => [own, hot, bare])
  ]

  console.log(`${rows.length} rows, ${rounds + 1} times each (the first warms up), ${seconds} s or half of that`)
  const results = new Map<Row, Array<Round>>()
  for (const { measure } of rows) await measure()
  // Until then one process has made the runs of two rows, and each of two processes a quarter as many.
  for (let more = 0; more < 3; more += 1) await severalRow.measure()
  for (let round = 0; round < rounds; round += 1)
    for (const row of rows) results.set(row, [...(results.get(row) ?? []), await measured(row)])
  const loadedMegabytes = residentMegabytes(gatewayPid)
  // Postgres tells its statistics a second late.
  await sleep(2_000)
  const deadlocks = (
    await postgres.query<{ deadlocks: string }>(
      "select deadlocks::text from pg_stat_database where datname = current_database()"
    )
  ).rows[0]?.deadlocks
  const of = (row: Row, pick: (round: Round) => number): number => median((results.get(row) ?? []).map(pick))
  const rate = (row: Row): number => of(row, ({ perSecond }) => perSecond)

  // The server of the benchmark takes 60 connections, and a gateway keeps some 20 for each process.
  await several.stop()
  const clients = Math.min(connections, 32)
  const cycles = moneyCycle(url, 1000, clients, seconds)
  const hotCycles = moneyCycle(url, 1, clients, seconds)
  const archive = newFolder()
  const bytes = await asOperator(gateway.settings)(bytesPerRun(archive))
  await remove(archive)
  await postgres.end()
  await gateway.stop()

  console.log(
    `\n${connections} connections unless a row says otherwise, ${rounds === 1 ? "one round" : `medians of ${rounds} rounds`} of ${seconds} s`
  )
  for (const row of rows) {
    const time = (pick: (round: Round) => number): string => of(row, pick).toFixed(2).padStart(7)
    console.log(
      `  ${row.label.padEnd(38)} ${rate(row).toFixed(0).padStart(6)}/s   p50 ${time(({ p50 }) => p50)} ms   p99 ${time(({ p99 }) => p99)} ms`
    )
  }
  const fact = (label: string, text: string): void => console.log(`  ${label.padEnd(38)} ${text}`)
  const perSecond = (value: number | undefined): string =>
    value === undefined ? "no pgbench here" : `${value.toFixed(0).padStart(6)}/s`
  fact("pgbench, money cycle, 1000 wallets", perSecond(cycles))
  fact("pgbench, money cycle, one wallet", perSecond(hotCycles))

  const shown = (value: number, digits: number, unit = ""): string =>
    Number.isNaN(value) ? "-" : `${value.toFixed(digits)}${unit}`
  const nodeCpu = of(spread, ({ each }) => each.node * 1000)
  const portkeyCpu = of(unpaidRow, ({ each }) => each.portkey * 1000)
  const millis = (row: Row): number => of(row, ({ p50 }) => p50)
  const [added, portkeyAdds] = [millis(single) - millis(providerSingle), millis(unpaidSingle) - millis(providerSingle)]
  console.log("")
  fact(
    "Node CPU per paid run",
    `${shown(nodeCpu, 2, " ms")}, ${shown(nodeCpu / portkeyCpu, 2)} of Portkey's per request`
  )
  fact(
    "Postgres CPU per paid run",
    shown(
      of(spread, ({ each }) => each.postgres * 1000),
      2,
      " ms"
    )
  )
  fact(
    "WAL per paid run",
    shown(
      of(spread, ({ each }) => each.wal / 1000),
      1,
      " kB"
    )
  )
  fact("deadlocks in Postgres", `${deadlocks ?? "-"}   (each stops all runs of a batch for a second)`)
  fact(
    "resident memory of the gateway",
    `${shown(startMegabytes, 0, " MB")} at the start, ${shown(loadedMegabytes, 0, " MB")} after the load`
  )
  console.log("")
  fact("spread runs / Portkey", `${shown(rate(spread) / rate(unpaidRow), 2)}   (aim: at least 1.00)`)
  fact("spread runs / Fastify to undici", shown(rate(spread) / rate(proxy), 2))
  fact(
    "p99 / Portkey's",
    `${shown(of(spread, ({ p99 }) => p99) / of(unpaidRow, ({ p99 }) => p99), 2)}   (aim: at most 1.00)`
  )
  fact("hot workspace / spread", `${shown(rate(hotRow) / rate(spread), 2)}   (aim: at least 0.80)`)
  fact("two processes / one", `${shown(rate(severalRow) / rate(spread), 2)}   (aim: at least 1.25 with two cores)`)
  fact(
    "paid runs / pgbench's money cycle",
    `${shown(cycles === undefined ? Number.NaN : rate(spread) / cycles, 2)}   (aim: at least 0.90)`
  )
  fact(
    "added at the median, 1 connection",
    `${shown(added, 2, " ms")}, ${shown(added / portkeyAdds, 1)} of what Portkey adds   (aim: at most 3)`
  )
  for (const { bare, hot, own } of reads)
    fact(
      `${own.label} / bare Node`,
      `${shown(rate(own) / rate(bare), 2)}   (aim: at least 0.35), ${shown(rate(hot) / rate(bare), 2)} of one workspace`
    )
  console.log("")
  fact(
    "bytes of a run in the hot tables",
    `${shown(bytes.hot, 0)}, its key ${shown(bytes.key, 0)}, its ledger entries ${shown(bytes.ledger, 0)}`
  )
  fact("bytes of a run in the history", shown(bytes.history, 0))
  fact("bytes of a run in the file of a month", shown(bytes.archive, 0))

  if (minutes > 0) {
    const {
      endMegabytes,
      requests,
      slope,
      startMegabytes: before
    } = await residentUnderLoad({ minutes, connections, workspaces }, settings)
    console.log(`\nmemory of a new gateway under full load, ${minutes} minutes, ${requests} runs`)
    fact("resident", `${shown(before, 0, " MB")} at the start, ${shown(endMegabytes, 0, " MB")} at the end`)
    fact(
      "growth over the last three fifths",
      `${shown(slope, 1, " MB a minute")}   (means something from five minutes on)`
    )
  }
  if (stored > 0) {
    console.log(`\n${stored} stored runs, half of them of the workspace that asks, beside a nearly empty storage`)
    for (const row of await besideStored({ runs: stored, connections, seconds, rounds }, settings))
      fact(
        row.label,
        `${perSecond(row.stored)}, nearly empty ${perSecond(row.empty)}: ${shown(row.stored / row.empty, 2)}   (aim: at least 0.90)`
      )
  }
}

const folder = newFolder()
try {
  await (given === undefined
    ? measureAll(folder, {})
    : inOwnDatabase(given, (own) => measureAll(folder, { DATABASE_URL: own }).finally(stopAll)))
} finally {
  await stopAll()
  await remove(folder)
}
process.exit(0)

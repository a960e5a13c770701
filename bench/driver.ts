// What each trick with the driver buys (src/layers/postgres/database/DriverInternals.ts), over a real Postgres: the
// transaction of a settlement, made over and over, with every trick and with one of them left out. Rounds alternate.
// Usage: npm run bench:driver -- [--rounds N] [--millis N] [--connections N]
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect, Redacted } from "effect"
import Pg from "pg"
import { types } from "../src/layers/postgres/database/ColumnTypes.js"
import { ask, inOneWrite, pipelined, StatementNames } from "../src/layers/postgres/database/DriverInternals.js"
import * as EmbeddedPostgres from "../src/layers/postgres/embedded/EmbeddedPostgres.js"
import { optionsOf } from "./Options.js"
import { median } from "./Quantiles.js"
import { inOwnDatabase } from "./runs/OwnDatabase.js"

const { count } = optionsOf({ values: ["rounds", "millis", "connections"] })
const rounds = count("rounds", 9)
const roundMillis = count("millis", 1_000)
const connections = count("connections", 4)
const names = new StatementNames()

interface Tricks {
  readonly oneWrite: boolean
  readonly pipeline: boolean
  readonly names: boolean
  /** As the gateway asks, with every trick; without it, the columns of each answer are described anew. */
  readonly columns: boolean
}
const every: Tricks = { oneWrite: true, pipeline: true, names: true, columns: true }
const described: Tricks = { ...every, columns: false }
const variants: ReadonlyArray<readonly [name: string, tricks: Tricks]> = [
  ["every trick", every],
  ["with descriptions", described],
  ["and without one write", { ...described, oneWrite: false }],
  ["and without pipelining", { ...described, pipeline: false }],
  ["and without names", { ...described, names: false }],
  ["plain pg", { oneWrite: false, pipeline: false, names: false, columns: false }]
]

const schema = `
  create schema bench_driver;
  create table bench_driver.wallets (id int primary key, available bigint not null, reserved bigint not null) with (fillfactor = 50);
  create table bench_driver.runs (id bigint generated always as identity primary key, wallet int not null, status text not null, result json);
  create table bench_driver.entries (id bigint generated always as identity primary key, wallet int not null, kind text not null, amount bigint not null);
  insert into bench_driver.wallets select n, 1000000000, 0 from generate_series(1, 1000) n;
  insert into bench_driver.runs (wallet, status) select 1 + n % 1000, 'running' from generate_series(1, 20000) n`

const text = {
  fence:
    "select r.id, r.status from bench_driver.runs r join unnest($1::bigint[]) as k (id) on k.id = r.id for no key update of r",
  wallet: "select id, available, reserved from bench_driver.wallets where id = $1 for update",
  write: `with entries as (
      insert into bench_driver.entries (wallet, kind, amount) select wallet, kind, amount
      from json_to_recordset($1::json) as e (wallet int, kind text, amount bigint)
    ) update bench_driver.wallets w set available = w.available - $3::bigint where w.id = $2`,
  conclude: "update bench_driver.runs r set result = $2::json from unnest($1::bigint[]) as k (id) where r.id = k.id"
}

/** One settlement: what it locks is read in one round trip where statements need not wait, and written in another. */
const settle = async (client: Pg.Client, tricks: Tricks, run: number): Promise<void> => {
  const send = (statement: string, values: Array<unknown>): Promise<unknown> => {
    if (tricks.columns)
      return new Promise((resolve, reject) =>
        ask(client, statement, values, (cause, result) => (cause ? reject(cause) : resolve(result)))
      )
    if (tricks.oneWrite) inOneWrite(client)
    return client.query({ text: statement, values, ...(tricks.names ? { name: names.of(statement, values) } : {}) })
  }
  const wallet = 1 + (run % 1000)
  const entries = JSON.stringify([
    { wallet, kind: "release", amount: 5 },
    { wallet, kind: "charge", amount: -3 }
  ])
  if (tricks.pipeline) {
    await Promise.all([send("BEGIN", []), send(text.fence, [[run]]), send(text.wallet, [wallet])])
    await Promise.all([
      send(text.write, [entries, wallet, 3]),
      send(text.conclude, [[run], '{"email":"ada@example.com"}']),
      send("COMMIT", [])
    ])
    return
  }
  await send("BEGIN", [])
  await send(text.fence, [[run]])
  await send(text.wallet, [wallet])
  await send(text.write, [entries, wallet, 3])
  await send(text.conclude, [[run], '{"email":"ada@example.com"}'])
  await send("COMMIT", [])
}

interface Measured {
  readonly perSecond: number
  /** User and system time of this process, for one transaction. */
  readonly cpuMicros: number
}

const clientsOf = (url: string, tricks: Tricks): Promise<ReadonlyArray<Pg.Client>> =>
  Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new Pg.Client({ connectionString: url, types, ...(tricks.pipeline ? pipelined : {}) })
      await client.connect()
      // The guarantee of a commit is the same with and without; this measures the driver and not the disk.
      await client.query("set synchronous_commit = off")
      return client
    })
  )

const round = async (clients: ReadonlyArray<Pg.Client>, tricks: Tricks): Promise<Measured> => {
  const before = process.cpuUsage()
  const start = performance.now()
  let done = 0
  await Promise.all(
    clients.map(async (client, lane) => {
      // Each connection has runs and wallets of its own, so that none waits for another's lock.
      for (let n = lane; performance.now() - start < roundMillis; n += clients.length) {
        await settle(client, tricks, 1 + (n % 20_000))
        done += 1
      }
    })
  )
  const seconds = (performance.now() - start) / 1_000
  const { system, user } = process.cpuUsage(before)
  return { perSecond: done / seconds, cpuMicros: (user + system) / done }
}

const main = async (url: string): Promise<void> => {
  const admin = new Pg.Client(url)
  await admin.connect()
  await admin.query(schema)
  await admin.query("analyze bench_driver.wallets, bench_driver.runs")
  const lanes = await Promise.all(
    variants.map(async ([name, tricks]) => ({ name, tricks, clients: await clientsOf(url, tricks) }))
  )
  const found = new Map<string, Array<Measured>>(variants.map(([name]) => [name, []]))
  for (let at = -1; at < rounds; at += 1) {
    // Each round begins with another variant: what runs before a variant changes what Postgres has to do meanwhile.
    const first = (at + 1) % lanes.length
    for (const { clients, name, tricks } of [...lanes.slice(first), ...lanes.slice(0, first)]) {
      const measured = await round(clients, tricks)
      // The first one warms up.
      if (at >= 0) found.get(name)!.push(measured)
    }
  }
  const base = found.get("every trick")!
  console.log(
    "variant".padEnd(22),
    "transactions/s".padStart(15),
    "ratio".padStart(7),
    "CPU µs each".padStart(13),
    "ratio".padStart(7)
  )
  for (const [name, all] of found) {
    const rate = median(all.map(({ perSecond }) => perSecond))
    const cpu = median(all.map(({ cpuMicros }) => cpuMicros))
    // Variants of the same round are compared, because the machine changes over time.
    const rateRatio = median(all.map(({ perSecond }, at) => perSecond / base[at]!.perSecond))
    const cpuRatio = median(all.map(({ cpuMicros }, at) => cpuMicros / base[at]!.cpuMicros))
    console.log(
      name.padEnd(22),
      rate.toFixed(0).padStart(15),
      rateRatio.toFixed(2).padStart(7),
      cpu.toFixed(0).padStart(13),
      cpuRatio.toFixed(2).padStart(7)
    )
  }
  await Promise.all(lanes.flatMap(({ clients }) => clients.map((client) => client.end())))
  await admin.end()
}

const given = process.env["DATABASE_URL"]
if (given !== undefined) {
  await inOwnDatabase(given, main)
} else {
  const dataDir = mkdtempSync(join(tmpdir(), "gateway-bench-driver-"))
  await Effect.runPromise(
    EmbeddedPostgres.start({ dataDir }).pipe(
      Effect.flatMap(({ url }) => Effect.promise(() => main(Redacted.value(url)))),
      Effect.scoped,
      Effect.provide(NodeContext.layer)
    )
  ).finally(() => rmSync(dataDir, { recursive: true, force: true }))
}

// Speed and size of the catalog's routes at 40,000 and 95,000 operations, through HTTP, each beside a bare Node server
// that sends the same rows. On a busy machine read the CPU time and the shares. The operations are generated; with
// --data they are those of a folder. Usage: npm run bench:catalog -- [--data DIR] [--seconds N]
import { basename, join } from "node:path"
import { Pool, request } from "undici"
import { generatedFile } from "./catalog/Generated.js"
import { optionsOf } from "./Options.js"
import { quantile } from "./Quantiles.js"
import { dataFolder } from "./search/Data.js"
import { freePort } from "../chaos/stage/PostgresPrograms.js"
import { nodeFlags, ready, start, stopAll } from "./runs/Processes.js"
import { cpuSeconds, residentMegabytes } from "./runs/Usage.js"

const options = optionsOf({ values: ["data", "seconds"] })
const data = dataFolder(options.text("data"))
const files =
  data === undefined
    ? [40_000, 95_000].map(generatedFile)
    : ["operations-40k.jsonl.gz", "operations-93k.jsonl.gz"].map((name) => join(data, name))
const seconds = options.amount("seconds", 5)
const verbs = ["send", "list", "create", "delete", "search", "translate", "upload", "get", "update", "validate"]
const nouns = [
  "weather forecast",
  "sms",
  "invoices",
  "text",
  "stock price",
  "user",
  "file",
  "exchange rate",
  "flights",
  "webhook",
  "payment",
  "repository",
  "calendar event",
  "email address",
  "video",
  "order",
  "ticket"
]
const headers = { authorization: "Bearer bench" }

const timed = async (
  pool: Pool,
  path: string,
  more: { readonly [name: string]: string },
  expected: number
): Promise<number> => {
  const begin = performance.now()
  const { body, statusCode } = await pool.request({ method: "GET", path, headers: { ...headers, ...more } })
  await body.dump({ limit: 100_000_000 })
  if (statusCode !== expected) throw new Error(`${path} answered ${statusCode}`)
  return performance.now() - begin
}

interface Rate {
  readonly perSecond: number
  readonly cpuMicros: number
}

/** As many as a closed loop of 16 connections gets answered, and the CPU time of the server for each. */
const most = async (
  origin: string,
  pid: number,
  path: (n: number) => string,
  more: { readonly [name: string]: string } = {},
  expected = 200
): Promise<Rate> => {
  const cpuBefore = cpuSeconds(pid)
  const pool = new Pool(origin, { connections: 16, pipelining: 1 })
  const until = performance.now() + seconds * 1000
  const begin = performance.now()
  let count = 0
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (performance.now() < until) await timed(pool, path(count++), more, expected)
    })
  )
  await pool.close()
  return {
    perSecond: (1000 * count) / (performance.now() - begin),
    cpuMicros: (1e6 * (cpuSeconds(pid) - cpuBefore)) / count
  }
}

/** Latencies at a steady rate, each counted from when it was due, so that a stall is not hidden by waiting for it. */
const steady = async (
  origin: string,
  perSecond: number,
  path: (n: number) => string
): Promise<ReadonlyArray<number>> => {
  const pool = new Pool(origin, { connections: 64, pipelining: 1 })
  const begin = performance.now()
  const due = Array.from({ length: Math.ceil(perSecond * seconds) }, (_, n) => begin + (1000 * n) / perSecond)
  const times = await Promise.all(
    due.map(async (at, n) => {
      await new Promise((resolve) => setTimeout(resolve, at - performance.now()))
      await timed(pool, path(n), {}, 200)
      return performance.now() - at
    })
  )
  await pool.close()
  return times.toSorted((a, b) => a - b)
}

const line = (label: string, text: string): void => console.log(`  ${label.padEnd(26)} ${text}`)
const beside = (label: string, own: Rate, bare: ReadonlyArray<readonly [string, Rate]>): void => {
  const share = bare.map(
    ([what, { cpuMicros, perSecond }]) =>
      `${what} ${perSecond.toFixed(0)}/s, ${cpuMicros.toFixed(0)} µs (${((100 * own.perSecond) / perSecond).toFixed(0)} %)`
  )
  line(label, [`${own.perSecond.toFixed(0)}/s, CPU ${own.cpuMicros.toFixed(0)} µs each`, ...share].join("; "))
}

/** Reading the file comes first and takes its time. */
const built = async (
  url: string
): Promise<Record<"operations" | "buildSeconds" | "longestWaitMs" | "longestWorkMs" | "usedMb" | "rssMb", number>> => {
  for (let tries = 1; ; tries += 1) {
    try {
      await ready(url)
      return JSON.parse(await (await request(url)).body.text())
    } catch (error) {
      if (tries === 6) throw error
    }
  }
}

const measure = async (file: string): Promise<void> => {
  const port = await freePort()
  const server = start(
    [...nodeFlags, "--expose-gc", join(import.meta.dirname, "catalog/server.js"), file, String(port)],
    { NODE_ENV: "production" }
  )
  const pid = server.pid ?? 0
  const origin = `http://127.0.0.1:${port}`
  const bare = `http://127.0.0.1:${port + 1}`
  const { buildSeconds, longestWaitMs, longestWorkMs, operations, rssMb, usedMb } = await built(`${bare}/built`)
  console.log(`${basename(file)}: ${operations} operations`)
  line(
    "build",
    `${buildSeconds.toFixed(1)} s in slices, longest wait ${longestWaitMs.toFixed(0)} ms, of which own work ${longestWorkMs.toFixed(0)}`
  )
  const short = (n: number): string =>
    `${verbs[n % verbs.length]} ${nouns[Math.floor(n / verbs.length) % nouns.length]}`
  const search = (query: string): string => `/v1/catalog/search?limit=10&q=${encodeURIComponent(query)}`
  /** The same 170 questions again and again, as agents ask them. */
  const repeated = (n: number): string => search(short(n))
  /** Every one is new: a number makes it another question and finds nothing more. */
  const fresh = (n: number): string => search(`${short(n)} ${n}`)
  await most(origin, pid, repeated)
  const times = await steady(origin, 200, (n) => fresh(n + 1_000_000))
  line(
    "search at 200/s, all new",
    `p50 ${quantile(times, 0.5).toFixed(1)} ms, p95 ${quantile(times, 0.95).toFixed(1)}, p99 ${quantile(times, 0.99).toFixed(1)}`
  )
  const searched = [
    ["bare", await most(bare, pid, () => "/search")],
    ["bare with ready bytes", await most(bare, pid, () => "/bytes/search")]
  ] as const
  beside("search, all new", await most(origin, pid, fresh), searched)
  beside("search, repeated", await most(origin, pid, repeated), searched)
  const listing = "/v1/catalog/endpoints?limit=100"
  const listed = [
    ["bare", await most(bare, pid, () => "/list")],
    ["bare with ready bytes", await most(bare, pid, () => "/bytes/list")]
  ] as const
  beside("listing, 100 rows", await most(origin, pid, () => listing), listed)
  const etag = String((await request(`${origin}${listing}`, { headers })).headers["etag"])
  const empty = [
    "bare with an empty answer",
    await most(bare, pid, () => "/list", { "if-none-match": etag }, 304)
  ] as const
  beside("listing, 304", await most(origin, pid, () => listing, { "if-none-match": etag }, 304), [...listed, empty])
  // The pages that reading the file took stay with the process until its first large collections.
  line(
    "memory",
    `${usedMb.toFixed(0)} MB used; resident ${rssMb.toFixed(0)} MB when built, ${residentMegabytes(pid).toFixed(0)} MB after all of this`
  )
  server.kill("SIGINT")
}

try {
  for (const file of files) await measure(file)
} finally {
  await stopAll()
}

// Speed and size of the catalog's routes at 40,000 and 95,000 operations, through HTTP, each beside a bare Node server that sends
// the same rows. Usage: npm run bench:catalog -- [--data DIR] [--seconds N]
import { join } from "node:path"
import { Pool, request } from "undici"
import { dataFolder } from "./search/Data.js"
import { freePort, ready, start, stopAll } from "./runs/Processes.js"

const data = dataFolder(process.argv)
const secondsAt = process.argv.indexOf("--seconds")
const seconds = secondsAt < 0 ? 5 : Number(process.argv[secondsAt + 1])
const queries = ["weather forecast", "send sms", "list invoices", "translate text", "stock price", "create user", "upload file", "exchange rate", "search flights", "delete webhook"]
const headers = { authorization: "Bearer bench" }

const share = (sorted: ReadonlyArray<number>, of: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * of))] ?? Number.NaN
const timed = async (pool: Pool, path: string, more: { readonly [name: string]: string }, expected: number): Promise<number> => {
  const begin = performance.now()
  const { body, statusCode } = await pool.request({ method: "GET", path, headers: { ...headers, ...more } })
  await body.dump({ limit: 100_000_000 })
  if (statusCode !== expected) throw new Error(`${path} answered ${statusCode}`)
  return performance.now() - begin
}

/** As many as a closed loop of 16 connections gets answered. */
const most = async (origin: string, path: (n: number) => string, more: { readonly [name: string]: string } = {}, expected = 200): Promise<number> => {
  const pool = new Pool(origin, { connections: 16, pipelining: 1 })
  const until = performance.now() + seconds * 1000
  const begin = performance.now()
  let count = 0
  await Promise.all(Array.from({ length: 16 }, async () => {
    while (performance.now() < until) await timed(pool, path(count++), more, expected)
  }))
  await pool.close()
  return (1000 * count) / (performance.now() - begin)
}

/** Latencies at a steady rate, each counted from when it was due, so that a stall is not hidden by waiting for it. */
const steady = async (origin: string, perSecond: number, path: (n: number) => string): Promise<ReadonlyArray<number>> => {
  const pool = new Pool(origin, { connections: 64, pipelining: 1 })
  const begin = performance.now()
  const due = Array.from({ length: perSecond * seconds }, (_, n) => begin + (1000 * n) / perSecond)
  const times = await Promise.all(due.map(async (at, n) => {
    await new Promise((resolve) => setTimeout(resolve, at - performance.now()))
    await timed(pool, path(n), {}, 200)
    return performance.now() - at
  }))
  await pool.close()
  return times.toSorted((a, b) => a - b)
}

const line = (label: string, text: string): void => console.log(`  ${label.padEnd(26)} ${text}`)
const beside = (label: string, own: number, bare: number): void => line(label, `${own.toFixed(0)}/s, bare server ${bare.toFixed(0)}/s (${((100 * own) / bare).toFixed(0)} %)`)

const measure = async (file: string): Promise<void> => {
  const port = await freePort()
  const server = start(["--expose-gc", join(import.meta.dirname, "catalog/server.js"), join(data, file), String(port)], { NODE_ENV: "production" })
  const origin = `http://127.0.0.1:${port}`
  const bare = `http://127.0.0.1:${port + 1}`
  await ready(`${bare}/built`)
  await ready(`${origin}/livez`)
  const built = JSON.parse(await (await request(`${bare}/built`)).body.text()) as Record<"operations" | "buildSeconds" | "longestWaitMs" | "usedMb" | "rssMb", number>
  console.log(`${file}: ${built.operations} operations`)
  line("build", `${built.buildSeconds.toFixed(1)} s in slices, longest wait ${built.longestWaitMs.toFixed(0)} ms`)
  line("memory", `${built.usedMb.toFixed(0)} MB used, ${built.rssMb.toFixed(0)} MB resident`)
  const searchPath = (n: number): string => `/v1/catalog/search?limit=10&q=${encodeURIComponent(queries[n % queries.length] ?? "")}`
  await most(origin, searchPath)
  const times = await steady(origin, 200, searchPath)
  line("search at 200/s", `p50 ${share(times, 0.5).toFixed(1)} ms, p95 ${share(times, 0.95).toFixed(1)}, p99 ${share(times, 0.99).toFixed(1)}`)
  beside("search, 16 at once", await most(origin, searchPath), await most(bare, () => "/search"))
  const listing = "/v1/catalog/endpoints?limit=100"
  beside("listing, 100 rows", await most(origin, () => listing), await most(bare, () => "/list"))
  const etag = String((await request(`${origin}${listing}`, { headers })).headers["etag"])
  const unchanged = await most(origin, () => listing, { "if-none-match": etag }, 304)
  beside("listing, 304", unchanged, await most(bare, () => "/list"))
  beside("  beside an empty answer", unchanged, await most(bare, () => "/list", { "if-none-match": etag }, 304))
  server.kill("SIGINT")
}

try {
  for (const file of ["operations-40k.jsonl.gz", "operations-93k.jsonl.gz"]) await measure(file)
} finally {
  await stopAll()
}

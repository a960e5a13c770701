// The pages of the console over a large database: a fresh embedded Postgres is filled, the gateway starts on it, and
// every page is loaded again and again. Fails when the slowest twentieth of a page takes more than 100 ms.
// Usage: npm run bench:console -- [--runs N] [--visits N] [--data DIR]
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Duration, Effect, Redacted } from "effect"
import Pg from "pg"
import { request } from "undici"
import { commandLine } from "../src/domain/AuditEntry.js"
import type { WorkspaceId } from "../src/domain/Ids.js"
import type { Role } from "../src/domain/Member.js"
import { consoleCookies } from "../src/http/console/Cookies.js"
import { consolePages } from "../src/http/console/Pages.js"
import { OperatorServices } from "../src/layers/compose/StorageOnPostgres.js"
import { readConfig } from "../src/layers/node/Config.js"
import { Database } from "../src/layers/postgres/Database.js"
import * as EmbeddedPostgres from "../src/layers/postgres/embedded/EmbeddedPostgres.js"
import { Members } from "../src/services/Members.js"
import { Reports } from "../src/services/Reports.js"
import { Sessions } from "../src/services/Sessions.js"
import { optionsOf } from "./Options.js"
import { quantile } from "./Quantiles.js"
import { days, fill, largest } from "./console/Fill.js"
import { configured } from "./runs/Gateways.js"
import { freePort } from "../chaos/stage/PostgresPrograms.js"
import { nodeFlags, ready, start, stopAll } from "./runs/Processes.js"

const p95MillisMax = 100

const { count, text } = optionsOf({ values: ["runs", "visits", "data"] })
const runs = count("runs", 1_000_000)
const visits = count("visits", 40)
const kept = text("data")
const dataDir = kept ?? mkdtempSync(join(tmpdir(), "gateway-bench-console-"))
const filled = kept !== undefined && existsSync(join(kept, "postgres.json"))

const port = await freePort()
const publicUrl = `http://127.0.0.1:${port}`
const env = {
  PORT: String(port),
  GATEWAY_PUBLIC_URL: publicUrl,
  GATEWAY_DATA_DIR: dataDir,
  GATEWAY_RATE_BURST: "1000000000",
  GATEWAY_RATE_PER_SECOND: "1000000",
  // A check of the whole ledger takes seconds of a core at this size; here only the pages are measured.
  GATEWAY_LEDGER_CHECK_SECONDS: "0"
}
const seconds = (duration: Duration.Duration): string => `${Duration.toSeconds(duration).toFixed(0)} s`

const fillDatabase = (url: string) =>
  Effect.promise(async () => {
    const client = new Pg.Client(url)
    await client.connect()
    for (const statement of fill({ runs, workspaces: 300, uncertain: 500 })) await client.query(statement)
    await client.query("vacuum analyze")
    await client.end()
  })

const signIn = (workspaceId: WorkspaceId | null, role: Role) =>
  Effect.gen(function* () {
    const member = yield* (yield* Members).add(
      { workspaceId, role, name: `bench ${process.pid} ${role}`, email: null },
      commandLine
    )
    const { secret } = yield* (yield* Sessions).signIn(member.memberId, {
      origin: { from: null, requestId: null },
      replaces: null
    })
    return `${consoleCookies(publicUrl).session.name}=${Redacted.value(secret)}`
  })

const prepared = Effect.gen(function* () {
  const config = yield* readConfig
  yield* EmbeddedPostgres.start({ dataDir })
  return yield* Effect.gen(function* () {
    const { direct, query, sql } = yield* Database
    if (!filled) {
      const [took] = yield* Effect.timed(fillDatabase(Redacted.value(direct.next().url)))
      console.log(`filled with ${runs} runs in ${seconds(took)}`)
    }
    const [kept] = yield* Effect.timed((yield* Reports).keep)
    console.log(`sums and spans made in ${seconds(kept)}`)
    const [sizes] = yield* query(sql`
      select (select count(*) from runs) as runs, (select count(*) from ledger_entries) as entries, pg_size_pretty(pg_database_size(current_database())) as size`)
    console.log(sizes)
    const [ids] = yield* query(sql`
      select (select run_id from runs where workspace_id = ${largest} and status = 'completed' order by run_id limit 1) as run,
        (select run_id from runs where status = 'reconciliation_pending' order by created_at limit 1) as uncertain,
        (select token_id from runs where workspace_id = ${largest} and token_id like '%5' order by run_id limit 1) as token,
        (select provider_id from (select provider_id from runs where workspace_id = ${largest} order by run_id limit 20000) as first_runs
          group by provider_id order by count(*) limit 1) as rare`)
    return { ids: ids ?? {}, owner: yield* signIn(largest, "owner"), operator: yield* signIn(null, "operator") }
  }).pipe(Effect.provide(OperatorServices(config)))
}).pipe(Effect.scoped, Effect.provide(configured(env)))

const load = async (path: string, cookie: string): Promise<number> => {
  const begin = performance.now()
  const { body, statusCode } = await request(publicUrl + path, { headers: { cookie } })
  const text = await body.text()
  // An address above pages only leads on.
  if (statusCode !== 200 && statusCode !== 303) throw new Error(`${path} answered ${statusCode}: ${text.slice(0, 500)}`)
  return performance.now() - begin
}

try {
  const { ids, operator, owner } = await Effect.runPromise(prepared)
  start([...nodeFlags, "dist/main.js"], env)
  await ready(`${publicUrl}/readyz`)

  const inPath = new Map<string, unknown>([
    ["workspaceId", largest],
    ["workspace", largest],
    ["endpointId", "mock-email-find"]
  ])
  const dayAgo = (count: number): string => new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10)
  /** The same pages with filters, also of what hardly ever occurs. */
  const filters: ReadonlyArray<readonly [path: string, query: string]> = [
    ["/console/:workspaceId/overview", `days=${days}`],
    ["/console/:workspaceId/runs", "status=failed"],
    ["/console/:workspaceId/runs", "status=reconciliation_pending"],
    ["/console/:workspaceId/runs", `token=${String(ids["token"])}`],
    ["/console/:workspaceId/runs", `provider=${String(ids["rare"])}`],
    ["/console/:workspaceId/runs", "endpoint=nobody.ever-used-it"],
    ["/console/:workspaceId/runs", `token=${String(ids["token"])}&status=blocked&from=${dayAgo(60)}&to=${dayAgo(30)}`],
    ["/console/:workspaceId/runs", "job=people.email.find"],
    ["/console/:workspaceId/runs", `from=${dayAgo(50)}&to=${dayAgo(49)}`],
    ["/console/:workspaceId/ledger", "kind=charge"],
    ["/console/:workspaceId/ledger", `kind=charge&from=${dayAgo(50)}&to=${dayAgo(49)}`],
    ["/console/:workspaceId/ledger", `run=${String(ids["run"])}`],
    ["/console/operator/workspaces", "q=bench 29"]
  ]
  /** Pages whose ids there are: a login that waits, or a file, is made by nobody here. */
  const known = ({ path }: { readonly path: string }) =>
    Array.from(path.matchAll(/:([A-Za-z]+)/g), ([, name = ""]) => name).every(
      (name) => name === "runId" || inPath.has(name)
    )
  const plain = consolePages
    .filter((page) => page.method === "GET" && page.sees !== "anyone" && page.path !== "/console" && known(page))
    .map(({ path }): readonly [string, string] => [path, ""])
  let slow = 0
  console.log(`\n${"p50".padStart(8)} ${"p95".padStart(8)}   page, ${visits} visits each, in ms`)
  for (const [path, query] of [...plain, ...filters]) {
    const runId = path.includes("/desk/") ? ids["uncertain"] : ids["run"]
    const asked = path.replace(/:([A-Za-z]+)/g, (_, name: string) =>
      encodeURIComponent(String(name === "runId" ? runId : inPath.get(name)))
    )
    const address = query === "" ? asked : `${asked}?${query.replaceAll(" ", "%20")}`
    const cookie = path.startsWith("/console/operator") ? operator : owner
    await load(address, cookie)
    const times: Array<number> = []
    for (let visit = 0; visit < visits; visit += 1) times.push(await load(address, cookie))
    times.sort((a, b) => a - b)
    const [p50, p95] = [quantile(times, 0.5), quantile(times, 0.95)]
    if (p95 > p95MillisMax) slow += 1
    console.log(
      `${p50.toFixed(1).padStart(8)} ${p95.toFixed(1).padStart(8)} ${p95 > p95MillisMax ? "!" : " "} ${path}${query === "" ? "" : ` ?${query.replaceAll(/=[^&]*_[0-9a-z]+/g, "=…")}`}`
    )
  }
  if (slow > 0) {
    console.error(`\n${slow} pages take more than ${p95MillisMax} ms at the 95th percentile`)
    process.exitCode = 1
  }
} finally {
  await stopAll()
  if (kept === undefined) rmSync(dataDir, { recursive: true, force: true })
}

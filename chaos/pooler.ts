/**
 * `npm run pooler`: the tests of the services and of the storage through a PgBouncer in transaction mode, then a short
 * load with and without it. Both are started here, PgBouncer with the line of `docs/scaling.md` in its configuration.
 * Files of tests, or folders, as arguments take the place of the usual ones. Ends with 1 when a test or a run fails.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Ref } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import Pg from "pg"
import { pooledSettings } from "../src/layers/postgres/database/Pools.js"
import { audit } from "./stage/Audit.js"
import { insist } from "./stage/Client.js"
import { clusterFolder, createCluster, freePort, makeCluster, owner, user } from "./stage/Cluster.js"
import { makeFindings } from "./stage/Findings.js"
import { find } from "./stage/Mix.js"
import { buildProgram, projectFolder } from "./stage/Program.js"
import { acquireStage, type Stage } from "./stage/Stage.js"

const usual = ["test/services", "test/layers/postgres"]
const program = process.env["PGBOUNCER"] ?? "pgbouncer"
const clients = 16
const loadSeconds = 6
const rounds = 2

/** A PgBouncer in front of every database of a server; answers its port. */
const acquirePooler = (folder: string, serverPort: number) =>
  Effect.gen(function* () {
    const port = yield* freePort
    const users = join(folder, "users.txt")
    const settings = join(folder, "pgbouncer.ini")
    const line = pooledSettings({ max: 0, acquireTimeoutMillis: 0, statementTimeoutMillis: 10_000 })
    yield* Effect.sync(() => {
      writeFileSync(users, `"${user}" ""\n`)
      writeFileSync(
        settings,
        `[databases]
* = host=127.0.0.1 port=${serverPort} connect_query='${line}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
admin_users = ${user}
pool_mode = transaction
default_pool_size = 10
server_idle_timeout = 5
max_client_conn = 2000
query_wait_timeout = 3
log_connections = 0
log_disconnections = 0
log_pooler_errors = 0
`
      )
      for (const file of [users, settings]) chmodSync(file, 0o644)
    })
    const ended = { is: false }
    yield* Effect.acquireRelease(
      Effect.sync((): ChildProcess => {
        const child = spawn(program, ["--quiet", settings], { ...owner, cwd: "/", stdio: "ignore" })
        child.once("error", () => void (ended.is = true))
        child.once("exit", () => void (ended.is = true))
        return child
      }),
      (child) => Effect.sync(() => void child.kill("SIGKILL"))
    )
    const answers = Effect.promise(
      () =>
        new Promise<boolean>((resolve) => {
          const socket = connect(port, "127.0.0.1", () => resolve(true))
          socket.once("error", () => resolve(false)).once("connect", () => socket.destroy())
        })
    )
    yield* Effect.repeat(Effect.delay(answers, "50 millis"), { until: (well) => well || ended.is })
    if (ended.is) return yield* Effect.dieMessage(`${program} does not run: install pgbouncer, or name it in PGBOUNCER`)
    return port
  })

/** How many transactions the pooler has passed on, by its own count. */
const transactions = (port: number) =>
  Effect.promise(async () => {
    const client = new Pg.Client({ connectionString: `postgres://${user}@127.0.0.1:${port}/pgbouncer` })
    await client.connect()
    const { rows } = await client.query<{ name: string; value: string }>("show totals").finally(() => client.end())
    return Number(rows.find(({ name }) => name === "total_xact_count")?.value ?? 0)
  })

const runTests = (files: ReadonlyArray<string>, serverUrl: string, pooler: string) =>
  Effect.async<number>((resume) => {
    const child = spawn(process.execPath, [join(projectFolder, "node_modules/vitest/vitest.mjs"), "run", ...files], {
      cwd: projectFolder,
      env: { ...process.env, DATABASE_URL: serverUrl, TEST_POOLER: pooler },
      stdio: "inherit"
    })
    child.once("exit", (code) => resume(Effect.succeed(code ?? 1)))
  })

/** Runs a second over a node that reaches its database so. */
const rate = (stage: Stage, environment: { readonly [name: string]: string }, url: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const findings = makeFindings()
      const spender = yield* stage.fund(500_000_000)
      const node = yield* stage.node(findings, environment, url)
      const begun = yield* Ref.make(0)
      const ended = yield* Ref.make(0)
      const prefix = `load ${Math.random()}`
      const client = Effect.gen(function* () {
        const key = `${prefix} ${yield* Ref.updateAndGet(begun, (before) => before + 1)}`
        const answer = yield* insist(findings, () => [node], { token: spender.token, body: find(), key, wait: 20 })
        findings.hold(answer.status === "completed", `a run ended ${answer.status ?? answer.httpStatus}`)
        yield* Ref.update(ended, (before) => before + 1)
      })
      yield* Effect.forEach(Array.from({ length: clients }), () => Effect.forever(client), {
        concurrency: "unbounded",
        discard: true
      }).pipe(Effect.timeoutOption(loadSeconds * 1000))
      const runs = yield* Ref.get(ended)
      const { astrayMicros } = yield* audit(stage, findings, [spender])
      findings.hold(astrayMicros === 0, `${astrayMicros} micros are astray`)
      return { perSecond: runs / loadSeconds, problems: findings.list() }
    })
  )

const main = Effect.scoped(
  Effect.gen(function* () {
    const folder = yield* clusterFolder
    const cluster = yield* makeCluster(folder, "server")
    yield* createCluster(cluster, { max_connections: "500", fsync: "off" })
    const port = yield* acquirePooler(folder, cluster.port)
    const pooler = `127.0.0.1:${port}`
    const asked = process.argv.slice(2)
    const code = yield* runTests(asked.length === 0 ? usual : asked, cluster.url, pooler)
    const passed = yield* transactions(port)

    const stage = yield* acquireStage(cluster.url, yield* Effect.promise(() => buildProgram("gateway")))
    const pooled = new URL(cluster.url)
    pooled.host = pooler
    const problems: Array<string> = []
    for (let round = 1; round <= rounds; round++) {
      const direct = yield* rate(stage, {}, cluster.url)
      const through = yield* rate(stage, { GATEWAY_LISTEN_URL: cluster.url }, pooled.href)
      problems.push(...direct.problems, ...through.problems)
      yield* Console.log(
        `load ${round}: ${direct.perSecond.toFixed(0)} runs/s without the pooler, ${through.perSecond.toFixed(0)} through it (${clients} clients, one node)`
      )
    }
    yield* Console.log(
      `tests through the pooler: ${code === 0 ? "passed" : "failed"}; they made ${passed} transactions there`
    )
    // Asking for the count is counted too, so that there is never none.
    if (passed < 10) problems.push("nothing went through the pooler")
    for (const problem of problems) yield* Console.log(`broken: ${problem}`)
    if (code !== 0 || problems.length > 0) yield* Effect.sync(() => void (process.exitCode = 1))
  })
)

NodeRuntime.runMain(main)

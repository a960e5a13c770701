/**
 * `npm run drill`: the backups of docs/backup.md, made under load and loaded again. Three times: a base backup with
 * the archived log, restored to a named point; a dump, loaded into a fresh cluster; and a dump, loaded into a new
 * database that takes the name of the one that it was made of. After each, `gateway ledger verify` must say drift 0
 * before a node is started, the storage must be recognised as another one, what waited in its queue must fail without
 * a call, keys that were answered before the backup must be replayed, keys of later must be new runs, and no micro may
 * be astray. Ends with 1 when any of this is broken.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect, Ref, type Scope } from "effect"
import { spawnSync } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { join } from "node:path"
import { audit } from "./stage/Audit.js"
import type { Answer } from "./stage/Client.js"
import { insist } from "./stage/Client.js"
import {
  baseBackup,
  type Cluster,
  clusterFolder,
  createCluster,
  database,
  makeCluster,
  runProgram,
  subFolder,
  user
} from "./stage/Cluster.js"
import { type Findings, makeFindings } from "./stage/Findings.js"
import { mixed, sendMessage } from "./stage/Mix.js"
import { buildProgram, projectFolder } from "./stage/Program.js"
import { untilQuiet } from "./stage/Quiet.js"
import { acquireStage, type Spender, type Stage } from "./stage/Stage.js"

const clients = 8
const waiting = 16
const loadMillis = 4_000
/** Few enough that runs wait in the queue when the backup is made. */
const environment = { GATEWAY_DISPATCH_SLOTS: "2", GATEWAY_HISTORY_DAYS: "7" }
/** How many keys of before and after the backup are sent again. */
const sentAgain = 12

/** A key with its number, by which the same request can be made again, and what was answered. */
interface Told {
  readonly n: number
  readonly answer: Answer
}

let operations = 0

interface Lived {
  readonly before: ReadonlyArray<Told>
  readonly after: ReadonlyArray<Told>
}

const keyOf = (n: number) => `drill ${n}`

/**
 * Two nodes under load. In the middle of it, with a queue that is full, the backup is made; then everything that waited
 * is worked on, and more. Ends with the nodes.
 */
const life = (stage: Stage, findings: Findings, spender: Spender, backup: Effect.Effect<void>): Effect.Effect<Lived> =>
  Effect.scoped(
    Effect.gen(function* () {
      const nodes = yield* Effect.all([stage.node(findings, environment), stage.node(findings, environment)], {
        concurrency: 2
      })
      const told = yield* Ref.make<ReadonlyArray<Told>>([])
      const client = Effect.gen(function* () {
        const n = operations++
        const answer = yield* mixed(findings, () => nodes, spender, n, keyOf(n))
        yield* Ref.update(told, (all) => [...all, { n, answer }])
      })
      const load = Effect.forkScoped(
        Effect.forEach(Array.from({ length: clients }), () => Effect.forever(client), {
          concurrency: "unbounded",
          discard: true
        })
      )
      const first = yield* load
      yield* Effect.sleep(loadMillis)
      yield* Effect.forEach(
        Array.from({ length: waiting }, () => operations++),
        (n) =>
          insist(findings, () => nodes, {
            token: spender.token,
            body: sendMessage({ delayMs: 1_000 }),
            key: keyOf(n),
            wait: 0
          }),
        { concurrency: 8 }
      )
      const before = yield* Ref.get(told)
      yield* backup
      const known = operations
      // The queue comes first, and then what was asked after the backup.
      yield* Effect.sleep(3 * loadMillis)
      yield* first.interruptAsFork(first.id())
      yield* untilQuiet(stage, findings, "90 seconds")
      return { before, after: (yield* Ref.get(told)).filter(({ n }) => n >= known) }
    })
  )

/** What an operator does before a node is started: the money must add up. */
const verify = (stage: Stage, findings: Findings, name: string) =>
  Effect.gen(function* () {
    const { status, stderr, stdout } = yield* Effect.sync(() =>
      spawnSync(process.execPath, [join(projectFolder, "dist", "cli.js"), "ledger", "verify"], {
        encoding: "utf8",
        env: { PATH: process.env["PATH"], DATABASE_URL: stage.databaseUrl }
      })
    )
    findings.hold(status === 0, `${name}: gateway ledger verify ended with ${status}: ${stdout}${stderr}`)
    yield* Console.log(`  gateway ledger verify: ${stdout.trim()}`)
  })

interface Waiting {
  readonly runId: string
  readonly status: string
  readonly open: boolean
}

/** Everything that must hold once the backup is in its place and nodes are started over it. */
const holds = (stage: Stage, findings: Findings, name: string, spender: Spender, { after, before }: Lived) =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* verify(stage, findings, name)
      const epoch = Effect.map(
        stage.rows<{ epoch: number }>("select epoch from storage_identity"),
        ([row]) => row?.epoch ?? -1
      )
      const left = yield* stage.rows<Waiting>(
        `select r.run_id as "runId", r.status,
           exists (select from attempts a where a.workspace_id = r.workspace_id and a.run_id = r.run_id and a.status = 'running') as open
         from runs r where r.status in ('queued', 'running')`
      )
      const queued = left.filter(({ open }) => !open)
      findings.hold(queued.length > 0, `${name}: nothing waited in the backup, so nothing was tried`)
      const epochBefore = yield* epoch
      const calls = stage.fixture.calls.of()
      const nodes = yield* Effect.all([stage.node(findings), stage.node(findings)], { concurrency: 2 })
      yield* untilQuiet(stage, findings, "60 seconds")
      findings.hold((yield* epoch) > epochBefore, `${name}: the storage was not recognised as another one`)
      findings.hold(
        stage.fixture.calls.of() === calls,
        `${name}: ${stage.fixture.calls.of() - calls} calls were made for what waited in the backup`
      )
      const ended = yield* stage.rows<{ status: string; code: string | null; charge: number | null }>(
        `select status, error ->> 'code' as code, charge_micros as charge from runs where run_id = any($1::text[])`,
        [queued.map(({ runId }) => runId)]
      )
      const replaced = ended.filter(
        ({ charge, code, status }) =>
          status === "failed" && code === "runtime_store_replaced_before_dispatch" && (charge ?? 0) === 0
      )
      findings.hold(
        replaced.length === queued.length,
        `${name}: of ${queued.length} queued runs ${replaced.length} failed as replaced: ${JSON.stringify(ended)}`
      )

      const again = ({ n }: Told) => mixed(findings, () => nodes, spender, n, keyOf(n))
      const terminal = before.filter(({ answer }) => ["completed", "failed"].includes(answer.status ?? ""))
      const replayed = yield* Effect.forEach(terminal.slice(-sentAgain), (one) =>
        Effect.map(again(one), (answer) => {
          const same = answer.runId === one.answer.runId && answer.status === one.answer.status
          findings.hold(same && answer.replayed === true, `${name}: a key of before the backup was not replayed`)
          return same
        })
      )
      const anew = yield* Effect.forEach(after.slice(-sentAgain), (one) =>
        Effect.map(again(one), (answer) => {
          const fresh = answer.runId !== one.answer.runId && answer.replayed !== true
          findings.hold(fresh, `${name}: a key of after the backup was not a new run`)
          return fresh
        })
      )
      findings.hold(anew.length > 0 && replayed.length > 0, `${name}: no keys were sent again`)
      const { astrayMicros, runs } = yield* audit(stage, findings, [spender])
      findings.hold(astrayMicros === 0, `${name}: ${astrayMicros} micros are astray`)
      yield* Console.log(
        [
          `  recognised as another storage; ${replaced.length} queued runs failed as replaced, ${left.length - queued.length} with an open call were settled without another call`,
          `  ${replayed.filter(Boolean).length} of ${replayed.length} keys of before the backup replayed, ${anew.filter(Boolean).length} of ${anew.length} of after it ran anew`,
          `  ${runs} runs, ${astrayMicros} micros astray`
        ].join("\n")
      )
    })
  )

const at = (cluster: Cluster): ReadonlyArray<string> => ["-h", "127.0.0.1", "-p", String(cluster.port), "-U", user]

const main: Effect.Effect<void, never, Scope.Scope> = Effect.gen(function* () {
  const findings = makeFindings()
  const folder = yield* clusterFolder
  const archive = yield* subFolder(folder, "archive")
  const program = yield* Effect.promise(() => buildProgram("gateway"))
  const live = yield* makeCluster(folder, "live")
  yield* createCluster(live, {
    archive_mode: "on",
    archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`
  })
  const stage = yield* acquireStage(live.url, program)
  const spender = yield* stage.fund(500_000_000)
  const base = join(folder, "base")
  const dump = join(folder, "gateway.dump")
  const point = "before_the_accident"

  yield* Console.log("a base backup and a dump are made under load …")
  // The base backup is older than the point: what happened in between comes from the archived log.
  yield* life(stage, findings, spender, baseBackup(live, base))
  const lived = yield* life(
    stage,
    findings,
    spender,
    Effect.all([
      live.rows(`select pg_create_restore_point('${point}')`),
      runProgram("pg_dump", [...at(live), "--format=custom", `--file=${dump}`, database])
    ]).pipe(Effect.asVoid)
  )
  yield* live.rows("select pg_switch_wal()")
  const archived = live.rows<{ done: boolean }>(
    "select last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1) as done from pg_stat_archiver"
  )
  yield* Effect.repeat(Effect.delay(archived, "200 millis"), { until: ([row]) => row?.done === true }).pipe(
    Effect.timeoutOption("20 seconds")
  )
  yield* live.kill

  yield* Console.log("the base backup and the archived log, restored to a point:")
  const restored = yield* makeCluster(folder, "base", live.port)
  yield* restored.configure({
    archive_mode: "off",
    restore_command: `cp ${archive}/%f %p`,
    recovery_target_name: point,
    recovery_target_action: "promote"
  })
  closeSync(openSync(join(restored.directory, "recovery.signal"), "w"))
  yield* restored.start
  const recovering = restored.rows<{ recovering: boolean }>("select pg_is_in_recovery() as recovering")
  yield* Effect.repeat(Effect.delay(recovering, "200 millis"), { until: ([row]) => row?.recovering === false })
  yield* holds(stage, findings, "base backup", spender, lived)
  yield* restored.stop

  yield* Console.log("the dump, loaded into a fresh cluster:")
  const fresh = yield* makeCluster(folder, "fresh", live.port)
  yield* createCluster(fresh)
  yield* runProgram("pg_restore", [...at(fresh), "--exit-on-error", `--dbname=${database}`, dump])
  yield* holds(stage, findings, "dump", spender, lived)

  yield* Console.log("a dump, in the place of the database that it was made of:")
  const second = join(folder, "second.dump")
  const back = yield* life(
    stage,
    findings,
    spender,
    Effect.asVoid(runProgram("pg_dump", [...at(fresh), "--format=custom", `--file=${second}`, database]))
  )
  const replacing = `${database}_new`
  yield* runProgram("createdb", [...at(fresh), replacing])
  yield* runProgram("pg_restore", [
    ...[...at(fresh), "--exit-on-error", "--single-transaction"],
    ...[`--dbname=${replacing}`, second]
  ])
  yield* runProgram("psql", [
    ...[...at(fresh), "--dbname=postgres", "--set=ON_ERROR_STOP=1"],
    // This program is connected too.
    ...[
      "--command",
      "select pg_terminate_backend(pid) from pg_stat_activity where datname is not null and pid <> pg_backend_pid()"
    ],
    ...["--command", `alter database ${database} rename to ${database}_before`],
    ...["--command", `alter database ${replacing} rename to ${database}`]
  ])
  yield* holds(stage, findings, "dump in its place", spender, back)

  const problems = findings.list()
  for (const problem of problems) yield* Console.log(`broken: ${problem}`)
  if (problems.length > 0) yield* Effect.sync(() => void (process.exitCode = 1))
  else yield* Console.log("Every promise was kept.")
})

NodeRuntime.runMain(Effect.scoped(main))

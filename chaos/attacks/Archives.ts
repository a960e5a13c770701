/**
 * Old runs are archived under load by a process that is killed again and again, wherever it is. In the end each run is
 * in exactly one place, the database or the file of its month, with its attempts; all money adds up; and no client was
 * answered anything but its run, or that there is none once its month has left.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { Effect, Option, Random } from "effect"
import { suffix } from "../../src/domain/Ids.js"
import { monthOf } from "../../src/domain/Run.js"
import { audit } from "../stage/Audit.js"
import { ask, insist } from "../stage/Client.js"
import { makeFindings, type Row } from "../stage/Findings.js"
import { find } from "../stage/Mix.js"
import { buildProgram } from "../stage/Program.js"
import { apart, type Spender, type Stage } from "../stage/Stage.js"

interface ArchivesSize {
  readonly runs: number
  readonly kills: number
}

const day = 24 * 3_600_000
/** How old the three parts of the runs are. The first two leave with their months, the third stays in the history. */
const ages = [150, 100, 20]
const settings = { GATEWAY_HISTORY_DAYS: "7", GATEWAY_RUN_DAYS: "60" }

interface Known {
  readonly runId: string
  readonly charged: number
  readonly attempts: number
}

/** Makes the runs of a workspace older, as if made that long ago: their ids and times, and the ids of their entries. */
const aged = (stage: Stage, spender: Spender, days: number) =>
  apart(stage.databaseUrl, async (client) => {
    const then = Date.now() - days * day
    const id = `'run_${suffix(then, new Uint8Array(10)).slice(0, 10)}' || substr(run_id, 15)`
    const where = `where workspace_id = '${spender.workspaceId}' and run_id is not null`
    await client.query("begin")
    await client.query("alter table ledger_entries disable trigger ledger_append_only")
    for (const table of ["attempts", "media", "idempotency_keys", "ledger_entries"])
      await client.query(`update ${table} set run_id = ${id} ${where}`)
    await client.query(
      `update runs set run_id = ${id}, created_at = ${then}, started_at = ${then}, completed_at = ${then} ${where}`
    )
    await client.query("alter table ledger_entries enable trigger ledger_append_only")
    await client.query("commit")
  })

/** Starts the archiver and kills it after so long, or lets it end where that is null; answers its exit code. */
const archive = (program: string, databaseUrl: string, folder: string, killAfterMillis: number | null) =>
  Effect.async<{ readonly code: number | null; readonly said: string }>((resume) => {
    const child = spawn(process.execPath, [program], {
      env: { PATH: process.env["PATH"], DATABASE_URL: databaseUrl, GATEWAY_ARCHIVE_DIR: folder, ...settings },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let said = ""
    child.stdout.on("data", (text) => void (said += String(text)))
    let trouble = ""
    child.stderr.on("data", (text) => void (trouble += String(text)))
    const timer = killAfterMillis === null ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMillis)
    child.once("close", (code) => {
      clearTimeout(timer)
      resume(Effect.succeed({ code, said: code === 0 ? said : trouble }))
    })
  })

interface Line {
  readonly kind: string
  readonly runId: string
  readonly chargeMicros: number
  readonly attempts: ReadonlyArray<unknown>
}

export const archives = (stage: Stage, size: ArchivesSize): Effect.Effect<Row> =>
  Effect.scoped(
    Effect.gen(function* () {
      const findings = makeFindings()
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "provider-gateway-archive-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
      )
      const program = yield* Effect.promise(() => buildProgram("archiver", "archiver.ts"))
      const node = yield* stage.node(findings)
      const spenders = yield* Effect.forEach(ages, () => stage.fund(10_000_000_000))
      const loaded = yield* stage.fund(10_000_000_000)
      yield* Effect.forEach(
        Array.from({ length: size.runs }, (_, n) => n),
        (n) =>
          insist(findings, () => [node], {
            token: spenders[n % spenders.length]?.token ?? "",
            body: find(),
            key: `old ${n}`,
            wait: 20
          }),
        { concurrency: 32, discard: true }
      )
      yield* Effect.forEach(spenders, (spender, at) => aged(stage, spender, ages[at] ?? 0), { discard: true })
      const ids = spenders.map(({ workspaceId }) => workspaceId)
      const known = yield* stage.rows<Known>(
        `select r.run_id as "runId", r.charge_micros as charged,
           (select count(*)::int from attempts a where a.workspace_id = r.workspace_id and a.run_id = r.run_id) as attempts
         from runs r where r.workspace_id = any($1::text[])`,
        [ids]
      )
      const gone = new Set(ages.slice(0, 2).map((days) => monthOf(Date.now() - days * day)))

      // Somebody reads old runs and makes new ones all the while.
      let asked = 0
      const client = Effect.gen(function* () {
        const n = (asked += 1)
        const made = yield* ask(findings, node, "POST", "/v1/runs", {
          token: loaded.token,
          body: find(),
          key: `new ${n}`,
          wait: 20
        })
        findings.hold(
          Option.exists(made, ({ httpStatus }) => httpStatus === 201),
          "a new run was not answered"
        )
        const at = yield* Random.nextIntBetween(0, spenders.length)
        const [old] = yield* stage.rows<{ runId: string }>(
          `select run_id as "runId" from ledger_entries where workspace_id = $1 and run_id >= $2 order by run_id limit 1`,
          [ids[at], known[n % known.length]?.runId]
        )
        if (old === undefined) return
        const read = yield* ask(findings, node, "GET", `/v1/runs/${old.runId}`, { token: spenders[at]?.token ?? "" })
        const left = at < gone.size
        findings.hold(
          Option.exists(read, ({ httpStatus }) => httpStatus === 200 || (left && httpStatus === 404)),
          "an old run was not answered as it is"
        )
      })
      const load = yield* Effect.forkScoped(
        Effect.forEach([1, 2, 3, 4], () => Effect.forever(client), { concurrency: "unbounded", discard: true })
      )

      let kills = 0
      let ended = false
      // Where nothing is left, a pass ends before it can be killed; the file of a month then has been written already.
      while (!ended && kills < size.kills) {
        const { code, said } = yield* archive(
          program,
          stage.databaseUrl,
          folder,
          yield* Random.nextIntBetween(600, 2_500)
        )
        if (code === null) kills += 1
        else {
          findings.hold(code === 0, `the archiver failed: ${said}`)
          ended = true
        }
        // Nobody waits here for the minute after which another may go on.
        yield* stage.rows("update history_turn set until_millis = 0")
      }
      const last = yield* archive(program, stage.databaseUrl, folder, null)
      findings.hold(last.code === 0, `the archiver failed: ${last.said}`)
      yield* load.interruptAsFork(load.id())

      const files = readdirSync(folder)
      findings.hold(!files.some((name) => name.endsWith(".partial")), "a part of a file is left")
      const lines = files
        .filter((name) => name.endsWith(".gz"))
        .flatMap((name) =>
          gunzipSync(readFileSync(join(folder, name)))
            .toString()
            .trimEnd()
            .split("\n")
            .map((line): Line => JSON.parse(line) as Line)
        )
      const left = yield* stage.rows<Known>(
        `select r.run_id as "runId", r.charge_micros as charged,
           (select count(*)::int from history_attempts a where a.workspace_id = r.workspace_id and a.run_id = r.run_id) as attempts
         from history_runs r where r.workspace_id = any($1::text[])
         union all
         select r.run_id, r.charge_micros, (select count(*)::int from attempts a where a.workspace_id = r.workspace_id and a.run_id = r.run_id)
         from runs r where r.workspace_id = any($1::text[])`,
        [ids]
      )
      const found = [
        ...left,
        ...lines.map(({ attempts, chargeMicros, runId }) => ({
          runId,
          charged: chargeMicros,
          attempts: attempts.length
        }))
      ]
      const text = ({ attempts, charged, runId }: Known) => `${runId} ${charged} ${attempts}`
      const [before, after] = [known.map(text).sort(), found.map(text).sort()]
      findings.hold(before.length === after.length, `${known.length} runs became ${found.length}`)
      findings.hold(before.join() === after.join(), "a run is not as it was")
      findings.hold(lines.length === (known.length * 2) / 3, `${lines.length} runs are in files`)
      const { driftMicros, ok, difference } = yield* Effect.orDie(stage.wallet.verify)
      findings.hold(ok, `the ledger does not add up: ${difference}`)
      const { astrayMicros } = yield* audit(stage, findings, [loaded])
      return {
        attack: "archiver killed under load",
        operations: known.length + asked,
        faults: kills,
        astrayMicros: astrayMicros + driftMicros,
        recoveryMillis: null,
        problems: findings.list()
      }
    })
  )

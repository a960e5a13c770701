/**
 * What becomes of finished runs after days and months, over Postgres: what clients still get, what the ledger still
 * proves, what stays, and what a crash does. The clock of the history is months ahead, so that runs of now are old.
 */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Either, Layer, Ref, Stream } from "effect"
import { execFileSync } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import { firstRunIdAt, RequestId, suffix } from "../../../src/domain/Ids.js"
import { endOfMonth, monthOf } from "../../../src/domain/Run.js"
import { Database } from "../../../src/layers/postgres/Database.js"
import { historyReads, YoungestMoved } from "../../../src/layers/postgres/history/HistoryReads.js"
import { RunHistoryPg } from "../../../src/layers/postgres/history/RunHistoryPg.js"
import { runReads } from "../../../src/layers/postgres/RunReadsPg.js"
import { ArchiveFilesNone, ArchiveFilesOnDisk } from "../../../src/layers/node/ArchiveFilesOnDisk.js"
import {
  drop,
  hit,
  miss,
  ProvidersScripted,
  type ScriptedProviders
} from "../../../src/layers/providers/ProvidersScripted.js"
import { RetentionKept } from "../../../src/layers/runs/retention/RetentionKept.js"
import { RetentionPasses } from "../../../src/layers/runs/retention/RetentionPasses.js"
import { ArchiveFailed, ArchiveFiles } from "../../../src/services/ArchiveFiles.js"
import { Proposals } from "../../../src/services/Proposals.js"
import { Reports } from "../../../src/services/Reports.js"
import { Retention, type RetentionSettings } from "../../../src/services/Retention.js"
import { HistoryTaken, RunHistory } from "../../../src/services/RunHistory.js"
import { Runs } from "../../../src/services/Runs.js"
import { RunStore } from "../../../src/services/RunStore.js"
import { Wallet } from "../../../src/services/Wallet.js"
import { engine, funded, requestOf, storagePg } from "../../support/engine.js"
import { withLogLines } from "../../support/logLines.js"
import { testDatabase } from "../../support/postgres.js"

const tool = "mock-email-find"
const day = 24 * 3_600_000
const everything = { historyDays: 7, resultDays: 30, runDays: 60 }
const silent = () => Effect.void

class Ahead extends Effect.Service<Ahead>()("test/Ahead", { effect: Ref.make(0) }) {}
/** The history of a storage whose clock is ahead. */
const historyAhead = Layer.effect(
  RunHistory,
  Effect.zipWith(RunHistory, Ahead, (history, ahead) => ({
    ...history,
    now: Effect.zipWith(history.now, Ref.get(ahead), (now, days) => now + days * day)
  }))
).pipe(Layer.provide(RunHistoryPg))

/** Reports that keep no sums, as when they fall behind. */
const keepingNothing = Layer.effect(
  Reports,
  Effect.map(Reports, (reports) => ({ ...reports, keep: Effect.void }))
)

const world = (
  providers: ScriptedProviders,
  settings: Partial<RetentionSettings> = {},
  reports: Layer.Layer<Reports, never, Reports> = Layer.service(Reports)
) => {
  const { archiveDir = null, ...days } = { ...everything, ...settings }
  return Layer.mergeAll(
    engine(providers.layer),
    RetentionPasses({ ...days, archiveDir }).pipe(
      Layer.provide(reports),
      Layer.provide(archiveDir === null ? ArchiveFilesNone : ArchiveFilesOnDisk(archiveDir)),
      Layer.provideMerge(historyAhead)
    )
  ).pipe(
    Layer.provideMerge(Layer.merge(Layer.provide(storagePg, Layer.succeed(YoungestMoved, -day)), Ahead.Default)),
    Layer.provideMerge(testDatabase())
  )
}
type Services = Layer.Layer.Success<ReturnType<typeof world>>

const test = (
  title: string,
  settings: () => Partial<RetentionSettings>,
  work: (providers: ScriptedProviders) => Effect.Effect<void, unknown, Services>,
  reports?: Layer.Layer<Reports, never, Reports>
) =>
  it.live(title, () => {
    const providers = ProvidersScripted()
    return Effect.provide(work(providers), world(providers, settings(), reports))
  })

const after = (days: number) => Effect.flatMap(Ahead, (ahead) => Ref.set(ahead, days))
const passed = Effect.flatMap(Retention, ({ pass }) => pass(silent))
const rowsIn = (table: string) =>
  Effect.flatMap(Database, ({ query, sql }) =>
    Effect.map(query(sql`select count(*)::int as rows from ${sql(table)}`), ([row]) => row!["rows"])
  )
const addsUp = Effect.flatMap(Wallet, ({ verify }) =>
  Effect.map(verify, ({ difference, ok }) => assert.deepStrictEqual([ok, difference], [true, null]))
)
const started = Effect.fnUntraced(function* (
  principal: Effect.Effect.Success<ReturnType<typeof funded>>,
  endpoint = tool
) {
  const millis = yield* Clock.currentTimeMillis
  const requestId = RequestId.make(`req_${suffix(millis, randomBytes(10))}`)
  const request = requestOf(endpoint, { requestId })
  return { request, ...(yield* (yield* Runs).create(principal, request, 20)) }
})

const folder = () => mkdtempSync(join(tmpdir(), "archive-"))
let archiveDir = ""

describe("finished runs that are old", () => {
  test(
    "leave the hot tables and are answered as before: alone, in lists, with files, replays and cancels",
    () => ({ resultDays: null, runDays: null }),
    (providers) =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        const { workspaceId } = principal
        const runs = yield* Runs
        const store = yield* RunStore
        providers.script(tool, hit(undefined, { costMicros: 5_000 }), miss(undefined, { costMicros: 0 }), drop())
        const made = [yield* started(principal), yield* started(principal), yield* started(principal)]
        const [paid] = made
        assert.strictEqual(made[2]!.run.status, "failed")
        const refused = yield* runs.create(principal, requestOf(tool, { input: {} }), 20)
        const { query, sql } = yield* Database
        yield* query(sql`
        insert into media (workspace_id, run_id, media_id, content_type, sha256, bytes)
        values (${workspaceId}, ${paid!.run.runId}, ${`med_${"0".repeat(26)}`}, 'text/plain', '', ${Buffer.from("a file")})`)
        const by = JSON.stringify({ kind: "command_line", from: null, requestId: null })
        yield* query(sql`
        insert into resolution_proposals (workspace_id, run_id, proposal_id, verdict, charge_micros, reason, proposed_by, proposed_at, status,
          decided_by, decided_at)
        values (${workspaceId}, ${paid!.run.runId}, ${`prp_${"0".repeat(26)}`}, 'charged', 5000, 'their log', ${by}::jsonb, 1, 'confirmed', ${by}::jsonb, 2)`)
        const proposals = yield* Proposals
        const seen = Effect.gen(function* () {
          const pages = []
          for (const filter of [
            {},
            { status: "completed" as const },
            { capability: "people.email.find" },
            { tokenId: principal.tokenId },
            { endpointId: tool }
          ]) {
            const shown = []
            let place: string | null = null
            do {
              const page: Effect.Effect.Success<ReturnType<typeof store.list>> = yield* store.list(
                workspaceId,
                filter,
                { limit: 2, after: place },
                1_000_000
              )
              shown.push(...page.items)
              place = page.next
            } while (place !== null)
            pages.push(shown)
          }
          const details = yield* Effect.forEach(made, ({ run }) => runs.get(workspaceId, run.runId))
          const file = yield* store.media({ workspaceId, runId: paid!.run.runId }, `med_${"0".repeat(26)}`)
          const counts = yield* (yield* Reports).runCounts(workspaceId, 0)
          const standing = yield* (yield* Reports).workspace(workspaceId)
          return {
            pages,
            details,
            text: Buffer.from(yield* file!.part(0, file!.size)).toString(),
            counts,
            standing,
            decisions: yield* proposals.ofRuns([{ workspaceId, runId: paid!.run.runId }]),
            place: yield* store.locate(paid!.run.runId),
            placeOfRequest: yield* store.locateRequest(RequestId.make(paid!.run.requestId))
          }
        })
        const before = yield* seen
        assert.strictEqual(before.pages[0]!.length, 4)
        assert.strictEqual(before.decisions.length, 1)
        assert.deepStrictEqual(before.placeOfRequest, { workspaceId, runId: paid!.run.runId })
        assert.strictEqual((yield* passed).runs, 0)
        yield* after(8)
        assert.strictEqual((yield* (yield* Retention).due).runs, 3)
        assert.deepInclude(yield* passed, { runs: 3, payloads: 0, left: [] })
        assert.strictEqual((yield* passed).runs, 0)
        // The refused one stays until it is forgotten.
        assert.strictEqual(yield* rowsIn("runs"), 1)
        assert.strictEqual(yield* rowsIn("attempts"), 0)
        assert.strictEqual(yield* rowsIn("media"), 0)
        assert.deepStrictEqual(yield* seen, before)
        const again = yield* runs.create(principal, paid!.request, 20)
        assert.deepStrictEqual([again.replayed, again.run, again.attempts], [true, paid!.run, paid!.attempts])
        const other = yield* Effect.flip(runs.create(principal, { ...paid!.request, input: { other: true } }, 20))
        assert.propertyVal(other, "_tag", "idempotency_conflict")
        assert.deepStrictEqual((yield* runs.cancel(workspaceId, paid!.run.runId)).run, paid!.run)
        const { idempotencyKey } = paid!.request
        const byKey = yield* store.list(workspaceId, { idempotencyKey }, { limit: 2, after: null }, null)
        assert.deepStrictEqual(
          byKey.items.map(({ runId }) => runId),
          [paid!.run.runId]
        )
        const newer = yield* started(principal)
        const { items } = yield* store.list(workspaceId, {}, { limit: 2, after: null }, null)
        assert.deepStrictEqual(
          items.map(({ runId }) => runId),
          [newer.run.runId, refused.run.runId]
        )
        yield* addsUp
        const spend = yield* (yield* Reports).keep.pipe(Effect.zipRight(addsUp))
        assert.isUndefined(spend)
      })
  )

  test(
    "are answered with their attempts also where they leave while they are read",
    () => ({ resultDays: null, runDays: null }),
    (providers) =>
      Effect.gen(function* () {
        providers.script(tool, hit(), hit())
        const principal = yield* funded(1_000_000)
        const database = yield* Database
        const services = yield* Effect.context<Services>()
        let leaves = false
        // Behind its first statement, which reads the run; the second one reads its attempts.
        const leaving = (statement: Parameters<typeof database.query>[0]) =>
          Effect.tap(database.query(statement), () => {
            if (!leaves) return Effect.void
            leaves = false
            return Effect.orDie(Effect.interruptible(Effect.provide(passed, services)))
          })
        const past = historyReads(database, -day)
        const reads = yield* runReads({ ...database, query: leaving }, past)
        for (const [read, days] of [
          ["smallDetail", 10],
          ["detail", 20]
        ] as const) {
          const { attempts, run } = yield* started(principal)
          yield* after(days)
          leaves = true
          const found = yield* reads[read](run)
          assert.isFalse(leaves)
          assert.strictEqual(yield* rowsIn("runs"), 0)
          if (read === "smallDetail") assert.isNull(found)
          assert.deepStrictEqual(found ?? (yield* reads.detail(run)), { run, attempts })
        }
      }).pipe(Effect.scoped)
  )

  test(
    "stay until the reports have their charges, and the month says whose are missing",
    () => ({ archiveDir: null }),
    (providers) =>
      Effect.gen(function* () {
        providers.script(tool, hit(undefined, { costMicros: 5_000 }))
        const { run } = yield* started(yield* funded(1_000_000))
        yield* after(200)
        const { left, runs, waiting } = yield* passed
        assert.deepStrictEqual([runs, left], [1, []])
        assert.deepStrictEqual(
          waiting.map(({ waits }) => waits),
          [`charges of ${run.workspaceId} are not in its reports yet`]
        )
        assert.isNotNull(yield* (yield* RunStore).get(run))
        yield* (yield* Reports).keep
        assert.lengthOf((yield* passed).left, 1)
      }),
    keepingNothing
  )

  test(
    "stay in the hot tables while they are under way or wait for a person, and keep their month back",
    () => ({ archiveDir: null }),
    () =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        const { query, sql } = yield* Database
        const [paid, uncertain] = [yield* started(principal), yield* started(principal)]
        // As a lost effectful call leaves it; its hold is open.
        yield* query(
          sql`update runs set status = 'reconciliation_pending', charge_micros = null where run_id = ${uncertain.run.runId}`
        )
        yield* after(200)
        const { left, runs, waiting } = yield* passed
        assert.deepStrictEqual([runs, left], [1, []])
        assert.lengthOf(waiting, 1)
        assert.include(waiting[0]!.waits, uncertain.run.runId)
        assert.include(waiting[0]!.waits, "waits for a person")
        const [due] = (yield* (yield* Retention).due).months
        assert.deepInclude(due, { ...waiting[0]!, runs: 1 })
        assert.strictEqual((yield* (yield* RunStore).get(uncertain.run))?.status, "reconciliation_pending")
        assert.isNotNull(yield* (yield* RunStore).get(paid.run))
        // Settled late, it stays for some days more, and nobody is said to be waited for.
        const ended = Date.now() + 198 * day
        yield* query(
          sql`update runs set status = 'completed', charge_micros = 0, completed_at = ${ended} where run_id = ${uncertain.run.runId}`
        )
        const because = `ended only at ${new Date(ended).toISOString()}`
        assert.include((yield* (yield* Retention).due).months[0]!.waits, because)
        assert.include((yield* passed).waiting[0]!.waits, because)
        yield* after(206)
        assert.lengthOf((yield* passed).left, 1)
      })
  )

  test(
    "are still found by their token while their month waits, though a later month has left",
    () => ({ archiveDir: null }),
    () =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        const { tokenId, workspaceId } = principal
        const { query, sql } = yield* Database
        const { run } = yield* started(principal)
        const month = Date.parse(`${monthOf(run.createdAt)}-01T00:00:00Z`)
        const [alone, beside, later] = [month - 2 * day, month - day, month + 100 * day].map(firstRunIdAt)
        yield* query(sql`
          insert into runs (workspace_id, run_id, token_id, idempotency_key, request_digest, request_id, requested_endpoint_id, endpoint_id, input, status, hold_micros, spend_month, created_at)
          select ${workspaceId}, id, ${tokenId}, id, '', '', 'e', 'e', '{}', 'reconciliation_pending', 0, '', 0 from unnest(${[alone, beside]}::text[]) as ids (id)`)
        const span = (first: string | undefined, last: string | undefined) =>
          query(sql`
            insert into run_spans (workspace_id, first_run_id, last_run_id, tokens, endpoints, providers)
            values (${workspaceId}, ${first}, ${last}, ${[tokenId]}::text[], '{}', '{}')`)
        yield* span(alone, alone)
        yield* span(beside, run.runId)
        yield* span(later, later)
        yield* (yield* Reports).keep
        yield* after(200)
        assert.lengthOf((yield* passed).left, 1)
        const found = yield* (yield* RunStore).list(workspaceId, { tokenId }, { after: null, limit: 10 }, null)
        assert.deepStrictEqual(
          found.items.map(({ runId }) => runId),
          [beside, alone]
        )
      })
  )

  test(
    "lose their payload after its days, say so, and keep everything else",
    () => ({ runDays: null }),
    (providers) =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        const runs = yield* Runs
        const { query, sql } = yield* Database
        providers.script(tool, hit({ found: true, email: "ada@example.com" }, { costMicros: 5_000 }))
        const made = yield* started(principal, "job:people.email.find")
        yield* query(sql`
        insert into media (workspace_id, run_id, media_id, content_type, sha256, bytes)
        values (${principal.workspaceId}, ${made.run.runId}, ${`med_${"0".repeat(26)}`}, 'text/plain', '', ${Buffer.from("a file")})`)
        yield* after(29)
        assert.deepInclude(yield* passed, { runs: 1, payloads: 0 })
        assert.deepStrictEqual((yield* runs.get(principal.workspaceId, made.run.runId)).run, made.run)
        yield* after(31)
        assert.strictEqual((yield* (yield* Retention).due).payloads, 1)
        assert.deepInclude(yield* passed, { runs: 0, payloads: 1 })
        const { attempts, run } = yield* runs.get(principal.workspaceId, made.run.runId)
        assert.deepStrictEqual(attempts, made.attempts)
        assert.deepStrictEqual(run, {
          ...made.run,
          input: {},
          result: null,
          normalized: null,
          plan: {
            ...made.run.plan!,
            candidates: made.run.plan!.candidates.map((candidate) => ({ ...candidate, input: {} }))
          },
          payloadDropped: true
        })
        // So does a list with results, beside a run that has its own.
        const newer = yield* started(principal)
        const rowsOf = (resultBytesMax: number | null) =>
          Effect.map(
            Effect.flatMap(RunStore, ({ list }) =>
              list(principal.workspaceId, {}, { limit: 10, after: null }, resultBytesMax)
            ),
            ({ items }) => items.map(({ payloadDropped, result, runId }) => ({ payloadDropped, result, runId }))
          )
        assert.deepStrictEqual(yield* rowsOf(1_000_000), [
          { payloadDropped: undefined, result: newer.run.result, runId: newer.run.runId },
          { payloadDropped: true, result: null, runId: made.run.runId }
        ])
        assert.deepStrictEqual(yield* rowsOf(null), [
          { payloadDropped: undefined, result: null, runId: newer.run.runId },
          { payloadDropped: undefined, result: null, runId: made.run.runId }
        ])
        assert.strictEqual((yield* runs.create(principal, made.request, 20)).replayed, true)
        for (const table of ["history_payloads", "history_media"]) assert.strictEqual(yield* rowsIn(table), 0)
        const everywhere = yield* query(sql`select r::text as row from history_runs r`)
        assert.notInclude(JSON.stringify(everywhere), "Ada")
        yield* addsUp
      })
  )

  test(
    "leave the database by the month into a file, with their keys; the ledger stays and still adds up",
    () => ({ archiveDir: (archiveDir = folder()), resultDays: null }),
    (providers) =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        const { workspaceId } = principal
        const runs = yield* Runs
        const { query, sql } = yield* Database
        providers.script(
          tool,
          hit({ found: true, email: "ada@example.com" }, { costMicros: 5_000 }),
          miss(undefined, { costMicros: 0 })
        )
        const [paid, free] = [yield* started(principal), yield* started(principal)]
        yield* query(sql`
        insert into media (workspace_id, run_id, media_id, content_type, sha256, bytes)
        values (${workspaceId}, ${paid.run.runId}, ${`med_${"0".repeat(26)}`}, 'text/plain', '', ${Buffer.from("a file")})`)
        const entries = yield* rowsIn("ledger_entries")
        yield* after(40)
        assert.deepInclude(yield* passed, { runs: 2, left: [], waiting: [] })
        yield* after(100)
        const month = monthOf(paid.run.createdAt)
        // What a killed process has left is no file.
        writeFileSync(join(archiveDir, `runs-${month}.ndjson.gz.old.partial`), "torn")
        assert.deepStrictEqual((yield* passed).left, [{ month, runs: 2, file: `runs-${month}.ndjson.gz` }])
        assert.deepStrictEqual(readdirSync(archiveDir).sort(), [
          `runs-${month}.manifest.json`,
          `runs-${month}.ndjson.gz`
        ])
        const packed = readFileSync(join(archiveDir, `runs-${month}.ndjson.gz`))
        assert.deepStrictEqual(JSON.parse(readFileSync(join(archiveDir, `runs-${month}.manifest.json`), "utf8")), {
          version: 1,
          month,
          file: `runs-${month}.ndjson.gz`,
          sha256: createHash("sha256").update(packed).digest("hex"),
          runs: 2,
          heldMicros: paid.run.holdMicros + free.run.holdMicros,
          chargedMicros: 5_000,
          files: 1
        })
        const lines = gunzipSync(packed)
          .toString()
          .trimEnd()
          .split("\n")
          .map((line): Record<string, unknown> => JSON.parse(line))
        const stored = lines.find((line) => line["runId"] === paid.run.runId && line["kind"] === "run")!
        assert.deepStrictEqual(stored, {
          kind: "run",
          ...JSON.parse(JSON.stringify(paid.run)),
          attempts: JSON.parse(JSON.stringify(paid.attempts))
        })
        assert.strictEqual(
          Buffer.from(String(lines.find(({ kind }) => kind === "media")!["base64"]), "base64").toString(),
          "a file"
        )

        assert.propertyVal(yield* Effect.flip(runs.get(workspaceId, paid.run.runId)), "_tag", "not_found")
        assert.lengthOf((yield* runs.list(workspaceId, {}, { limit: 10, after: null }, false)).items, 0)
        assert.strictEqual(yield* rowsIn("ledger_entries"), entries)
        yield* addsUp
        const again = yield* runs.create(principal, paid.request, 20)
        assert.isFalse(again.replayed)
        yield* addsUp
        // A file that is gone is missed: what its runs came to is still known.
        yield* query(sql`update history_sums set charged_micros = charged_micros + 1 where charged_micros > 0`)
        const { difference, driftMicros } = yield* (yield* Wallet).verify
        assert.include(difference, principal.tokenId)
        assert.isAbove(driftMicros, 0)
        yield* query(sql`update tokens set spend_month = '2000-01', spend_micros = 0`)
        assert.include((yield* (yield* Wallet).verify).difference, `its runs of ${month}`)
      })
  )

  test(
    "are read for a file by what their payloads take in memory, not by what they are compressed to",
    () => ({ archiveDir: (archiveDir = folder()), resultDays: null }),
    (providers) =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        const history = yield* RunHistory
        const answer = { found: true, email: "a".repeat(200_000) }
        providers.script(tool, hit(answer), hit(answer), hit(answer))
        const made = [yield* started(principal), yield* started(principal), yield* started(principal)]
        yield* after(40)
        assert.deepInclude(yield* passed, { runs: 3 })
        const month = monthOf(made[0]!.run.createdAt)
        const ids = made.map(({ run }) => run.runId).sort()
        const some = yield* history.read(month, null, 300_000)
        assert.deepStrictEqual(
          some.map(({ run }) => run.runId),
          ids.slice(0, 2)
        )
        const others = yield* history.read(month, some.at(-1)!.run, 300_000)
        assert.deepStrictEqual(
          others.map(({ run }) => run.runId),
          ids.slice(2)
        )
        // One that is larger than a portion is a portion.
        assert.lengthOf(yield* history.read(month, null, 1), 1)
      })
  )

  const torn = Buffer.from("mine")
  test(
    "stay where other runs are in their file already, which is never replaced; the very same file is taken",
    () => ({ archiveDir: (archiveDir = folder()), resultDays: null }),
    () =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        const { run } = yield* started(principal)
        const month = monthOf(run.createdAt)
        const path = join(archiveDir, `runs-${month}.ndjson.gz`)
        const manifest = join(archiveDir, `runs-${month}.manifest.json`)
        const history = yield* RunHistory
        const files = ArchiveFilesOnDisk(archiveDir)
        yield* after(100)
        const refusedFor = (there: Readonly<Record<string, Buffer | string>>, what: string) =>
          Effect.gen(function* () {
            for (const name of readdirSync(archiveDir)) rmSync(join(archiveDir, name))
            for (const [name, bytes] of Object.entries(there)) writeFileSync(name, bytes)
            const [due] = (yield* (yield* Retention).due).months
            assert.deepInclude(due, { month, standing: Object.keys(there)[0] ?? null })
            const { left, refused } = yield* passed
            assert.deepStrictEqual(left, [])
            assert.include(refused[0]!.waits, what)
            assert.include(refused[0]!.waits, "stay in the database")
            assert.deepStrictEqual(
              Object.fromEntries(
                readdirSync(archiveDir).map((name) => [name, readFileSync(join(archiveDir, name), "utf8")])
              ),
              Object.fromEntries(Object.entries(there).map(([name, bytes]) => [basename(name), bytes.toString("utf8")]))
            )
            assert.deepStrictEqual((yield* (yield* Runs).get(principal.workspaceId, run.runId)).run, run)
          })
        yield* refusedFor({ [path]: torn, [manifest]: "{}" }, "is no file of runs")
        // Another gateway's, with as many runs and as much money.
        const line = {
          kind: "run",
          runId: "run_of_another",
          holdMicros: run.holdMicros,
          chargeMicros: run.chargeMicros
        }
        yield* refusedFor({ [path]: gzipSync(`${JSON.stringify(line)}\n`) }, "holds other runs (1, with")
        yield* refusedFor({ [manifest]: JSON.stringify({ sha256: "another" }) }, "of a file that is not")

        // As a process leaves it that was killed after it wrote the file and before the month was dropped.
        for (const name of readdirSync(archiveDir)) rmSync(join(archiveDir, name))
        const totals = yield* history.close("earlier", month)
        yield* history.endTurn("earlier")
        const runs = Stream.unwrap(Effect.map(history.read(month, null, 1_000_000), Stream.fromIterable))
        const { sha256 } = yield* Effect.provide(
          Effect.flatMap(ArchiveFiles, ({ keep }) => keep(month, runs, totals)),
          files
        )
        const written = readFileSync(path)
        assert.strictEqual(createHash("sha256").update(written).digest("hex"), sha256)
        rmSync(manifest)
        assert.deepStrictEqual((yield* passed).left, [{ month, runs: 1, file: basename(path) }])
        assert.deepStrictEqual(readFileSync(path), written)
        assert.include(readFileSync(manifest, "utf8"), sha256)
      })
  )

  test(
    "stay where a pipe has the name of their file, which is named, and other months leave all the same",
    () => ({ archiveDir: (archiveDir = folder()), resultDays: null }),
    () =>
      Effect.gen(function* () {
        const { tokenId, workspaceId } = yield* funded(0)
        const { query, sql } = yield* Database
        for (const created of [Date.UTC(2026, 0, 15), Date.UTC(2026, 1, 15), Date.UTC(2026, 2, 15)])
          yield* query(sql`
            insert into runs (workspace_id, run_id, token_id, idempotency_key, request_digest, request_id, requested_endpoint_id, endpoint_id, input, status, outcome,
              hold_micros, charge_micros, spend_month, started_at, completed_at, created_at)
            values (${workspaceId}, ${firstRunIdAt(created)}, ${tokenId}, ${String(created)}, '', '', 'e', 'e', '{}', 'completed', 'hit', 0, 0, '', ${created}, ${created}, ${created})`)
        const pipe = join(archiveDir, "runs-2026-01.ndjson.gz")
        execFileSync("mkfifo", [pipe])
        const { left, refused } = yield* passed
        assert.deepStrictEqual(
          left.map(({ month }) => month),
          ["2026-02", "2026-03"]
        )
        assert.deepStrictEqual(
          refused.map(({ month }) => month),
          ["2026-01"]
        )
        assert.include(refused[0]!.waits, `${pipe} is there already and is no regular file`)
        assert.isTrue(statSync(pipe).isFIFO())
        rmSync(pipe)
        assert.deepStrictEqual(
          (yield* passed).left.map(({ month }) => month),
          ["2026-01"]
        )
      })
  )

  test(
    "stay where the file cannot be written, or is not what the database has",
    () => ({ archiveDir: "/dev/null/archive", resultDays: null }),
    () =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        const made = yield* started(principal)
        yield* after(100)
        const { left, refused, runs } = yield* passed
        assert.deepStrictEqual([runs, left, refused.map(({ month }) => month)], [1, [], [monthOf(made.run.createdAt)]])
        assert.include(refused[0]!.waits, "GATEWAY_ARCHIVE_DIR")
        assert.instanceOf(yield* Effect.flip((yield* Retention).due), ArchiveFailed)
        assert.deepStrictEqual((yield* (yield* Runs).get(principal.workspaceId, made.run.runId)).run, made.run)
        const history = yield* RunHistory
        const wrong = ArchiveFiles.pipe(
          Effect.flatMap((files) =>
            files.keep(
              "2026-01",
              history.read("2026-01", null, 1).pipe(
                Effect.map(() => []),
                (none) => Stream.fromIterableEffect(none)
              ),
              { runs: 1, heldMicros: 1, chargedMicros: 1 }
            )
          ),
          Effect.provide(ArchiveFilesOnDisk(folder()))
        )
        assert.include((yield* Effect.flip(wrong)).message, "0 runs")
      })
  )

  test(
    "are worked on by one process at a time; another goes on a minute after it fell silent",
    () => ({ resultDays: null, runDays: null }),
    () =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        yield* started(principal)
        yield* after(8)
        const history = yield* RunHistory
        const { query, sql } = yield* Database
        yield* history.takeTurn("another")
        assert.instanceOf(yield* Effect.flip(passed), HistoryTaken)
        const late = {
          workspaceId: principal.workspaceId,
          after: null,
          beforeMillis: Date.now() + 9 * day,
          limit: 10,
          bytesMax: 1_000
        }
        assert.instanceOf(yield* Effect.flip(history.move("late", late)), HistoryTaken)
        yield* query(sql`update history_turn set until_millis = until_millis - 61000`)
        assert.strictEqual((yield* passed).runs, 1)
        assert.strictEqual(yield* rowsIn("history_turn"), 0)
      })
  )

  test(
    "move in portions that are bounded in runs and bytes, in the order of their ids, around locked ones",
    () => ({ resultDays: null, runDays: null }),
    () =>
      Effect.gen(function* () {
        const principal = yield* funded(1_000_000)
        const { workspaceId } = principal
        const history = yield* RunHistory
        const { query, sql } = yield* Database
        const made = []
        for (let n = 0; n < 4; n += 1) made.push((yield* started(principal)).run.runId)
        yield* history.makeMonths("test", Date.now() + day)
        const portion = { workspaceId, after: null, beforeMillis: Date.now() + day, limit: 3, bytesMax: 1_000_000 }
        assert.deepStrictEqual(yield* history.move("test", { ...portion, bytesMax: 1 }), { runs: 1, last: made[0]! })
        assert.deepStrictEqual(yield* history.move("test", { ...portion, after: made[0]! }), {
          runs: 3,
          last: made[3]!
        })
        assert.deepStrictEqual(yield* history.move("test", { ...portion, after: made[3]! }), { runs: 0, last: null })
        assert.strictEqual(yield* rowsIn("history_runs"), 4)
        const [marked] = yield* query(sql`select max(last_moved_id) as last from history_months`)
        assert.strictEqual(marked!["last"], made[3])
      })
  )
})

describe("a start with a folder that cannot be written", () => {
  test(
    "is warned of it in one line that names the folder, and goes on",
    () => ({ archiveDir: "/dev/null/archive" }),
    () =>
      withLogLines((lines) =>
        Effect.gen(function* () {
          yield* Effect.scoped(Layer.build(RetentionKept))
          assert.deepStrictEqual(
            lines.map(({ level }) => level),
            ["WARN"]
          )
          assert.match(lines[0]?.message ?? "", /^Writing to \/dev\/null\/archive /)
        })
      )
  )
  test(
    "says nothing where it can be",
    () => ({ archiveDir: (archiveDir = folder()) }),
    () =>
      withLogLines((lines) =>
        Effect.gen(function* () {
          yield* Effect.scoped(Layer.build(RetentionKept))
          assert.lengthOf(lines, 0)
          rmSync(archiveDir, { recursive: true })
        })
      )
  )
})

describe("partitions", () => {
  test(
    "are made ahead: for the months of runs that are old, and for this month and the next",
    () => ({}),
    () =>
      Effect.gen(function* () {
        const principal = yield* funded(0)
        const history = yield* RunHistory
        const { query, sql } = yield* Database
        const made = yield* Effect.either(started(principal))
        assert.isTrue(Either.isLeft(made))
        const old = Date.UTC(2026, 0, 15)
        yield* query(sql`
        insert into runs (workspace_id, run_id, token_id, idempotency_key, request_digest, request_id, requested_endpoint_id, endpoint_id, input, status, outcome,
          hold_micros, charge_micros, spend_month, started_at, completed_at, created_at)
        values (${principal.workspaceId}, ${firstRunIdAt(old)}, 't', 'k', '', '', 'e', 'e', '{"a":"\\u0000"}', 'completed', 'hit', 0, 0, '2026-01', ${old}, ${old}, ${old})`)
        yield* passed
        const current = monthOf(Date.now())
        assert.deepStrictEqual(
          (yield* history.months).map(({ month, state }) => [month, state]),
          [
            ["2026-01", "gone"],
            [current, "open"],
            [monthOf(endOfMonth(current)), "open"]
          ]
        )
        const [partitions] = yield* query(
          sql`select count(*)::int as made from pg_inherits join pg_partitioned_table on partrelid = inhparent
            where partstrat = 'r' and inhparent::regclass::text like 'history_%'`
        )
        assert.strictEqual(partitions!["made"], 8)
        yield* passed
        assert.lengthOf(yield* history.months, 3)
      })
  )
})

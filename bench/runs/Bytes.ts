/**
 * What a run takes in the database: as it stands after the load in the hot tables (indexes and the room of updates
 * included), in the history, and in the file of a month. It moves some runs there as the gateway does with old ones.
 */
import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { Chunk, Effect, Layer, Option, Schema, Stream } from "effect"
import { WorkspaceId } from "../../src/domain/Ids.js"
import { monthOf } from "../../src/domain/Run.js"
import type { StorageError } from "../../src/domain/StorageErrors.js"
import { ArchiveFilesOnDisk } from "../../src/layers/node/ArchiveFilesOnDisk.js"
import { Database } from "../../src/layers/postgres/Database.js"
import { rowsOf } from "../../src/layers/postgres/database/Rows.js"
import { RunHistoryPg } from "../../src/layers/postgres/history/RunHistoryPg.js"
import { ArchiveFiles } from "../../src/services/ArchiveFiles.js"
import { type ArchivedRun, RunHistory } from "../../src/services/RunHistory.js"
import type { RunKey } from "../../src/services/RunStore.js"

interface BytesPerRun {
  readonly hot: number
  readonly key: number
  readonly ledger: number
  readonly history: number
  readonly archive: number
}

const runsMoved = 20_000
const ahead = 24 * 3_600_000

const workspaceRows = rowsOf(Schema.Struct({ workspaceId: WorkspaceId }))
const sizeRows = rowsOf(Schema.Struct({ bytes: Schema.Int, rows: Schema.Int }))

/** Bytes of these tables for each row of the first. */
const each = (counted: string, ...tables: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { sql, survey } = yield* Database
    const size = (table: string) =>
      `coalesce((select sum(pg_total_relation_size(relid)) from pg_partition_tree('${table}')), pg_total_relation_size('${table}'))`
    const [found] = yield* sizeRows(
      survey(
        sql.unsafe(
          `select (${tables.map(size).join(" + ")})::bigint as bytes, (select count(*) from ${counted}) as rows`
        )
      )
    )
    return found === undefined || found.rows === 0 ? Number.NaN : found.bytes / found.rows
  })

const measured = (folder: string) =>
  Effect.gen(function* () {
    const history = yield* RunHistory
    const files = yield* ArchiveFiles
    const { query, sql } = yield* Database
    const hot = yield* each("runs", "runs", "attempts", "media")
    const key = yield* each("idempotency_keys", "idempotency_keys")
    const ledger = yield* each("runs", "ledger_entries")

    const beforeMillis = (yield* history.now) + ahead
    const month = monthOf(beforeMillis - ahead)
    yield* history.makeMonths("bench", beforeMillis)
    let moved = 0
    for (const { workspaceId } of yield* workspaceRows(
      query(sql`select workspace_id as "workspaceId" from workspaces order by workspace_id`)
    )) {
      if (moved >= runsMoved) break
      const portion = { workspaceId, after: null, beforeMillis, limit: 2_000, bytesMax: 100_000_000 }
      moved += (yield* history.move("bench", portion)).runs
    }
    const tables = ["history_runs", "history_payloads", "history_attempts", "history_media"]
    const inHistory = yield* each("history_runs", ...tables)
    const totals = yield* history.close("bench", month)
    const runs = Stream.paginateChunkEffect<RunKey | null, ArchivedRun, StorageError, never>(null, (after) =>
      Effect.map(history.read(month, after, 8_000_000), (found) => [
        Chunk.fromIterable(found),
        Option.map(Option.fromNullable(found.at(-1)), ({ run }) => run)
      ])
    )
    yield* files.keep(month, runs, totals)
    const fileBytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
    return { hot, key, ledger, history: inHistory, archive: fileBytes / totals.runs } satisfies BytesPerRun
  })

/** Over the database of a benchmark, which is made for it: it moves runs, and closes the month of today. */
export const bytesPerRun = (folder: string) =>
  Effect.provide(measured(folder), Layer.merge(RunHistoryPg, ArchiveFilesOnDisk(folder)))

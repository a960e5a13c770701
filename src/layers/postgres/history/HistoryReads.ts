/**
 * Single runs of the history, for reads that did not find them in the hot tables. Runs move one way only, so whoever
 * looks here second misses none, even while they move.
 */
import { Clock, Context, Effect, Schema } from "effect"
import { millisOfRunId, RunId, runIdsOfRequest, WorkspaceId } from "../../../domain/Ids.js"
import type { RunKey, RunStore } from "../../../services/RunStore.js"
import type { Database } from "../Database.js"
import { rowOf } from "../database/Rows.js"
import { mediaOf } from "../RunMediaPg.js"
import { attemptRows, attemptTable } from "../RunTables.js"
import { wholeRunRows, wholeRun } from "./HistoryTables.js"

/**
 * How old a run is at least before it leaves the hot tables: that is set in days. The attempts of a younger one are not
 * looked for here, so that polling a run that has none yet costs no second statement. A test that moves young runs puts
 * its own number there.
 */
export class YoungestMoved extends Context.Reference<YoungestMoved>()("gateway/layers/postgres/YoungestMoved", {
  defaultValue: () => 12 * 3_600_000
}) {}

const keyRow = rowOf(Schema.Struct({ workspaceId: WorkspaceId, runId: RunId }))

export const historyReads = (database: Database["Type"], youngestMillis: number) => {
  const { query, sql } = database

  const getMany = Effect.fnUntraced(function* (keys: ReadonlyArray<RunKey>) {
    return yield* wholeRunRows(
      query(sql`
      select ${sql.literal(wholeRun)}
      from unnest(${keys.map((key) => key.workspaceId)}::text[], ${keys.map((key) => key.runId)}::text[]) as k (workspace_id, run_id)
      join history_runs r on r.workspace_id = k.workspace_id and r.run_id = k.run_id
      left join history_payloads p on p.workspace_id = r.workspace_id and p.run_id = r.run_id`)
    )
  })

  const attempts: RunStore["Type"]["attempts"] = Effect.fnUntraced(function* (key) {
    if (millisOfRunId(key.runId) > (yield* Clock.currentTimeMillis) - youngestMillis) return []
    return yield* attemptRows(
      query(sql`
      select ${sql.literal(attemptTable.selected("a"))} from history_attempts a
      where a.workspace_id = ${key.workspaceId} and a.run_id = ${key.runId} order by a.n`)
    )
  })

  const locate: RunStore["Type"]["locate"] = (runId) =>
    keyRow(
      query(sql`
        select r.run_id as "runId", r.workspace_id as "workspaceId" from workspaces w
        join history_runs r on r.workspace_id = w.workspace_id and r.run_id = ${runId}`)
    )

  const locateRequest: RunStore["Type"]["locateRequest"] = (requestId) => {
    const { before, from } = runIdsOfRequest(requestId)
    return keyRow(
      query(sql`
        select r.run_id as "runId", r.workspace_id as "workspaceId" from workspaces w
        join history_runs r on r.workspace_id = w.workspace_id and r.run_id >= ${from} and r.run_id < ${before} and r.request_id = ${requestId} limit 1`)
    )
  }

  return { getMany, attempts, locate, locateRequest, media: mediaOf(database, "history_media") }
}

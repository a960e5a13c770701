/**
 * The list of runs on Postgres. Rows are narrow, and each filter is a range of one index (migration 0008). Results are
 * read only for the rows that are shown. When a filter allows several statuses, the newest rows of each are read and
 * merged, so that the cost of a page depends neither on how many runs there are nor on how few of them match.
 */
import type { Statement } from "@effect/sql"
import { Effect, Schema } from "effect"
import { RunId, type WorkspaceId } from "../../domain/Ids.js"
import { type ListedRun, RunStatus, RunSummary, StoredResult } from "../../domain/Run.js"
import { isInflight } from "../../domain/RunMachine.js"
import type { PageRequest } from "../../domain/Page.js"
import type { RunFilter, RunStore } from "../../services/RunStore.js"
import type { Database } from "./Database.js"
import { pageOf, within } from "../../domain/Pages.js"
import { runTable } from "./RunTables.js"

const decodeRows = Schema.decodeUnknown(Schema.Array(Schema.Struct({ ...RunSummary.fields, resultSize: Schema.Int })))
const decodeResults = Schema.decodeUnknown(Schema.Array(Schema.Struct({ runId: RunId, result: StoredResult })))

const summary = runTable.selected("r", Object.keys(RunSummary.fields))
/**
 * The size of the result's text, without reading it. It is exact unless the result is stored compressed; then it is the
 * size of the provider's answer. Results without such a size are refusals, which are short.
 */
const resultSize = `case when r.result is null then 0
  when pg_column_compression(r.result) is null then pg_column_size(r.result)
  else greatest(pg_column_size(r.result), coalesce(r.result_bytes, octet_length(r.result::text))) end`

export const runList = ({ query, sql }: Database["Type"]): RunStore["Type"]["list"] => {
  const newest = (where: Statement.Fragment, { after, limit }: PageRequest, measured: boolean) => {
    const from = after === null ? sql.literal("") : sql`and r.run_id < ${after}`
    const columns = sql.literal(`${summary}, ${measured ? resultSize : "0"} as "resultSize"`)
    return sql`(select ${columns} from runs r where ${where} ${from} order by r.run_id desc limit ${limit + 1})`
  }

  const ofStatus = (workspaceId: WorkspaceId, status: RunStatus, { capability }: RunFilter) => {
    const byStatus = sql`(r.workspace_id || ' ' || r.status) = ${`${workspaceId} ${status}`}`
    if (capability === undefined) return byStatus
    return !isInflight(status)
      ? sql`(r.workspace_id || ' ' || r.job || ' ' || r.status) = ${`${workspaceId} ${capability} ${status}`}
          and r.job is not null and r.status in ('completed', 'failed', 'blocked', 'reconciliation_pending')`
      : sql`${byStatus} and r.job = ${capability}`
  }

  /** The conditions on a row, one for each status that the filter allows. */
  const conditions = (workspaceId: WorkspaceId, filter: RunFilter): ReadonlyArray<Statement.Fragment> => {
    if (filter.status === undefined && filter.capability === undefined) return [sql`r.workspace_id = ${workspaceId}`]
    return (filter.status === undefined ? RunStatus.literals : [filter.status]).map((status) =>
      ofStatus(workspaceId, status, filter)
    )
  }

  const resultsOf = Effect.fnUntraced(function* (workspaceId: WorkspaceId, runIds: ReadonlyArray<RunId>) {
    const rows = yield* query(sql`
      select r.run_id as "runId", r.result from unnest(${runIds.map(() => workspaceId)}::text[], ${runIds}::text[]) as k (workspace_id, run_id)
      join runs r on r.workspace_id = k.workspace_id and r.run_id = k.run_id where r.result is not null`)
    return new Map((yield* Effect.orDie(decodeResults(rows))).map(({ result, runId }) => [runId, result]))
  })

  return Effect.fnUntraced(function* (workspaceId, filter, page, resultBytesMax) {
    const parts = conditions(workspaceId, filter).map((where) => newest(where, page, resultBytesMax !== null))
    const rows = yield* query(
      sql`select * from (${sql.join(" union all ", false)(parts)}) as n order by "runId" desc limit ${page.limit + 1}`
    )
    const found = pageOf(yield* Effect.orDie(decodeRows(rows)), page.limit, ({ runId }) => runId)
    const shown =
      resultBytesMax === null
        ? found
        : within(
            found,
            resultBytesMax,
            (row) => row.resultSize,
            ({ runId }) => runId
          )
    const results =
      resultBytesMax === null
        ? null
        : yield* resultsOf(
            workspaceId,
            shown.items.flatMap((row) => (row.resultSize > 0 ? [row.runId] : []))
          )
    return {
      ...shown,
      items: shown.items.map(({ resultSize: _, ...row }): ListedRun => ({
        ...row,
        result: results?.get(row.runId) ?? null
      }))
    }
  })
}

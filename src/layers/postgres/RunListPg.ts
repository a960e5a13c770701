/**
 * The list of runs on Postgres. Rows are narrow, and results are read only for the rows that are shown. The cost of a
 * page depends neither on how many runs there are nor on how few of them match. A filter by status, job or time is a
 * range of one index (migration 0008); when it allows several statuses, the newest rows of each are read and merged. A
 * filter by token, operation or provider looks through a limited number of runs, in the spans of runs where its values
 * occur (`RunSpansPg.ts`).
 */
import type { Statement } from "@effect/sql"
import { Effect, Schema } from "effect"
import { firstRunIdAt, RunId, type WorkspaceId } from "../../domain/Ids.js"
import { type ListedRun, RunStatus, RunSummary, StoredResult } from "../../domain/Run.js"
import { isInflight } from "../../domain/RunMachine.js"
import type { PageRequest } from "../../domain/Page.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import type { RunFilter, RunStore } from "../../services/RunStore.js"
import type { Database } from "./Database.js"
import { pageOf, within } from "../../domain/Pages.js"
import { rangesOf } from "./RunSpansPg.js"
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

/** The statement that reads a page, without its order, and where the next page begins if the rows are no full page. */
type Select = (
  workspaceId: WorkspaceId,
  filter: RunFilter,
  page: PageRequest,
  measured: boolean
) => Effect.Effect<{ readonly rows: Statement.Fragment; readonly next: string | null }, StorageError>

/** A run gets its id from the clock of its node, and its time from the database's, once it is stored. */
const idClockMillis = 60_000
/** Before and after every run id. */
const [beforeAll, afterAll] = ["", "run_~"]

/** The run ids that the time and the place of a page allow. */
const boundsOf = ({ fromMillis, toMillis }: RunFilter, after: string | null) => {
  const until = toMillis === undefined ? afterAll : firstRunIdAt(toMillis + idClockMillis)
  return {
    atLeast: fromMillis === undefined ? beforeAll : firstRunIdAt(Math.max(0, fromMillis - idClockMillis)),
    below: after !== null && after < until ? after : until
  }
}

export const runList = (database: Database["Type"]): RunStore["Type"]["list"] => {
  const { query, sql } = database
  const spanRanges = rangesOf(database)
  const all = sql.join(" and ", false)
  const equal = (column: string, value: string | undefined) =>
    value === undefined ? [] : [sql`${sql.literal(column)} = ${value}`]

  const inTime = ({ fromMillis, toMillis }: RunFilter): ReadonlyArray<Statement.Fragment> => [
    ...(fromMillis === undefined ? [] : [sql`r.created_at >= ${fromMillis}`]),
    ...(toMillis === undefined ? [] : [sql`r.created_at < ${toMillis}`])
  ]

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

  const columns = (measured: boolean) => sql.literal(`${summary}, ${measured ? resultSize : "0"} as "resultSize"`)

  /** The newest rows of each range of an index. */
  const byIndex: Select = (workspaceId, filter, { after, limit }, measured) => {
    const { atLeast, below } = boundsOf(filter, after)
    const bounds = [
      ...inTime(filter),
      ...(atLeast === beforeAll ? [] : [sql`r.run_id >= ${atLeast}`]),
      ...(below === afterAll ? [] : [sql`r.run_id < ${below}`])
    ]
    const parts = conditions(workspaceId, filter).map(
      (where) =>
        sql`(select ${columns(measured)} from runs r where ${all([where, ...bounds])} order by r.run_id desc limit ${limit + 1})`
    )
    return Effect.succeed({ rows: sql`select * from (${sql.join(" union all ", false)(parts)}) as n`, next: null })
  }

  /** The newest rows of the spans that can have some. */
  const bySpans: Select = (workspaceId, filter, { after, limit }, measured) => {
    const bounds = boundsOf(filter, after)
    const where = all([
      sql`r.workspace_id = ${workspaceId} and r.run_id between span.first and span.last and r.run_id >= ${bounds.atLeast} and r.run_id < ${bounds.below}`,
      ...equal("r.token_id", filter.tokenId),
      ...equal("coalesce(r.served_endpoint_id, r.endpoint_id)", filter.endpointId),
      ...equal("coalesce(r.served_provider_id, r.provider_id)", filter.providerId),
      ...equal("r.job", filter.capability),
      ...equal("r.status", filter.status),
      ...inTime(filter)
    ])
    return Effect.map(spanRanges(workspaceId, filter, bounds), ({ firsts, lasts, more }) => ({
      rows: sql`
        select n.* from unnest(${firsts}::text[], ${lasts}::text[]) as span (first, last) cross join lateral (
          select ${columns(measured)} from runs r where ${where} order by r.run_id desc limit ${limit + 1}
        ) n`,
      next: more ? (firsts.at(-1) ?? null) : null
    }))
  }

  const resultsOf = Effect.fnUntraced(function* (workspaceId: WorkspaceId, runIds: ReadonlyArray<RunId>) {
    const rows = yield* query(sql`
      select r.run_id as "runId", r.result from unnest(${runIds.map(() => workspaceId)}::text[], ${runIds}::text[]) as k (workspace_id, run_id)
      join runs r on r.workspace_id = k.workspace_id and r.run_id = k.run_id where r.result is not null`)
    return new Map((yield* Effect.orDie(decodeResults(rows))).map(({ result, runId }) => [runId, result]))
  })

  return Effect.fnUntraced(function* (workspaceId, filter, page, resultBytesMax) {
    const { endpointId, providerId, tokenId } = filter
    const select = endpointId === undefined && providerId === undefined && tokenId === undefined ? byIndex : bySpans
    const { next, rows } = yield* select(workspaceId, filter, page, resultBytesMax !== null)
    const read = yield* query(sql`${rows} order by "runId" desc limit ${page.limit + 1}`)
    const listed = pageOf(yield* Effect.orDie(decodeRows(read)), page.limit, ({ runId }) => runId)
    const found = { ...listed, next: listed.next ?? next }
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

/**
 * The list of runs on Postgres. Rows are narrow, and only as many results are read as a page has room for. The cost of
 * a page depends neither on how many runs there are nor on how few of them match. A filter by status, job or time is a
 * range of one index (migration 0008); when it allows several statuses, the newest rows of each are read and merged. A
 * filter by token, operation or provider looks through a limited number of runs, in the spans of runs where its values
 * occur (`RunSpansPg.ts`).
 */
import type * as Statement from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { firstRunIdAt, RunId, type WorkspaceId } from "../../domain/Ids.js"
import { type ListedRun, RunStatus, RunSummary, StoredResult } from "../../domain/Run.js"
import { isInflight } from "../../domain/RunMachine.js"
import type { PageRequest } from "../../domain/Page.js"
import type { StorageError } from "../../domain/StorageErrors.js"
import type { RunFilter, RunStore } from "../../services/RunStore.js"
import type { Database } from "./Database.js"
import { inWorkspace } from "./database/InWorkspace.js"
import { pageOf, within } from "../../domain/Pages.js"
import { rowsOf } from "./database/Rows.js"
import { rangesOf } from "./RunSpansPg.js"
import { runTable } from "./RunTables.js"

const listedRows = rowsOf(
  Schema.Struct({
    ...RunSummary.fields,
    resultSize: Schema.NullOr(Schema.Int),
    result: Schema.NullOr(StoredResult),
    movedUpTo: Schema.NullOr(Schema.String)
  })
)
const resultRows = rowsOf(Schema.Struct({ runId: RunId, result: Schema.NullOr(StoredResult) }))

const summaryFields = Object.keys(RunSummary.fields)
const summary = runTable.selected("r", summaryFields)
/** The same columns, and the size, of a row that was selected as `n`. */
const selectedSummary = [...summaryFields, "resultSize"].map((name) => `n."${name}"`).join(", ")
/**
 * The size of the result's text, without reading it. It is exact unless the result is stored compressed; then it is the
 * size of the provider's answer. Results without such a size are refusals, which are short.
 */
const sizeOf = (result: string): string => `case when ${result} is null then 0
  when pg_column_compression(${result}) is null then pg_column_size(${result})
  else greatest(pg_column_size(${result}), coalesce(r.result_bytes, octet_length(${result}::text))) end`
const resultSize: Readonly<Record<Table, string>> = {
  runs: sizeOf("r.result"),
  // Null where the payload was dropped.
  history_runs: `(select ${sizeOf("p.result")} from history_payloads p where p.workspace_id = r.workspace_id and p.run_id = r.run_id)`
}

/** The hot table, or that of runs that have left it. Both have the columns of a list and the indexes of its filters. */
type Table = "runs" | "history_runs"

/** The payloads of moved runs stand apart, and are read for the rows that are shown. */
const resultIn: Readonly<Record<Table, string>> = { runs: "r.result", history_runs: "null::json" }

/**
 * The statement that reads a page out of a table, without its order, and where the next page begins if the rows are no
 * full page.
 */
type Select = (
  workspaceId: WorkspaceId,
  filter: RunFilter,
  page: PageRequest,
  measured: boolean
) => Effect.Effect<{ readonly rows: (table: Table) => Statement.Fragment; readonly next: string | null }, StorageError>

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
    const own = inWorkspace(sql, "r.workspace_id", workspaceId)
    const byStatus = sql`${own} and (r.workspace_id || ' ' || r.status) = ${`${workspaceId} ${status}`}`
    if (capability === undefined) return byStatus
    return !isInflight(status)
      ? sql`${own} and (r.workspace_id || ' ' || r.job || ' ' || r.status) = ${`${workspaceId} ${capability} ${status}`}
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

  const columns = (table: Table, measured: boolean) =>
    sql.literal(
      `${summary}, ${measured ? `${resultSize[table]} as "resultSize", ${resultIn[table]} as result` : '0 as "resultSize", null::json as result'}`
    )

  /** The newest rows of each range of an index. */
  const byIndex: Select = (workspaceId, filter, { after, limit }, measured) => {
    const { atLeast, below } = boundsOf(filter, after)
    const bounds = [
      ...inTime(filter),
      ...(atLeast === beforeAll ? [] : [sql`r.run_id >= ${atLeast}`]),
      ...(below === afterAll ? [] : [sql`r.run_id < ${below}`])
    ]
    const rows = (table: Table) => {
      const parts = conditions(workspaceId, filter).map(
        (where) =>
          sql`(select ${columns(table, measured)} from ${sql.literal(table)} r where ${all([where, ...bounds])} order by r.run_id desc limit ${limit + 1})`
      )
      return sql`select * from (${sql.join(" union all ", false)(parts)}) as n`
    }
    return Effect.succeed({ rows, next: null })
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
      rows: (table) => sql`
        select n.* from unnest(${firsts}::text[], ${lasts}::text[]) as span (first, last) cross join lateral (
          select ${columns(table, measured)} from ${sql.literal(table)} r where ${where} order by r.run_id desc limit ${limit + 1}
        ) n`,
      next: more ? (firsts.at(-1) ?? null) : null
    }))
  }

  /** Results of runs that have left the hot table. */
  const movedResults = (workspaceId: WorkspaceId, runIds: ReadonlyArray<RunId>) =>
    runIds.length === 0
      ? Effect.succeed([])
      : resultRows(
          query(sql`
            select r.run_id as "runId", r.result from unnest(${runIds.map(() => workspaceId)}::text[], ${runIds}::text[]) as k (workspace_id, run_id)
            join history_payloads r on r.workspace_id = k.workspace_id and r.run_id = k.run_id`)
        )

  /**
   * The hot rows of a page, and those of the history where it can have some: the hot rows are read first, so a run that
   * moves meanwhile is seen, and counts once. `last_moved_id` is of the snapshot of the hot rows. A row comes with its
   * result while the results before it take less than `resultBytesMax`.
   */
  const read = Effect.fnUntraced(function* (
    rows: (table: Table) => Statement.Fragment,
    limit: number,
    resultBytesMax: number | null
  ) {
    const result =
      resultBytesMax === null
        ? sql`null::json`
        : sql`case when coalesce(sum(n."resultSize") over (order by n."runId" desc rows between unbounded preceding and 1 preceding), 0) < ${resultBytesMax} then n.result end`
    const hot = yield* listedRows(
      query(sql`
        select ${sql.literal(selectedSummary)}, ${result} as result,
          (select max(h.last_moved_id) from history_months h where h.last_moved_id > '') as "movedUpTo"
        from (${rows("runs")}) n order by "runId" desc limit ${limit + 1}`)
    )
    const [newest] = hot
    const last = hot.at(-1)
    if (newest !== undefined && last !== undefined) {
      const { movedUpTo } = newest
      if (movedUpTo === null || (hot.length > limit && last.runId > movedUpTo)) return hot
    }
    const moved = yield* listedRows(
      query(
        sql`select n.*, null::text as "movedUpTo" from (${rows("history_runs")}) n order by "runId" desc limit ${limit + 1}`
      )
    )
    if (moved.length === 0) return hot
    const here = new Set(hot.map(({ runId }) => runId))
    return [...hot, ...moved.filter(({ runId }) => !here.has(runId))]
      .sort((a, b) => (a.runId > b.runId ? -1 : 1))
      .slice(0, limit + 1)
  })

  return Effect.fnUntraced(function* (workspaceId, filter, page, resultBytesMax) {
    const { endpointId, providerId, tokenId } = filter
    const select = endpointId === undefined && providerId === undefined && tokenId === undefined ? byIndex : bySpans
    const { next, rows } = yield* select(workspaceId, filter, page, resultBytesMax !== null)
    const listed = pageOf(yield* read(rows, page.limit, resultBytesMax), page.limit, ({ runId }) => runId)
    const found = { ...listed, next: listed.next ?? next }
    const withResults = resultBytesMax !== null
    const shown = withResults
      ? within(
          found,
          resultBytesMax,
          (row) => row.resultSize ?? 0,
          ({ runId }) => runId
        )
      : found
    const moved = yield* movedResults(
      workspaceId,
      shown.items.flatMap(({ result, resultSize, runId }) => (result === null && (resultSize ?? 0) > 0 ? [runId] : []))
    )
    const results = new Map(moved.map(({ result, runId }) => [runId, result]))
    return {
      ...shown,
      items: shown.items.map(({ movedUpTo: _moved, resultSize: size, ...row }): ListedRun => {
        const result = row.result ?? results.get(row.runId) ?? null
        // The payload of a moved run may also go between the two reads.
        const dropped = withResults && size !== 0 && result === null
        return { ...row, result, ...(dropped ? { payloadDropped: true } : {}) }
      })
    }
  })
}

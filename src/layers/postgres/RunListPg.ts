/**
 * The list of runs on Postgres. Rows are narrow, and only as many results are read as a page has room for. The cost of
 * a page depends neither on how many runs there are nor on how few of them match. A filter by status, job or time is a
 * range of one index (migration 0008); when it allows several statuses, the newest rows of each are read and merged. A
 * filter by token, operation or provider looks through a limited number of runs, in the spans of runs where its values
 * occur (`RunSpansPg.ts`). A filter by idempotency key reads the one run that the table of keys names.
 */
import type * as Statement from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { firstRunIdAt, type WorkspaceId } from "../../domain/Ids.js"
import { type ListedRun, RunStatus, RunSummary, StoredResult } from "../../domain/Run.js"
import { runIdClockMillisMax } from "../../domain/limits/Nodes.js"
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
const summaryFields = Object.keys(RunSummary.fields)
const summary = runTable.selected("r", summaryFields)
/** The same columns of a row that was selected as `n`. */
const selectedSummary = summaryFields.map((name) => `n."${name}"`).join(", ")

/** The hot table, or that of runs that have left it. Both have the columns of a list and the indexes of its filters. */
type Table = "runs" | "history_runs"

/**
 * About the size of the result's text, without reading it: that of what is stored, or where that is compressed, of the
 * provider's answer. Results without such a size are older refusals, which are short.
 */
const roughSizeOf = (result: string): string => `case when ${result} is null then 0
  when pg_column_compression(${result}) is null then pg_column_size(${result})
  else greatest(pg_column_size(${result}), coalesce(r.result_bytes, octet_length(${result}::text))) end`

/** Where a result stands: the payloads of runs in the history stand apart, and may have been dropped. */
const withResult: Readonly<Record<Table, { readonly from: string; readonly columns: string }>> = {
  runs: { from: "runs r", columns: `${roughSizeOf("r.result")} as "roughSize", r.result` },
  history_runs: {
    from: "history_runs r left join history_payloads p on p.workspace_id = r.workspace_id and p.run_id = r.run_id",
    columns: `case when p.run_id is not null then ${roughSizeOf("p.result")} end as "roughSize", p.result`
  }
}
const withoutResult = '0 as "roughSize", null::json as result'

/**
 * The statement that reads a page out of a table, without its order, and where the next page begins if the rows are no
 * full page.
 */
type Select = (
  workspaceId: WorkspaceId,
  filter: RunFilter,
  page: PageRequest,
  withResults: boolean
) => Effect.Effect<{ readonly rows: (table: Table) => Statement.Fragment; readonly next: string | null }, StorageError>

/** Before and after every run id, in whatever order the database sorts texts: of the characters of ids alone. */
const [beforeAll, afterAll] = ["", `run_${"z".repeat(26)}`]

/** The run ids that the time and the place of a page allow. */
const boundsOf = ({ fromMillis, toMillis }: RunFilter, after: string | null) => {
  const until = toMillis === undefined ? afterAll : firstRunIdAt(toMillis + runIdClockMillisMax)
  return {
    atLeast: fromMillis === undefined ? beforeAll : firstRunIdAt(Math.max(0, fromMillis - runIdClockMillisMax)),
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

  const columns = (table: Table, withResults: boolean) =>
    sql.literal(`${summary}, ${withResults ? withResult[table].columns : withoutResult}`)
  const from = (table: Table, withResults: boolean) => sql.literal(withResults ? withResult[table].from : `${table} r`)

  /** The newest rows of each range of an index. */
  const byIndex: Select = (workspaceId, filter, { after, limit }, withResults) => {
    const { atLeast, below } = boundsOf(filter, after)
    const bounds = [
      ...inTime(filter),
      ...(atLeast === beforeAll ? [] : [sql`r.run_id >= ${atLeast}`]),
      ...(below === afterAll ? [] : [sql`r.run_id < ${below}`])
    ]
    const rows = (table: Table) => {
      const parts = conditions(workspaceId, filter).map(
        (where) =>
          sql`(select ${columns(table, withResults)} from ${from(table, withResults)} where ${all([where, ...bounds])} order by r.run_id desc limit ${limit + 1})`
      )
      return sql`select * from (${sql.join(" union all ", false)(parts)}) as n`
    }
    return Effect.succeed({ rows, next: null })
  }

  /** All conditions of a filter but that of its key, for rows that are found by something else than the filter. */
  const fitting = (filter: RunFilter): ReadonlyArray<Statement.Fragment> => [
    ...equal("r.token_id", filter.tokenId),
    ...equal("coalesce(r.served_endpoint_id, r.endpoint_id)", filter.endpointId),
    ...equal("coalesce(r.served_provider_id, r.provider_id)", filter.providerId),
    ...equal("r.job", filter.capability),
    ...equal("r.status", filter.status),
    ...inTime(filter)
  ]

  /** The run that owns an idempotency key. */
  const byKey =
    (key: string): Select =>
    (workspaceId, filter, { after }, withResults) => {
      const owner = sql`(select k.run_id from idempotency_keys k where k.workspace_id = ${workspaceId} and k.key = ${key})`
      const { below } = boundsOf(filter, after)
      const where = all([
        sql`r.workspace_id = ${workspaceId} and r.run_id = ${owner} and r.run_id < ${below}`,
        ...fitting(filter)
      ])
      const rows = (table: Table) =>
        sql`select ${columns(table, withResults)} from ${from(table, withResults)} where ${where}`
      return Effect.succeed({ rows, next: null })
    }

  /** The newest rows of the spans that can have some. */
  const bySpans: Select = (workspaceId, filter, { after, limit }, withResults) => {
    const bounds = boundsOf(filter, after)
    const where = all([
      sql`r.workspace_id = ${workspaceId} and r.run_id between span.first and span.last and r.run_id >= ${bounds.atLeast} and r.run_id < ${bounds.below}`,
      ...fitting(filter)
    ])
    return Effect.map(spanRanges(workspaceId, filter, bounds), ({ firsts, lasts, more }) => ({
      rows: (table) => sql`
        select n.* from unnest(${firsts}::text[], ${lasts}::text[]) as span (first, last) cross join lateral (
          select ${columns(table, withResults)} from ${from(table, withResults)} where ${where} order by r.run_id desc limit ${limit + 1}
        ) n`,
      next: more ? (firsts.at(-1) ?? null) : null
    }))
  }

  /**
   * The newest rows of a table. A row comes with its result while those before it take less than `resultBytesMax`; so
   * only of these is the exact size read, where it is not known without reading.
   */
  const newest = (
    table: Table,
    rows: (table: Table) => Statement.Fragment,
    limit: number,
    resultBytesMax: number | null
  ) => {
    const movedUpTo = sql.literal(
      table === "runs" ? "(select max(h.last_moved_id) from history_months h where h.last_moved_id > '')" : "null::text"
    )
    const fits = (size: string) =>
      sql`coalesce(sum(n.${sql.literal(size)}) over (order by n."runId" desc rows between unbounded preceding and 1 preceding), 0) < ${resultBytesMax}`
    const [size, result, sized] =
      resultBytesMax === null
        ? [sql`0`, sql`null::json`, rows(table)]
        : [
            sql`n.size`,
            sql`case when ${fits("size")} then n.result end`,
            // A row whose size would be read in vain, because the page ends before it, is taken for too large.
            sql`select n.*, case when pg_column_compression(n.result) is null then n."roughSize"
                when ${fits(`"roughSize"`)} then octet_length(n.result::text) else ${resultBytesMax + 1}::int end as size
              from (${rows(table)}) n`
          ]
    return listedRows(
      query(sql`
        select ${sql.literal(selectedSummary)}, ${size} as "resultSize", ${result} as result, ${movedUpTo} as "movedUpTo"
        from (${sized}) n order by "runId" desc limit ${limit + 1}`)
    )
  }

  /**
   * The hot rows of a page, and those of the history where it can have some: the hot rows are read first, so a run that
   * moves meanwhile is seen, and counts once. `last_moved_id` is of the snapshot of the hot rows.
   */
  const read = Effect.fnUntraced(function* (
    rows: (table: Table) => Statement.Fragment,
    limit: number,
    resultBytesMax: number | null
  ) {
    const hot = yield* newest("runs", rows, limit, resultBytesMax)
    const [first] = hot
    const last = hot.at(-1)
    if (first !== undefined && last !== undefined) {
      const { movedUpTo } = first
      if (movedUpTo === null || (hot.length > limit && last.runId > movedUpTo)) return hot
    }
    const moved = yield* newest("history_runs", rows, limit, resultBytesMax)
    if (moved.length === 0) return hot
    const here = new Set(hot.map(({ runId }) => runId))
    return [...hot, ...moved.filter(({ runId }) => !here.has(runId))]
      .sort((a, b) => (a.runId > b.runId ? -1 : 1))
      .slice(0, limit + 1)
  })

  return Effect.fnUntraced(function* (workspaceId, filter, page, resultBytesMax) {
    const { endpointId, idempotencyKey, providerId, tokenId } = filter
    const isInSpans = endpointId !== undefined || providerId !== undefined || tokenId !== undefined
    const select = idempotencyKey !== undefined ? byKey(idempotencyKey) : isInSpans ? bySpans : byIndex
    const withResults = resultBytesMax !== null
    const { next, rows } = yield* select(workspaceId, filter, page, withResults)
    const listed = pageOf(yield* read(rows, page.limit, resultBytesMax), page.limit, ({ runId }) => runId)
    const found = { ...listed, next: listed.next ?? next }
    const shown = withResults
      ? within(
          found,
          resultBytesMax,
          (row) => row.resultSize ?? 0,
          ({ runId }) => runId
        )
      : found
    return {
      ...shown,
      items: shown.items.map(({ movedUpTo: _moved, resultSize, ...row }): ListedRun =>
        resultSize === null ? { ...row, payloadDropped: true } : row
      )
    }
  })
}

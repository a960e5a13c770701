/**
 * Moves finished runs out of the hot tables, and drops payloads of the history. Runs are found workspace by workspace
 * through the primary key, so that the hot tables need no index for it. A portion is one transaction of few and small
 * rows; a row that somebody else has locked is left for a later pass.
 */
import type * as Statement from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { firstRunIdAt, millisOfRunId, RunId, WorkspaceId } from "../../../domain/Ids.js"
import { endOfMonth, monthOf } from "../../../domain/Run.js"
import { planWithoutInputs, StoredPlan } from "../../../domain/StoredPlan.js"
import type { RunHistory } from "../../../services/RunHistory.js"
import type { Database } from "../Database.js"
import { rowOf, rowsOf } from "../database/Rows.js"
import { tableLockTimeout } from "../database/TableLocks.js"
import { finishedList, runTable } from "../RunTables.js"
import { boundsOf, columnsOf, historyTables, partitionOf } from "./HistoryTables.js"
import type { historyTurn } from "./HistoryTurn.js"
import { movableOf } from "./Movable.js"

/** Workspaces that one statement looks at. */
const workspacesLookedAt = 500

const changed = ["workspaceId", "runId", "plan"] as const

const workspaceRows = rowsOf(Schema.Struct({ workspaceId: WorkspaceId }))
const oldestRow = rowOf(Schema.Struct({ runId: Schema.NullOr(RunId) }))
const movedRow = rowOf(Schema.Struct({ runs: Schema.Int, last: Schema.NullOr(RunId) }))
const dueRow = rowOf(Schema.Struct({ runs: Schema.Int, payloads: Schema.Int }))
const planRows = rowsOf(Schema.Struct({ workspaceId: WorkspaceId, runId: RunId, plan: Schema.NullOr(StoredPlan) }))

export const historyMoves = (
  database: Database["Type"],
  turn: ReturnType<typeof historyTurn>,
  now: RunHistory["Type"]["now"]
) => {
  const { query, sql, survey, transact } = database
  const movable = movableOf(database)

  const someWorkspaces = (found: Statement.Fragment, after: WorkspaceId | null) =>
    workspaceRows(
      query(sql`
        select w.workspace_id as "workspaceId" from workspaces w
        cross join lateral (${found} limit 1) one
        where w.workspace_id > ${after ?? ""} order by w.workspace_id limit ${workspacesLookedAt}`)
    ).pipe(Effect.map((rows) => rows.map(({ workspaceId }) => workspaceId)))

  const due: RunHistory["Type"]["due"] = ({ payloadsMillis, runsMillis }) => {
    const dropped = payloadsMillis === null ? "" : firstRunIdAt(payloadsMillis)
    return Effect.map(
      dueRow(
        survey(sql`
          select count(*) as runs, count(*) filter (where r.run_id < ${dropped}) + (
            select count(*) from history_payloads where run_id < ${dropped}) as payloads
          from runs r where ${movable(runsMillis)}`)
      ),
      (row) => row ?? { runs: 0, payloads: 0 }
    )
  }

  /** Attached empty: that waits for nobody who reads. The foreign schema of a new partition would lock its parent. */
  const makeMonth = (holder: string, month: string) =>
    transact(
      Effect.gen(function* () {
        yield* turn.held(holder)
        const [known] = yield* query(sql`select from history_months where month = ${month}`)
        if (known !== undefined) return
        const { end, first } = boundsOf(month)
        yield* sql.unsafe(tableLockTimeout)
        for (const table of historyTables) {
          const partition = partitionOf(table, month)
          yield* sql.unsafe(`create table ${partition} (like ${table} including all)`)
          yield* sql.unsafe(
            `alter table ${table} attach partition ${partition} for values from ('${first}') to ('${end}')`
          )
        }
        yield* sql`insert into history_months (month, first_run_id, end_run_id) values (${month}, ${first}, ${end})`
        // A program that does not know the history would not find these runs.
        yield* sql`update schema_needs set needed = greatest(needed, '0032_history')`
      })
    )

  const oldestRunFrom = (from: string, before: string) =>
    Effect.map(
      oldestRow(
        query(sql`
          select min(o.run_id) as "runId" from workspaces w cross join lateral (
            select r.run_id from runs r where r.workspace_id = w.workspace_id and r.run_id >= ${from} and r.run_id < ${before} order by r.run_id limit 1
          ) o`)
      ),
      (row) => row?.runId ?? null
    )

  const hotMonths: RunHistory["Type"]["hotMonths"] = Effect.fnUntraced(function* (beforeMillis) {
    const months = []
    let from = ""
    for (;;) {
      const oldest = yield* oldestRunFrom(from, firstRunIdAt(beforeMillis))
      if (oldest === null) return months
      const month = monthOf(millisOfRunId(oldest))
      months.push(month)
      from = boundsOf(month).end
    }
  })

  const makeMonths: RunHistory["Type"]["makeMonths"] = Effect.fnUntraced(function* (holder, beforeMillis) {
    const current = monthOf(yield* now)
    const months = new Set([current, monthOf(endOfMonth(current)), ...(yield* hotMonths(beforeMillis))])
    yield* Effect.forEach([...months].sort(), (month) => makeMonth(holder, month), { discard: true })
  })

  const workspacesToMove: RunHistory["Type"]["workspacesToMove"] = (beforeMillis, after) =>
    someWorkspaces(sql`select from runs r where r.workspace_id = w.workspace_id and ${movable(beforeMillis)}`, after)

  const move: RunHistory["Type"]["move"] = (holder, { after, beforeMillis, bytesMax, limit, workspaceId }) =>
    transact(
      Effect.gen(function* () {
        yield* turn.held(holder)
        const columns = {
          runs: sql.literal(columnsOf.runs),
          payloads: sql.literal(columnsOf.payloads),
          attempts: sql.literal(columnsOf.attempts),
          media: sql.literal(columnsOf.media)
        }
        const row = yield* movedRow(
          query(sql`
            with sized as materialized (
              select run_id, sum(bytes) over (order by run_id) - bytes as before from (
                select r.run_id, coalesce(pg_column_size(r.input), 0) + coalesce(pg_column_size(r.result), 0) + coalesce(
                  (select sum(octet_length(m.bytes)) from media m where m.workspace_id = ${workspaceId} and m.run_id = r.run_id), 0) as bytes
                from runs r where r.workspace_id = ${workspaceId} and r.run_id > ${after ?? ""} and ${movable(beforeMillis)}
                order by r.run_id limit ${limit}
              ) c
            ), wanted as materialized (
              select r.* from sized s join runs r on r.workspace_id = ${workspaceId} and r.run_id = s.run_id
              where s.before < ${bytesMax}::bigint and r.status in (${sql.literal(finishedList)})
                and exists (select from history_months h where h.state = 'open' and r.run_id >= h.first_run_id and r.run_id < h.end_run_id)
              for update of r skip locked
            ), runs_moved as (
              insert into history_runs (${columns.runs}) select ${columns.runs} from wanted
            ), payloads_moved as (
              insert into history_payloads (${columns.payloads}) select ${columns.payloads} from wanted
            ), attempts_gone as (
              delete from attempts a using wanted w where a.workspace_id = ${workspaceId} and a.run_id = w.run_id returning a.*
            ), attempts_moved as (
              insert into history_attempts (${columns.attempts}) select ${columns.attempts} from attempts_gone
            ), media_gone as (
              delete from media m using wanted w where m.workspace_id = ${workspaceId} and m.run_id = w.run_id returning m.*
            ), media_moved as (
              insert into history_media (${columns.media}) select ${columns.media} from media_gone
            ), runs_gone as (
              delete from runs r using wanted w where r.workspace_id = ${workspaceId} and r.run_id = w.run_id
            ), marked as (
              update history_months h set last_moved_id = greatest(h.last_moved_id, m.last) from (
                select o.month, max(w.run_id) as last from wanted w join history_months o on w.run_id >= o.first_run_id and w.run_id < o.end_run_id group by o.month
              ) m where h.month = m.month
            )
            select (select count(*) from wanted) as runs, (select max(run_id) from sized where before < ${bytesMax}::bigint) as last`)
        )
        return row ?? { runs: 0, last: null }
      })
    )

  const workspacesToDrop: RunHistory["Type"]["workspacesToDrop"] = (beforeMillis, after) =>
    someWorkspaces(
      sql`select from history_payloads p where p.workspace_id = w.workspace_id and p.run_id < ${firstRunIdAt(beforeMillis)}`,
      after
    )

  const dropPayloads: RunHistory["Type"]["dropPayloads"] = (holder, { beforeMillis, limit, workspaceId }) =>
    transact(
      Effect.gen(function* () {
        yield* turn.held(holder)
        const dropped = yield* planRows(
          query(sql`
            with gone as (
              delete from history_payloads where workspace_id = ${workspaceId} and run_id = any(array(
                select p.run_id from history_payloads p where p.workspace_id = ${workspaceId} and p.run_id < ${firstRunIdAt(beforeMillis)}
                order by p.run_id limit ${limit}))
              returning run_id
            ), files as (
              delete from history_media m using gone g where m.workspace_id = ${workspaceId} and m.run_id = g.run_id
            )
            select r.workspace_id as "workspaceId", r.run_id as "runId", r.plan
            from gone g join history_runs r on r.workspace_id = ${workspaceId} and r.run_id = g.run_id`)
        )
        // A plan holds what each provider would have been sent.
        const plans = dropped.map(({ plan, ...key }) => ({
          ...key,
          plan: plan === null ? null : planWithoutInputs(plan)
        }))
        yield* query(sql`
          update history_runs r set plan = c.plan::json
          from json_to_recordset(${runTable.documentOnly(plans, changed)}::json) as c (${sql.literal(runTable.typedOnly(changed))})
          where r.workspace_id = ${workspaceId} and r.run_id = c.run_id`)
        return dropped.length
      })
    )

  return { due, hotMonths, makeMonths, workspacesToMove, move, workspacesToDrop, dropPayloads } satisfies Partial<
    RunHistory["Type"]
  >
}

/**
 * Whole months of the history: what is in the way of their leaving, what they come to, their runs for a file, and their
 * end. A closed month does not change any more, so its file can be written again after a crash and says the same.
 */
import type * as Statement from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { RunId, WorkspaceId } from "../../../domain/Ids.js"
import { isTerminal, runStatuses } from "../../../domain/RunMachine.js"
import type { HistoryMonth, MonthTotals, RunHistory } from "../../../services/RunHistory.js"
import type { RunKey, RunStore } from "../../../services/RunStore.js"
import type { Database } from "../Database.js"
import { rowOf, rowsOf } from "../database/Rows.js"
import { tableLockTimeout } from "../database/TableLocks.js"
import { attemptRows, attemptTable } from "../RunTables.js"
import { boundsOf, wholeRunRows, historyTables, partitionOf, wholeRun, withPayload } from "./HistoryTables.js"
import type { historyTurn } from "./HistoryTurn.js"
import { movableOf, wasRefused } from "./Movable.js"

const runsRead = 200
const keysFreed = 1_000

const State = Schema.Literal("open", "closed", "gone")
const monthRows = rowsOf(Schema.Struct({ month: Schema.String, state: State }))
const keyRow = rowOf(Schema.Struct({ workspaceId: WorkspaceId, runId: RunId }))
const totalsRow = rowOf(Schema.Struct({ runs: Schema.Int, heldMicros: Schema.Int, chargedMicros: Schema.Int }))
const mediaRows = rowsOf(Schema.Struct({ workspaceId: WorkspaceId, runId: RunId, mediaId: Schema.String }))
const workspaceRow = rowOf(Schema.Struct({ workspaceId: WorkspaceId }))
const countRow = rowOf(Schema.Struct({ runs: Schema.Int }))
const leftRow = rowOf(
  Schema.Struct({
    workspaceId: WorkspaceId,
    runId: RunId,
    status: Schema.Literal(...runStatuses),
    completedAt: Schema.NullOr(Schema.Int),
    refused: Schema.NullOr(Schema.Boolean)
  })
)

/** Why a run is in the hot tables although its month is old. */
const whyStays = (
  { completedAt, refused, runId, status, workspaceId }: NonNullable<Effect.Effect.Success<ReturnType<typeof leftRow>>>,
  movedBefore: number
): string => {
  const run = `${runId} of ${workspaceId}`
  if (status === "reconciliation_pending") return `${run} waits for a person: settle it with gateway runs resolve`
  if (!isTerminal(status)) return `${run} is ${status}`
  if (refused === true) return `${run} was refused, and is forgotten in time`
  return completedAt !== null && completedAt >= movedBefore
    ? `${run} ended only at ${new Date(completedAt).toISOString()}; it leaves the hot tables GATEWAY_HISTORY_DAYS after that`
    : `${run} is used by another transaction; the next pass moves it`
}

const nothing: MonthTotals = { runs: 0, heldMicros: 0, chargedMicros: 0 }

export const historyMonths = (
  database: Database["Type"],
  turn: ReturnType<typeof historyTurn>,
  now: RunHistory["Type"]["now"],
  media: RunStore["Type"]["media"]
) => {
  const { query, sql, survey, transact } = database
  const movable = movableOf(database)

  const months: RunHistory["Type"]["months"] = Effect.map(
    monthRows(query(sql`select month, state from history_months order by month`)),
    (rows): ReadonlyArray<HistoryMonth> => rows
  )

  /** The first run of a month that is in the hot tables, of those that are asked for. */
  const firstLeft = (month: string, some: Statement.Fragment) => {
    const { end, first } = boundsOf(month)
    return leftRow(
      survey(sql`
        select w.workspace_id as "workspaceId", o.run_id as "runId", o.status, o.completed_at as "completedAt", o.refused
        from workspaces w cross join lateral (
          select r.run_id, r.status, r.completed_at, ${sql.literal(wasRefused)} as refused from runs r
          where r.workspace_id = w.workspace_id and r.run_id >= ${first} and r.run_id < ${end} and ${some} order by r.run_id limit 1
        ) o order by o.run_id limit 1`)
    )
  }

  const monthDue: RunHistory["Type"]["monthDue"] = Effect.fnUntraced(function* (month, movedBefore) {
    const { end, first } = boundsOf(month)
    const stays = yield* firstLeft(month, sql`(${movable(movedBefore)}) is not true`)
    const found = yield* countRow(
      survey(sql`
        select (select count(*) from history_runs r where r.run_id >= ${first} and r.run_id < ${end})
          + (select count(*) from runs r where r.run_id >= ${first} and r.run_id < ${end} and ${movable(movedBefore)}) as runs`)
    )
    return { runs: found?.runs ?? 0, waits: stays === null ? null : whyStays(stays, movedBefore) }
  })

  const obstacle: RunHistory["Type"]["obstacle"] = Effect.fnUntraced(function* (month, movedBefore) {
    const { end, first } = boundsOf(month)
    const left = yield* firstLeft(month, sql`true`)
    if (left !== null) return whyStays(left, movedBefore)
    const unsummed = yield* workspaceRow(
      query(sql`
        select w.workspace_id as "workspaceId" from wallets w left join spend_summed s using (workspace_id)
        where exists (select from ledger_entries e where e.workspace_id = w.workspace_id and e.seq > coalesce(s.through_seq, 0)
          and e.kind = 'charge' and e.run_id >= ${first} and e.run_id < ${end})
        order by w.workspace_id limit 1`)
    )
    return unsummed === null ? null : `charges of ${unsummed.workspaceId} are not in its reports yet`
  })

  const totals = (month: string) =>
    Effect.map(
      totalsRow(
        query(sql`
          select coalesce(sum(runs), 0)::bigint as runs, coalesce(sum(held_micros), 0)::bigint as "heldMicros", coalesce(sum(charged_micros), 0)::bigint as "chargedMicros"
          from history_sums where month = ${month}`)
      ),
      (row) => row ?? nothing
    )

  const close: RunHistory["Type"]["close"] = Effect.fnUntraced(function* (holder, month) {
    const { end, first } = boundsOf(month)
    yield* transact(
      Effect.zipRight(
        turn.held(holder),
        query(sql`update history_months set state = 'closed' where month = ${month} and state = 'open'`)
      )
    )
    // Nothing is moved into the month from here on, so doing this again changes nothing.
    yield* survey(sql`
      insert into history_sums (workspace_id, month, token_id, spend_month, runs, held_micros, charged_micros)
      select r.workspace_id, ${month}::text, r.token_id, r.spend_month, count(*), sum(r.hold_micros), sum(r.charge_micros)
      from history_runs r where r.run_id >= ${first} and r.run_id < ${end}
        and exists (select from history_months h where h.month = ${month} and h.state = 'closed')
      group by r.workspace_id, r.token_id, r.spend_month
      on conflict (workspace_id, month, token_id, spend_month) do update
      set runs = excluded.runs, held_micros = excluded.held_micros, charged_micros = excluded.charged_micros`)
    return yield* totals(month)
  })

  // What a payload takes here is its text: a compressed one may be a hundred times as large. To know that, it must be
  // unpacked, so only those are that are few enough even when they are packed.
  const read: RunHistory["Type"]["read"] = Effect.fnUntraced(function* (month, after, bytesMax) {
    const { end, first } = boundsOf(month)
    const rows = yield* query(sql`
      with sized as materialized (
        select workspace_id, run_id, sum(bytes) over (order by workspace_id, run_id) - bytes as before from (
          select r.workspace_id, r.run_id, coalesce(pg_column_size(p.input), 0) + coalesce(pg_column_size(p.result), 0) as bytes
          from ${sql.literal(withPayload)}
          where r.run_id >= ${first} and r.run_id < ${end} and (r.workspace_id, r.run_id) > (${after?.workspaceId ?? ""}, ${after?.runId ?? ""})
          order by r.workspace_id, r.run_id limit ${runsRead}
        ) c
      ), unpacked as materialized (
        select workspace_id, run_id, sum(bytes) over (order by workspace_id, run_id) - bytes as before from (
          select s.workspace_id, s.run_id, coalesce((
              select octet_length(p.input::text) + coalesce(octet_length(p.result::text), 0) from history_payloads p
              where p.workspace_id = s.workspace_id and p.run_id = s.run_id), 0) as bytes
          from sized s
          where s.before < ${bytesMax}::bigint
        ) c
      )
      select ${sql.literal(wholeRun)} from unpacked s
      join history_runs r on r.workspace_id = s.workspace_id and r.run_id = s.run_id
      left join history_payloads p on p.workspace_id = r.workspace_id and p.run_id = r.run_id
      where s.before < ${bytesMax}::bigint order by r.workspace_id, r.run_id`)
    const runs = yield* wholeRunRows(Effect.succeed(rows))
    const ids = sql`unnest(${runs.map((run) => run.workspaceId)}::text[], ${runs.map((run) => run.runId)}::text[]) as k (workspace_id, run_id)`
    const attempts = yield* attemptRows(
      query(sql`
          select ${sql.literal(attemptTable.selected("a"))} from ${ids}
          join history_attempts a on a.workspace_id = k.workspace_id and a.run_id = k.run_id order by a.run_id, a.n`)
    )
    const files = yield* mediaRows(
      query(sql`
        select m.workspace_id as "workspaceId", m.run_id as "runId", m.media_id as "mediaId" from ${ids}
        join history_media m on m.workspace_id = k.workspace_id and m.run_id = k.run_id order by m.run_id, m.media_id`)
    )
    return yield* Effect.forEach(runs, (run) =>
      Effect.map(
        Effect.forEach(
          files.filter(({ runId }) => runId === run.runId),
          ({ mediaId }) => media(run, mediaId)
        ),
        (found) => ({
          run,
          attempts: attempts.filter(({ runId }) => runId === run.runId),
          media: found.flatMap((file) => (file === null ? [] : [file]))
        })
      )
    )
  })

  const freeKeys: RunHistory["Type"]["freeKeys"] = (holder, month, after) =>
    transact(
      Effect.gen(function* () {
        yield* turn.held(holder)
        const { end, first } = boundsOf(month)
        const last: RunKey | null = yield* keyRow(
          query(sql`
            with portion as materialized (
              select r.workspace_id, r.run_id, r.idempotency_key from history_runs r
              where r.run_id >= ${first} and r.run_id < ${end} and (r.workspace_id, r.run_id) > (${after?.workspaceId ?? ""}, ${after?.runId ?? ""})
                and exists (select from history_months h where h.month = ${month} and h.state = 'closed')
              order by r.workspace_id, r.run_id limit ${keysFreed}
            ), freed as (
              delete from idempotency_keys k using portion p
              where k.workspace_id = p.workspace_id and k.key = p.idempotency_key and k.run_id = p.run_id
            )
            select workspace_id as "workspaceId", run_id as "runId" from portion order by workspace_id desc, run_id desc limit 1`)
        )
        return last
      })
    )

  /**
   * Drops the spans that end in this month or before, but for those that hold a run of an earlier month which has not
   * left: no span is made again while there is a later one, so such a run would be found by no filter.
   */
  const dropSpans = (month: string) => {
    const { end, first } = boundsOf(month)
    const holds = (table: string) => sql`exists (
      select from ${sql.literal(table)} r where r.workspace_id = s.workspace_id and r.run_id >= s.first_run_id and r.run_id <= s.last_run_id and r.run_id < ${first})`
    return sql`
      delete from run_spans s using workspaces w
      where s.workspace_id = w.workspace_id and s.last_run_id < ${end} and not ${holds("runs")} and not ${holds("history_runs")}`
  }

  const drop: RunHistory["Type"]["drop"] = (holder, month, file) =>
    transact(
      Effect.gen(function* () {
        yield* turn.held(holder)
        const at = yield* now
        const [closed] = yield* query(
          sql`select from history_months where month = ${month} and state = 'closed' for update`
        )
        if (closed === undefined) return
        yield* dropSpans(month)
        yield* sql.unsafe(tableLockTimeout)
        for (const table of historyTables) yield* sql.unsafe(`drop table ${partitionOf(table, month)}`)
        yield* sql`
          update history_months set state = 'gone', gone_at = ${at}, file = ${file?.name ?? null}, file_sha256 = ${file?.sha256 ?? null}
          where month = ${month}`
      })
    )

  return { months, monthDue, obstacle, close, read, freeKeys, drop } satisfies Partial<RunHistory["Type"]>
}

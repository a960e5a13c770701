/**
 * Single runs and their attempts, read from Postgres: from the hot tables, and what is not there from the history.
 * Lists are in `RunListPg.ts`, taking runs in `RunClaimsPg.ts`.
 */
import { Effect, Schema } from "effect"
import { RunId, runIdsOfRequest, WorkspaceId } from "../../domain/Ids.js"
import { readsSharedMax } from "../../domain/limits/Requests.js"
import { pageOf } from "../../domain/Pages.js"
import { wasRefused } from "../../domain/RefusedRun.js"
import { type Attempt, uncertainKey, uncertainPlaceOf } from "../../domain/Run.js"
import { isTerminal } from "../../domain/RunMachine.js"
import type { RunDetail, RunKey, RunStore } from "../../services/RunStore.js"
import type { Database } from "./Database.js"
import { rowOf } from "./database/Rows.js"
import { makeBatchedReads } from "./database/BatchedReads.js"
import type { historyReads } from "./history/HistoryReads.js"
import { attemptRows, attemptTable, runRows, runTable } from "./RunTables.js"

const keyRow = rowOf(Schema.Struct({ runId: RunId, workspaceId: WorkspaceId }))
const sinceRow = rowOf(Schema.Struct({ since: Schema.NullOr(Schema.Int) }))

/**
 * What a table has of these runs; `which` is a further condition on its rows, which are `r` there. `offset 0` keeps the
 * planner from turning the join around: while it believes that the table is empty, it would read all of it and look for
 * each row among the keys.
 */
const rowsOfRuns = (
  { query, sql }: Database["Type"],
  keys: ReadonlyArray<RunKey>,
  table: { readonly name: "runs" | "attempts"; readonly columns: string; readonly which?: string }
) =>
  query(sql`
    select r.* from unnest(${keys.map((key) => key.workspaceId)}::text[], ${keys.map((key) => key.runId)}::text[]) as k (workspace_id, run_id)
    cross join lateral (
      select ${sql.literal(table.columns)} from ${sql.literal(table.name)} r
      where r.workspace_id = k.workspace_id and r.run_id = k.run_id ${sql.literal(table.which ?? "")} offset 0
    ) r`)

/** The attempts of these runs; for each run, in the order in which they were made. */
export const attemptsOf = (database: Database["Type"]) => {
  const table = { name: "attempts", columns: attemptTable.selected("r") } as const
  return Effect.fnUntraced(function* (keys: ReadonlyArray<RunKey>) {
    const attempts = yield* attemptRows(rowsOfRuns(database, keys, table))
    return [...attempts].sort((a, b) => a.n - b.n)
  })
}

const runsByKey = { name: "runs", columns: runTable.selected("r") } as const

/** The most bytes of a run that is read together with others. */
const smallBytesMax = 65_536

/** Whether a run is so small. The size of a value that is stored compressed is known only once it is unpacked. */
const small = `case when coalesce(pg_column_size(r.input), 0) + coalesce(pg_column_size(r.result), 0)
    + coalesce(pg_column_size(r.normalized), 0) > ${smallBytesMax / 4} then false
  else coalesce(octet_length(r.input::text), 0) + coalesce(octet_length(r.result::text), 0)
    + coalesce(octet_length(r.normalized::text), 0) <= ${smallBytesMax} end`

/** Between the statement that read the run and that of its attempts, both may have left for the history. */
const mayHaveLeft = ({ attempts, run }: RunDetail): boolean =>
  attempts.length === 0 && isTerminal(run.status) && !wasRefused(run)

const nameOf = ({ runId, workspaceId }: RunKey): string => `${workspaceId} ${runId}`

/** Small runs that are in the hot tables, with their attempts. */
const smallOnes = (database: Database["Type"]) => {
  const attemptsOfRuns = attemptsOf(database)
  const table = { ...runsByKey, which: `and ${small}` }
  return Effect.fnUntraced(function* (asked: ReadonlyMap<string, RunKey>) {
    const runs = yield* runRows(rowsOfRuns(database, [...asked.values()], table))
    const found = new Map(runs.map((run) => [nameOf(run), { run, attempts: new Array<Attempt>() }]))
    if (runs.length > 0)
      for (const attempt of yield* attemptsOfRuns(runs)) found.get(nameOf(attempt))?.attempts.push(attempt)
    for (const [name, detail] of found) if (mayHaveLeft(detail)) found.delete(name)
    return found
  })
}

export const runReads = Effect.fnUntraced(function* (
  database: Database["Type"],
  past: ReturnType<typeof historyReads>
) {
  const { query, sql } = database
  const attemptsOfRuns = attemptsOf(database)
  // Clients look at their runs again and again.
  const smallDetail = yield* makeBatchedReads({ readersMax: readsSharedMax, keyOf: nameOf, read: smallOnes(database) })

  const getMany = Effect.fnUntraced(function* (keys: ReadonlyArray<RunKey>) {
    const found = yield* runRows(rowsOfRuns(database, keys, runsByKey))
    if (found.length === keys.length) return found
    const here = new Set(found.map(({ runId }) => runId))
    return [...found, ...(yield* past.getMany(keys.filter(({ runId }) => !here.has(runId))))]
  })

  const get = (key: RunKey) => Effect.map(getMany([key]), (rows) => rows[0] ?? null)
  const attempts = (key: RunKey) =>
    Effect.flatMap(attemptsOfRuns([key]), (made) => (made.length === 0 ? past.attempts(key) : Effect.succeed(made)))

  return {
    getMany,
    get,
    attempts,
    detail: Effect.fnUntraced(function* (key) {
      const run = yield* get(key)
      return run === null ? null : { run, attempts: yield* attempts(key) }
    }),
    smallDetail,
    uncertain: Effect.fnUntraced(function* ({ after, limit }) {
      const place = after === null ? null : uncertainPlaceOf(after)
      const behind =
        place === null
          ? sql.literal("")
          : sql`and r.created_at >= ${place.createdAt} and (r.created_at, r.run_id) > (${place.createdAt}, ${place.runId})`
      const rows = query(sql`
          select ${sql.literal(runsByKey.columns)} from runs r where r.status = 'reconciliation_pending' ${behind} order by r.created_at, r.run_id limit ${limit + 1}`)
      return pageOf(yield* runRows(rows), limit, uncertainKey)
    }),
    queuedSince: Effect.map(
      sinceRow(query(sql`select min(created_at) as since from runs where status = 'queued'`)),
      (row) => row?.since ?? null
    ),
    locate: Effect.fnUntraced(function* (runId) {
      const found = yield* keyRow(
        query(sql`
          select r.run_id as "runId", r.workspace_id as "workspaceId" from workspaces w join runs r on r.workspace_id = w.workspace_id and r.run_id = ${runId}`)
      )
      return found ?? (yield* past.locate(runId))
    }),
    locateRequest: Effect.fnUntraced(function* (requestId) {
      const { before, from } = runIdsOfRequest(requestId)
      const found = yield* keyRow(
        query(sql`
          select r.run_id as "runId", r.workspace_id as "workspaceId" from workspaces w
          join runs r on r.workspace_id = w.workspace_id and r.run_id >= ${from} and r.run_id < ${before} and r.request_id = ${requestId} limit 1`)
      )
      return found ?? (yield* past.locateRequest(requestId))
    })
  } satisfies Partial<RunStore["Type"]>
})

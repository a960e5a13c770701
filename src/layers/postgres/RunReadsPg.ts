/**
 * Single runs and their attempts, read from Postgres: from the hot tables, and what is not there from the history.
 * Lists are in `RunListPg.ts`, taking runs in `RunTakingPg.ts`.
 */
import { Effect, Schema } from "effect"
import { RunId, WorkspaceId } from "../../domain/Ids.js"
import { pageOf } from "../../domain/Pages.js"
import { uncertainKey, uncertainPlaceOf } from "../../domain/Run.js"
import type { RunKey, RunStore } from "../../services/RunStore.js"
import type { Database } from "./Database.js"
import { rowOf } from "./database/Rows.js"
import type { historyReads } from "./history/HistoryReads.js"
import { attemptTable, decodeAttempts, decodeRuns, runTable } from "./RunTables.js"

const decodeKeys = Schema.decodeUnknown(Schema.Array(Schema.Struct({ runId: RunId, workspaceId: WorkspaceId })))
const sinceRow = rowOf(Schema.Struct({ since: Schema.NullOr(Schema.Int) }))

/** The attempts of these runs; for each run, in the order in which they were made. */
export const attemptsOf = ({ query, sql }: Database["Type"]) =>
  Effect.fnUntraced(function* (keys: ReadonlyArray<RunKey>) {
    const rows = yield* query(sql`
        select ${sql.literal(attemptTable.selected("a"))}
        from unnest(${keys.map((key) => key.workspaceId)}::text[], ${keys.map((key) => key.runId)}::text[]) as k (workspace_id, run_id)
        join attempts a on a.workspace_id = k.workspace_id and a.run_id = k.run_id
        order by a.run_id, a.n`)
    return yield* Effect.orDie(decodeAttempts(rows))
  })

export const runReads = (database: Database["Type"], past: ReturnType<typeof historyReads>) => {
  const { query, sql } = database
  const runs = sql.literal(runTable.selected("r"))

  const getMany = Effect.fnUntraced(function* (keys: ReadonlyArray<RunKey>) {
    const rows = yield* query(sql`
        select ${runs}
        from unnest(${keys.map((key) => key.workspaceId)}::text[], ${keys.map((key) => key.runId)}::text[]) as k (workspace_id, run_id)
        join runs r on r.workspace_id = k.workspace_id and r.run_id = k.run_id`)
    const found = yield* Effect.orDie(decodeRuns(rows))
    if (found.length === keys.length) return found
    const here = new Set(found.map(({ runId }) => runId))
    return [...found, ...(yield* past.getMany(keys.filter(({ runId }) => !here.has(runId))))]
  })

  return {
    getMany,
    get: (key) => Effect.map(getMany([key]), (rows) => rows[0] ?? null),
    attempts: (key) =>
      Effect.flatMap(attemptsOf(database)([key]), (made) =>
        made.length === 0 ? past.attempts(key) : Effect.succeed(made)
      ),
    uncertain: Effect.fnUntraced(function* ({ after, limit }) {
      const place = after === null ? null : uncertainPlaceOf(after)
      const behind =
        place === null
          ? sql.literal("")
          : sql`and r.created_at >= ${place.createdAt} and (r.created_at, r.run_id) > (${place.createdAt}, ${place.runId})`
      const rows = yield* query(sql`
          select ${runs} from runs r where r.status = 'reconciliation_pending' ${behind} order by r.created_at, r.run_id limit ${limit + 1}`)
      return pageOf(yield* Effect.orDie(decodeRuns(rows)), limit, uncertainKey)
    }),
    queuedSince: Effect.map(
      sinceRow(query(sql`select min(created_at) as since from runs where status = 'queued'`)),
      (row) => row?.since ?? null
    ),
    locate: Effect.fnUntraced(function* (runId) {
      const rows = yield* query(sql`
          select r.run_id as "runId", r.workspace_id as "workspaceId" from workspaces w join runs r on r.workspace_id = w.workspace_id and r.run_id = ${runId}`)
      const [found] = yield* Effect.orDie(decodeKeys(rows))
      return found ?? (yield* past.locate(runId))
    })
  } satisfies Partial<RunStore["Type"]>
}

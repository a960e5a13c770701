/**
 * Reports in Postgres. Each answer is one statement that reads ranges of indexes: sums that are kept in the background
 * (`SpendPg.ts`), rows of runs that are under way, which are few, and counts that end at a maximum.
 */
import { Clock, Effect, Layer, Ref, Schema } from "effect"
import { NotFound } from "../../domain/ApiErrors.js"
import { firstRunIdAt, WorkspaceId } from "../../domain/Ids.js"
import { runsCountedMax } from "../../domain/limits/Lists.js"
import { Micros } from "../../domain/Micros.js"
import { pageOf } from "../../domain/Pages.js"
import { RunStatus } from "../../domain/Run.js"
import { runStatuses } from "../../domain/RunMachine.js"
import { Reports, type StatusCount } from "../../services/Reports.js"
import { Database } from "./Database.js"
import { reportsLock } from "./database/AdvisoryLocks.js"
import { inWorkspace } from "./database/InWorkspace.js"
import { DatabaseNow } from "./database/Now.js"
import { rowOf, rowsOf } from "./database/Rows.js"
import { makeSpan, type SpansLookedAt, workspacesToSpan } from "./RunSpansPg.js"
import { chargedByProvider, spendReport, sumUp, workspacesToSum } from "./SpendPg.js"

const countRows = rowsOf(Schema.Struct({ status: RunStatus, runs: Schema.Int }))
const standingRows = rowsOf(
  Schema.Struct({
    workspaceId: WorkspaceId,
    name: Schema.String,
    operator: Schema.Boolean,
    availableMicros: Micros,
    reservedMicros: Micros,
    inflight: Schema.Int,
    createdAt: Schema.Int,
    lastRunAt: Schema.NullOr(Schema.Int)
  })
)
const nullableInt = Schema.NullOr(Schema.Int)
const healthRow = rowOf(
  Schema.Struct({
    queued: Schema.Int,
    oldestQueuedMillis: nullableInt,
    uncertain: Schema.Int,
    oldestUncertainMillis: nullableInt,
    leases: Schema.Array(Schema.Struct({ node: Schema.String, runs: Schema.Int, endsInMillis: Schema.Int })),
    nodes: Schema.Array(
      Schema.Struct({
        node: Schema.String,
        role: Schema.String,
        version: Schema.String,
        host: Schema.String,
        startedAt: Schema.Int,
        silentMillis: Schema.Int,
        catalog: Schema.NullOr(Schema.String)
      })
    ),
    ledger: Schema.NullOr(
      Schema.Struct({
        checkedAt: Schema.Int,
        tookMillis: Schema.Int,
        driftMicros: Schema.Int,
        difference: Schema.NullOr(Schema.String)
      })
    )
  })
)
const turnRow = rowOf(Schema.Struct({ mine: Schema.Boolean }))

const statusCount = (status: RunStatus, counted: number): StatusCount => ({
  status,
  runs: Math.min(counted, runsCountedMax),
  more: counted > runsCountedMax
})

const standing = `
  select w.workspace_id as "workspaceId", w.name, w.operator, m.available_micros as "availableMicros", m.reserved_micros as "reservedMicros", m.inflight,
    w.created_at as "createdAt", coalesce(
      (select r.created_at from runs r where r.workspace_id = w.workspace_id order by r.run_id desc limit 1),
      (select r.created_at from history_runs r where r.workspace_id = w.workspace_id order by r.run_id desc limit 1)) as "lastRunAt"
  from workspaces w join wallets m using (workspace_id)`

/** The text matches itself in a pattern of LIKE. */
const likeText = (text: string): string => text.replace(/[\\%_]/g, String.raw`\$&`)

const make = Effect.gen(function* () {
  const database = yield* Database
  const databaseNow = yield* DatabaseNow
  const { query, sql, transact } = database
  const spansLookedAt = yield* Ref.make<SpansLookedAt | null>(null)

  /** In a transaction, unless another node is at it. */
  const inTurn = <A, E>(work: Effect.Effect<A, E>, otherwise: A) =>
    transact(
      Effect.flatMap(turnRow(query(sql`select pg_try_advisory_xact_lock(${reportsLock}::bigint) as mine`)), (turn) =>
        turn?.mine === true ? work : Effect.succeed(otherwise)
      )
    )
  const whileMore = <E>(step: Effect.Effect<boolean, E>) =>
    Effect.repeat(inTurn(step, false), { while: (more) => more })

  return Reports.of({
    spend: Effect.fn("Reports.spend")(spendReport(database)),
    chargedByProvider: Effect.fn("Reports.chargedByProvider")(chargedByProvider(database)),
    runCounts: Effect.fn("Reports.runCounts")(function* (workspaceId, fromMillis) {
      const rows = yield* countRows(
        query(sql`
          select s.status, count(r.one)::int as runs from unnest(${runStatuses}::text[]) as s (status) left join lateral (
            select 1 as one from runs r where ${inWorkspace(sql, "r.workspace_id", workspaceId)} and (r.workspace_id || ' ' || r.status) = ${workspaceId}::text || ' ' || s.status and r.run_id >= ${firstRunIdAt(fromMillis)}
            union all
            select 1 as one from history_runs r where ${inWorkspace(sql, "r.workspace_id", workspaceId)} and (r.workspace_id || ' ' || r.status) = ${workspaceId}::text || ' ' || s.status and r.run_id >= ${firstRunIdAt(fromMillis)}
            limit ${runsCountedMax + 1}
          ) r on true group by s.status`)
      )
      const counted = new Map(rows.map(({ runs, status }) => [status, runs]))
      return runStatuses.map((status) => statusCount(status, counted.get(status) ?? 0))
    }),
    workspaces: Effect.fn("Reports.workspaces")(function* (search, { after, limit }) {
      const found =
        search === null
          ? sql.literal("")
          : sql`and (w.name ilike ${`%${likeText(search)}%`} or w.workspace_id = ${search})`
      const from = after === null ? sql.literal("") : sql`and w.workspace_id < ${after}`
      const rows = yield* standingRows(
        query(sql`${sql.literal(standing)} where true ${found} ${from} order by w.workspace_id desc limit ${limit + 1}`)
      )
      return pageOf(rows, limit, ({ workspaceId }) => workspaceId)
    }),
    workspace: Effect.fn("Reports.workspace")(function* (workspaceId) {
      const [row] = yield* standingRows(query(sql`${sql.literal(standing)} where w.workspace_id = ${workspaceId}`))
      return row ?? (yield* new NotFound({ what: "workspace", id: workspaceId }))
    }),
    health: Effect.gen(function* () {
      const now = sql.literal(yield* databaseNow)
      const row = yield* healthRow(
        query(sql`
          select
            (select count(*) from (select from runs where status = 'queued' limit ${runsCountedMax + 1}) q) as queued,
            ${now} - (select min(created_at) from runs where status = 'queued') as "oldestQueuedMillis",
            (select count(*) from (select from runs where status = 'reconciliation_pending' limit ${runsCountedMax + 1}) u) as uncertain,
            ${now} - (select min(created_at) from runs where status = 'reconciliation_pending') as "oldestUncertainMillis",
            (select coalesce(json_agg(l order by l.runs desc, l.node), '[]') from (
              select lease_node as node, count(*) as runs, min(lease_expires_at) - ${now} as "endsInMillis" from runs where status = 'running' group by lease_node
            ) l) as leases,
            (select coalesce(json_agg(n order by n."startedAt", n.node), '[]') from (
              select node_id as node, role, version, host, started_at as "startedAt", ${now} - last_seen_at as "silentMillis", catalog from nodes
            ) n) as nodes,
            (select json_build_object('checkedAt', checked_at, 'tookMillis', took_millis, 'driftMicros', drift_micros, 'difference', difference) from ledger_checks) as ledger`)
      )
      if (row === null) return yield* Effect.dieMessage("the statement of the health report answered no row")
      return {
        ...row,
        queued: statusCount("queued", row.queued),
        uncertain: statusCount("reconciliation_pending", row.uncertain)
      }
    }).pipe(Effect.withSpan("Reports.health")),
    keep: Effect.gen(function* () {
      for (const { workspaceId } of yield* workspacesToSum(database)) yield* whileMore(sumUp(database, workspaceId))
      const atMillis = yield* Clock.currentTimeMillis
      const enough = yield* workspacesToSpan(database, yield* Ref.get(spansLookedAt))
      for (const workspaceId of enough) yield* whileMore(makeSpan(database, workspaceId, atMillis))
      yield* Ref.set(spansLookedAt, { atMillis, enough })
    }).pipe(Effect.withSpan("Reports.keep"))
  })
})

export const ReportsPg: Layer.Layer<Reports, never, Database> = Layer.effect(Reports, make)

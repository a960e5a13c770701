/**
 * Spans of consecutive runs of a workspace, with the tokens, operations and providers that occur in them (migration
 * 0021). A span is made once all of its runs have ended, or wait for a person, and no run with an id among them can
 * still come. So a list that is filtered by one of these values reads the spans in which the value occurs, and the runs
 * after the last span.
 */
import type * as Statement from "@effect/sql/Statement"
import { Effect, Schema } from "effect"
import { firstRunIdAt, WorkspaceId } from "../../domain/Ids.js"
import { runsLookedThroughMax } from "../../domain/limits/Lists.js"
import { runIdClockMillisMax } from "../../domain/limits/Nodes.js"
import type { RunFilter } from "../../services/RunStore.js"
import type { Database } from "./Database.js"
import { rowOf, rowsOf } from "./database/Rows.js"
import { inflightList } from "./RunTables.js"

const runsOfSpan = 1_000
const spansRead = runsLookedThroughMax / runsOfSpan
/** After this time no run with an older id can come: twice as long as it can take, because a span stays for good. */
const idsSettleMillis = 2 * runIdClockMillisMax

const oneRow = rowOf(Schema.Struct({ one: Schema.Int }))
const workspaceRows = rowsOf(Schema.Struct({ workspaceId: WorkspaceId }))
const rangesRow = rowOf(
  Schema.Struct({
    newest: Schema.NullOr(Schema.String),
    lastLookedAt: Schema.NullOr(Schema.String),
    firsts: Schema.Array(Schema.String),
    lasts: Schema.Array(Schema.String)
  })
)

const lastOf = (sql: Database["Type"]["sql"], workspaceId: Statement.Fragment) =>
  sql`coalesce((select last_run_id from run_spans where workspace_id = ${workspaceId} order by last_run_id desc limit 1), '')`

const columns = "run_id, token_id, endpoint_id, provider_id, served_endpoint_id, served_provider_id, status"

/** The runs of a workspace after its last span, as many as a span has: some may have left the hot tables before. */
const nextRuns = (sql: Database["Type"]["sql"], chosen: string, workspaceId: Statement.Fragment) => {
  const part = (table: string) => sql`
    (select ${sql.literal(chosen)} from ${sql.literal(table)} where workspace_id = ${workspaceId} and run_id > ${lastOf(sql, workspaceId)}
    order by run_id limit ${runsOfSpan})`
  return sql`(${part("runs")} union all ${part("history_runs")}) following`
}

/** What the look before this one found. */
export interface SpansLookedAt {
  readonly atMillis: number
  /** Workspaces that had enough runs for a span. Some of these runs may have been under way, or too young. */
  readonly enough: ReadonlyArray<WorkspaceId>
}

/**
 * Workspaces that have enough runs after their last span for another one: of those that had so before, and of those
 * that have new runs since. To count the runs of every workspace again and again would read half a span of each.
 */
export const workspacesToSpan = ({ query, sql }: Database["Type"], before: SpansLookedAt | null) => {
  const changed =
    before === null
      ? sql.literal("true")
      : // Not `exists`: its new runs of all workspaces would be read together.
        sql`(w.workspace_id = any(${before.enough}::text[]) or (
          select true from runs r where r.workspace_id = w.workspace_id and r.run_id > ${firstRunIdAt(Math.max(0, before.atMillis - idsSettleMillis))} limit 1
        ))`
  return Effect.map(
    workspaceRows(
      query(sql`
        select w.workspace_id as "workspaceId" from workspaces w cross join lateral (
          select from ${nextRuns(sql, "run_id", sql`w.workspace_id`)} offset ${runsOfSpan - 1} limit 1
        ) enough where ${changed} order by w.workspace_id`)
    ),
    (rows) => rows.map(({ workspaceId }) => workspaceId)
  )
}

/** Makes the next span; answers whether there was one to make. Under the lock of whoever keeps the reports. */
export const makeSpan = ({ query, sql }: Database["Type"], workspaceId: WorkspaceId, now: number) =>
  Effect.map(
    oneRow(
      query(sql`
        with next as materialized (
          select * from ${nextRuns(sql, columns, sql`${workspaceId}`)} order by run_id limit ${runsOfSpan}
        ), occurring as (
          select endpoint_id, provider_id from next
          union select served_endpoint_id, served_provider_id from next
          -- The late answer of a lost call makes its operation the one that answered.
          union select a.endpoint_id, a.provider_id from next r join attempts a on a.workspace_id = ${workspaceId} and a.run_id = r.run_id
            where r.status = 'reconciliation_pending'
        )
        insert into run_spans (workspace_id, first_run_id, last_run_id, tokens, endpoints, providers)
        select ${workspaceId}::text, min(run_id), max(run_id), array_agg(distinct token_id),
          array(select distinct endpoint_id from occurring where endpoint_id is not null),
          array(select distinct provider_id from occurring where provider_id is not null)
        from next having count(*) = ${runsOfSpan} and bool_and(status not in (${sql.literal(inflightList)}))
          and max(run_id) < ${firstRunIdAt(now - idsSettleMillis)}
        returning 1 as one`)
    ),
    (row) => row !== null
  )

/** Ranges of run ids, both ends included, the newest first. `more`: what matches may also stand before the last. */
export interface Ranges {
  readonly firsts: ReadonlyArray<string>
  readonly lasts: ReadonlyArray<string>
  readonly more: boolean
}

/** Where the next runs of a filter can be: at most about `runsLookedThroughMax` runs. */
export const rangesOf =
  ({ query, sql }: Database["Type"]) =>
  (
    workspaceId: WorkspaceId,
    { endpointId, providerId, tokenId }: Pick<RunFilter, "endpointId" | "providerId" | "tokenId">,
    bounds: { readonly atLeast: string; readonly below: string }
  ): Effect.Effect<Ranges, Effect.Effect.Error<ReturnType<typeof query>>> => {
    const occurs = (column: string, value: string | undefined) =>
      value === undefined ? sql.literal("") : sql`and ${sql.literal(column)} @> array[${value}::text]`
    const spans = sql`
      from run_spans s where s.workspace_id = ${workspaceId} and s.last_run_id >= ${bounds.atLeast} and s.first_run_id < ${bounds.below}
        ${occurs("tokens", tokenId)} ${occurs("endpoints", endpointId)} ${occurs("providers", providerId)}
      order by s.last_run_id desc limit ${spansRead + 1}`
    const afterNewest = (table: string) => sql`
      (select r.run_id from ${sql.literal(table)} r where r.workspace_id = ${workspaceId} and r.run_id > (select run_id from newest)
        and r.run_id >= ${bounds.atLeast} and r.run_id < ${bounds.below} order by r.run_id desc limit ${runsLookedThroughMax})`
    return Effect.map(
      rangesRow(
        query(sql`
          with newest as materialized (select ${lastOf(sql, sql`${workspaceId}`)} as run_id)
          select (select run_id from newest) as newest,
            (select run_id from (${afterNewest("runs")} union all ${afterNewest("history_runs")}) r
              order by run_id desc offset ${runsLookedThroughMax - 1} limit 1) as "lastLookedAt",
            array(select s.first_run_id ${spans}) as firsts, array(select s.last_run_id ${spans}) as lasts`)
      ),
      (row) => {
        const { firsts, lasts, lastLookedAt, newest } = row ?? { newest: "", lastLookedAt: null, firsts: [], lasts: [] }
        if (lastLookedAt !== null) return { firsts: [lastLookedAt], lasts: [bounds.below], more: true }
        return {
          // Ids have one length, so this is after the newest span and before any later run.
          firsts: [`${newest ?? ""}0`, ...firsts.slice(0, spansRead)],
          lasts: [bounds.below, ...lasts.slice(0, spansRead)],
          more: firsts.length > spansRead
        }
      }
    )
  }

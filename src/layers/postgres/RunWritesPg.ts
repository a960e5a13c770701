/**
 * The writes to a run on Postgres: its admission, its next attempt and its end. Each joins a transaction or is one of
 * its own. Each is fenced by status or lease, and notifies other nodes inside the transaction.
 */
import { Effect, Schema } from "effect"
import { RunId } from "../../domain/Ids.js"
import { type Attempt, RunStatus } from "../../domain/Run.js"
import type { Conclusion, NewRun, RunKey, RunStore } from "../../services/RunStore.js"
import type { Database } from "./Database.js"
import { rowOf, rowsOf } from "./database/Rows.js"
import { insertMedia } from "./RunMediaPg.js"
import { channel } from "./RunSignalsPg.js"
import { attemptTable, runRows, runTable } from "./RunTables.js"

const tellEndRow = rowOf(Schema.Struct({ told: Schema.Boolean }))
const fenceRows = rowsOf(Schema.Struct({ runId: RunId, status: RunStatus, leaseToken: Schema.NullOr(Schema.String) }))
/** The columns that may change after a run's admission. */
const changing = [
  "status",
  "outcome",
  "outcomeReason",
  "chargeMicros",
  "error",
  "result",
  "normalized",
  "resultBytes",
  "providerStatus",
  "servedEndpointId",
  "servedProviderId",
  "endpointId",
  "providerId",
  "contractVersion",
  "startedAt",
  "completedAt"
] as const
const answers = [
  "outcome",
  "outcomeReason",
  "error",
  "result",
  "normalized",
  "resultBytes",
  "providerStatus",
  "servedEndpointId",
  "servedProviderId"
] as const
const key = ["workspaceId", "runId"] as const
/** The columns that are sent with a conclusion, and those that are sent with an answer that is not the last. */
const concluded = [...key, "cancelRequested", ...changing] as const
const answered = [...key, ...answers] as const
const ending = [
  "status",
  "outcome",
  "reason",
  "errorCode",
  "providerStatus",
  "latencyMs",
  "costMicros",
  "billed",
  "receiptId",
  "receipt",
  "completedAt"
] as const
/** The columns that are sent with the end of an attempt. */
const attemptEnd = [...key, "n", ...ending] as const

export const runWrites = (database: Database["Type"], databaseNow: Effect.Effect<string>) => {
  const { query, send, sql, transact } = database
  const runs = sql.literal(runTable.selected("r"))
  const writeMedia = insertMedia(database)

  const insert = Effect.fnUntraced(function* (fresh: ReadonlyArray<NewRun>) {
    const rows = runTable.document(
      fresh.map(({ run }) => run),
      (index) => ({
        lease_node: fresh[index]?.lease?.node ?? null,
        lease_token: fresh[index]?.lease?.token ?? null,
        lease_millis: fresh[index]?.lease?.millis ?? null,
        tell_end: fresh[index]?.tellEnd ?? true
      })
    )
    const attempts = attemptTable.document(fresh.flatMap(({ attempt }) => (attempt === null ? [] : [attempt])))
    const lease = "lease_node, lease_token"
    const queued = fresh.some(({ run }) => run.status === "queued")
    yield* send(sql`
        with started as (
          insert into attempts (${sql.literal(attemptTable.names)})
          select ${sql.literal(attemptTable.values)} from json_to_recordset(${attempts}::json) as a (${sql.literal(attemptTable.typed)})
        ), admitted as (
          insert into runs (${sql.literal(`${runTable.names}, ${lease}, tell_end, lease_expires_at`)})
          select ${sql.literal(`${runTable.values}, ${lease}`)}, tell_end, ${sql.literal(yield* databaseNow)} + lease_millis
          from json_to_recordset(${rows}::json)
            as r (${sql.literal(runTable.typed)}, lease_node text, lease_token text, lease_millis bigint, tell_end boolean)
        )
        select case when ${queued}::boolean then pg_notify(${channel}, 'queued') end`)
  })

  const lock = Effect.fnUntraced(function* (keys: ReadonlyArray<RunKey>) {
    const fences = yield* fenceRows(
      query(sql`
        select r.run_id as "runId", r.status, r.lease_token as "leaseToken"
        from unnest(${keys.map((key) => key.workspaceId)}::text[], ${keys.map((key) => key.runId)}::text[]) as k (workspace_id, run_id)
        join runs r on r.workspace_id = k.workspace_id and r.run_id = k.run_id
        order by r.workspace_id, r.run_id
        for no key update of r`)
    )
    return new Map(fences.map((fence) => [fence.runId, fence]))
  })

  const endsOf = (attempts: ReadonlyArray<Attempt>) =>
    sql`from json_to_recordset(${attemptTable.documentOnly(attempts, attemptEnd)}::json) as e (${sql.literal(attemptTable.typedOnly(attemptEnd))})`

  const conclude = (conclusions: ReadonlyArray<Conclusion>) => {
    const attempts = conclusions.flatMap(({ attempt }) => (attempt === null ? [] : [attempt]))
    const written = send(sql`
        with done as (
          update runs r set ${sql.literal(runTable.assigned("c", ...changing))}, cancel_requested = r.cancel_requested or c.cancel_requested,
            lease_node = null, lease_token = null, lease_expires_at = null
          from json_to_recordset(${runTable.documentOnly(
            conclusions.map(({ run }) => run),
            concluded
          )}::json) as c (${sql.literal(runTable.typedOnly(concluded))})
          where r.workspace_id = c.workspace_id and r.run_id = c.run_id
          returning r.run_id, r.tell_end
        ), ended as (
          update attempts a set ${sql.literal(attemptTable.assigned("e", ...ending))}
          ${endsOf(attempts)}
          where a.workspace_id = e.workspace_id and a.run_id = e.run_id and a.n = e.n
        )
        select pg_notify(${channel}, 'settled:' || string_agg(run_id, ',')) from done where tell_end having count(*) > 0`)
    return Effect.zipRight(written, writeMedia(conclusions.flatMap(({ media }) => (media === null ? [] : [media]))))
  }

  const nextAttempt: RunStore["Type"]["nextAttempt"] = ({ ended, lease, media, opened, run }) =>
    transact(
      Effect.gen(function* () {
        const held = yield* sql`
          update runs r set ${sql.literal(runTable.assigned("c", ...answers))}
          from json_to_recordset(${runTable.documentOnly([run], answered)}::json) as c (${sql.literal(runTable.typedOnly(answered))})
          where r.workspace_id = ${run.workspaceId} and r.run_id = ${run.runId} and r.status = 'running' and r.lease_token = ${lease.token}
          returning 1`
        if (held.length === 0) return false
        yield* send(sql`
          with ended as (
            update attempts a set ${sql.literal(attemptTable.assigned("e", ...ending))}
            ${endsOf(ended === null ? [] : [ended])}
            where a.workspace_id = e.workspace_id and a.run_id = e.run_id and a.n = e.n
          )
          insert into attempts (${sql.literal(attemptTable.names)})
          select ${sql.literal(attemptTable.values)} from json_to_recordset(${attemptTable.document([opened])}::json) as a (${sql.literal(attemptTable.typed)})
          -- A commit whose answer was lost is written again, under the same lease and so by the same attempt.
          on conflict do nothing`)
        yield* writeMedia(media === null ? [] : [media])
        return true
      })
    )

  /** Many clients may wait for runs that are locked. None of them must hold a connection until that is over. */
  const tellEnd: RunStore["Type"]["tellEnd"] = ({ runId, workspaceId }) =>
    Effect.map(
      tellEndRow(
        query(sql`
          with free as materialized (
            select workspace_id, run_id from runs r
            where r.workspace_id = ${workspaceId} and r.run_id = ${runId} and not r.tell_end for no key update skip locked
          ), told as (
            update runs r set tell_end = true from free f where r.workspace_id = f.workspace_id and r.run_id = f.run_id
          )
          select exists (select from free) or exists (
            select from runs r where r.workspace_id = ${workspaceId} and r.run_id = ${runId} and r.tell_end
          ) as told`)
      ),
      (row) => row?.told === true
    )

  const requestCancel: RunStore["Type"]["requestCancel"] = Effect.fnUntraced(function* (key) {
    const [found] = yield* runRows(
      query(sql`
          update runs r set cancel_requested = r.cancel_requested or r.status = 'running'
          where r.workspace_id = ${key.workspaceId} and r.run_id = ${key.runId}
          returning ${runs}, case when r.status = 'running' then pg_notify(${channel}, 'cancel:' || r.run_id) end`)
    )
    return found ?? null
  })

  return { insert, lock, conclude, nextAttempt, tellEnd, requestCancel } satisfies Partial<RunStore["Type"]>
}

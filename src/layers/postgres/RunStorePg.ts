/**
 * Runs on Postgres. Claims skip locked rows, so nodes never wait for each other; every result is fenced by status and
 * lease; whatever other nodes should know is notified inside the transaction and so arrives with its commit, or not at
 * all.
 */
import { Effect, Layer, Schema } from "effect"
import { MediaId, RunId, WorkspaceId } from "../../domain/Ids.js"
import { RunStatus } from "../../domain/Run.js"
import { Ids } from "../../services/Ids.js"
import {
  type Conclusion,
  type LeasedRun,
  type Media,
  type NewRun,
  type RunKey,
  RunStore,
  type Taking
} from "../../services/RunStore.js"
import { Database } from "./Database.js"
import { DatabaseNow } from "./database/Now.js"
import { rowOf } from "./database/Rows.js"
import { forgetRefused } from "./RefusedRunsPg.js"
import { runList } from "./RunListPg.js"
import { renewal, renewalValues } from "./leases/RenewalStatement.js"
import { attemptTable, decodeAttempts, decodeRuns, runTable } from "./RunTables.js"
import { channel } from "./RunSignalsPg.js"
import { makeStorageIdentity } from "./StorageIdentityPg.js"

const decodeFences = Schema.decodeUnknown(
  Schema.Array(Schema.Struct({ runId: RunId, status: RunStatus, leaseToken: Schema.NullOr(Schema.String) }))
)
const decodeKeys = Schema.decodeUnknown(Schema.Array(Schema.Struct({ runId: RunId, workspaceId: WorkspaceId })))
const decodeLeases = Schema.decodeUnknown(
  Schema.Array(
    Schema.Struct({
      runId: RunId,
      token: Schema.String,
      workersLost: Schema.Int,
      restored: Schema.Boolean,
      waitedMillis: Schema.Int
    })
  )
)
const decodeHeld = Schema.decodeUnknown(Schema.Array(Schema.Struct({ runId: RunId, cancelRequested: Schema.Boolean })))
const decodeMedia = Schema.decodeUnknown(
  Schema.Array(
    Schema.Struct({
      mediaId: MediaId,
      contentType: Schema.String,
      filename: Schema.NullOr(Schema.String),
      sha256: Schema.String,
      size: Schema.Int
    })
  )
)
const decodeParts = Schema.decodeUnknown(Schema.Tuple(Schema.Struct({ part: Schema.Uint8ArrayFromSelf })))

const sinceRow = rowOf(Schema.Struct({ since: Schema.NullOr(Schema.Int) }))

/** What a run may still learn after its admission. */
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
/** What travels to the database with a conclusion, and with an answer that is not the last. */
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

export const RunStorePg: Layer.Layer<RunStore, never, Database | Ids> = Layer.effect(
  RunStore,
  Effect.gen(function* () {
    const database = yield* Database
    const { query, send, sql, transact, urgent } = database
    const ids = yield* Ids
    const runs = sql.literal(runTable.selected("r"))
    const nowText = yield* DatabaseNow
    const now = Effect.map(nowText, sql.literal)

    const attemptsOf = Effect.fnUntraced(function* (keys: ReadonlyArray<RunKey>) {
      const rows = yield* query(sql`
        select ${sql.literal(attemptTable.selected("a"))}
        from unnest(${keys.map((key) => key.workspaceId)}::text[], ${keys.map((key) => key.runId)}::text[]) as k (workspace_id, run_id)
        join attempts a on a.workspace_id = k.workspace_id and a.run_id = k.run_id
        order by a.run_id, a.n`)
      return yield* Effect.orDie(decodeAttempts(rows))
    })

    const getMany = Effect.fnUntraced(function* (keys: ReadonlyArray<RunKey>) {
      const rows = yield* query(sql`
        select ${runs}
        from unnest(${keys.map((key) => key.workspaceId)}::text[], ${keys.map((key) => key.runId)}::text[]) as k (workspace_id, run_id)
        join runs r on r.workspace_id = k.workspace_id and r.run_id = k.run_id`)
      return yield* Effect.orDie(decodeRuns(rows))
    })

    const insertMedia = (media: ReadonlyArray<Media>) =>
      Effect.forEach(
        media,
        (one) =>
          send(sql`
          insert into media (workspace_id, run_id, media_id, content_type, filename, sha256, bytes)
          values (${one.workspaceId}, ${one.runId}, ${one.mediaId}, ${one.contentType}, ${one.filename}, ${one.sha256}, ${Buffer.from(one.bytes)})
          on conflict do nothing`),
        { discard: true }
      )

    const insert = Effect.fnUntraced(function* (fresh: ReadonlyArray<NewRun>) {
      const rows = runTable.document(
        fresh.map(({ run }) => run),
        (index) => ({
          lease_node: fresh[index]?.lease?.node ?? null,
          lease_token: fresh[index]?.lease?.token ?? null,
          lease_millis: fresh[index]?.lease?.millis ?? null
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
          insert into runs (${sql.literal(`${runTable.names}, ${lease}, lease_expires_at`)})
          select ${sql.literal(`${runTable.values}, ${lease}`)}, ${yield* now} + lease_millis
          from json_to_recordset(${rows}::json)
            as r (${sql.literal(runTable.typed)}, lease_node text, lease_token text, lease_millis bigint)
        )
        select case when ${queued}::boolean then pg_notify(${channel}, 'queued') end`)
    })

    const lock = Effect.fnUntraced(function* (keys: ReadonlyArray<RunKey>) {
      const rows = yield* query(sql`
        select r.run_id as "runId", r.status, r.lease_token as "leaseToken"
        from unnest(${keys.map((key) => key.workspaceId)}::text[], ${keys.map((key) => key.runId)}::text[]) as k (workspace_id, run_id)
        join runs r on r.workspace_id = k.workspace_id and r.run_id = k.run_id
        order by r.workspace_id, r.run_id
        for no key update of r`)
      return new Map((yield* Effect.orDie(decodeFences(rows))).map((fence) => [fence.runId, fence]))
    })

    const conclude = (conclusions: ReadonlyArray<Conclusion>) => {
      const attempts = attemptTable.document(conclusions.flatMap(({ attempt }) => (attempt === null ? [] : [attempt])))
      const written = send(sql`
        with done as (
          update runs r set ${sql.literal(runTable.assigned("c", ...changing))}, cancel_requested = r.cancel_requested or c.cancel_requested,
            lease_node = null, lease_token = null, lease_expires_at = null
          from json_to_recordset(${runTable.documentOnly(
            conclusions.map(({ run }) => run),
            concluded
          )}::json) as c (${sql.literal(runTable.typedOnly(concluded))})
          where r.workspace_id = c.workspace_id and r.run_id = c.run_id
          returning r.run_id
        ), ended as (
          update attempts a set ${sql.literal(attemptTable.assigned("e", ...ending))}
          from json_to_recordset(${attempts}::json) as e (${sql.literal(attemptTable.typed)})
          where a.workspace_id = e.workspace_id and a.run_id = e.run_id and a.n = e.n
        )
        select pg_notify(${channel}, 'settled:' || string_agg(run_id, ',')) from done having count(*) > 0`)
      return Effect.zipRight(written, insertMedia(conclusions.flatMap(({ media }) => (media === null ? [] : [media]))))
    }

    const nextAttempt: RunStore["Type"]["nextAttempt"] = ({ ended, lease, media, opened, run }) =>
      transact(
        Effect.gen(function* () {
          const held = yield* sql`
          update runs r set ${sql.literal(runTable.assigned("c", ...answers))}
          from json_to_recordset(${runTable.documentOnly([run], answered)}::json) as c (${sql.literal(runTable.typedOnly(answered))})
          where r.workspace_id = c.workspace_id and r.run_id = c.run_id and r.status = 'running' and r.lease_token = ${lease.token}
          returning 1`
          if (held.length === 0) return false
          yield* send(sql`
          with ended as (
            update attempts a set ${sql.literal(attemptTable.assigned("e", ...ending))}
            from json_to_recordset(${attemptTable.document(ended === null ? [] : [ended])}::json) as e (${sql.literal(attemptTable.typed)})
            where a.workspace_id = e.workspace_id and a.run_id = e.run_id and a.n = e.n
          )
          insert into attempts (${sql.literal(attemptTable.names)})
          select ${sql.literal(attemptTable.values)} from json_to_recordset(${attemptTable.document([opened])}::json) as a (${sql.literal(attemptTable.typed)})
          -- A commit whose answer was lost is written again, under the same lease and so by the same attempt.
          on conflict do nothing`)
          yield* insertMedia(media === null ? [] : [media])
          return true
        })
      )

    const identity = makeStorageIdentity(sql)

    /** Takes runs of one status, each under a lease token of its own, from a storage that is the one it was. */
    const take = (from: "queued" | "running", options: Taking & { readonly except: ReadonlyArray<string> }) =>
      transact(
        Effect.gen(function* () {
          const prefix = yield* ids.suffix
          // The materialised query is a fence: without it the planner may lock and update more rows than the limit.
          const wanted = Effect.flatMap(
            now,
            (time) => sql`
          with wanted as materialized (
            select workspace_id, run_id from runs where ${identity.fence()} and status = ${from} and not (lease_token = any(${options.except}::text[]) and lease_token is not null)
              and (${from} = 'queued' or lease_expires_at <= ${time})
            order by created_at, run_id limit ${options.limit} for update skip locked
          )
          update runs r set status = 'running', lease_node = ${options.node}, lease_token = ${prefix} || r.run_id,
            lease_expires_at = ${time} + ${options.leaseMillis}::bigint, started_at = coalesce(r.started_at, ${time}),
            workers_lost = r.workers_lost + case when ${from} = 'running' then 1 else 0 end
          from wanted w where r.workspace_id = w.workspace_id and r.run_id = w.run_id
          returning ${runs}, r.lease_token as token, r.workers_lost as "workersLost", r.restored, ${time} - r.created_at as "waitedMillis"`
          )
          const found = yield* wanted
          // Nothing may mean that the storage is not the one it was; once that is written down, what waits in it is
          // taken to be told so.
          const rows = found.length === 0 && (yield* identity.verify) ? yield* wanted : found
          const leases = new Map((yield* Effect.orDie(decodeLeases(rows))).map((lease) => [lease.runId, lease]))
          const taken = yield* Effect.orDie(decodeRuns(rows))
          const attempts = taken.length === 0 ? [] : yield* attemptsOf(taken)
          return taken
            .map((run): LeasedRun => {
              const lease = leases.get(run.runId)
              return {
                run,
                lease: { node: options.node, token: lease?.token ?? "", millis: options.leaseMillis },
                attempts: attempts.filter((attempt) => attempt.runId === run.runId),
                takenOver: from === "running",
                workersLost: lease?.workersLost ?? 0,
                restored: lease?.restored ?? true,
                waitedMillis: lease?.waitedMillis ?? 0
              }
            })
            .sort((a, b) => a.run.createdAt - b.run.createdAt)
        })
      )

    return RunStore.of({
      insert,
      lock,
      conclude,
      nextAttempt,
      claim: (options) => take("queued", { ...options, except: [] }),
      reclaim: (options) => take("running", options),
      heartbeat: Effect.fnUntraced(function* (leases, leaseMillis) {
        // A node that is busy is not dead: were this to wait for its turn, others would take over what it works on.
        const rows = yield* urgent(sql.unsafe(renewal(yield* nowText), renewalValues(leases, leaseMillis)))
        const held = yield* Effect.orDie(decodeHeld(rows))
        return {
          held: new Set(held.map(({ runId }) => runId)),
          cancelled: new Set(held.flatMap(({ cancelRequested, runId }) => (cancelRequested ? [runId] : [])))
        }
      }),
      requestCancel: Effect.fnUntraced(function* (key) {
        const rows = yield* query(sql`
          update runs r set cancel_requested = r.cancel_requested or r.status = 'running'
          where r.workspace_id = ${key.workspaceId} and r.run_id = ${key.runId}
          returning ${runs}, case when r.status = 'running' then pg_notify(${channel}, 'cancel:' || r.run_id) end`)
        return (yield* Effect.orDie(decodeRuns(rows)))[0] ?? null
      }),
      get: (key) => Effect.map(getMany([key]), (rows) => rows[0] ?? null),
      getMany,
      list: runList(database),
      attempts: (key) => attemptsOf([key]),
      media: Effect.fnUntraced(function* (key, mediaId) {
        const rows = yield* query(sql`
          select media_id as "mediaId", content_type as "contentType", filename, sha256, octet_length(bytes) as size from media
          where workspace_id = ${key.workspaceId} and run_id = ${key.runId} and media_id = ${mediaId}`)
        const [found] = yield* Effect.orDie(decodeMedia(rows))
        if (found === undefined) return null
        // The column is stored outside of its row and not compressed, so that Postgres reads only the pages of the
        // part.
        const part = Effect.fnUntraced(function* (start: number, end: number) {
          const rows = yield* query(sql`
            select substring(bytes from ${start + 1}::int for ${end - start}::int) as part from media
            where workspace_id = ${key.workspaceId} and run_id = ${key.runId} and media_id = ${mediaId}`)
          return (yield* Effect.orDie(decodeParts(rows)))[0].part
        })
        return { ...found, workspaceId: key.workspaceId, runId: key.runId, part }
      }),
      uncertain: Effect.fnUntraced(function* (limit) {
        const rows = yield* query(sql`
          select ${runs} from runs r where r.status = 'reconciliation_pending' order by r.created_at limit ${limit}`)
        return yield* Effect.orDie(decodeRuns(rows))
      }),
      queuedSince: Effect.map(
        sinceRow(query(sql`select min(created_at) as since from runs where status = 'queued'`)),
        (row) => row?.since ?? null
      ),
      forgetRefused: forgetRefused(database, yield* DatabaseNow),
      locate: Effect.fnUntraced(function* (runId) {
        const rows = yield* query(sql`
          select r.run_id as "runId", r.workspace_id as "workspaceId" from workspaces w join runs r on r.workspace_id = w.workspace_id and r.run_id = ${runId}`)
        return (yield* Effect.orDie(decodeKeys(rows)))[0] ?? null
      })
    })
  })
)

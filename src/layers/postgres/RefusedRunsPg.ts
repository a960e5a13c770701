/**
 * Deletes old refused runs on Postgres: a small portion in each transaction, found by an index for refused runs
 * (migration 0012).
 */
import { Effect, Schema } from "effect"
import type { RunStore } from "../../services/RunStore.js"
import type { Database } from "./Database.js"
import { refusedRunsLock } from "./database/AdvisoryLocks.js"
import { rowOf } from "./database/Rows.js"
import { wasRefused } from "./history/Movable.js"

const turnRow = rowOf(Schema.Struct({ mine: Schema.Boolean }))
const goneRow = rowOf(Schema.Struct({ gone: Schema.Int }))

export const forgetRefused =
  ({ sql, transact }: Database["Type"], databaseNow: Effect.Effect<string>): RunStore["Type"]["forgetRefused"] =>
  ({ limit, olderThanMillis }) =>
    transact(
      Effect.gen(function* () {
        const turn = yield* turnRow(sql`select pg_try_advisory_xact_lock(${refusedRunsLock}::bigint) as mine`)
        if (turn?.mine !== true) return 0
        const row = yield* goneRow(sql`
        with old as materialized (
          select workspace_id, run_id, idempotency_key from runs r
          where ${sql.literal(wasRefused)} and created_at < ${sql.literal(yield* databaseNow)} - ${olderThanMillis}::bigint
          order by created_at limit ${limit} for update skip locked
        ), keys as (
          delete from idempotency_keys k using old o where k.workspace_id = o.workspace_id and k.key = o.idempotency_key and k.run_id = o.run_id
        ), gone as (
          delete from runs r using old o where r.workspace_id = o.workspace_id and r.run_id = o.run_id returning 1
        )
        select count(*) as gone from gone`)
        return row?.gone ?? 0
      })
    )

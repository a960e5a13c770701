/**
 * Token buckets in Postgres, by the database's clock. One statement takes the reports of all tenants of a node, in one
 * order on all nodes, so that two of them cannot wait for each other. The table is unlogged: a report costs no write to
 * the log, and a crash of the server empties it, which makes every bucket full.
 */
import { Effect, Layer, Schema } from "effect"
import { RateBuckets } from "../../services/RateBuckets.js"
import { Database } from "./Database.js"
import { DatabaseNow } from "./database/Now.js"
import { rowsOf } from "./database/Rows.js"

const stateRows = rowsOf(Schema.Struct({ tenant: Schema.String, fullInMicros: Schema.Int }))

/** So many are dropped in one statement. */
const portion = 1_000

export const RateBucketsPg: Layer.Layer<RateBuckets, never, Database> = Layer.effect(
  RateBuckets,
  Effect.gen(function* () {
    const { optional, sql } = yield* Database
    const databaseNow = yield* DatabaseNow
    return RateBuckets.of({
      spend: Effect.fnUntraced(function* (spent, mostMillis) {
        const rows = yield* stateRows(
          optional.query(sql`
            with at as materialized (select ${sql.literal(yield* databaseNow)} * 1000 as now)
            insert into request_rates as r (tenant, full_at)
            select s.tenant, at.now + s.micros
            from at, unnest(${spent.map(({ tenant }) => tenant)}::text[], ${spent.map(({ millis }) => Math.round(millis * 1000))}::bigint[]) as s (tenant, micros)
            order by s.tenant
            on conflict (tenant) do update set full_at = least(
              greatest(r.full_at, (select now from at)) + excluded.full_at - (select now from at),
              (select now from at) + ${Math.round(mostMillis * 1000)}::bigint)
            returning tenant, full_at - (select now from at) as "fullInMicros"`)
        )
        return rows.map(({ fullInMicros, tenant }) => ({ tenant, fullInMillis: fullInMicros / 1000 }))
      }),
      forgetFull: Effect.flatMap(databaseNow, (now) =>
        Effect.asVoid(
          optional.query(sql`
            delete from request_rates where tenant in (
              select tenant from request_rates where full_at <= ${sql.literal(now)} * 1000 limit ${portion} for update skip locked
            )`)
        )
      )
    })
  })
)

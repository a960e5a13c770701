/**
 * Statistics of endpoints in Postgres. Attempts are counted in memory, where readers on this node see them at once.
 * Once a second, one statement adds the counts to the rows. The counts of other nodes are read every half minute. When
 * the process is killed, the counts of the last second are lost: they are statistics, and no settlement waits for them.
 */
import { Clock, Effect, Layer, Schema } from "effect"
import { EndpointStats } from "../../services/EndpointStats.js"
import { everySoOften, makeReading } from "../node/Background.js"
import { makeComparedAnswers } from "./ComparedAnswersPg.js"
import { Database } from "./Database.js"
import { rowsOf } from "./database/Rows.js"
import { type Count, countOf, oldestDay, MergedCounts, EndpointTotals } from "../catalog/statistics/AttemptCounts.js"

const countRows = rowsOf(
  Schema.Struct({
    day: Schema.Int,
    endpointId: Schema.String,
    bucket: Schema.Int,
    calls: Schema.Int,
    successes: Schema.Int
  })
)

const make = Effect.gen(function* () {
  const { query, sql, transact } = yield* Database
  const { comparedAnswers, flush: flushCompared, forget, recordCompared } = yield* makeComparedAnswers
  let pending = new MergedCounts()
  const write = (counts: ReadonlyArray<Count>) =>
    transact(sql`
      insert into endpoint_stats (day, endpoint_id, bucket, calls, successes)
      select day, endpoint_id, bucket, calls, successes
      from jsonb_to_recordset(${JSON.stringify(counts.map(({ endpointId, ...count }) => ({ ...count, endpoint_id: endpointId })))}::jsonb)
        as c (day int, endpoint_id text, bucket smallint, calls bigint, successes bigint)
      -- In one order on all nodes, so that two of them cannot wait for each other.
      order by day, endpoint_id, bucket
      on conflict (day, endpoint_id, bucket) do update
      set calls = endpoint_stats.calls + excluded.calls, successes = endpoint_stats.successes + excluded.successes`)

  const read = Effect.gen(function* () {
    const oldest = oldestDay(yield* Clock.currentTimeMillis)
    yield* transact(sql`delete from endpoint_stats where day < ${oldest}`)
    yield* forget
    const stored = yield* countRows(
      query(sql`
      select 0 as day, endpoint_id as "endpointId", bucket, sum(calls)::bigint as calls, sum(successes)::bigint as successes
      from endpoint_stats where day >= ${oldest} group by endpoint_id, bucket`)
    )
    // Attempts that were counted while the rows were read are not in these rows, because nothing was flushed meanwhile.
    return EndpointTotals.of([...stored, ...pending.values])
  })
  const totals = yield* makeReading({ name: "how endpoints have done", every: "30 seconds" }, read)

  // Flushing and reading exclude each other. Otherwise a count could be read from the rows and also added from memory.
  const flush = totals
    .betweenReadings(
      Effect.suspend(() => {
        const taken = pending.values
        if (taken.length === 0) return Effect.void
        pending = new MergedCounts()
        // A write whose outcome is unknown is not repeated: counting less is better than counting twice.
        return write(taken).pipe(
          Effect.catchTag("storage_uncertain", () => Effect.void),
          Effect.catchAll(() =>
            Effect.sync(() => {
              for (const count of taken) pending.add(count)
            })
          )
        )
      })
    )
    .pipe(Effect.uninterruptible, Effect.zipRight(flushCompared))
  yield* Effect.addFinalizer(() => flush)
  yield* everySoOften({ name: "counting how endpoints do", every: "1 second" }, flush)

  const clock = yield* Effect.clock
  return EndpointStats.of({
    comparedAnswers,
    recordCompared,
    snapshot: Effect.sync(() => totals.last().works),
    record: (attempt) =>
      Effect.sync(() => {
        const count = countOf(attempt, clock.unsafeCurrentTimeMillis())
        pending.add(count)
        totals.last().add(count)
      })
  })
})

export const EndpointStatsPg: Layer.Layer<EndpointStats, never, Database> = Layer.scoped(EndpointStats, make)

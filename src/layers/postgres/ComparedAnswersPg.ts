/**
 * Answers that were compared with their documented schema, in Postgres. They are counted in memory, and the counts are
 * added to the rows by `flush`. Reading them flushes first. When the process is killed, the last second of counts
 * is lost.
 */
import { Clock, Effect, Schema } from "effect"
import type { StorageError } from "../../domain/StorageErrors.js"
import type { EndpointStats } from "../../services/EndpointStats.js"
import { oldestDay } from "../catalog/statistics/AttemptCounts.js"
import { type ComparedCount, comparedOf, MergedComparisons, totalsOf } from "../catalog/statistics/ComparedCounts.js"
import { Database } from "./Database.js"
import { rowsOf } from "./database/Rows.js"

const rows = rowsOf(
  Schema.Struct({
    day: Schema.Int,
    contractVersion: Schema.String,
    compared: Schema.Int,
    broken: Schema.Int,
    place: Schema.NullOr(Schema.String),
    message: Schema.NullOr(Schema.String)
  })
)

interface ComparedAnswersPg extends Pick<EndpointStats["Type"], "comparedAnswers" | "recordCompared"> {
  readonly flush: Effect.Effect<void>
  /** Deletes the days that are over. */
  readonly forget: Effect.Effect<void, StorageError>
}

export const makeComparedAnswers: Effect.Effect<ComparedAnswersPg, never, Database> = Effect.gen(function* () {
  const { query, sql, transact } = yield* Database
  const clock = yield* Effect.clock
  const one = yield* Effect.makeSemaphore(1)
  let pending = new MergedComparisons()

  const write = (counts: ReadonlyArray<ComparedCount>) =>
    transact(sql`
      insert into compared_answers (day, contract_version, compared, broken, place, message)
      select day, contract_version, compared, broken, place, message
      from jsonb_to_recordset(${JSON.stringify(
        counts.map(({ contractVersion, firstBreak, ...count }) => ({
          ...count,
          contract_version: contractVersion,
          place: firstBreak?.place ?? null,
          message: firstBreak?.message ?? null
        }))
      )}::jsonb)
        as c (day int, contract_version text, compared bigint, broken bigint, place text, message text)
      -- In one order on all nodes, so that two of them cannot wait for each other.
      order by day, contract_version
      on conflict (day, contract_version) do update
      set compared = compared_answers.compared + excluded.compared, broken = compared_answers.broken + excluded.broken,
        place = coalesce(compared_answers.place, excluded.place), message = coalesce(compared_answers.message, excluded.message)`)

  const flush = one
    .withPermits(1)(
      Effect.suspend(() => {
        const taken = pending.values
        if (taken.length === 0) return Effect.void
        pending = new MergedComparisons()
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
    .pipe(Effect.uninterruptible)

  const read = Effect.gen(function* () {
    const oldest = oldestDay(yield* Clock.currentTimeMillis)
    const found = yield* rows(
      query(sql`
      select day, contract_version as "contractVersion", compared, broken, place, message
      from compared_answers where day >= ${oldest}`)
    )
    return totalsOf(
      found.map(({ message, place, ...count }) => ({
        ...count,
        firstBreak: place === null || message === null ? null : { place, message }
      }))
    )
  })

  return {
    flush,
    forget: Effect.flatMap(Clock.currentTimeMillis, (now) =>
      transact(sql`delete from compared_answers where day < ${oldestDay(now)}`)
    ),
    comparedAnswers: Effect.zipRight(flush, read),
    recordCompared: (contractVersion, found) =>
      Effect.sync(() => pending.add(comparedOf(contractVersion, found, clock.unsafeCurrentTimeMillis())))
  }
})

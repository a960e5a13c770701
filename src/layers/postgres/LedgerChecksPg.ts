/**
 * Ledger checks in Postgres. The statement of a check takes an advisory lock, so Postgres releases the lock when the
 * node dies. The result is one row, with the time of the database's clock. The other nodes read this row instead of
 * checking again.
 */
import { Duration, Effect, Layer, Schema } from "effect"
import { type LedgerCheck, LedgerChecks } from "../../services/LedgerChecks.js"
import { Database } from "./Database.js"
import { DatabaseNow } from "./database/Now.js"
import { rowOf } from "./database/Rows.js"
import { verifyLedgerUnlessLocked } from "./LedgerVerificationPg.js"

/**
 * A check reads the whole ledger. After each check comes a pause of this many times its duration, so that checks keep
 * one connection busy for at most a twentieth of the time.
 */
const restPerCheck = 19

const Row = Schema.Struct({
  checkedAt: Schema.Int,
  tookMillis: Schema.Int,
  driftMicros: Schema.Int,
  difference: Schema.NullOr(Schema.String),
  ageMillis: Schema.Int
})
const checkRow = rowOf(Row)

const make = Effect.gen(function* () {
  const database = yield* Database
  const databaseNow = yield* DatabaseNow
  const { query, sql } = database

  const recorded = Effect.gen(function* () {
    const now = sql.literal(yield* databaseNow)
    return yield* checkRow(
      query(sql`
        select checked_at as "checkedAt", took_millis as "tookMillis", drift_micros as "driftMicros", difference, ${now} - checked_at as "ageMillis"
        from ledger_checks`)
    )
  })

  const checked = Effect.gen(function* () {
    const [took, found] = yield* Effect.timed(verifyLedgerUnlessLocked(database))
    if (found === null) return false
    yield* query(sql`
      insert into ledger_checks (checked_at, took_millis, drift_micros, difference)
      values (${sql.literal(yield* databaseNow)}, ${Math.round(Duration.toMillis(took))}, ${found.driftMicros}, ${found.difference})
      on conflict (only_row) do update set checked_at = excluded.checked_at, took_millis = excluded.took_millis,
        drift_micros = excluded.drift_micros, difference = excluded.difference`)
    return true
  })

  const shown = (row: typeof Row.Type | null): LedgerCheck | null => {
    if (row === null) return null
    const { ageMillis: _age, ...check } = row
    return check
  }

  return LedgerChecks.of({
    latest: Effect.fn("LedgerChecks.latest")(function* (between) {
      const last = yield* recorded
      if (last !== null && last.ageMillis < Math.max(Duration.toMillis(between), last.tookMillis * restPerCheck))
        return shown(last)
      return shown((yield* checked) ? yield* recorded : last)
    })
  })
})

export const LedgerChecksPg: Layer.Layer<LedgerChecks, never, Database> = Layer.effect(LedgerChecks, make)

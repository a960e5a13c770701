/**
 * The turn to work on the history, which one process has at a time. Every transaction that changes the history begins
 * with `held`: it prolongs the turn of its holder by a minute, and locks all others out until its end. Another process
 * may take the turn once a minute has passed without that.
 */
import { Effect, Schema } from "effect"
import { HistoryTaken, type RunHistory } from "../../../services/RunHistory.js"
import type { Database } from "../Database.js"
import { rowOf } from "../database/Rows.js"

const silentMillisMax = 60_000
const oneRow = rowOf(Schema.Struct({ one: Schema.Int }))

export const historyTurn = ({ query, sql }: Database["Type"], databaseNow: Effect.Effect<string>) => {
  /** Joins the surrounding transaction. */
  const held = Effect.fnUntraced(function* (holder: string) {
    const now = sql.literal(yield* databaseNow)
    const row = yield* oneRow(
      query(sql`
        insert into history_turn (holder, until_millis) values (${holder}, ${now} + ${silentMillisMax}::bigint)
        on conflict (only_row) do update set holder = excluded.holder, until_millis = excluded.until_millis
        where history_turn.holder = excluded.holder or history_turn.until_millis < ${now}
        returning 1 as one`)
    )
    if (row === null) return yield* new HistoryTaken()
  })
  const turnFree: RunHistory["Type"]["turnFree"] = Effect.gen(function* () {
    const now = sql.literal(yield* databaseNow)
    const other = yield* oneRow(query(sql`select 1 as one from history_turn where until_millis >= ${now}`))
    if (other !== null) return yield* new HistoryTaken()
  })
  const endTurn: RunHistory["Type"]["endTurn"] = (holder) =>
    Effect.asVoid(query(sql`delete from history_turn where holder = ${holder}`))
  return { held, endTurn, turnFree }
}

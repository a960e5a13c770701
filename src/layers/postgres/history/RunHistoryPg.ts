/** The history of finished runs on Postgres: tables in partitions by month (migration 0032). */
import { Effect, Layer, Schema } from "effect"
import { RunHistory } from "../../../services/RunHistory.js"
import { Database } from "../Database.js"
import { DatabaseNow } from "../database/Now.js"
import { rowOf } from "../database/Rows.js"
import { mediaOf } from "../RunMediaPg.js"
import { historyMonths } from "./HistoryMonths.js"
import { historyMoves } from "./HistoryMoves.js"
import { historyTurn } from "./HistoryTurn.js"

const nowRow = rowOf(Schema.Struct({ now: Schema.Int }))

export const RunHistoryPg: Layer.Layer<RunHistory, never, Database> = Layer.effect(
  RunHistory,
  Effect.gen(function* () {
    const database = yield* Database
    const databaseNow = yield* DatabaseNow
    const { query, sql, transact } = database
    const turn = historyTurn(database, databaseNow)
    const now = Effect.flatMap(databaseNow, (time) => nowRow(query(sql`select ${sql.literal(time)} as now`))).pipe(
      Effect.flatMap((row) =>
        row === null ? Effect.dieMessage("the statement of the time answered no row") : Effect.succeed(row.now)
      )
    )
    return RunHistory.of({
      ...historyMoves(database, turn, now),
      ...historyMonths(database, turn, now, mediaOf(database, "history_media")),
      now,
      takeTurn: (holder) => transact(turn.held(holder)),
      turnFree: turn.turnFree,
      endTurn: turn.endTurn
    })
  })
)

/** What searches learn from use, in Postgres: the rows of `catalog/learning/SearchUseRows`. */
import { Effect, Layer, Schema } from "effect"
import type { WorkspaceId } from "../../domain/Ids.js"
import { searchUseMillis, searchUsesMax } from "../../domain/limits/Lists.js"
import { isAfterSearch } from "../../domain/SearchUse.js"
import { SearchUses } from "../../services/SearchUses.js"
import type { SearchUseRows } from "../catalog/learning/SearchUseRows.js"
import { searchUsesOver } from "../catalog/learning/SearchUsesOver.js"
import { Database } from "./Database.js"
import { DatabaseNow } from "./database/Now.js"
import { rowOf, rowsOf } from "./database/Rows.js"

const useRows = rowsOf(
  Schema.Struct({ itemId: Schema.String, weight: Schema.Number, usedAt: Schema.Int, now: Schema.Int })
)
const shownRow = rowOf(Schema.Struct({ shownAt: Schema.Int, now: Schema.Int }))
const storedUse = rowOf(Schema.Struct({ weight: Schema.Number, usedAt: Schema.Int }))

/** Forgets what the searches of a workspace have learned. */
export const forgetUses = ({ query, sql }: Database["Type"], workspaceId: WorkspaceId) =>
  Effect.zipRight(
    query(sql`delete from search_shown where workspace_id = ${workspaceId}`),
    query(sql`delete from search_uses where workspace_id = ${workspaceId}`)
  )

const makeRows: Effect.Effect<SearchUseRows, never, Database> = Effect.gen(function* () {
  const {
    optional: { query, transact },
    sql
  } = yield* Database
  const databaseNow = yield* DatabaseNow
  const nowSql = Effect.map(databaseNow, (now) => sql.literal(now))
  return {
    uses: Effect.fnUntraced(function* (workspaceId) {
      const rows = yield* useRows(
        query(sql`
          select item_id as "itemId", weight, used_at as "usedAt", ${yield* nowSql} as now from search_uses
          where workspace_id = ${workspaceId} order by used_at desc, item_id limit ${searchUsesMax}`)
      )
      return { uses: rows, now: rows[0]?.now ?? 0 }
    }),
    shown: Effect.fnUntraced(function* (workspaceId, itemIds) {
      const now = yield* nowSql
      // The row of the workspace is locked, so that what was switched off meanwhile stays forgotten. Ids are sorted, so
      // that two searches at once never wait for each other.
      yield* transact(
        query(sql`
          with learning as (select workspace_id from workspaces where workspace_id = ${workspaceId} and learns_from_use for share),
          old as (delete from search_shown where workspace_id = ${workspaceId} and shown_at < ${now} - ${searchUseMillis}
            and item_id <> all(${itemIds}::text[]))
          insert into search_shown (workspace_id, item_id, shown_at)
          select workspace_id, item_id, ${now} from learning, unnest(${[...new Set(itemIds)].sort()}::text[]) as item (item_id)
          on conflict (workspace_id, item_id) do update set shown_at = excluded.shown_at`)
      )
    }),
    ran: Effect.fnUntraced(function* (workspaceId, itemId, change) {
      const now = yield* nowSql
      yield* transact(
        Effect.gen(function* () {
          const shown = yield* shownRow(
            query(sql`
              delete from search_shown where workspace_id = ${workspaceId} and item_id = ${itemId}
              returning shown_at as "shownAt", ${now} as now`)
          )
          if (shown === null || !isAfterSearch(shown.shownAt, shown.now)) return
          const before = yield* storedUse(
            query(sql`
              select weight, used_at as "usedAt" from search_uses
              where workspace_id = ${workspaceId} and item_id = ${itemId} for update`)
          )
          const after = change(before, shown.now)
          yield* query(sql`
            insert into search_uses (workspace_id, item_id, weight, used_at)
            values (${workspaceId}, ${itemId}, ${after.weight}, ${after.usedAt})
            on conflict (workspace_id, item_id) do update set weight = excluded.weight, used_at = excluded.used_at`)
        })
      )
    })
  }
})

export const SearchUsesPg: Layer.Layer<SearchUses, never, Database> = Layer.scoped(
  SearchUses,
  Effect.flatMap(makeRows, searchUsesOver)
)

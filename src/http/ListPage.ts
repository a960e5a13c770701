/** Lists, newest first: turns `limit` and `cursor` into a page request, and a page's end into `nextCursor`. */
import { Effect, Option } from "effect"
import { CursorKey } from "../services/CursorKey.js"
import type { Page, PageRequest } from "../domain/Page.js"
import { makeCursor, readCursor, type CursorBinding } from "./Cursor.js"

export interface PageQuery {
  readonly limit: number
  readonly cursor?: string
}

/** Fails with the list's own error when the cursor does not belong to it. */
export const pageRequest = <E>(
  asked: PageQuery,
  binding: CursorBinding,
  invalid: () => E
): Effect.Effect<PageRequest, E, CursorKey> => {
  const { cursor, limit } = asked
  if (cursor === undefined) return Effect.succeed({ limit, after: null })
  return Effect.flatMap(CursorKey, (key) =>
    Option.match(readCursor(key, cursor, binding), {
      onNone: () => Effect.fail(invalid()),
      onSome: (after) => Effect.succeed({ limit, after })
    })
  )
}

export const nextCursor = (
  page: Page<unknown>,
  binding: CursorBinding
): Effect.Effect<string | null, never, CursorKey> => {
  const { next } = page
  return next === null ? Effect.succeed(null) : Effect.map(CursorKey, (key) => makeCursor(key, next, binding))
}

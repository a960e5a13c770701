/** A page out of rows of which one more than the limit was read: that one only says that there are more. */
import type { Page } from "../services/Page.js"

export const pageOf = <A>(rows: ReadonlyArray<A>, limit: number, keyOf: (row: A) => string): Page<A> => {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last !== undefined ? keyOf(last) : null }
}

/** Pages of rows. */
import type { Page } from "./Page.js"

/**
 * A page that ends before its bytes would pass a sum, though never before its first row: `sizeOf` tells the bytes of
 * each row, and `next` is then the key of the last one that is in.
 */
export const within = <A>(
  page: Page<A>,
  bytesMax: number,
  sizeOf: (row: A) => number,
  keyOf: (row: A) => string
): Page<A> => {
  let bytes = 0
  const over = page.items.findIndex((row, index) => {
    bytes += sizeOf(row)
    return index > 0 && bytes > bytesMax
  })
  const items = over < 0 ? page.items : page.items.slice(0, over)
  const last = items.at(-1)
  return over < 0 || last === undefined ? page : { items, next: keyOf(last) }
}

/** Out of rows of which one more than the limit was read: that one only says that there are more. */
export const pageOf = <A>(rows: ReadonlyArray<A>, limit: number, keyOf: (row: A) => string): Page<A> => {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last !== undefined ? keyOf(last) : null }
}

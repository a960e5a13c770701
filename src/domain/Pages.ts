/** Pages of rows. */
import { Effect } from "effect"
import { pageRowsMax } from "./limits/Lists.js"
import type { Page, PageRequest } from "./Page.js"

/**
 * A page that ends before its bytes exceed a limit, but always has its first row. `sizeOf` gives the bytes of each row.
 * When the page ends early, `next` is the key of its last row.
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

/**
 * Makes a page from rows that were read with one row more than the limit. The extra row only shows that there are more
 * rows.
 */
export const pageOf = <A>(rows: ReadonlyArray<A>, limit: number, keyOf: (row: A) => string): Page<A> => {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last !== undefined ? keyOf(last) : null }
}

/** The rows of all pages. For lists that are read whole, however long they are. */
export const everyRow = <A, E, R>(read: (page: PageRequest) => Effect.Effect<Page<A>, E, R>) =>
  Effect.gen(function* () {
    const found: Array<A> = []
    let after: string | null = null
    do {
      const page: Page<A> = yield* read({ limit: pageRowsMax, after })
      found.push(...page.items)
      after = page.next
    } while (after !== null)
    return found
  })

/** Pages of a list, newest first. */

/** What is said of a cursor that the list did not make. */
export const noCursorOfList = "not a cursor of this list; take nextCursor from an answer with the same filters"

/** `after` is the sort key of the last row of the page before; the HTTP layer makes cursors of it. */
export interface PageRequest {
  readonly limit: number
  readonly after: string | null
}

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  /** The sort key after which the next page begins. Null on the last page. */
  readonly next: string | null
}

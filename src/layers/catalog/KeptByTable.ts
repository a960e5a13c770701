/**
 * Results that are kept by access table, under one bound for all tables together. A node may have hundreds of tables,
 * and a bound for each would multiply with them.
 */
import type { AccessTable } from "./AccessTable.js"

export interface KeptByTable<A> {
  /** What is kept for this table; made when nothing is. */
  readonly of: (table: AccessTable) => A
  /** Says that so much more is kept. Beyond the bound, everything is forgotten. */
  readonly grew: (by: number) => void
}

export const makeKeptByTable = <A extends object>(most: number, make: () => A): KeptByTable<A> => {
  let kept = new WeakMap<AccessTable, A>()
  let size = 0
  return {
    of: (table) => {
      const found = kept.get(table) ?? make()
      kept.set(table, found)
      return found
    },
    grew: (by) => {
      size += by
      if (size <= most) return
      kept = new WeakMap()
      size = 0
    }
  }
}

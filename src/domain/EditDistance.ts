// How many edits lie between two words.

/** Edits between two words, a swap of neighbours counting one; more than `limit` is given as limit + 1. */
export const editDistance = (a: string, b: string, limit: number): number => {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let older: Array<number> = []
  let old = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let row = 1; row <= a.length; row += 1) {
    const next = [row]
    let least = row
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1]
      let value = Math.min((old[column - 1] ?? 0) + (same ? 0 : 1), (old[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1)
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        value = Math.min(value, (older[column - 2] ?? 0) + 1)
      next.push(value)
      if (value < least) least = value
    }
    if (least > limit) return limit + 1
    older = old
    old = next
  }
  return old[b.length] ?? limit + 1
}
